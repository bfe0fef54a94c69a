//===- SharedComment.cpp - what lies where in shared memory -----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The constants that name the offsets of tile-plan-shared, with a table of who
/// lives where and from when to when: buffers share bytes.
///
//===----------------------------------------------------------------------===//

#include "KernelBody.h"

#include "delta/Dialect/Tile/IR/SharedMemory.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace delta;

/// What happens to a buffer in `user`, as the end of "from" or "to".
static std::string describeUse(const ValueNames &names, Operation *user) {
  if (auto copy = dyn_cast<tile::CopyOp>(user))
    return copy.getToGlobal() ? "its store" : "its copy";
  Value value;
  if (auto write = dyn_cast<tile::WriteOp>(user))
    value = write.getTile();
  else if (user->getNumResults() == 1)
    value = user->getResult(0);
  StringRef name = value ? names.lookup(value) : "";
  name.consume_back("_inflight");
  return name.str();
}

void KernelBody::describeShared(tile::KernelOp kernel) {
  llvm::DenseMap<Operation *, unsigned> order;
  SmallVector<tile::AllocOp> allocs;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    order.try_emplace(op, order.size());
    auto alloc = dyn_cast<tile::AllocOp>(op);
    if (alloc && alloc.getOffset() && !nameOf(alloc.getBuffer()).empty())
      allocs.push_back(alloc);
  });
  if (allocs.empty())
    return;
  std::string text =
      llvm::formatv("{0} bytes of shared memory: which a buffer has, and while "
                    "what is computed.\n",
                    kernel.getSharedBytes().value_or(0));
  for (tile::AllocOp alloc : allocs) {
    auto type = cast<MemRefType>(alloc.getBuffer().getType());
    text += llvm::formatv(
        "\n    {0}: {1} to {2}",
        sharedName(nameOf(alloc.getBuffer()), type).getValue(),
        *alloc.getOffset(), *alloc.getOffset() + tile::getSharedBytes(type));
    auto users = llvm::to_vector(alloc->getUsers());
    llvm::sort(users, [&](Operation *a, Operation *b) {
      return order.lookup(a) < order.lookup(b);
    });
    if (users.empty())
      continue;
    std::string first = describeUse(names, users.front());
    std::string last = describeUse(names, users.back());
    if (!first.empty() && !last.empty())
      text +=
          first == last ? ", for " + first : ", from " + first + " to " + last;
  }
  cuda::CommentOp::create(b, text);
  for (tile::AllocOp alloc : allocs)
    allocOffsets[alloc] = byteLiteral(
        *alloc.getOffset(), named(nameOf(alloc.getBuffer()) + "_offset"));
}
