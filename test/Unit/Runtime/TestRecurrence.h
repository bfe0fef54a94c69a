//===- TestRecurrence.h - random recurrences for tests ----------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A recurrence that owns its operands, drawn from a seed, and shorthands to
/// evaluate and compare it.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_TEST_UNIT_RUNTIME_TESTRECURRENCE_H
#define DELTA_TEST_UNIT_RUNTIME_TESTRECURRENCE_H

#include "delta/Runtime/Compare.h"
#include "delta/Runtime/Inputs.h"
#include "delta/Runtime/Oracle.h"

#include <gtest/gtest.h>

#include <map>

namespace delta::runtime {

/// Sizes of a test recurrence; small, and different where a mix-up must show.
struct TestSizes {
  int64_t batch = 2, tokens = 9, steps = 1, keyHeads = 2, valueHeads = 2;
  int64_t keyDim = 5, valueDim = 3;
};

/// A spec with tensors in float64, named as in RecurrenceOperands.
struct TestRecurrence {
  RecurrenceSpec spec;
  std::map<std::string, HostTensor> tensors;

  RecurrenceOperands operands() const {
    auto find = [&](const char *name) -> const HostTensor * {
      auto it = tensors.find(name);
      return it == tensors.end() ? nullptr : &it->second;
    };
    RecurrenceOperands in;
    in.query = find("query");
    in.key = find("key");
    in.value = find("value");
    in.beta = find("beta");
    in.decay = find("decay");
    in.initial = find("initial");
    in.write = find("write");
    in.alpha = find("alpha");
    in.lengths = find("lengths");
    in.keyCache = find("key_cache");
    in.uCache = find("u_cache");
    in.cached = find("cached");
    return in;
  }

  /// Fails the test if the operands do not fit.
  OracleResults evaluate() const {
    Result<OracleResults> results = evaluateOracle(spec, operands());
    if (!results) {
      ADD_FAILURE() << results.error();
      return {};
    }
    return std::move(*results);
  }

  void draw(const char *name, OperandRole role, std::vector<int64_t> shape,
            std::optional<double> rowNorm = std::nullopt, uint64_t seed = 1) {
    InputRequest request;
    request.name = name;
    request.role = role;
    request.dtype = DType::F64;
    request.shape = std::move(shape);
    request.rowNorm = rowNorm;
    tensors[name] = drawInput(request, seed);
  }
};

/// q, k (unit rows), v and beta in (0, 1) of either family.
inline TestRecurrence makeRecurrence(const TestSizes &s, KernelFamily family) {
  TestRecurrence r;
  r.spec.family = family;
  r.spec.steps = s.steps;
  r.spec.scale = 0.7;
  auto perStep = [&](std::initializer_list<int64_t> tail) {
    std::vector<int64_t> shape = {s.batch, s.tokens};
    if (s.steps != 1)
      shape.push_back(s.steps);
    shape.insert(shape.end(), tail);
    return shape;
  };
  r.draw("query", OperandRole::Query,
         {s.batch, s.tokens, s.keyHeads, s.keyDim});
  r.draw("key", OperandRole::Key, perStep({s.keyHeads, s.keyDim}), 1.0);
  r.draw("value", OperandRole::Value, perStep({s.valueHeads, s.valueDim}));
  r.draw("beta", OperandRole::Beta, perStep({s.valueHeads}));
  return r;
}

/// The reference and the result agree to \p limit, and are not both trivial.
inline void expectClose(const HostTensor &reference, const HostTensor &result,
                        double limit = 1e-13) {
  Result<Comparison> comparison = compareTensors(reference, result);
  if (!comparison) {
    ADD_FAILURE() << comparison.error();
    return;
  }
  EXPECT_TRUE(comparison->within(limit))
      << "rms ratio " << comparison->rmsRatio << ", largest error "
      << comparison->maxAbsError << " at " << comparison->maxAbsIndex;
  double sum = 0.0;
  for (int64_t i = 0; i < reference.size(); ++i)
    sum += std::abs(reference.get(i));
  EXPECT_GT(sum, 0.0) << "the reference is all zero";
}

} // namespace delta::runtime

#endif // DELTA_TEST_UNIT_RUNTIME_TESTRECURRENCE_H
