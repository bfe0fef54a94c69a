//===- TileToCuda.cpp - kernels in final form to CUDA text ------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `convert-tile-to-cuda`: the signature of each kernel, and how a CTA finds
/// its place in the grid. Launches and host functions are left as they are; the
/// plan of the launcher (`cuda-plan-launcher`) reads them.
///
//===----------------------------------------------------------------------===//

#include "KernelBody.h"
#include "Spelling.h"

#include "delta/Conversion/Passes.h"
#include "delta/Dialect/Delta/IR/Nests.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace delta {
#define GEN_PASS_DEF_CONVERTTILETOCUDA
#include "delta/Conversion/ConversionPasses.h.inc"
} // namespace delta

using namespace mlir;
using namespace delta;
using cuda::BinaryKind;

/// Whether the kernel needs what came with Hopper: roles, products in flight,
/// the order of launches that overlap.
static bool needsHopper(tile::KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return isa<tile::RolesOp, tile::DotStartOp, tile::WaitLaunchesOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Grid extents that all launches agree on, -1 where only a launch knows.
static SmallVector<int64_t> gridOf(tile::KernelOp kernel) {
  SmallVector<int64_t> grid(kernel.getGrid(), -1);
  bool isFirst = true;
  kernel->getParentOfType<ModuleOp>().walk([&](tile::LaunchOp launch) {
    if (launch.getKernel() != kernel.getSymName())
      return;
    for (auto [extent, value] : llvm::zip(grid, launch.getGrid())) {
      int64_t here = getConstantIntValue(value).value_or(-1);
      extent = isFirst || extent == here ? here : -1;
    }
    isFirst = false;
  });
  return grid;
}

/// Boxes in which copies by tensor maps move an array, each once.
static SmallVector<SmallVector<int64_t>> getBoxes(Value array) {
  SmallVector<SmallVector<int64_t>> boxes;
  for (Operation *user : array.getUsers())
    if (auto copy = dyn_cast<tile::CopyOp>(user);
        copy && copy.getEngine() == tile::Engine::Tma)
      if (SmallVector<int64_t> box = getTensorMapBox(copy);
          !llvm::is_contained(boxes, box))
        boxes.push_back(box);
  return boxes;
}

/// Whether a kernel takes the array's address: not if tensor maps say it.
static bool hasPointer(Value array) {
  return array.use_empty() ||
         llvm::any_of(array.getUsers(), [](Operation *user) {
           auto copy = dyn_cast<tile::CopyOp>(user);
           return !copy || copy.getEngine() != tile::Engine::Tma;
         });
}

static bool isWritten(Value array) {
  return llvm::any_of(array.getUsers(), [&](Operation *user) {
    auto copy = dyn_cast<tile::CopyOp>(user);
    return isa<tile::StoreOp, tile::SignalOp, tile::TicketOp>(user) ||
           (copy && copy.getToGlobal());
  });
}

namespace {

/// One kernel on its way to text.
class KernelConverter {
public:
  explicit KernelConverter(tile::KernelOp kernel)
      : kernel(kernel), b(kernel.getLoc(), kernel), grid(gridOf(kernel)),
        names(kernel) {}

  LogicalResult run();

private:
  /// A parameter of the emitted kernel.
  struct Parameter {
    Type type;
    std::string name;
    cuda::TensorMapAttr map;
  };

  LogicalResult planParameters();
  void addParameter(Type type, const Twine &name,
                    cuda::TensorMapAttr map = {}) {
    parameters.push_back({type, name.str(), map});
  }
  LogicalResult addArray(BlockArgument argument, StringRef name);
  void addTensorMaps(BlockArgument argument, StringRef name);
  std::string argumentName(unsigned index, StringRef otherwise);
  cuda::KernelOp createKernel();
  void mapArguments(Block &entry, KernelBody &body);
  void mapGridIndices(Block &entry, KernelBody &body);

  Block &source() { return kernel.getBody().front(); }

  tile::KernelOp kernel;
  ImplicitLocOpBuilder b;
  SmallVector<int64_t> grid;
  ValueNames names;
  SmallVector<Parameter> parameters;
};

} // namespace

std::string KernelConverter::argumentName(unsigned index, StringRef otherwise) {
  auto name = kernel.getArgAttrOfType<StringAttr>(index, "delta.name");
  return name ? name.str() : (otherwise + Twine(index)).str();
}

/// The strides of an array without an offset, dynamic where a size that they
/// multiply is.
static FailureOr<SmallVector<int64_t>> getStrides(MemRefType array) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(array.getStridesAndOffset(strides, offset)) || offset != 0)
    return failure();
  // Over an empty axis MLIR calls them dynamic too; no element is ever reached.
  if (array.getLayout().isIdentity())
    for (auto [axis, stride] : llvm::enumerate(strides))
      if (llvm::none_of(array.getShape().drop_front(axis + 1),
                        ShapedType::isDynamic) &&
          ShapedType::isDynamic(stride))
        stride = 0;
  return strides;
}

