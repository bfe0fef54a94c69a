//===- Result.h - a value or one error message ------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The type with which functions of the runtime report bad input. The tree is
/// built without exceptions, and the runtime may not use LLVM, so it has its
/// own small counterpart of llvm::Expected. A message is lower case, has no
/// full stop, names the operand or file, and gives the expected and the actual
/// value.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_RUNTIME_RESULT_H
#define DELTA_RUNTIME_RESULT_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace delta::runtime {

/// The reason why a call failed, in words for the user.
struct Error {
  std::string message;
};

/// The outcome of a call that produces nothing but may fail.
using MaybeError = std::optional<Error>;

/// Either a T or an Error. Converts from both; test with operator bool before
/// reading the value.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : storage(std::move(value)) {}
  Result(Error error) : storage(std::move(error)) {}

  explicit operator bool() const { return std::holds_alternative<T>(storage); }

  T &operator*() { return *std::get_if<T>(&storage); }
  const T &operator*() const { return *std::get_if<T>(&storage); }
  T *operator->() { return std::get_if<T>(&storage); }
  const T *operator->() const { return std::get_if<T>(&storage); }

  /// The message; only if there is no value.
  const std::string &error() const {
    assert(!*this && "a result that holds a value has no error");
    return std::get_if<Error>(&storage)->message;
  }

private:
  std::variant<T, Error> storage;
};

} // namespace delta::runtime

#endif // DELTA_RUNTIME_RESULT_H
