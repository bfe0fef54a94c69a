//===- LocalArtefact.c - stands in for a compiled artefact --------*- C -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of a generated header, without kernels. They check that a
// caller's struct arrives as a C compiler lays it out.
//
//===----------------------------------------------------------------------===//

#include "local.h.txt"

size_t local_workspace_size(const local_args *args) {
  return (size_t)(args->batch * args->length);
}

int local_launch(const local_args *args, void *workspace, cudaStream_t stream) {
  if (args->size != sizeof(local_args) || args->version != local_args_version)
    return local_error_version;
  if (args->batch < 0)
    return local_error_size;
  if (args->q != (void *)0x100 || args->k != (void *)0x200 ||
      args->v != (void *)0x300 || args->o != (void *)0x400)
    return local_error_null_pointer;
  for (int axis = 0; axis < 4; ++axis)
    if (args->q_strides[axis] || args->k_strides[axis] ||
        args->v_strides[axis] || args->o_strides[axis])
      return local_error_strides;
  if (workspace != (void *)0x500 || stream != (cudaStream_t)0x600)
    return local_error_workspace;
  return local_success;
}

const char *local_status_string(int status) {
  return status == local_error_size ? "a bad size" : "another status";
}
