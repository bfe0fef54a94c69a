//===- TargetOption.h - the target that a pass is told ----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_TARGETOPTION_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_TARGETOPTION_H

#include "delta/Support/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace delta::tile {

/// The target that the option `target` of a pass on `module` names; null, with
/// an error at the module, for an unknown one.
inline const Target *requireTarget(mlir::ModuleOp module,
                                   llvm::StringRef target) {
  const Target *limits = lookupTarget(target);
  if (!limits)
    module.emitError() << "target: expected one of "
                       << llvm::StringRef(getTargetNames()) << ", got "
                       << target;
  return limits;
}

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_TARGETOPTION_H
