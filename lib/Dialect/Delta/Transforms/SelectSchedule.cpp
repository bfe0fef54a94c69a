//===- SelectSchedule.cpp - write or check a schedule -----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The only place that chooses a schedule. Later passes obey it, and refuse
/// what does not fit the target (shared memory, registers) with the numbers.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "delta/Dialect/Delta/Transforms/Passes.h"
#include "delta/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace delta {
#define GEN_PASS_DEF_SELECTSCHEDULE
#include "delta/Dialect/Delta/IR/DeltaPasses.h.inc"
} // namespace delta

using namespace mlir;
using namespace delta;

/// The op that carries a state from chunk to chunk, or null.
static UpdateOp findUpdate(func::FuncOp func) {
  UpdateOp found;
  func.walk([&](UpdateOp update) {
    if (isa<scf::ForOp>(update->getParentOp()))
      found = update;
  });
  return found;
}

/// Shared memory that the chain kernel takes at most: a slot holds 16-bit K, Q,
/// V, T and P and four f32 vectors of a chunk, of `columns` value columns; the
/// output is staged in `outputColumns`.
static int64_t getSharedBytes(UpdateOp update, int64_t columns,
                              int64_t outputColumns, int64_t stages) {
  int64_t rows = update.getKey().getType().getShape()[0];
  int64_t keyDim = update.getState().getType().getShape()[0];
  int64_t slot =
      2 * (2 * rows * keyDim + rows * columns + 2 * rows * rows) + 4 * 4 * rows;
  return stages * llvm::alignTo(slot, 1024) + 2 * rows * outputColumns;
}

/// What the kernels of every family support; says so where it is not given.
static LogicalResult checkSupported(UpdateOp update, ScheduleAttr schedule) {
  ArrayRef<int64_t> state = update.getState().getType().getShape();
  int64_t rows = update.getKey().getType().getShape()[0];
  int64_t columns = schedule.getValueColumns();
  for (auto [name, size] :
       {std::pair("key", state[0]), std::pair("value", state[1])})
    if (size != 64 && size != 128)
      return update.emitError() << name << " dim " << size
                                << " has no GPU kernel yet; accepted: 64, 128";
  if (rows != 32 && rows != 64)
    return update.emitError()
           << "chunk " << rows << " has no GPU kernel yet; accepted: 32, 64";
  if (!update.getPrec())
    return update.emitError()
           << "products in f32 have no GPU kernel; the value's "
              "dtype must be bf16 or f16";
  for (int64_t tiles : schedule.getColumnTileVariants())
    if (state[1] % (columns * tiles) != 0)
      return update.emitError()
             << "schedule value_columns: expected a divisor of the "
                "value dim "
             << state[1] << ", got " << columns
             << (tiles == 1 ? "" : ", twice a CTA");
  return success();
}

/// Value columns of a warpgroup's chain: the rows of its products.
static constexpr int64_t kWarpgroupColumns = 64;

/// One text serves all targets of an artefact, so that the smallest one
/// decides.
static std::string lackOfWarpgroups(const Target &gpu) {
  return "target " + std::string(gpu.name) +
         ", the smallest that is compiled for, has no warpgroups";
}

/// Why the sm_90a family has no kernels for a function; empty where it has.
static std::string findObstacle(const Target &gpu, UpdateOp update) {
  int64_t rows = update.getKey().getType().getShape()[0];
  if (!gpu.hasWarpgroups)
    return lackOfWarpgroups(gpu);
  if (rows != 64)
    return "a chunk has " + std::to_string(rows) + " rows, not 64";
  // A loop over one chunk vanishes, and with it what roles would overlap.
  auto loop = cast<scf::ForOp>(update->getParentOp());
  auto chunks = loop.getUpperBound().getDefiningOp<arith::CeilDivUIOp>();
  std::optional<int64_t> length =
      chunks ? getConstantIntValue(chunks.getLhs()) : std::nullopt;
  if (length && *length <= getConstantIntValue(chunks.getRhs()))
    return "the sequence has one chunk";
  return "";
}

