//===- Launcher.h - build the files of an artefact --------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes exit IR out of a HostProgram: the launcher's functions, the header.
/// Texts here are documentation; code is ops.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_CUDA_TRANSFORMS_LAUNCHER_H
#define DELTA_LIB_DIALECT_CUDA_TRANSFORMS_LAUNCHER_H

#include "HostProgram.h"
#include "delta/Dialect/Cuda/Transforms/CodeBuilder.h"

namespace delta::cuda {

/// What a launcher returns. Each is the enumerator NAME_success or
/// NAME_error_...; values are an interface and never change.
enum class Status {
  Success,
  NullArgs,
  Version,
  Size,
  TooLarge,
  NullPointer,
  Alignment,
  Strides,
  Workspace,
  Device,
  Cuda,
};

struct StatusEntry {
  Status status;
  const char *suffix;
  int32_t value;
  const char *message;
};

/// All statuses, in the order of their values.
llvm::ArrayRef<StatusEntry> getStatuses();

/// The enumerator of `status` for the function `name`.
std::string getEnumerator(llvm::StringRef name, Status status);

/// Bytes to which arrays of the caller must be aligned: kernels copy 16 at a
/// time.
constexpr int64_t arrayAlignment = 16;
/// Bytes to which the workspace and each buffer in it are aligned.
constexpr int64_t workspaceAlignment = 256;
/// The version of the argument struct.
constexpr int32_t argsVersion = 1;

/// The name of a launcher's function, `workspace_size` or `launch`: with C
/// linkage NAME_launch; of one of several kernel sets launch_sm_90a.
std::string getFunctionName(const HostProgram &program,
                            llvm::StringRef function);

/// The comment that a file of a function opens with: what it holds, and from
/// which spec and for which targets it was generated.
std::string writeBanner(HostProgram &program, llvm::StringRef fileName,
                        llvm::StringRef what);

/// What follows in a file of kernels: the recurrence in its paper's notation,
/// how tiles lie, the kernels and their grids.
std::string writeKernelBanner(HostProgram &program);

/// Builds NAME.h at the insertion point of `builder`.
void buildHeader(HostProgram &program, mlir::OpBuilder &builder);

/// Builds, at the insertion point of `builder`, the functions that check
/// arguments: `cuda_status`, `check_sizes`, `check_array`, `check_device`.
void buildChecks(HostProgram &program, mlir::OpBuilder &builder);

/// Builds the functions that size the workspace of a kernel set and launch it.
void buildLauncher(HostProgram &program, mlir::OpBuilder &builder);

/// Builds NAME_workspace_size and NAME_launch of several kernel sets, which
/// call those of the sets.
void buildChoice(llvm::ArrayRef<HostProgram> programs,
                 mlir::OpBuilder &builder);

/// Builds NAME_status_string.
void buildStatusString(HostProgram &program, mlir::OpBuilder &builder);

/// Builds NAME_torch.cpp at the insertion point of `builder`: the PyTorch
/// operator delta::NAME around the C ABI.
void buildTorchOperator(HostProgram &program, mlir::OpBuilder &builder);

/// The namespace of what the files of a function NAME define beside the C
/// interface: inside `delta`, where kernels find the device library, and of a
/// name that nothing in the library has.
std::string getNamespace(llvm::StringRef name);

/// A C++ function whose body a CodeBuilder writes; a null `result` is void.
FunctionOp
buildFunction(CodeBuilder &code, llvm::StringRef name,
              llvm::ArrayRef<std::pair<mlir::Type, llvm::StringRef>> parameters,
              mlir::Type result, llvm::StringRef doc,
              llvm::function_ref<void(mlir::ValueRange)> body);

} // namespace delta::cuda

#endif // DELTA_LIB_DIALECT_CUDA_TRANSFORMS_LAUNCHER_H
