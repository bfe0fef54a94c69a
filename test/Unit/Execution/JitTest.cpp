//===- JitTest.cpp - calling compiled functions -----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The ABI of the Jit on functions small enough to know the answer, and its
/// errors.
///
//===----------------------------------------------------------------------===//

#include "delta/Execution/Jit.h"
#include "delta/InitAll.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace delta;
using namespace mlir;
using runtime::DType;
using runtime::HostTensor;

namespace {

class JitTest : public ::testing::Test {
protected:
  JitTest()
      : context(makeRegistry(), MLIRContext::Threading::DISABLED),
        handler(&context, [this](Diagnostic &diagnostic) {
          messages += diagnostic.str() + "\n";
        }) {}

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  FailureOr<Jit> compile(StringRef text, StringRef function = "f") {
    return Jit::compile(parseSourceString<ModuleOp>(text, &context), function,
                        /*optLevel=*/1);
  }

  std::string messages;
  MLIRContext context;
  ScopedDiagnosticHandler handler;
};

/// y[j, i] = x[i, j] + i, through both sizes and strides of the descriptors.
constexpr const char *kTranspose = R"(
func.func @f(%x: memref<?x3xf32>, %y: memref<3x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = memref.dim %x, %c0 : memref<?x3xf32>
  scf.for %i = %c0 to %n step %c1 {
    %n32 = arith.index_cast %i : index to i32
    %add = arith.sitofp %n32 : i32 to f32
    scf.for %j = %c0 to %c3 step %c1 {
      %a = memref.load %x[%i, %j] : memref<?x3xf32>
      %b = arith.addf %a, %add : f32
      %c = arith.truncf %b : f32 to bf16
      memref.store %c, %y[%j, %i] : memref<3x?xbf16>
    }
  }
  return
})";

TEST_F(JitTest, PassesSizesAndElements) {
  FailureOr<Jit> jit = compile(kTranspose);
  ASSERT_TRUE(succeeded(jit)) << messages;
  HostTensor x(DType::F32, {5, 3}), y(DType::BF16, {3, 5});
  for (int64_t i = 0; i < x.size(); ++i)
    x.set(i, 1.0 / (i + 1));
  ASSERT_TRUE(succeeded(jit->call({&x, &y}))) << messages;
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = 0; j < 3; ++j) {
      const float sum =
          static_cast<float>(x.get(i * 3 + j)) + static_cast<float>(i);
      EXPECT_EQ(y.get(j * 5 + i), runtime::roundTo(DType::BF16, sum));
    }
}

TEST_F(JitTest, CallsAreIndependentAndMayBeEmpty) {
  FailureOr<Jit> jit = compile(kTranspose);
  ASSERT_TRUE(succeeded(jit)) << messages;
  for (int64_t n : {0, 2, 1}) {
    HostTensor x(DType::F32, {n, 3}), y(DType::BF16, {3, n});
    ASSERT_TRUE(succeeded(jit->call({&x, &y}))) << messages;
    for (int64_t i = 0; i < y.size(); ++i)
      EXPECT_EQ(y.get(i), i % n);
  }
}

TEST_F(JitTest, RefusesTensorsThatDoNotFit) {
  FailureOr<Jit> jit = compile(kTranspose);
  ASSERT_TRUE(succeeded(jit)) << messages;
  HostTensor x(DType::F32, {5, 3}), y(DType::BF16, {3, 5});
  HostTensor wide(DType::F32, {5, 4}), half(DType::F16, {3, 5});
  EXPECT_TRUE(failed(jit->call({&x})));
  EXPECT_TRUE(failed(jit->call({&wide, &y})));
  EXPECT_TRUE(failed(jit->call({&x, &half})));
  EXPECT_EQ(messages,
            "cannot be called: expected 2 arguments, got 1\n"
            "cannot be called: argument 0 must be 'memref<?x3xf32>', got f32 "
            "[5, 4]\n"
            "cannot be called: argument 1 must be 'memref<3x?xbf16>', got f16 "
            "[3, 5]\n");
}

TEST_F(JitTest, RefusesFunctionsOfAnotherAbi) {
  EXPECT_TRUE(failed(compile("func.func @f() { return }", "g")));
  EXPECT_TRUE(failed(
      compile("func.func @f(%x: memref<2xf32, strided<[2]>>) { return }")));
  EXPECT_TRUE(failed(compile("func.func @f(%x: memref<2xf32>) -> memref<2xf32> "
                             "{ return %x : memref<2xf32> }")));
  EXPECT_EQ(
      messages,
      "cannot be called: no function 'g'\n"
      "cannot be called: expected contiguous memrefs of f32, bf16, f16 or "
      "i64, got 'memref<2xf32, strided<[2]>>'\n"
      "cannot be called: expected no results, got 1\n");
}

TEST_F(JitTest, ReportsWhatCannotBeLowered) {
  EXPECT_TRUE(failed(compile(R"(
    func.func private @elsewhere()
    func.func @f() { call @elsewhere() : () -> () return })")));
  EXPECT_NE(messages.find("cannot be compiled for this machine"),
            std::string::npos)
      << messages;
}

} // namespace