namespace {

/// What a schedule of implicit features depends on: rows of a block, sizes of
/// a key and of a value.
struct ImplicitShape {
  /// Where the recurrence stood.
  Operation *op = nullptr;
  int64_t rows = 0, keyDim = 0, valueDim = 0;
  /// New tokens behind a cache.
  bool isDecode = false;
  /// Reads have sums of their own, in a loop behind the one that solves for u.
  bool readsApart = false;
  /// Products take rows of u as rounded and rest: of the block itself, of
  /// earlier ones.
  bool splits = false, splitsEarlier = false;
  /// Weights inside a block are kept twice, with and without the diagonal.
  bool weighsTwice = false;
};

} // namespace

/// Whether there is an op of type `OpTy` in `loop`.
template <typename OpTy> static bool has(scf::ForallOp loop) {
  return loop.walk([](OpTy) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

static ImplicitShape getImplicitShape(func::FuncOp func) {
  ImplicitShape shape;
  shape.op = func;
  func.walk([&](GramOp gram) {
    shape.op = gram;
    ArrayRef<int64_t> keys = gram.getRhs().getType().getShape();
    shape.rows = keys[0];
    shape.keyDim = keys[1];
  });
  func.walk([&](ApplyOp apply) {
    shape.valueDim = apply.getInput().getType().getShape()[1];
    shape.splits |= apply.getSplitInput();
    shape.splitsEarlier |=
        apply.getSplitInput() && apply.getPart() == Part::Full;
  });
  func.walk([&](OnlineOp online) {
    shape.splits |= online.getSplitValues();
    shape.splitsEarlier |=
        online.getSplitValues() && online.getPart() == Part::Full;
  });
  // Of the loops that weigh keys, the one that solves has an inverse.
  func.walk([&](scf::ForallOp loop) {
    shape.readsApart |= has<GramOp>(loop) && !has<TriInverseOp>(loop);
    int64_t inside = 0;
    loop.walk([&](GramOp gram) { inside += gram.getPart() != Part::Full; });
    shape.weighsTwice |= inside > 1;
  });
  shape.isDecode =
      func.walk([](LoadIndexOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  return shape;
}

/// Value columns of a CTA whose products take rests: registers hold sums of no
/// more beside those.
static constexpr int64_t kSplitColumns = 64;

/// Rows of a block that the two warpgroups of a CTA share.
static constexpr int64_t kWarpgroupBlock = 128;

/// Why the sm_90a family has no kernels of implicit features for a function;
/// empty where it has.
static std::string findObstacle(const Target &gpu, const ImplicitShape &shape) {
  if (!gpu.hasWarpgroups)
    return lackOfWarpgroups(gpu);
  if (shape.rows != kWarpgroupBlock)
    return "a row block has " + std::to_string(shape.rows) + " rows, not " +
           std::to_string(kWarpgroupBlock) +
           " as with 16-bit heads of 64 or 128, without a cache, where exp "
           "does not "
           "write f16 for another read and the chunk is left open";
  return "";
}

/// Slots of the rings of a warp's row block. With more, what waits for other
/// CTAs one iteration late has no lowering.
static constexpr int64_t kMostWarpBlockStages = 2;

/// Whether there are kernels for the sizes of a head, by any schedule.
static LogicalResult checkDims(const ImplicitShape &shape) {
  for (auto [name, size] :
       {std::pair("key", shape.keyDim), std::pair("value", shape.valueDim)})
    if (size != 64 && size != 128 && (size != 256 || shape.isDecode))
      return shape.op->emitError()
             << name << " dim " << size
             << " has no GPU kernel yet; accepted: 64, 128"
             << (shape.isDecode ? " behind a cache" : ", 256");
  return success();
}

/// What the kernels of implicit features support; says so where it is not
/// given.
static LogicalResult checkImplicit(const Target &gpu,
                                   const ImplicitShape &shape,
                                   ScheduleAttr schedule) {
  if (schedule.getFamily().getValue() == "sm_90a")
    if (std::string obstacle = findObstacle(gpu, shape); !obstacle.empty())
      return shape.op->emitError() << "schedule family " << schedule.getFamily()
                                   << " has no kernels here: " << obstacle;
  if (schedule.getColumnTiles())
    return shape.op->emitError() << "schedule column_tiles: expected none for "
                                    "implicit features, which have no chains";
  if (schedule.getSplitSequence())
    return shape.op->emitError()
           << "schedule split_sequence: expected none for implicit features, "
              "whose row blocks are CTAs already";
  bool isWarpBlock =
      !shape.isDecode && schedule.getFamily().getValue() == "sm_80";
  if (isWarpBlock && schedule.getStages() > kMostWarpBlockStages)
    return shape.op->emitError()
           << "schedule stages: expected 1 or 2 for row blocks in family "
           << schedule.getFamily() << ", got " << schedule.getStages();
  int64_t columns = schedule.getValueColumns();
  bool isForWarpgroups = schedule.getFamily().getValue() == "sm_90a";
  if (isForWarpgroups && shape.splits) {
    if (columns == kSplitColumns)
      return success();
    return shape.op->emitError()
           << "schedule value_columns: expected " << kSplitColumns
           << " in family " << schedule.getFamily()
           << " for products of rests, got " << columns;
  }
  // A product of two warpgroups takes all columns; a cache is read once.
  bool isWhole = shape.isDecode || isForWarpgroups;
  if (isWhole ? columns != shape.valueDim : shape.valueDim % columns != 0)
    return shape.op->emitError()
           << "schedule value_columns: expected "
           << (isWhole ? "" : "a divisor of ") << "the value dim "
           << shape.valueDim << ", got " << columns;
  return success();
}

namespace {

class SelectSchedulePass
    : public delta::impl::SelectScheduleBase<SelectSchedulePass> {
public:
  using Base::Base;

  void runOnOperation() override {
    gpu = lookupTarget(target.getValue());
    if (!gpu) {
      getOperation().emitError()
          << "target: expected one of " << StringRef(getTargetNames())
          << ", got " << target.getValue();
      return signalPassFailure();
    }
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isDeclaration())
        continue;
      if (failed(checkPhase(func)))
        return signalPassFailure();
      UpdateOp update = findUpdate(func);
      if (!update) {
        if (failed(scheduleImplicit(func)))
          return signalPassFailure();
        continue;
      }
      auto schedule = func->getAttrOfType<ScheduleAttr>("delta.schedule");
      if (!schedule)
        schedule = choose(func, update);
      else if (failed(checkFamily(update, schedule)))
        return signalPassFailure();
      if (failed(checkSupported(update, schedule)))
        return signalPassFailure();
    }
  }

private:
  /// A schedule is for chunks.
  static LogicalResult checkPhase(func::FuncOp func) {
    WalkResult result = func.walk([](RecurrenceOp op) {
      op.emitOpError("expected in an earlier phase alone; "
                     "--delta-chunked-pipeline makes chunks of it");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// A family that the user wrote needs its target.
  LogicalResult checkFamily(UpdateOp update, ScheduleAttr schedule) {
    if (schedule.getFamily().getValue() != "sm_90a")
      return success();
    std::string obstacle = findObstacle(*gpu, update);
    if (obstacle.empty() && schedule.getValueColumns() != kWarpgroupColumns)
      return update.emitError()
             << "schedule value_columns: expected " << kWarpgroupColumns
             << " in family " << schedule.getFamily()
             << ", the columns of a warpgroup, got "
             << schedule.getValueColumns();
    if (obstacle.empty())
      return success();
    return update.emitError() << "schedule family " << schedule.getFamily()
                              << " has no kernels here: " << obstacle;
  }

  ScheduleAttr choose(func::FuncOp func, UpdateOp update) {
    std::string obstacle = findObstacle(*gpu, update);
    noteFallback(func, obstacle);
    ScheduleAttr schedule = obstacle.empty()
                                ? chooseWarpgroups(func, update)
                                : chooseWarps(func, update, obstacle);
    func->setAttr("delta.schedule", schedule);
    return schedule;
  }

  /// Says where a target's own kernels do not serve a function. A remark of the
  /// optimiser is seen by who asks for it; this one by everybody.
  void noteFallback(func::FuncOp func, StringRef obstacle) {
    if (gpu->hasWarpgroups && !obstacle.empty())
      func.emitRemark() << "kernels of family \"sm_80\", not \"sm_90a\": "
                        << obstacle;
  }

  static remark::RemarkOpts remarkOf(func::FuncOp func) {
    return remark::RemarkOpts::name("Schedule")
        .category("delta-select-schedule")
        .function(func.getName());
  }

  LogicalResult scheduleImplicit(func::FuncOp func) {
    ImplicitShape shape = getImplicitShape(func);
    if (failed(checkDims(shape)))
      return failure();
    auto schedule = func->getAttrOfType<ScheduleAttr>("delta.schedule");
    if (!schedule) {
      std::string obstacle = findObstacle(*gpu, shape);
      // One warp a CTA reads a cache as fast on every target.
      if (!shape.isDecode)
        noteFallback(func, obstacle);
      schedule = obstacle.empty() ? chooseWarpgroupBlocks(func, shape)
                                  : chooseWarpBlocks(func, shape, obstacle);
      func->setAttr("delta.schedule", schedule);
    }
    return checkImplicit(*gpu, shape, schedule);
  }

  /// A row block owns all of the value axis, as far as registers hold its sums:
  /// its weights, half of the work, are computed once. Two stages hide one
  /// block's loads behind one block's products, where the target's shared
  /// memory holds two beside the CTA's own block.
  ScheduleAttr chooseWarpBlocks(func::FuncOp func, const ImplicitShape &shape,
                                StringRef obstacle) {
    MLIRContext *context = &getContext();
    auto choose = [&](int64_t columns, int64_t stages) {
      return ScheduleAttr::get(context, StringAttr::get(context, "sm_80"),
                               columns, stages);
    };
    if (shape.isDecode) {
      // Loads are most of the time: with three stages two are always on their
      // way.
      remark::passed(func.getLoc(), remarkOf(func))
          << "segments of the cache, one warp a CTA: all new tokens of a head "
             "are the rows of one fragment; 3 stages: two blocks of keys load "
             "while one is computed with";
      return choose(shape.valueDim, 3);
    }
    bool isCrowded = shape.splits || shape.weighsTwice;
    int64_t columns =
        std::min<int64_t>(shape.valueDim, isCrowded ? kSplitColumns : 128);
    const int64_t numbers = shape.splitsEarlier ? 2 : 1;
    const int64_t block = 2 * shape.rows * (shape.keyDim + numbers * columns);
    int64_t stages = 3 * block + 4 * shape.rows > gpu->sharedBytes ? 1 : 2;
    remark::passed(func.getLoc(), remarkOf(func))
        << ("family sm_80: " + obstacle).str() << "; row blocks by ticket, "
        << std::to_string(shape.rows) << " rows a CTA with "
        << std::to_string(columns) << " of " << std::to_string(shape.valueDim)
        << (columns == shape.valueDim
                ? " value columns: weights are computed once; "
                : " value columns: sums of more would not fit 255 registers; ")
        << (stages == 2 ? "2 stages: one block loads while one computes"
                        : "1 stage: the target's shared memory holds no more");
    return choose(columns, stages);
  }

  /// Two warpgroups share a row block, so that a key and a row of u are loaded
  /// for 128 rows. Beside the ring of each the block's own query and value lie
  /// in shared memory, and what its diagonal is solved in. A third stage makes
  /// up for an earlier block that is late.
  ScheduleAttr chooseWarpgroupBlocks(func::FuncOp func,
                                     const ImplicitShape &shape) {
    MLIRContext *context = &getContext();
    int64_t columns = shape.splits ? kSplitColumns : shape.valueDim;
    const int64_t row = 2 * shape.rows;
    // While the block is solved: scratch, and weights that wait. They take the
    // place of query and keys as far as these are large enough.
    const int64_t waiting = row * shape.rows;
    const int64_t scratch = (shape.splits ? 2 : 1) * row * shape.rows;
    const int64_t known = shape.splitsEarlier ? 2 : 1;
    auto getBytes = [&](int64_t stages) {
      int64_t keys = (1 + stages) * row * shape.keyDim;
      int64_t more = keys >= scratch + waiting ? 0
                     : keys >= scratch         ? waiting
                     : keys >= waiting         ? scratch
                                               : scratch + waiting;
      return keys + more + (2 + stages * known) * row * columns;
    };
    int64_t stages = 3;
    while (stages > 1 && getBytes(stages) > gpu->sharedBytes)
      --stages;
    remark::passed(func.getLoc(), remarkOf(func))
        << ("family sm_90a: row blocks by ticket, " + Twine(shape.rows) +
            " rows a CTA in two warpgroups, other warps load and store; " +
            Twine(stages) + " stages: as many as shared memory holds" +
            (shape.readsApart ? "; reads by a second kernel, whose row blocks "
                                "wait for nobody, the longest first"
                              : ""))
               .str();
    return ScheduleAttr::get(context, StringAttr::get(context, "sm_90a"),
                             columns, stages);
  }

  /// 64 value columns: S^T of 64 x 128 f32 is 64 registers a thread in four
  /// warps, which leaves room for its 16-bit copy and three products; 128 would
  /// spill. Two stages hide one chunk's loads behind one chunk's products,
  /// where the target's shared memory holds two chunks.
  ScheduleAttr chooseWarps(func::FuncOp func, UpdateOp update,
                           StringRef obstacle) {
    const int64_t columns = 64;
    int64_t stages =
        getSharedBytes(update, columns, columns, 2) > gpu->sharedBytes ? 1 : 2;
    StringRef depth = stages == 2
                          ? "2 stages: one chunk loads while one computes"
                          : "1 stage: the target's shared memory holds no more";
    remark::passed(func.getLoc(), remarkOf(func))
        << ("family sm_80: " + obstacle +
            "; 64 value columns a CTA: the state and its operands fit 255 "
            "registers; " +
            depth)
               .str();
    return ScheduleAttr::get(&getContext(),
                             StringAttr::get(&getContext(), "sm_80"), columns,
                             stages);
  }

  /// One chain a CTA, and two where a head has them: the sizes of a call decide
  /// which runs, and into how many segments its sequences are cut. As many
  /// stages, of at most four, as shared memory holds for the most chains: three
  /// where keys have 128 elements. Outputs are staged for two chains, or twice
  /// for one.
  ScheduleAttr chooseWarpgroups(func::FuncOp func, UpdateOp update) {
    MLIRContext *context = &getContext();
    const int64_t valueDim = update.getState().getType().getShape()[1];
    SmallVector<int64_t> tiles = {1};
    if (valueDim % (2 * kWarpgroupColumns) == 0)
      tiles.push_back(2);
    int64_t stages = 4;
    while (stages > 1 &&
           getSharedBytes(update, kWarpgroupColumns * tiles.back(),
                          2 * kWarpgroupColumns, stages) > gpu->sharedBytes)
      --stages;
    remark::passed(func.getLoc(), remarkOf(func))
        << ("family sm_90a: a warpgroup keeps 64 value columns, other warps "
            "load and store; " +
            Twine(stages) + " stages: as many as shared memory holds; " +
            (tiles.size() == 2 ? "one or two warpgroups a CTA"
                               : "one warpgroup a CTA") +
            ", and sequences cut into segments, as the sizes of a call want")
               .str();
    return ScheduleAttr::get(context, StringAttr::get(context, "sm_90a"),
                             kWarpgroupColumns, stages,
                             DenseI64ArrayAttr::get(context, tiles),
                             /*split_sequence=*/true);
  }

  /// What the option names.
  const Target *gpu = nullptr;
};

} // namespace
