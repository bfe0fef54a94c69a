//===- HostProgram.cpp - the host function of the tile phase ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Everything that a launcher cannot be made for is refused here, so that what
/// builds the launcher need not check.
///
//===----------------------------------------------------------------------===//

#include "KernelParameters.h"

#include "delta/Dialect/Cuda/Transforms/Names.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace delta;
using namespace delta::cuda;

Value cuda::getUnderlyingArray(Value memref) {
  while (Operation *view = memref.getDefiningOp()) {
    if (!isa<memref::CollapseShapeOp, memref::CastOp>(view))
      break;
    memref = view->getOperand(0);
  }
  return memref;
}

//===----------------------------------------------------------------------===//
// How large anything gets
//===----------------------------------------------------------------------===//

namespace {

/// An upper bound `factor * batch^batches * length^lengths` of a value that is
/// not negative, where batch and length are at least 1.
struct Growth {
  int64_t factor;
  unsigned batches = 0, lengths = 0;
};

/// The most that an array, or a grid, may be for a batch and length of 1: more
/// than any device holds, and sums of a thousand of them still leave room below
/// 2^62 for a million tokens.
constexpr int64_t kMostBytes = int64_t(1) << 40;

/// Bounds the index values of a host function.
class GrowthAnalysis {
public:
  /// The bound of `value`, or nothing if there is none below 2^62.
  std::optional<Growth> get(Value value);
  std::optional<Growth> multiply(std::optional<Growth> a,
                                 std::optional<Growth> b);
  std::optional<Growth> add(std::optional<Growth> a, std::optional<Growth> b);
  /// Of the number of elements of `memref`, and of one of its extents.
  std::optional<Growth> getElements(Value memref);
  std::optional<Growth> getDim(Value memref, int64_t axis);
};

} // namespace

std::optional<Growth> GrowthAnalysis::multiply(std::optional<Growth> a,
                                               std::optional<Growth> b) {
  if (!a || !b)
    return std::nullopt;
  std::optional<int64_t> factor = llvm::checkedMul(a->factor, b->factor);
  if (!factor)
    return std::nullopt;
  return Growth{*factor, a->batches + b->batches, a->lengths + b->lengths};
}

std::optional<Growth> GrowthAnalysis::add(std::optional<Growth> a,
                                          std::optional<Growth> b) {
  if (!a || !b)
    return std::nullopt;
  std::optional<int64_t> factor = llvm::checkedAdd(a->factor, b->factor);
  if (!factor)
    return std::nullopt;
  return Growth{*factor, std::max(a->batches, b->batches),
                std::max(a->lengths, b->lengths)};
}

std::optional<Growth> GrowthAnalysis::getDim(Value memref, int64_t axis) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(axis))
    return Growth{type.getDimSize(axis)};
  if (auto cast = memref.getDefiningOp<memref::CastOp>())
    return getDim(cast.getSource(), axis);
  if (auto collapse = memref.getDefiningOp<memref::CollapseShapeOp>()) {
    std::optional<Growth> product = Growth{1};
    ReassociationIndices group = collapse.getReassociationIndices()[axis];
    for (int64_t source : group)
      product = multiply(product, getDim(collapse.getSrc(), source));
    return product;
  }
  if (auto alloc = memref.getDefiningOp<memref::AllocOp>())
    return get(alloc.getDynamicSizes()[type.getDynamicDimIndex(axis)]);
  return axis == BatchAxis ? Growth{1, 1, 0} : Growth{1, 0, 1};
}

std::optional<Growth> GrowthAnalysis::getElements(Value memref) {
  std::optional<Growth> product = Growth{1};
  for (int64_t axis = 0; axis < cast<MemRefType>(memref.getType()).getRank();
       ++axis)
    product = multiply(product, getDim(memref, axis));
  return product;
}

