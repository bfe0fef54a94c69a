//===- KernelBody.h - ops of one kernel, tile to cuda -----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Conversion/TileToCuda. Writes the ops of a kernel in final
/// form as statements of the exit dialect: one op, one statement. Nothing is
/// decided here: places, layouts, offsets, wait counts and barriers are in the
/// IR already, and one that is missing is an error.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_CONVERSION_TILETOCUDA_KERNELBODY_H
#define DELTA_LIB_CONVERSION_TILETOCUDA_KERNELBODY_H

#include "ValueNames.h"

#include "delta/Conversion/OpRules.h"
#include "delta/Dialect/Cuda/IR/CudaOps.h"
#include "delta/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringSet.h"

namespace delta {

/// The name of buffer `index` of a slot or a ring.
llvm::StringRef slotBufferName(mlir::Operation *op, unsigned index);

/// Elements that one box of a tensor map moves for `copy`, innermost axis
/// first: a panel of the shared buffer.
llvm::SmallVector<int64_t> getTensorMapBox(tile::CopyOp copy);

/// An array in global memory: a pointer to its first element, and the stride of
/// each axis in elements, of type index.
struct GlobalArray {
  mlir::Value pointer;
  llvm::SmallVector<mlir::Value> strides;
};

/// The warps of a role in the CTA. Roles that hold no tile run on one warp an
/// instance, whatever they have: its first lane issues the copies.
struct RoleWarps {
  tile::RoleAttr role;
  int64_t first;
  bool isSingle;

  int64_t getEnd() const { return first + role.getWarps(); }
  int64_t getInstanceWarps() const {
    return role.getWarps() / role.getInstances();
  }
};

/// Whether a role runs `op`, not the whole CTA.
bool isInRole(mlir::Operation *op);

/// Whether one warp of the CTA runs `op`, which is of a role.
bool runsOnOneWarp(mlir::Operation *op);

class KernelBody {
public:
  /// Writes at the builder's insertion point. `names` are those of the kernel's
  /// values; `sharedBase` is the start of shared memory, null for a kernel
  /// without it.
  KernelBody(mlir::ImplicitLocOpBuilder &builder, tile::KernelOp kernel,
             const ValueNames &names, mlir::Value sharedBase);

  /// What stands for an argument of the kernel.
  void map(mlir::Value from, mlir::Value to) { values[from] = to; }
  void mapArray(mlir::Value from, GlobalArray to) {
    arrays[from] = std::move(to);
  }
  /// The tensor map of an array for boxes of `box`, innermost axis first.
  void mapTensorMap(mlir::Value array, llvm::ArrayRef<int64_t> box,
                    mlir::Value map) {
    tensorMaps.push_back({array, llvm::to_vector(box), map});
  }

  /// Converts the ops of `block` except a terminator. On failure a diagnostic
  /// has been emitted.
  mlir::LogicalResult convertBlock(mlir::Block &block);

  /// The rule of an op: a specialisation for each op that has one.
  template <typename OpT> mlir::LogicalResult lower(OpT op);

  /// Names where buffers lie in shared memory, with a comment that says from
  /// where to where each of them lives.
  void describeShared(tile::KernelOp kernel);

  /// Ends the kernel: no copy of a ring may be left in flight.
  void finish();

  /// `value` as a literal of type index.
  mlir::Value literal(int64_t value);

private:
  // Control flow and arithmetic: KernelBody.cpp.
  mlir::LogicalResult convert(mlir::Operation *op);
  mlir::LogicalResult convertLoop(mlir::scf::ForOp loop);
  mlir::LogicalResult convertConstant(mlir::Operation *op,
                                      mlir::TypedAttr value);
  mlir::LogicalResult convertArithmetic(mlir::Operation *op);

  // Tile ops: TileStatements.cpp.
  mlir::Value makeSpread(tile::SpreadOp op);
  mlir::LogicalResult convertAwaitCopies(tile::AwaitOp op);
  template <typename SlotOp> void convertSlot(SlotOp op);

  // Products: ProductStatements.cpp.
  mlir::Attribute partAttr(tile::Part part);

  // Roles and what they hand to each other: RoleStatements.cpp.
  mlir::LogicalResult convertRoleBody(const RoleWarps &warps,
                                      mlir::Region &body);
  mlir::LogicalResult convertRoleRing(tile::RingCreateOp op);
  void initialiseRings();
  /// The ring of `instance`; without one, copy number `copy` of the ring.
  mlir::Value makeRing(tile::RingCreateOp op, mlir::Value instance,
                       int64_t copy = 0);
  /// The number of a use of a ring, for the device library.
  mlir::Value useNumber(mlir::Value index);
  template <typename SlotOp> void convertRoleSlot(SlotOp op);
  void convertRoleAcquire(tile::AcquireOp op);
  void convertRolePeek(tile::PeekOp op);
  mlir::LogicalResult convertRingCopy(tile::CopyOp op);

  // Tickets and flags: FlagStatements.cpp.
  /// Declares, in front of `loop`, what is known of the flags that it expects.
  void watchFlags(mlir::scf::ForOp loop);
  /// The variable that holds what is known of the flag of `op`, or null.
  mlir::Value findWatch(tile::ExpectOp op);

