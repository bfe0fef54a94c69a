//===- Reference.cpp - the float64 meaning of a spec ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Passes a SpecDescription to the runtime's oracle. Contains no arithmetic.
///
//===----------------------------------------------------------------------===//

#include "delta/Execution/Reference.h"

#include "delta/Runtime/Prologue.h"

#include "llvm/Support/ErrorHandling.h"

using namespace delta;
using runtime::HostTensor;
using runtime::OperandRole;

static HostTensor runPrologue(const PrologueDescription &prologue,
                              const HostTensor &input) {
  switch (prologue.kind) {
  case PrologueDescription::Kind::L2Norm:
    return runtime::l2norm(input, prologue.parameter, prologue.result);
  case PrologueDescription::Kind::Sigmoid:
    return runtime::sigmoid(input, prologue.parameter, prologue.result);
  }
  llvm_unreachable("unknown prologue");
}

/// The field of the oracle's operands for a role.
static const HostTensor *&slotOf(runtime::RecurrenceOperands &operands,
                                 OperandRole role) {
  switch (role) {
  case OperandRole::Query:
    return operands.query;
  case OperandRole::Key:
    return operands.key;
  case OperandRole::Value:
    return operands.value;
  case OperandRole::Beta:
    return operands.beta;
  case OperandRole::Decay:
    return operands.decay;
  case OperandRole::Initial:
    return operands.initial;
  case OperandRole::Write:
    return operands.write;
  case OperandRole::Alpha:
    return operands.alpha;
  case OperandRole::KeyCache:
    return operands.keyCache;
  case OperandRole::UCache:
    return operands.uCache;
  case OperandRole::Cached:
    return operands.cached;
  }
  llvm_unreachable("unknown operand role");
}

runtime::Result<std::vector<HostTensor>>
delta::runReference(const SpecDescription &spec, const OperandSet &operands,
                    const runtime::OracleProgress &progress) {
  // The oracle keeps pointers to its operands, so computed ones must not move.
  std::vector<HostTensor> computed;
  computed.reserve(spec.operands.size());
  runtime::RecurrenceOperands borrowed;
  for (const OperandDescription &operand : spec.operands) {
    const HostTensor *tensor = &operands.arguments[operand.argument];
    if (operand.prologue)
      tensor = &computed.emplace_back(runPrologue(*operand.prologue, *tensor));
    slotOf(borrowed, operand.role) = tensor;
  }

  runtime::Result<runtime::OracleResults> oracle =
      runtime::evaluateOracle(spec.recurrence, borrowed, progress);
  if (!oracle)
    return runtime::Error{oracle.error()};

  std::vector<HostTensor> results;
  for (const ResultDescription &result : spec.results) {
    switch (result.kind) {
    case ResultDescription::Kind::Output:
      results.push_back(oracle->output.clone());
      break;
    case ResultDescription::Kind::State:
      results.push_back(oracle->state.clone());
      break;
    case ResultDescription::Kind::U:
      results.push_back(oracle->u.clone());
      break;
    case ResultDescription::Kind::Ubar:
      results.push_back(oracle->ubar.clone());
      break;
    case ResultDescription::Kind::WriteLse:
      results.push_back(oracle->writeLse.clone());
      break;
    case ResultDescription::Kind::ReadLse:
      results.push_back(oracle->readLse.clone());
      break;
    case ResultDescription::Kind::KeyCache:
      results.push_back(oracle->keyCache.clone());
      break;
    case ResultDescription::Kind::UCache:
      results.push_back(oracle->uCache.clone());
      break;
    }
  }
  return results;
}
