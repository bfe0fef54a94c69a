//===- HostProgram.h - the host function of the tile phase ------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads what a launcher must know out of a host function: its arrays, its
/// workspace, its launches, and how large anything can get. Makes no exit IR.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_CUDA_TRANSFORMS_HOSTPROGRAM_H
#define DELTA_LIB_DIALECT_CUDA_TRANSFORMS_HOSTPROGRAM_H

#include "delta/Dialect/Cuda/IR/CudaOps.h"
#include "delta/Dialect/Tile/IR/Tile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringSet.h"

namespace delta::cuda {

/// An array of the caller.
struct HostArray {
  mlir::BlockArgument argument;
  mlir::MemRefType type;
  /// What the spec calls it, and the field of the argument struct.
  std::string name, field;
  bool isResult;
  /// An operand and a result in one: the kernels write some of its elements.
  bool isUpdated;
  bool isWritten() const { return isResult || isUpdated; }
};

/// The branches around an op, outermost first: it is reached where each
/// condition has that value.
using HostCondition = llvm::SmallVector<std::pair<mlir::Value, bool>>;

/// A part of the workspace.
struct HostBuffer {
  mlir::memref::AllocOp op;
  std::string name;
  HostCondition condition;
  /// Zeroed by each run before its first launch.
  bool isCleared = false;
};

struct HostLaunch {
  tile::LaunchOp op;
  KernelOp kernel;
  /// The kernel's name without the function's: "prepare".
  std::string name;
  HostCondition condition;
};

struct HostProgram {
  mlir::func::FuncOp function;
  /// The name of its kernel set, `sm_90a`; empty where that is the only one.
  std::string set;
  /// The GPUs that it serves; empty where nobody said.
  llvm::SmallVector<plan::MachineAttr> targets;
  llvm::SmallVector<HostArray> arrays;
  llvm::SmallVector<HostBuffer> buffers;
  llvm::SmallVector<HostLaunch> launches;
  /// Where the arrays' types fix them.
  std::optional<int64_t> batch, length;
  /// max(batch, 1) * max(length, 1) may be at most this, so that no size in
  /// bytes and no number of CTAs that the program computes overflows.
  int64_t rowLimit;
};

/// What axis `axis` of an array is: 0 the batch, 1 the length.
enum HostAxis { BatchAxis = 0, LengthAxis = 1 };

/// Reads `function`, whose launches name kernels that are `cuda.kernel`s. One
/// diagnostic says what a launcher cannot be made for.
mlir::FailureOr<HostProgram> readHostProgram(mlir::func::FuncOp function);

/// The array or buffer that `memref` is a view of, its elements in the same
/// order.
mlir::Value getUnderlyingArray(mlir::Value memref);

/// Writes indices and conditions that a host function computes as text, for the
/// manifest: in terms of `batch`, `length`, `multiprocessors` and of values
/// that have a name (a NameLoc), which it defines by the way.
class HostDescription {
public:
  std::string describe(mlir::Value value);

  /// The same for a condition of several branches; "" for none.
  std::string describe(const HostCondition &condition);

  /// The product of `values`, as `describe` writes it.
  std::string describeProduct(mlir::ValueRange values);

  /// A name and what it stands for, in terms of those in front of it.
  using Definition = std::pair<std::string, std::string>;
  llvm::ArrayRef<Definition> getDefinitions() const { return definitions; }

private:
  std::string describeDim(mlir::Value memref, int64_t axis);
  std::string describeChoice(mlir::Value condition, mlir::Value yes,
                             mlir::Value no);
  std::string describeExpression(mlir::Operation *op);
  std::string define(mlir::Operation *op);

  llvm::SmallVector<Definition> definitions;
  llvm::DenseMap<mlir::Operation *, std::string> names;
  llvm::StringSet<> taken = {{"batch"}, {"length"}, {"multiprocessors"}};
};

} // namespace delta::cuda

#endif // DELTA_LIB_DIALECT_CUDA_TRANSFORMS_HOSTPROGRAM_H