/// The pointer to an array and the strides that its type leaves open.
LogicalResult KernelConverter::addArray(BlockArgument argument,
                                        StringRef name) {
  auto array = cast<MemRefType>(argument.getType());
  // A workspace has the name of the value that it holds; the value keeps it.
  addParameter(
      cuda::PointerType::get(array.getElementType(), !isWritten(argument)),
      names.contains(name) ? name + "_global" : name);
  FailureOr<SmallVector<int64_t>> strides = getStrides(array);
  if (failed(strides))
    return kernel.emitError()
           << "array " << name << ": expected strides and no offset, got "
           << array;
  for (auto [axis, stride] : llvm::enumerate(*strides))
    if (ShapedType::isDynamic(stride))
      addParameter(b.getIndexType(), axis == 0
                                         ? name + "_batch_stride"
                                         : name + "_stride_" + Twine(axis));
  return success();
}

void KernelConverter::addTensorMaps(BlockArgument argument, StringRef name) {
  unsigned input = argument.getArgNumber() - kernel.getGrid();
  for (const SmallVector<int64_t> &box : getBoxes(argument))
    addParameter(cuda::OpaqueType::get(b.getContext(), "CUtensorMap"),
                 name + "_map",
                 cuda::TensorMapAttr::get(b.getContext(), input, box));
}

LogicalResult KernelConverter::planParameters() {
  for (BlockArgument argument :
       source().getArguments().drop_front(kernel.getGrid())) {
    unsigned index = argument.getArgNumber();
    std::string name = argumentName(index, "arg");
    auto array = dyn_cast<MemRefType>(argument.getType());
    if (!array) {
      addParameter(argument.getType(), name);
      continue;
    }
    if (hasPointer(argument) && failed(addArray(argument, name)))
      return failure();
    addTensorMaps(argument, name);
  }
  // No index is divided by the last extent.
  for (auto [axis, extent] : llvm::enumerate(ArrayRef(grid).drop_back()))
    if (extent == -1)
      addParameter(b.getIndexType(), argumentName(axis, "grid_") + "_count");
  return success();
}

cuda::KernelOp KernelConverter::createKernel() {
  SmallVector<Type> types;
  SmallVector<StringRef> parameterNames;
  for (const Parameter &parameter : parameters) {
    types.push_back(parameter.type);
    parameterNames.push_back(parameter.name);
  }
  auto converted = cuda::KernelOp::create(
      b, kernel.getSymName(), types, parameterNames, 32 * kernel.getWarps());
  converted.setMinBlocks(kernel.getMinBlocks().value_or(1));
  converted.setSharedBytes(kernel.getSharedBytes().value_or(0));
  converted.setGrid(grid);
  if (auto comment = kernel->getAttrOfType<StringAttr>(kCommentAttr))
    converted.setDocAttr(comment);
  for (auto [index, parameter] : llvm::enumerate(parameters))
    if (parameter.map)
      converted.setArgAttr(index, cuda::CudaDialect::getTensorMapAttrName(),
                           parameter.map);
  bool isHopper = needsHopper(kernel);
  converted.setIncludesAttr(b.getStrArrayAttr(
      {isHopper ? "delta/Device/Sm90a.cuh" : "delta/Device/Sm80.cuh"}));
  if (isHopper)
    converted.setCapability(90);
  return converted;
}