  /// What stands for `value`. A repeated number becomes a tile here.
  mlir::Value use(mlir::Value value);
  /// The same, where a number serves as well as a tile of equal numbers.
  mlir::Value useOrNumber(mlir::Value value);
  void define(mlir::Value value, mlir::Value converted) {
    values[value] = converted;
  }

  mlir::Value binary(cuda::BinaryKind kind, mlir::Value lhs, mlir::Value rhs,
                     mlir::StringAttr name = {});
  /// A call whose value depends on its operands alone.
  mlir::Value call(mlir::Type type, llvm::StringRef callee,
                   llvm::ArrayRef<mlir::Attribute> templateArgs,
                   mlir::ValueRange args, mlir::StringAttr name = {});
  /// A call that reads or writes memory.
  mlir::Value callInPlace(mlir::Type type, llvm::StringRef callee,
                          llvm::ArrayRef<mlir::Attribute> templateArgs,
                          mlir::ValueRange args, mlir::StringAttr name = {});
  mlir::Value byteLiteral(int64_t value, mlir::StringAttr name = {});
  /// The handle of a shared buffer at `offset` bytes.
  mlir::Value handle(mlir::MemRefType type, mlir::Value offset,
                     mlir::StringAttr name);
  /// The pointer to an element of a global array.
  mlir::Value address(mlir::Value array, mlir::ValueRange indices);
  mlir::Value stride(mlir::Value array, int64_t axis) {
    return arrays.lookup(array).strides[axis];
  }
  /// `bound`, or all of `extent`.
  mlir::Value rows(mlir::Value bound, int64_t extent) {
    return bound ? use(bound) : literal(extent);
  }
  /// The name of a value, null without one.
  mlir::StringAttr nameFor(mlir::Value value) {
    llvm::StringRef name = names.lookup(value);
    return name.empty() ? mlir::StringAttr() : named(name);
  }
  mlir::StringAttr resultName(mlir::Operation *op) {
    return nameFor(op->getResult(0));
  }
  mlir::StringAttr named(const llvm::Twine &name) {
    return b.getStringAttr(name);
  }
  /// A comment that teaches something about the kernel, the first time.
  void commentOnce(llvm::StringRef text);
  mlir::StringAttr sharedName(llvm::StringRef name, mlir::MemRefType type);
  /// The name of a shared buffer: an alloc's, a slot's, or what a view is of.
  llvm::StringRef bufferName(mlir::Value buffer);
  mlir::Attribute integer(int64_t value) { return b.getI64IntegerAttr(value); }

  mlir::ImplicitLocOpBuilder &b;
  int64_t threads;
  mlir::Value base;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  const ValueNames &names;
  /// Comments that are not made again.
  llvm::StringSet<> said;
  /// Where the buffers of allocations start.
  llvm::DenseMap<mlir::Operation *, mlir::Value> allocOffsets;
  /// Tiles of equal numbers, by the number.
  llvm::DenseMap<mlir::Value, mlir::Value> numbers;
  llvm::DenseMap<mlir::Value, GlobalArray> arrays;
  /// Field offsets and the size of a slot, by ring.
  struct Ring {
    llvm::SmallVector<mlir::Value> offsets;
    mlir::Value slotBytes;
  };
  llvm::DenseMap<mlir::Value, Ring> rings;
  struct TensorMap {
    mlir::Value array;
    llvm::SmallVector<int64_t> box;
    mlir::Value map;
  };
  llvm::SmallVector<TensorMap> tensorMaps;

  // Of kernels with roles.

  /// Rings between roles, in their order.
  llvm::SmallVector<tile::RingCreateOp> roleRings;
  /// The handle of a ring, for the role at hand where it has one for each
  /// instance.
  llvm::DenseMap<mlir::Value, mlir::Value> ringHandles;
  /// The index of the warp, and the instance of the role at hand, null where
  /// there is one: of type index.
  mlir::Value warp, instance;
  /// A slot between the ops that open and close it.
  struct OpenSlot {
    mlir::Value ring, use;
  };
  llvm::DenseMap<mlir::Value, OpenSlot> openSlots;
  /// Where a buffer of a slot starts: the slot's own bytes (null: 0) and the
  /// buffer's.
  struct Place {
    mlir::Value slot, offset;
  };
  llvm::DenseMap<mlir::Value, Place> places;
  /// By the block and the index that is counted.
  llvm::DenseMap<std::pair<mlir::Block *, mlir::Value>, mlir::Value> useNumbers;

  /// A flag, and the variable that holds a value that it had.
  struct Watch {
    mlir::Value flags;
    llvm::SmallVector<mlir::Value> indices;
    mlir::Value seen;
  };
  llvm::SmallVector<Watch> watches;
};

using StatementRules = OpRules<KernelBody>;

/// Rules of TileStatements.cpp and of its siblings.
void addTileRules(StatementRules &rules);
void addProductRules(StatementRules &rules);
void addRoleRules(StatementRules &rules);
void addFlagRules(StatementRules &rules);

} // namespace delta

#endif // DELTA_LIB_CONVERSION_TILETOCUDA_KERNELBODY_H
