//===- HostTranslator.h - what a host function computes, as C++ -*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Dialect/Cuda/Transforms. Writes the sizes and conditions of a
/// host program into the body of a function. Nothing branches: what stands in a
/// branch is computed wherever it leads, since it has no effect and divisors
/// are at least 1, and a result of a branch is a choice.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_CUDA_TRANSFORMS_HOSTTRANSLATOR_H
#define DELTA_LIB_DIALECT_CUDA_TRANSFORMS_HOSTTRANSLATOR_H

#include "HostProgram.h"
#include "delta/Dialect/Cuda/Transforms/CodeBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace delta::cuda {

/// Translates the values of a host function into a body that is being built.
class HostTranslator {
public:
  using Value = mlir::Value;

  HostTranslator(HostProgram &program, CodeBuilder &code, Value args)
      : program(program), code(code), index(code.builder.getIndexType()),
        batch(code.member(args, "batch", index, "batch")),
        length(code.member(args, "length", index, "length")) {}

  /// Translates every size and condition that the function computes.
  void translateSizes();
  Value getSize(Value value) { return sizes.lookup(value); }
  /// The extent of axis `axis` of an array or a view.
  Value getDim(Value memref, int64_t axis);
  /// The product of the extents from `axis` on, times `factor`.
  Value getElements(Value memref, int64_t axis, int64_t factor = 1,
                    llvm::StringRef name = "");
  /// The workspace: where each buffer starts. Returns the bytes in all.
  Value layOutBuffers();
  /// Where `buffer` starts, in bytes; nothing for the first one.
  Value getOffset(HostBuffer &buffer) {
    return offsets.lookup(buffer.op.getResult());
  }
  /// `size` where the branches of `condition` are taken, else 0.
  Value select(const HostCondition &condition, Value size);

private:
  void translateBlock(mlir::Block &block);
  void translateIf(mlir::scf::IfOp op);
  Value translate(mlir::Operation *op);
  void translate(tile::ChooseSegmentsOp op);
  Value product(llvm::ArrayRef<Value> values, int64_t factor,
                llvm::StringRef name);

  HostProgram &program;
  CodeBuilder &code;
  mlir::Type index;
  Value batch, length;
  /// Of values of the host function; bytes by buffer.
  llvm::DenseMap<Value, Value> sizes, offsets;
};

} // namespace delta::cuda

#endif // DELTA_LIB_DIALECT_CUDA_TRANSFORMS_HOSTTRANSLATOR_H
