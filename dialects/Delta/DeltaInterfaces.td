//===- DeltaInterfaces.td - interfaces of executable ops ---*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_INTERFACES_TD
#define DELTA_INTERFACES_TD

include "mlir/IR/OpBase.td"

def DecomposableOpInterface : OpInterface<"DecomposableOpInterface"> {
  let cppNamespace = "::delta";
  let description = [{
    An op whose meaning can be written in upstream ops (linalg, tensor, arith,
    math, scf, memref). The decomposition is the op's definition on the CPU: it
    is what the numeric tests compare with the oracle. It must not look at the
    op's uses, so that it may be outlined into a function of its own.
  }];
  let methods = [InterfaceMethod<
    [{
      Creates ops equal to this one at the builder's insertion point and returns
      one value per result. Fails, having emitted a diagnostic, only where the
      op's documentation says that a case cannot run on the CPU.
    }],
    "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "decompose",
    (ins "::mlir::OpBuilder &":$builder)>];
}

#endif // DELTA_INTERFACES_TD
