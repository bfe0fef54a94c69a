//===- Recurrence.cpp - checks of a recurrence's operands -------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the sizes off q, k and v, then checks every other operand against
/// them.
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/Recurrence.h"

#include <fmt/format.h>

#include <cmath>

namespace delta::runtime {

const char *featureKernelName(FeatureKernel kernel) {
  switch (kernel) {
  case FeatureKernel::Softmax:
    return "softmax";
  case FeatureKernel::Exp:
    return "exp";
  case FeatureKernel::Relu:
    return "relu";
  case FeatureKernel::Round:
    return "round";
  case FeatureKernel::Linear:
    return "linear";
  }
  return "";
}

using Shape = std::vector<int64_t>;

Shape RecurrenceDims::stateShape(StateLayout layout) const {
  if (layout == StateLayout::KV)
    return {sequences, valueHeads, keyDim, valueDim};
  return {sequences, valueHeads, valueDim, keyDim};
}

static MaybeError checkShape(const char *name, const HostTensor &tensor,
                             const Shape &expected) {
  if (!isFloat(tensor.dtype()))
    return Error{fmt::format("operand '{}' must hold floating point numbers, "
                             "got {}",
                             name, dtypeName(tensor.dtype()))};
  if (tensor.shape() != expected)
    return Error{fmt::format("operand '{}' must have shape {}, got {}", name,
                             shapeString(expected),
                             shapeString(tensor.shape()))};
  return std::nullopt;
}

/// An operand that the family does not use is an error of the caller, so it is
/// not ignored.
static MaybeError checkAbsent(const char *name, const HostTensor *tensor,
                              const char *family) {
  if (tensor)
    return Error{fmt::format("operand '{}' does not belong to the {} family",
                             name, family)};
  return std::nullopt;
}

static MaybeError checkAttributes(const RecurrenceSpec &spec) {
  if (spec.steps < 1)
    return Error{fmt::format("steps must be at least 1, got {}", spec.steps)};
  if (spec.family == KernelFamily::Implicit && spec.steps != 1)
    return Error{fmt::format("steps must be 1 in the implicit family, got {}",
                             spec.steps)};
  if (!std::isfinite(spec.scale))
    return Error{fmt::format("scale must be finite, got {}", spec.scale)};
  return std::nullopt;
}

static MaybeError checkPresent(const RecurrenceOperands &operands) {
  const std::pair<const char *, const HostTensor *> required[] = {
      {"query", operands.query},
      {"key", operands.key},
      {"value", operands.value},
      {"beta", operands.beta}};
  for (auto [name, tensor] : required)
    if (!tensor)
      return Error{fmt::format("operand '{}' is missing", name)};
  return std::nullopt;
}

/// Token offsets: 0 = o_0 <= o_1 <= ... <= o_N = T.
static MaybeError checkLengths(const HostTensor &offsets,
                               const RecurrenceDims &dims) {
  if (isFloat(offsets.dtype()) || offsets.rank() != 1 || offsets.size() < 1)
    return Error{fmt::format("operand 'lengths' must be a vector of at least "
                             "one i32 or i64, got {} of {}",
                             shapeString(offsets.shape()),
                             dtypeName(offsets.dtype()))};
  if (dims.batch != 1)
    return Error{fmt::format("packed sequences must have a batch of 1, got {}",
                             dims.batch)};
  double last = 0.0;
  for (int64_t i = 0; i < offsets.size(); ++i) {
    const double offset = offsets.get(i);
    if (i == 0 && offset != 0.0)
      return Error{
          fmt::format("operand 'lengths' must start with 0, got {}", offset)};
    if (offset < last)
      return Error{fmt::format("operand 'lengths' must not decrease, got {} "
                               "after {} at index {}",
                               offset, last, i)};
    last = offset;
  }
  if (last != static_cast<double>(dims.tokens))
    return Error{
        fmt::format("operand 'lengths' must end with the {} tokens, got {}",
                    dims.tokens, last)};
  return std::nullopt;
}

/// Keys and u of earlier tokens, and their numbers.
static MaybeError checkCache(const RecurrenceOperands &operands,
                             const RecurrenceDims &d) {
  const HostTensor *keys = operands.keyCache, *counts = operands.cached;
  if (!keys && !operands.uCache && !counts)
    return std::nullopt;
  if (!keys || !operands.uCache || !counts || operands.lengths)
    return Error{"operands 'key_cache', 'u_cache' and 'cached' come together, "
                 "and not with 'lengths'"};
  const int64_t capacity = keys->rank() == 4 ? keys->dim(1) : 0;
  if (auto error = checkShape("key_cache", *keys,
                              {d.batch, capacity, d.keyHeads, d.keyDim}))
    return error;
  if (auto error = checkShape("u_cache", *operands.uCache,
                              {d.batch, capacity, d.valueHeads, d.valueDim}))
    return error;
  if (isFloat(counts->dtype()) || counts->shape() != Shape{d.batch})
    return Error{fmt::format("operand 'cached' must be a vector of {} i32 or "
                             "i64, got {} of {}",
                             d.batch, shapeString(counts->shape()),
                             dtypeName(counts->dtype()))};
  for (int64_t i = 0; i < counts->size(); ++i)
    if (const double count = counts->get(i); count < 0.0 || count > capacity)
      return Error{
          fmt::format("operand 'cached' must be in 0 to the cache's {} "
                      "tokens, got {} at index {}",
                      capacity, count, i)};
  return std::nullopt;
}

static MaybeError checkLinearOperands(const RecurrenceSpec &spec,
                                      const RecurrenceOperands &operands,
                                      const RecurrenceDims &d) {
  if (auto error = checkAbsent("write", operands.write, "linear"))
    return error;
  if (auto error = checkAbsent("alpha", operands.alpha, "linear"))
    return error;
  if (auto error = checkAbsent("key_cache", operands.keyCache, "linear"))
    return error;
  if (operands.decay) {
    Shape shape = {d.batch, d.tokens, d.valueHeads};
    if (operands.decay->rank() == 4)
      shape.push_back(d.keyDim);
    if (auto error = checkShape("decay", *operands.decay, shape))
      return error;
  }
  if (operands.initial)
    return checkShape("initial", *operands.initial,
                      d.stateShape(spec.stateLayout));
  return std::nullopt;
}

static MaybeError checkImplicitOperands(const RecurrenceOperands &operands,
                                        const RecurrenceDims &d) {
  if (auto error = checkAbsent("decay", operands.decay, "implicit"))
    return error;
  if (auto error = checkAbsent("initial", operands.initial, "implicit"))
    return error;
  if (operands.write)
    if (auto error = checkShape("write", *operands.write,
                                {d.batch, d.tokens, d.keyHeads, d.keyDim}))
      return error;
  if (operands.alpha)
    if (auto error = checkShape("alpha", *operands.alpha,
                                {d.batch, d.tokens, d.valueHeads}))
      return error;
  return checkCache(operands, d);
}

Result<RecurrenceDims> checkRecurrence(const RecurrenceSpec &spec,
                                       const RecurrenceOperands &operands) {
  if (auto error = checkAttributes(spec))
    return *error;
  if (auto error = checkPresent(operands))
    return *error;

  const HostTensor &query = *operands.query, &value = *operands.value;
  if (query.rank() != 4)
    return Error{fmt::format("operand 'query' must have shape [B, T, H, K], "
                             "got {}",
                             shapeString(query.shape()))};
  const int64_t valueRank = spec.steps == 1 ? 4 : 5;
  if (value.rank() != valueRank)
    return Error{
        fmt::format("operand 'value' must have shape {}, got {}",
                    spec.steps == 1 ? "[B, T, HV, V]" : "[B, T, steps, HV, V]",
                    shapeString(value.shape()))};

  RecurrenceDims d;
  d.batch = query.dim(0);
  d.tokens = query.dim(1);
  d.steps = spec.steps;
  d.keyHeads = query.dim(2);
  d.keyDim = query.dim(3);
  d.valueHeads = value.dim(valueRank - 2);
  d.valueDim = value.dim(valueRank - 1);
  d.sequences = d.batch;
  if (d.keyHeads < 1 || d.valueHeads < 1 || d.valueHeads % d.keyHeads != 0)
    return Error{fmt::format("operand 'value' must have a multiple of the {} "
                             "key heads, got {} heads",
                             d.keyHeads, d.valueHeads)};
  if (d.keyDim < 1 || d.valueDim < 1)
    return Error{fmt::format("key and value dims must be at least 1, got {} "
                             "and {}",
                             d.keyDim, d.valueDim)};

  // [B, T, heads, tail...], with the step axis if there is one.
  auto perStep = [&](std::initializer_list<int64_t> tail) {
    Shape shape = {d.batch, d.tokens};
    if (d.steps != 1)
      shape.push_back(d.steps);
    shape.insert(shape.end(), tail);
    return shape;
  };
  if (auto error =
          checkShape("query", query, {d.batch, d.tokens, d.keyHeads, d.keyDim}))
    return *error;
  if (auto error =
          checkShape("key", *operands.key, perStep({d.keyHeads, d.keyDim})))
    return *error;
  if (auto error =
          checkShape("value", value, perStep({d.valueHeads, d.valueDim})))
    return *error;
  if (auto error = checkShape("beta", *operands.beta, perStep({d.valueHeads})))
    return *error;

  if (operands.lengths) {
    if (auto error = checkLengths(*operands.lengths, d))
      return *error;
    d.sequences = operands.lengths->size() - 1;
  }
  auto error = spec.family == KernelFamily::Linear
                   ? checkLinearOperands(spec, operands, d)
                   : checkImplicitOperands(operands, d);
  if (error)
    return *error;
  return d;
}

std::vector<Sequence> listSequences(const RecurrenceDims &dims,
                                    const RecurrenceOperands &operands) {
  std::vector<Sequence> sequences;
  sequences.reserve(dims.sequences);
  for (int64_t i = 0; i < dims.sequences; ++i) {
    if (!operands.lengths) {
      sequences.push_back({i, 0, dims.tokens});
      continue;
    }
    sequences.push_back({0, static_cast<int64_t>(operands.lengths->get(i)),
                         static_cast<int64_t>(operands.lengths->get(i + 1))});
  }
  return sequences;
}

} // namespace delta::runtime
