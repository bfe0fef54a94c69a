//===- gated_deltanet_ffi.cpp - an artefact as an XLA call ------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The handler of an XLA custom call around gated_deltanet_launch: XLA decodes
/// dtypes and ranks and allocates the results, of which the last one is the
/// workspace; here extents are checked. Forward only.
///
//===----------------------------------------------------------------------===//

#include "gated_deltanet.h"
#include "xla/ffi/api/ffi.h"

#include <string>

namespace ffi = xla::ffi;

using Half4 = ffi::BufferR4<ffi::BF16>;
using Half3 = ffi::BufferR3<ffi::BF16>;
using Float4 = ffi::BufferR4<ffi::F32>;
using Float3 = ffi::BufferR3<ffi::F32>;
using Bytes = ffi::BufferR1<ffi::U8>;

/// What the spec fixes.
constexpr int64_t keyHeads = 16, valueHeads = 32, headDim = 128;

/// Whether an array has the extents that the kernels were compiled for.
static bool hasShape(ffi::Span<const int64_t> got,
                     std::initializer_list<int64_t> expected) {
  return std::equal(got.begin(), got.end(), expected.begin(), expected.end());
}

/// The sizes of a call, which are all of it that its workspace depends on.
static gated_deltanet_args makeArgs(int64_t batch, int64_t length) {
  gated_deltanet_args args = {};
  args.size = sizeof(args);
  args.version = gated_deltanet_args_version;
  args.batch = batch;
  args.length = length;
  return args;
}

/// Bytes of workspace that a call needs.
extern "C" size_t gated_deltanet_ffi_workspace(int64_t batch, int64_t length) {
  gated_deltanet_args args = makeArgs(batch, length);
  return gated_deltanet_workspace_size(&args);
}

static ffi::Error launch(cudaStream_t stream, Half4 q, Half4 k, Half4 v,
                         Half3 beta, Float3 g, Float4 s0, ffi::Result<Half4> o,
                         ffi::Result<Float4> s, ffi::Result<Bytes> workspace) {
  int64_t batch = q.dimensions()[0], length = q.dimensions()[1];
  const std::initializer_list<int64_t> state = {batch, valueHeads, headDim,
                                                headDim};
  if (!hasShape(q.dimensions(), {batch, length, keyHeads, headDim}) ||
      !hasShape(k.dimensions(), {batch, length, keyHeads, headDim}) ||
      !hasShape(v.dimensions(), {batch, length, valueHeads, headDim}) ||
      !hasShape(beta.dimensions(), {batch, length, valueHeads}) ||
      !hasShape(g.dimensions(), {batch, length, valueHeads}) ||
      !hasShape(s0.dimensions(), state) ||
      !hasShape(o->dimensions(), {batch, length, valueHeads, headDim}) ||
      !hasShape(s->dimensions(), state))
    return ffi::Error::InvalidArgument(
        "gated_deltanet: an array is not of the shape in gated_deltanet.mlir");

  gated_deltanet_args args = makeArgs(batch, length);
  args.q = q.untyped_data();
  args.k = k.untyped_data();
  args.v = v.untyped_data();
  args.beta = beta.untyped_data();
  args.g = g.untyped_data();
  args.s0 = s0.untyped_data();
  args.o = o->untyped_data();
  args.s = s->untyped_data();

  if (workspace->size_bytes() < gated_deltanet_workspace_size(&args))
    return ffi::Error::InvalidArgument(
        "gated_deltanet: the workspace has fewer bytes than "
        "gated_deltanet_ffi_workspace tells");
  int status = gated_deltanet_launch(&args, workspace->untyped_data(), stream);
  if (status != gated_deltanet_success)
    return ffi::Error::Internal(std::string("gated_deltanet: ") +
                                gated_deltanet_status_string(status));
  return ffi::Error::Success();
}

// What jax.ffi.register_ffi_target is given.
XLA_FFI_DEFINE_HANDLER_SYMBOL(gated_deltanet_ffi, launch,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::PlatformStream<cudaStream_t>>()
                                  .Arg<Half4>()   // q
                                  .Arg<Half4>()   // k
                                  .Arg<Half4>()   // v
                                  .Arg<Half3>()   // beta
                                  .Arg<Float3>()  // g
                                  .Arg<Float4>()  // s0
                                  .Ret<Half4>()   // o
                                  .Ret<Float4>()  // s
                                  .Ret<Bytes>()); // workspace