std::optional<Growth> GrowthAnalysis::get(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.isNegative()
               ? std::nullopt
               : std::optional(Growth{constant.getSExtValue()});
  Operation *op = value.getDefiningOp();
  return llvm::TypeSwitch<Operation *, std::optional<Growth>>(op)
      .Case([&](memref::DimOp dim) {
        return getDim(dim.getSource(), *dim.getConstantIndex());
      })
      .Case([&](arith::MulIOp op) {
        return multiply(get(op.getLhs()), get(op.getRhs()));
      })
      .Case<arith::AddIOp, arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto op) { return add(get(op.getLhs()), get(op.getRhs())); })
      .Case([&](arith::SelectOp op) {
        return add(get(op.getTrueValue()), get(op.getFalseValue()));
      })
      .Case([&](scf::IfOp op) {
        unsigned result = cast<OpResult>(value).getResultNumber();
        return add(get(op.thenYield().getOperand(result)),
                   get(op.elseYield().getOperand(result)));
      })
      // Divisors are at least 1.
      .Case<arith::SubIOp, arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
            arith::CeilDivUIOp, arith::RemSIOp, arith::RemUIOp>(
          [&](auto op) { return get(op.getLhs()); })
      // Either bounds the smaller one; the device's size is not known.
      .Case<arith::MinSIOp, arith::MinUIOp>([&](auto op) {
        std::optional<Growth> bound = get(op.getLhs());
        return bound ? bound : get(op.getRhs());
      })
      // Neither its count nor its length is above max(chunks, 1).
      .Case([&](tile::ChooseSegmentsOp op) {
        return add(get(op.getChunks()), Growth{1});
      })
      .Default([](Operation *) { return std::nullopt; });
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

class HostReader {
public:
  explicit HostReader(func::FuncOp function) : function(function) {}
  FailureOr<HostProgram> read();

private:
  LogicalResult readArguments();
  LogicalResult readSize(const HostArray &array, int64_t axis,
                         std::optional<int64_t> &fixed);
  LogicalResult readBlock(Block &block);
  LogicalResult readOp(Operation *op);
  LogicalResult readIf(scf::IfOp op);
  LogicalResult readClear(tile::ClearOp op);
  LogicalResult readLaunch(tile::LaunchOp op);
  LogicalResult boundSizes();
  /// Lowers the limit to what the tensor maps of a launch can describe.
  void boundTensorMaps(const HostLaunch &launch);
  /// A legal name like `wanted` that no other array or buffer has.
  std::string takeName(StringRef wanted, StringRef fallback);

  func::FuncOp function;
  HostProgram program;
  /// Of the block at hand.
  HostCondition condition;
  llvm::StringSet<> taken;
};

} // namespace

std::string HostReader::takeName(StringRef wanted, StringRef fallback) {
  // `x` also stands for the field `x_strides`, which has no two underscores in
  // a row.
  std::string name =
      makeUniqueName(makeLegalName(wanted, fallback), [&](StringRef name) {
        return name.ends_with("_") || taken.contains(name) ||
               taken.contains((name + "_strides").str());
      });
  taken.insert(name);
  taken.insert(name + "_strides");
  return name;
}

/// A type of what the function computes from sizes.
static bool isComputed(Type type) {
  return type.isIndex() || type.isInteger(1);
}

/// Whether `type` is plain row-major memory of a dtype that kernels know.
static bool isSupported(MemRefType type) {
  return type.getLayout().isIdentity() &&
         (type.getElementType().isF32() || type.getElementType().isBF16() ||
          type.getElementType().isF16());
}

/// Whether `type` is what workspace can be: arrays, counters and flags (i32).
static bool isWorkspace(MemRefType type) {
  return isSupported(type) ||
         (type.getLayout().isIdentity() && type.getElementType().isInteger(32));
}

LogicalResult HostReader::readSize(const HostArray &array, int64_t axis,
                                   std::optional<int64_t> &fixed) {
  if (array.type.getRank() <= axis || array.type.isDynamicDim(axis))
    return success();
  int64_t size = array.type.getDimSize(axis);
  if (fixed && *fixed != size)
    return function.emitError()
           << "axis " << axis << " of '" << array.name << "' must be " << *fixed
           << " as in the arguments before it, got " << size;
  fixed = size;
  return success();
}

