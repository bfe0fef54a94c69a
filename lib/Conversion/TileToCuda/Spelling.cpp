//===- Spelling.cpp - tile types in the device library's words --*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements Spelling.h.
///
//===----------------------------------------------------------------------===//

#include "Spelling.h"

#include "delta/Dialect/Cuda/IR/CudaDialect.h"
#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Target/Cuda/PrintCuda.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace delta;

static std::string spellTile(RankedTensorType type) {
  ArrayRef<int64_t> shape = type.getShape();
  Attribute layout = type.getEncoding();
  if (auto frag = dyn_cast_or_null<tile::FragAttr>(layout);
      frag && shape.size() == 2)
    return llvm::formatv("Fragment<{0}, {1}, {2}, {3}>",
                         cuda::spellType(type.getElementType()), shape[0],
                         shape[1], frag.getWarps());
  if (shape.size() != 1)
    return "";
  if (isa_and_nonnull<tile::FlatAttr>(layout))
    return llvm::formatv("Flat<{0}>", shape[0]);
  auto slice = dyn_cast_or_null<tile::SliceAttr>(layout);
  if (!slice)
    return "";
  if (slice.getAxis() == 1)
    return llvm::formatv("ColumnSlice<{0}>", shape[0]);
  return llvm::formatv("RowSlice<{0}, {1}>", shape[0],
                       slice.getParent().getWarps());
}

static std::string spellBuffer(MemRefType type) {
  if (!isa_and_nonnull<tile::SmemAttr>(type.getMemorySpace()) ||
      !type.hasStaticShape())
    return "";
  ArrayRef<int64_t> shape = type.getShape();
  std::string element = cuda::spellType(type.getElementType());
  if (shape.size() == 1)
    return llvm::formatv("SharedVector<{0}, {1}>", element, shape[0]);
  if (shape.size() != 2)
    return "";
  return llvm::formatv("{0}<{1}, {2}, {3}>",
                       type.getElementType().isF32() ? "SharedMatrix"
                                                     : "SharedTile",
                       element, shape[0], shape[1]);
}

Type delta::convertType(Type type) {
  std::string spelling;
  if (auto tile = dyn_cast<RankedTensorType>(type))
    spelling = spellTile(tile);
  else if (auto buffer = dyn_cast<MemRefType>(type))
    spelling = spellBuffer(buffer);
  else if (auto async = dyn_cast<tile::AsyncType>(type)) {
    Type value = convertType(async.getValue());
    if (auto fragment = dyn_cast_or_null<cuda::OpaqueType>(value))
      spelling = ("InFlight<" + fragment.getSpelling() + ">").str();
  } else if (type.isIntOrIndexOrFloat())
    return type;
  if (spelling.empty())
    return {};
  return cuda::OpaqueType::get(type.getContext(), spelling);
}
