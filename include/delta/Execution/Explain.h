//===- Explain.h - inputs that make a check fail ----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A failed check looks like a wrong kernel. Sometimes the inputs cause it, and
/// then the inputs and the reference show the cause.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_EXECUTION_EXPLAIN_H
#define DELTA_EXECUTION_EXPLAIN_H

#include "delta/Execution/Operands.h"

#include "llvm/ADT/ArrayRef.h"

namespace delta {

/// One sentence for each cause that lies in the operands or in the results of
/// the reference, and in no stage: numbers that are not finite, decays above 0,
/// results that grow far beyond the operands.
std::vector<std::string>
explainFailure(const SpecDescription &spec, const OperandSet &operands,
               llvm::ArrayRef<runtime::HostTensor> reference);

} // namespace delta

#endif // DELTA_EXECUTION_EXPLAIN_H