LogicalResult HostReader::readArguments() {
  // Fields that every argument struct has.
  for (StringRef name :
       {"size", "version", "batch", "length", "args", "workspace", "stream"})
    taken.insert(name);
  bool anyLength = false;
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto type = dyn_cast<MemRefType>(argument.getType());
    // Counts of the caller's, such as the tokens in a cache.
    bool isCounts = type && type.getLayout().isIdentity() &&
                    type.getElementType().isInteger(64);
    if (!type || !(isCounts || isSupported(type)))
      return function.emitError()
             << "argument " << index
             << " must be a contiguous memref of f32, bf16, f16 or i64, got "
             << argument.getType();
    auto name = function.getArgAttrOfType<StringAttr>(index, "delta.name");
    HostArray array;
    array.argument = argument;
    array.type = type;
    array.name = name ? name.str() : "x" + std::to_string(index);
    array.field = takeName(array.name, "x");
    array.isResult = bool(function.getArgAttr(index, "delta.result"));
    array.isUpdated = bool(function.getArgAttr(index, "delta.updated"));
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      if (type.isDynamicDim(axis) && axis != BatchAxis && axis != LengthAxis)
        return function.emitError()
               << "axis " << axis << " of '" << array.name
               << "' must be static: only axis 0 (batch) and axis 1 (length) "
                  "may be dynamic";
    if (failed(readSize(array, BatchAxis, program.batch)))
      return failure();
    // Axis 1 of a state is heads; of the others it is the length.
    anyLength |= type.getRank() > 1 && type.isDynamicDim(LengthAxis);
    program.arrays.push_back(array);
  }
  if (anyLength)
    return success();
  // A recurrence of fixed length: the arrays say it by their first one, or by
  // their first cache.
  for (HostArray &array : program.arrays)
    if (array.type.getRank() > 1 && (!program.length || array.isUpdated)) {
      program.length = array.type.getDimSize(LengthAxis);
      if (array.isUpdated)
        break;
    }
  return success();
}

LogicalResult HostReader::readLaunch(tile::LaunchOp op) {
  auto kernel =
      SymbolTable::lookupNearestSymbolFrom<KernelOp>(op, op.getKernelAttr());
  if (!kernel)
    return op.emitError() << "kernel " << op.getKernelAttr()
                          << " is not in the exit dialect yet";
  StringRef name = kernel.getName();
  if (name.consume_front(function.getName()))
    name = name.ltrim('_');
  if (name.empty())
    name = "kernel";
  DenseI64ArrayAttr grid = kernel.getGridAttr();
  if (!grid || grid.size() != int64_t(op.getGrid().size()))
    return op.emitError() << "grid has " << op.getGrid().size()
                          << " extents, the kernel's has "
                          << (grid ? grid.size() : 0);
  for (auto [extent, known] : llvm::zip(op.getGrid(), grid.asArrayRef())) {
    APInt constant;
    if (known != -1 && (!matchPattern(extent, m_ConstantInt(&constant)) ||
                        constant.getSExtValue() != known))
      return op.emitError()
             << "an extent of the grid must be the kernel's " << known;
  }
  program.launches.push_back({op, kernel, name.str(), condition});
  return checkParameters(program.launches.back());
}

LogicalResult HostReader::readIf(scf::IfOp op) {
  for (Type type : op.getResultTypes())
    if (!isComputed(type))
      return op.emitError()
             << "results of a condition must be indices, got " << type;
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    condition.push_back({op.getCondition(), &region == &op.getThenRegion()});
    if (failed(readBlock(region.front())))
      return failure();
    condition.pop_back();
  }
  return success();
}

LogicalResult HostReader::readBlock(Block &block) {
  for (Operation &op : block)
    if (failed(readOp(&op)))
      return failure();
  return success();
}

LogicalResult HostReader::readClear(tile::ClearOp op) {
  if (!program.launches.empty())
    return op.emitError("expected in front of the launches");
  Value array = getUnderlyingArray(op.getArray());
  for (HostBuffer &buffer : program.buffers)
    if (buffer.op.getResult() == array) {
      buffer.isCleared = true;
      return success();
    }
  return op.emitError("array: expected workspace, got an argument");
}

