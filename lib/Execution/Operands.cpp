//===- Operands.cpp - the arguments of one run ------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Open sizes are determined first, by name of axis, so that a message can name
/// the two sources that disagree. Shapes are compared afterwards.
///
//===----------------------------------------------------------------------===//

#include "delta/Execution/Operands.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <fmt/format.h>

using namespace delta;
using runtime::DType;
using runtime::Error;
using runtime::HostTensor;
using runtime::MaybeError;
using runtime::OperandRole;
using runtime::Result;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

namespace {

/// One of the two sizes that a spec may leave open, and the source that gave
/// it.
class OpenSize {
public:
  explicit OpenSize(const char *axis) : axis(axis) {}

  /// \p by gives \p size; an error if another source gave a different size.
  MaybeError settle(int64_t size, const std::string &by) {
    if (size < 0)
      return Error{
          fmt::format("{} must not be negative: {} gives {}", axis, by, size)};
    if (value && *value != size)
      return Error{fmt::format("{} is {} for {} and {} for {}", axis, *value,
                               source, size, by)};
    value = size;
    source = by;
    return std::nullopt;
  }

  std::optional<int64_t> get() const { return value; }

private:
  const char *axis;
  std::optional<int64_t> value;
  std::string source;
};

/// Both sizes of a run.
struct Sizes {
  OpenSize batch{"the batch"};
  OpenSize length{"the length"};

  /// Takes the batch and the length from \p shape.
  MaybeError settle(const std::vector<int64_t> &shape, bool hasLength,
                    const std::string &by) {
    if (!shape.empty() && shape[0] != kOpenSize)
      if (MaybeError error = batch.settle(shape[0], by))
        return error;
    if (hasLength && shape.size() > 1 && shape[1] != kOpenSize)
      return length.settle(shape[1], by);
    return std::nullopt;
  }
};

} // namespace