void KernelConverter::mapArguments(Block &entry, KernelBody &body) {
  unsigned position = 0;
  for (BlockArgument argument :
       source().getArguments().drop_front(kernel.getGrid())) {
    auto array = dyn_cast<MemRefType>(argument.getType());
    if (!array) {
      body.map(argument, entry.getArgument(position++));
      continue;
    }
    if (hasPointer(argument)) {
      GlobalArray global{entry.getArgument(position++), {}};
      SmallVector<int64_t> strides = *getStrides(array); // checked before
      for (int64_t stride : strides)
        global.strides.push_back(ShapedType::isDynamic(stride)
                                     ? entry.getArgument(position++)
                                     : body.literal(stride));
      body.mapArray(argument, std::move(global));
    }
    for (const SmallVector<int64_t> &box : getBoxes(argument))
      body.mapTensorMap(argument, box, entry.getArgument(position++));
  }
}

void KernelConverter::mapGridIndices(Block &entry, KernelBody &body) {
  // 32-bit division: the launch has fewer than 2^31 CTAs.
  Type unsignedType = b.getIntegerType(32, /*isSigned=*/false);
  auto number = [&](int64_t value) -> Value {
    return cuda::LiteralOp::create(b, unsignedType,
                                   b.getIntegerAttr(unsignedType, value),
                                   /*name=*/StringAttr());
  };
  unsigned dynamic =
      entry.getNumArguments() - llvm::count(ArrayRef(grid).drop_back(), -1);
  auto argument = [&](unsigned position) -> Value {
    return cuda::CastOp::create(b, unsignedType, entry.getArgument(position),
                                /*name=*/StringAttr());
  };
  // The CTAs of one step of the index at hand: a product of extents.
  int64_t known = 1;
  SmallVector<unsigned> unknown;
  for (auto [axis, size] : llvm::enumerate(grid)) {
    StringAttr name = b.getStringAttr(argumentName(axis, "cta_"));
    if (size == 1) {
      body.map(source().getArgument(axis),
               cuda::LiteralOp::create(b, b.getIndexType(), b.getIndexAttr(0),
                                       name));
      continue;
    }
    // An empty grid is never launched, but a remainder by 0 does not compile.
    int64_t extent = size == 0 ? 1 : size;
    Value index = cuda::BuiltinOp::create(b, unsignedType, "blockIdx.x",
                                          /*name=*/StringAttr());
    auto apply = [&](BinaryKind kind, Value by) {
      index = cuda::BinaryOp::create(b, unsignedType, kind, index, by,
                                     /*name=*/StringAttr());
    };
    if (known != 1)
      apply(BinaryKind::Div, number(known));
    for (unsigned position : unknown)
      apply(BinaryKind::Div, argument(position));
    bool isLast = axis + 1 == grid.size();
    if (!isLast) {
      apply(BinaryKind::Rem, extent == -1 ? argument(dynamic) : number(extent));
      if (extent == -1)
        unknown.push_back(dynamic++);
      else
        known *= extent;
    }
    body.map(source().getArgument(axis),
             cuda::CastOp::create(b, b.getIndexType(), index, name));
  }
}

LogicalResult KernelConverter::run() {
  if (failed(planParameters()))
    return failure();
  cuda::KernelOp converted = createKernel();
  Block &entry = converted.getBody().front();
  b.setInsertionPointToStart(&entry);
  Value base;
  if (kernel.getSharedBytes().value_or(0) > 0)
    base = cuda::CallOp::create(
               b, cuda::OpaqueType::get(b.getContext(), "SharedBase"),
               "shared_base",
               /*template_args=*/ArrayAttr(), ValueRange(), /*pure=*/true,
               b.getStringAttr("shared"))
               .getResult();
  KernelBody body(b, kernel, names, base);
  mapArguments(entry, body);
  mapGridIndices(entry, body);
  body.describeShared(kernel);
  if (failed(body.convertBlock(source()))) {
    converted.erase();
    return failure();
  }
  body.finish();
  kernel.erase();
  return success();
}

namespace {

class ConvertTileToCudaPass
    : public delta::impl::ConvertTileToCudaBase<ConvertTileToCudaPass> {
public:
  void runOnOperation() override {
    for (auto kernel :
         llvm::make_early_inc_range(getOperation().getOps<tile::KernelOp>()))
      if (failed(KernelConverter(kernel).run()))
        return signalPassFailure();
  }
};

} // namespace
