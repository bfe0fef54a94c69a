//===- Notation.cpp - a recurrence as its paper writes it -------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The letters are those of docs/spec.md.
///
//===----------------------------------------------------------------------===//

#include "Notation.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace delta;

/// Which paper the recurrence is from.
static std::string getSource(RecurrenceOp op) {
  if (!op.getKernel().hasState())
    return "DeltaFormer (arXiv 2505.19488)";
  bool decays = op.getDecay() != nullptr;
  if (op.getSteps() > 1)
    return decays ? "Gated DeltaProduct (arXiv 2502.10297)"
                  : "DeltaProduct (arXiv 2502.10297)";
  return decays ? "Gated DeltaNet (arXiv 2412.06464)"
                : "DeltaNet (arXiv 2406.06484)";
}

static std::string spell(float number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number);
  return text;
}

/// `factor` as it stands before what it multiplies; "" for 1.
static std::string spellFactor(float factor) {
  return factor == 1.0f ? "" : spell(factor) + " ";
}

static void writeStateful(RecurrenceOp op, llvm::raw_ostream &os) {
  if (op.getDecay())
    os << "    S <- exp(g_t) S\n";
  if (op.getSteps() > 1)
    os << "    S <- S + k_tj^T beta_tj (v_tj - k_tj S)   for j = 1.."
       << op.getSteps() << '\n';
  else
    os << "    S <- S + k_t^T beta_t (v_t - k_t S)\n";
  os << "    o_t = " << spellFactor(op.getScaleValue()) << "q_t S\n";
}

static void writeAttention(RecurrenceOp op, llvm::raw_ostream &os) {
  std::string scale = spellFactor(op.getScaleValue());
  auto weigh = [&](FeatureKernel kernel, StringRef query) -> std::string {
    std::string score = (scale + "<" + query + "_t, k_i>").str();
    if (kernel == FeatureKernel::Linear)
      return score;
    return (stringifyFeatureKernel(kernel) + "(" + score + ")").str();
  };
  StringRef writing = op.getWrite() ? "w" : "q";
  os << "    u_t = " << (op.getAlpha() ? "alpha_t " : "")
     << "v_t - beta_t sum_{i < t} " << weigh(op.getKernel().getWrite(), writing)
     << " u_i\n"
     << "    o_t = sum_{i <= t} " << weigh(op.getKernel().getRead(), "q")
     << " u_i\n";
  if (op.isDecode())
    os << "\nThe keys and u of earlier tokens are in the cache.\n";
}

/// How operands are made of the caller's arrays.
static void writePrologues(RecurrenceOp op, llvm::raw_ostream &os) {
  std::string normalised;
  for (auto [name, operand] : {std::pair<StringRef, Value>("q", op.getQuery()),
                               {"k", op.getKey()},
                               {"w", op.getWrite()}})
    if (operand && operand.getDefiningOp<L2NormOp>())
      normalised += (normalised.empty() ? "" : " and ") + name.str();
  if (!normalised.empty())
    os << "Rows of " << normalised << " are divided by their l2 norm first.\n";
  if (auto sigmoid = op.getBeta().getDefiningOp<SigmoidOp>())
    os << "beta is " << spellFactor(sigmoid.getRange().convertToFloat())
       << "sigmoid of the array of that name.\n";
}

std::string delta::writeNotation(RecurrenceOp op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << getSource(op) << ", for each sequence and value head:\n\n";
  if (op.getKernel().hasState())
    writeStateful(op, os);
  else
    writeAttention(op, os);
  os << '\n';
  writePrologues(op, os);
  os << op.getKeyHeads() << " key head" << (op.getKeyHeads() == 1 ? "" : "s")
     << " of " << op.getKeyDim() << ", " << op.getValueHeads() << " value head"
     << (op.getValueHeads() == 1 ? "" : "s") << " of " << op.getValueDim()
     << ".\n";
  return text;
}
