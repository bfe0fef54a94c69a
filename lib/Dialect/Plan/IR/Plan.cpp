//===- Plan.cpp - machines and kernel plans ---------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements Plan.h. Everything that was measured on a machine and decides
/// anything is in this file.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Plan/IR/Plan.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace delta;
using namespace delta::plan;

#include "delta/Dialect/Plan/IR/PlanDialect.cpp.inc"
#include "delta/Dialect/Plan/IR/PlanEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "delta/Dialect/Plan/IR/PlanAttrs.cpp.inc"

void PlanDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "delta/Dialect/Plan/IR/PlanAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// MachineAttr
//===----------------------------------------------------------------------===//

LogicalResult MachineAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  StringRef name) {
  if (lookupTarget(name))
    return success();
  return emitError() << "machine: expected one of "
                     << StringRef(getTargetNames()) << ", got " << name;
}

MachineAttr MachineAttr::lookup(MLIRContext *context, StringRef name) {
  return lookupTarget(name) ? get(context, name) : MachineAttr();
}

const Target &MachineAttr::getTarget() const {
  return *lookupTarget(getName());
}

std::optional<ScanCosts> MachineAttr::getScanCosts(Products products) const {
  // Measured on an H200 with chunks of 64 rows and keys of 128; other sizes
  // scale all of them alike, and choices compare them
  // (docs/notes/segment-costs.md).
  if (getName() != "sm_90a" && getName() != "sm_90")
    return std::nullopt;
  // A warpgroup for itself is bound by latency, two share the tensor cores.
  if (products == Products::Wgmma)
    return ScanCosts{{{800, 110}, {1000, 450}},
                     {{680, 30}, {850, 100}},
                     /*fold=*/2350,
                     /*launches=*/7000};
  // 128 CTAs take 0.25 ms for 128 chunks; the share of a transfer is that of
  // wgmma. One chain a CTA.
  return ScanCosts{{{1900, 0}, {1900, 0}},
                   {{1400, 0}, {1400, 0}},
                   /*fold=*/2350,
                   /*launches=*/7000};
}

std::optional<IssueCycles> MachineAttr::getIssueCycles() const {
  // Measured on an H200.
  if (getName() != "sm_90a")
    return std::nullopt;
  return IssueCycles{
      /*start=*/16, /*await=*/30, /*element=*/2, /*exp=*/8,
      /*ring=*/50,  /*read=*/30,  /*step=*/16,   /*columns=*/2};
}

//===----------------------------------------------------------------------===//
// KernelPlanAttr
//===----------------------------------------------------------------------===//

KernelPlanAttr KernelPlanAttr::withMachine(MachineAttr machine) const {
  return get(getContext(), machine, getProducts(), getCopies(), getStages(),
             getColumns(), getChains(), getSplit(), getWork(), getGroupBytes(),
             getResidency());
}

KernelPlanAttr KernelPlanAttr::withChains(int64_t chains) const {
  return get(getContext(), getMachine(), getProducts(), getCopies(),
             getStages(), getColumns(), chains, getSplit(), getWork(),
             getGroupBytes(), getResidency());
}

LogicalResult
KernelPlanAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       MachineAttr machine, Products products, Copies copies,
                       int64_t stages, int64_t columns, int64_t chains,
                       Split split, Work work, int64_t groupBytes, Residency) {
  // P1
  if (machine && products == Products::Wgmma && !machine.hasWarpgroups())
    return emitError() << "plan products: expected mma_sync on "
                       << machine.getName()
                       << ", which has no warpgroups, got wgmma";
  if ((products == Products::Wgmma) != (copies == Copies::Tma))
    return emitError() << "plan copies: expected "
                       << (products == Products::Wgmma ? "tma" : "cp_async")
                       << " with products " << stringifyProducts(products)
                       << ", got " << stringifyCopies(copies);
  if (stages < 1 || stages > 4)
    return emitError() << "plan stages: expected 1 to 4, got " << stages;
  if (columns != 16 && columns != 32 && columns != 64 && columns != 128)
    return emitError() << "plan columns: expected 16, 32, 64 or 128, got "
                       << columns;
  if (split == Split::Chains && products != Products::Wgmma)
    return emitError() << "plan split: expected rows with products mma_sync, "
                          "got chains";
  if (split == Split::Chains && columns != 64)
    return emitError() << "plan columns: expected 64, the rows of a "
                          "warpgroup's product, with split chains, got "
                       << columns;
  const int64_t most = split == Split::Chains ? 2 : 1;
  if (chains < 1 || chains > most)
    return emitError() << "plan chains: expected "
                       << (most == 1 ? "1" : "1 or 2") << " with split "
                       << stringifySplit(split) << ", got " << chains;
  if ((groupBytes != 0) != (work == Work::Queue) || groupBytes < 0)
    return emitError() << "plan group_bytes: expected "
                       << (work == Work::Queue ? "at least 1" : "0")
                       << " with work " << stringifyWork(work) << ", got "
                       << groupBytes;
  return success();
}