/// Takes the sizes of the user and the static ones of the spec.
static MaybeError settleSizes(const SpecDescription &spec,
                              RequestedSizes requested, Sizes &sizes) {
  if (requested.batch)
    if (MaybeError error = sizes.batch.settle(*requested.batch, "--batch"))
      return error;
  if (requested.length)
    if (MaybeError error = sizes.length.settle(*requested.length, "--length"))
      return error;
  for (const ArgumentDescription &argument : spec.arguments)
    if (MaybeError error = sizes.settle(
            argument.shape, argument.hasLength,
            fmt::format("argument '{}' of the spec", argument.name)))
      return error;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

/// The number of tokens after a cache, which the spec fixes.
static int64_t newTokens(const SpecDescription &spec) {
  return spec.arguments[spec.findOperand(OperandRole::Query)->argument]
      .shape[1];
}

/// The standard deviation of write scores with which u stays bounded for `rows`
/// tokens. Unnormalised weights of random sign make |u_t|^2 grow by a factor of
/// 1 + E[weight^2] per token, so E[weight^2] must be about 1 / rows. (The
/// recurrence damps the common part of weights, as those of exp and relu have.)
static double boundedScores(runtime::FeatureKernel kernel, int64_t rows) {
  const auto n = static_cast<double>(std::max<int64_t>(rows, 2));
  // Rounded to 0 below a half, which a normal exceeds with a probability of at
  // most exp(-(0.5 / deviation)^2 / 2).
  if (kernel == runtime::FeatureKernel::Round)
    return 0.5 / std::sqrt(2.0 * std::log(n));
  return 1.0 / std::sqrt(n);
}

/// The norm of the drawn rows of a key or of the write query, for a recurrence
/// without a state; none if plain normals suffice. If both may be scaled, the
/// query is.
static std::optional<double> writingNorm(const SpecDescription &spec,
                                         OperandRole role, SpecSizes sizes) {
  if (spec.recurrence.writeKernel == runtime::FeatureKernel::Softmax)
    return std::nullopt;
  const OperandDescription &key = *spec.findOperand(OperandRole::Key);
  const OperandDescription *own = spec.findOperand(OperandRole::Write);
  const OperandDescription &query =
      own ? *own : *spec.findOperand(OperandRole::Query);
  const OperandDescription &scaled = query.prologue ? key : query;
  const OperandDescription &other = query.prologue ? query : key;
  // Cached keys are drawn like keys.
  const OperandDescription &drawn =
      role == OperandRole::KeyCache ? key : *spec.findOperand(role);
  if (scaled.prologue || drawn.argument != scaled.argument)
    return std::nullopt;

  // With random directions, w . k has a deviation of |w| |k| / sqrt(K).
  const double plain =
      std::sqrt(static_cast<double>(spec.arguments[key.argument].shape.back()));
  const double product =
      boundedScores(spec.recurrence.writeKernel, sizes.length) * plain /
      spec.recurrence.scale;
  const double norm = other.prologue                      ? product
                      : other.argument == scaled.argument ? std::sqrt(product)
                                                          : product / plain;
  return norm < plain ? std::optional<double>(norm) : std::nullopt;
}

static runtime::InputRequest requestFor(const SpecDescription &spec,
                                        const ArgumentDescription &argument,
                                        SpecSizes sizes,
                                        const DrawOptions &options) {
  runtime::InputRequest request;
  request.name = argument.name;
  request.role = argument.role;
  request.dtype = argument.dtype;
  request.shape = argument.shapeFor(sizes);
  const OperandDescription &operand = *spec.findOperand(argument.role);
  switch (argument.role) {
  case OperandRole::Query:
  case OperandRole::Key:
  case OperandRole::Write:
  case OperandRole::KeyCache:
    if (spec.recurrence.family == runtime::KernelFamily::Implicit)
      request.rowNorm = writingNorm(spec, argument.role, sizes);
    else if (!operand.prologue)
      request.rowNorm = 1.0;
    if (argument.role == OperandRole::Key)
      request.cosine = options.keyCosine;
    break;
  case OperandRole::Beta:
    request.beforeSigmoid = operand.prologue.has_value();
    break;
  case OperandRole::Cached:
    // Leaves room for the new tokens.
    request.countMax = std::max<int64_t>(0, sizes.length - newTokens(spec));
    break;
  default:
    break;
  }
  return request;
}

Result<OperandSet> delta::drawOperands(const SpecDescription &spec,
                                       RequestedSizes requested,
                                       const DrawOptions &options) {
  if (!(options.keyCosine >= 0.0 && options.keyCosine < 1.0))
    return Error{fmt::format("the cosine of keys must be in [0, 1), got {}",
                             options.keyCosine)};
  Sizes sizes;
  if (MaybeError error = settleSizes(spec, requested, sizes))
    return *error;
  if (!sizes.batch.get())
    return Error{"the spec leaves the batch open: give --batch or --inputs"};
  if (!sizes.length.get())
    return Error{"the spec leaves the length open: give --length or --inputs"};

  OperandSet operands;
  operands.sizes = {*sizes.batch.get(), *sizes.length.get()};
  // All sizes are checked first, so that a spec that does not fit fails before
  // minutes of drawing.
  auto checkSize = [&](const ArrayDescription &array) -> MaybeError {
    Result<int64_t> count =
        runtime::countElements(array.shapeFor(operands.sizes), array.dtype);
    if (count)
      return std::nullopt;
    return Error{fmt::format("'{}': {}", array.name, count.error())};
  };
  for (const ArgumentDescription &argument : spec.arguments)
    if (MaybeError error = checkSize(argument))
      return *error;
  for (const ResultDescription &result : spec.results)
    if (MaybeError error = checkSize(result))
      return *error;
  for (const ArgumentDescription &argument : spec.arguments)
    operands.arguments.push_back(runtime::drawInput(
        requestFor(spec, argument, operands.sizes, options), options.seed));
  return operands;
}

//===----------------------------------------------------------------------===//
// Taking from a file
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral kExpectedPrefix = "expected.";

/// An error unless \p tensor has the dtype and the number of axes of the spec.
static MaybeError checkKind(const ArrayDescription &array,
                            const std::string &name, const HostTensor &tensor) {
  if (tensor.dtype() != array.dtype)
    return Error{fmt::format("tensor '{}' must have dtype {}, got {}", name,
                             runtime::dtypeName(array.dtype),
                             runtime::dtypeName(tensor.dtype()))};
  if (tensor.rank() != static_cast<int64_t>(array.shape.size()))
    return Error{fmt::format("tensor '{}' must have {} axes, got shape {}",
                             name, array.shape.size(),
                             runtime::shapeString(tensor.shape()))};
  return std::nullopt;
}

/// An error unless \p tensor has the shape that \p sizes give the array.
static MaybeError checkShape(const ArrayDescription &array, SpecSizes sizes,
                             const std::string &name,
                             const HostTensor &tensor) {
  std::vector<int64_t> shape = array.shapeFor(sizes);
  if (tensor.shape() == shape)
    return std::nullopt;
  return Error{fmt::format("tensor '{}' must have shape {}, got {}", name,
                           runtime::shapeString(shape),
                           runtime::shapeString(tensor.shape()))};
}

/// The names that a file may hold, for messages.
static std::string acceptedNames(const SpecDescription &spec) {
  std::vector<std::string> names;
  for (const ArgumentDescription &argument : spec.arguments)
    names.push_back(argument.name);
  for (const ResultDescription &result : spec.results)
    names.push_back((kExpectedPrefix + result.name).str());
  return llvm::join(names, ", ");
}

Result<OperandSet> delta::takeOperands(const SpecDescription &spec,
                                       RequestedSizes requested,
                                       runtime::TensorFile file) {
  for (const auto &[name, tensor] : file.tensors) {
    llvm::StringRef rest(name);
    const bool known = rest.consume_front(kExpectedPrefix)
                           ? spec.findResult(rest) != nullptr
                           : spec.findArgument(name) != nullptr;
    if (!known)
      return Error{fmt::format("unknown tensor '{}', accepted: {}", name,
                               acceptedNames(spec))};
  }

  Sizes sizes;
  if (MaybeError error = settleSizes(spec, requested, sizes))
    return *error;
  for (const ArgumentDescription &argument : spec.arguments) {
    const auto it = file.tensors.find(argument.name);
    if (it == file.tensors.end())
      return Error{fmt::format("tensor '{}' is missing, expected: {}",
                               argument.name, acceptedNames(spec))};
    const HostTensor &tensor = it->second;
    if (MaybeError error = checkKind(argument, argument.name, tensor))
      return *error;
    if (MaybeError error =
            sizes.settle(tensor.shape(), argument.hasLength,
                         fmt::format("tensor '{}'", argument.name)))
      return *error;
  }

  OperandSet operands;
  operands.sizes = {sizes.batch.get().value_or(0),
                    sizes.length.get().value_or(0)};
  for (const ArgumentDescription &argument : spec.arguments) {
    HostTensor &tensor = file.tensors.find(argument.name)->second;
    if (MaybeError error =
            checkShape(argument, operands.sizes, argument.name, tensor))
      return *error;
    operands.arguments.push_back(std::move(tensor));
  }
  for (const ResultDescription &result : spec.results) {
    const auto it = file.tensors.find((kExpectedPrefix + result.name).str());
    if (it == file.tensors.end())
      continue;
    if (MaybeError error = checkKind(result, it->first, it->second))
      return *error;
    if (MaybeError error =
            checkShape(result, operands.sizes, it->first, it->second))
      return *error;
    operands.expected.emplace(result.name, std::move(it->second));
  }
  return operands;
}