LogicalResult HostReader::readOp(Operation *op) {
  if (auto clear = dyn_cast<tile::ClearOp>(op))
    return readClear(clear);
  if (auto launch = dyn_cast<tile::LaunchOp>(op))
    return readLaunch(launch);
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    if (!isWorkspace(alloc.getType()))
      return op->emitError() << "workspace must be a contiguous memref of f32, "
                                "bf16, f16 or i32, got "
                             << alloc.getType();
    auto wanted = op->getAttrOfType<StringAttr>("delta.name");
    program.buffers.push_back(
        {alloc, takeName(wanted ? wanted.getValue() : "", "buffer"),
         condition});
    return success();
  }
  if (auto dim = dyn_cast<memref::DimOp>(op))
    return dim.getConstantIndex()
               ? success()
               : op->emitError("the axis must be a constant");
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return readIf(branch);
  if (isa<memref::CollapseShapeOp, memref::DeallocOp, func::ReturnOp,
          scf::YieldOp>(op))
    return success();
  // Folding makes an allocation of constant sizes a static one, cast to the
  // type that its users have.
  if (isa<memref::CastOp>(op)) {
    auto type = dyn_cast<MemRefType>(op->getResult(0).getType());
    if (type && isWorkspace(type))
      return success();
    return op->emitError() << "a cast must be to a contiguous memref, got "
                           << op->getResult(0).getType();
  }
  if (isa<tile::MultiprocessorsOp, tile::ChunkTimeOp, tile::ChooseSegmentsOp>(
          op))
    return success();
  if (op->getNumResults() == 1 && isComputed(op->getResult(0).getType()) &&
      isa<arith::ArithDialect>(op->getDialect()))
    return success();
  return op->emitError() << "'" << op->getName()
                         << "' is nothing that a launcher can do";
}

LogicalResult HostReader::boundSizes() {
  GrowthAnalysis analysis;
  int64_t most = 1;
  auto include = [&](const Twine &what, std::optional<Growth> growth,
                     StringRef unit) -> LogicalResult {
    if (!growth || growth->batches > 1 || growth->lengths > 1 ||
        growth->factor > kMostBytes)
      return function.emitError()
             << what << ": expected at most batch * length * 2^40 " << unit;
    most += growth->factor;
    return success();
  };
  auto includeArray = [&](StringRef kind, StringRef name, Value memref) {
    int64_t bytes =
        cast<MemRefType>(memref.getType()).getElementTypeBitWidth() / 8;
    return include(
        kind + " '" + name + "'",
        analysis.multiply(analysis.getElements(memref), Growth{bytes}),
        "bytes");
  };
  for (HostArray &array : program.arrays)
    if (failed(includeArray("array", array.name, array.argument)))
      return failure();
  for (HostBuffer &buffer : program.buffers) {
    if (failed(includeArray("workspace", buffer.name, buffer.op)))
      return failure();
    most += 256; // alignment
  }
  for (HostLaunch &launch : program.launches) {
    std::optional<Growth> blocks = Growth{1};
    for (Value extent : launch.op.getGrid())
      blocks = analysis.multiply(blocks, analysis.get(extent));
    if (failed(include("grid of '" + launch.name + "'", blocks, "blocks")))
      return failure();
  }
  program.rowLimit = (int64_t(1) << 62) / most;
  for (HostLaunch &launch : program.launches)
    boundTensorMaps(launch);
  return success();
}

void HostReader::boundTensorMaps(const HostLaunch &launch) {
  // Coordinates have 32 bits and a sign, strides in bytes 40. What grows faster
  // than batch * length has been refused before.
  GrowthAnalysis analysis;
  auto include = [&](std::optional<Growth> growth, int64_t limit) {
    program.rowLimit = std::min(program.rowLimit,
                                limit / std::max<int64_t>(growth->factor, 1));
  };
  tile::LaunchOp op = launch.op;
  for (const KernelParameter &parameter : getParameters(launch)) {
    if (parameter.kind != KernelParameter::TensorMap)
      continue;
    Value array = op.getInputs()[parameter.input];
    auto type = cast<MemRefType>(array.getType());
    include(analysis.multiply(analysis.getElements(array),
                              Growth{type.getElementTypeBitWidth() / 8}),
            int64_t(1) << 40);
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      include(analysis.getDim(array, axis), int64_t(1) << 31);
  }
}

FailureOr<HostProgram> HostReader::read() {
  program.function = function;
  // The text has it with suffixes only.
  if (!isLegalName((function.getName() + "_launch").str()))
    return function.emitError()
           << "'" << function.getName() << "' is no name that C and C++ accept";
  if (function.getNumResults() || !function.getBody().hasOneBlock())
    return function.emitError("a host function is one block without results");
  if (failed(readArguments()))
    return failure();
  if (failed(readBlock(function.getBody().front())) || failed(boundSizes()))
    return failure();
  return std::move(program);
}

FailureOr<HostProgram> cuda::readHostProgram(func::FuncOp function) {
  return HostReader(function).read();
}
