//===- gdn_chain_sm80.cu - the chain kernel in device functions -*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state pass of Gated DeltaNet (2412.06464), written by hand as the sm_80
// schedule emits kernels: one statement a value, no pointer to a fragment, no
// loop but the one over chunks. The yardstick for emitted kernels: it shows
// that values stay in registers. It is compiled here; its numbers are checked
// in test/Integration/GPU/device/gdn_chain.cu.
//
// State S^T [64 value columns, 128], transposed so that it is an accumulator
// and, rounded, a left operand. A chunk of 64 tokens, with T and P the gated
// inverse and the gated scores of the prepare kernel and e_in, e_read, e_out
// its three rows of gate factors:
//
//   X = V - e_in o (S K^T)    U = X T^T    O = e_read o (S Q^T) + U P^T
//   S = e_in[63] S + (e_out o U) K
//
// REQUIRES: nvcc
// RUN: %ptxas_check %s --nvcc %nvcc --arch sm_80 --arch sm_90a
//
//===----------------------------------------------------------------------===//

#include "delta/Device/Sm80.cuh"

struct gdn_chain_args {
  const delta::bf16 *q, *k, *v, *record_t, *record_p;
  const float *record_e, *s0;
  delta::bf16 *o;
  float *s1;
  int64_t length, qk_stride, v_stride;
  int value_heads, group;
};

namespace {
enum : uint32_t {
  K_ = 0,
  Q_ = 16384,
  V_ = 32768,
  T_ = 40960,
  P_ = 49152,
  E_ = 57344,
  SLOT = 58368,
  O_ = 2 * SLOT,
  SHARED = O_ + 8192
};
} // namespace

using namespace delta;

extern "C" __global__ void __launch_bounds__(128, 1)
    gdn_chain(const gdn_chain_args args) {
  using Wide = Fragment<float, 64, 128, 4>;
  using Square = Fragment<float, 64, 64, 4>;
  const SharedBase base = shared_base();
  const int hv = blockIdx.x >> 1, v0 = (blockIdx.x & 1) * 64, b = blockIdx.y;
  const int hk = hv / args.group;
  const int64_t chunks = (args.length + 63) / 64;
  const int64_t head = int64_t(b) * args.value_heads + hv;

  const auto copy_chunk = [&](int64_t c) {
    const uint32_t slot = (c & 1) * SLOT;
    const int64_t t0 = c * 64, rows = args.length - t0,
                  row = b * args.length + t0;
    const int64_t record = head * chunks + c;
    copy_async<128>(SharedTile<bf16, 64, 128>(base, slot + K_),
                    args.k + row * args.qk_stride + hk * 128, args.qk_stride,
                    rows);
    copy_async<128>(SharedTile<bf16, 64, 128>(base, slot + Q_),
                    args.q + row * args.qk_stride + hk * 128, args.qk_stride,
                    rows);
    copy_async<128>(SharedTile<bf16, 64, 64>(base, slot + V_),
                    args.v + row * args.v_stride + hv * 128 + v0, args.v_stride,
                    rows);
    copy_async<128>(SharedTile<bf16, 64, 64>(base, slot + T_),
                    args.record_t + record * 4096, 64, 64);
    copy_async<128>(SharedTile<bf16, 64, 64>(base, slot + P_),
                    args.record_p + record * 4096, 64, 64);
    copy_async<128>(SharedVector<float, 192>(base, slot + E_),
                    args.record_e + record * 192);
    copy_commit();
  };

  Wide S = load<Wide>(args.s0 + head * 16384 + v0, 1, 128);
  if (chunks > 0)
    copy_chunk(0);
  for (int64_t c = 0; c < chunks; ++c) {
    if (c + 1 < chunks) {
      copy_chunk(c + 1);
      copy_wait<1>();
    } else {
      copy_wait<0>();
    }
    cta_sync();
    const uint32_t slot = (c & 1) * SLOT;
    const SharedTile<bf16, 64, 128> Ks(base, slot + K_), Qs(base, slot + Q_);
    const SharedTile<bf16, 64, 64> Vs(base, slot + V_), Ts(base, slot + T_),
        Ps(base, slot + P_), Os(base, O_);
    const SharedVector<float, 64> e_in_s(base, slot + E_),
        e_read_s(base, slot + E_ + 256), e_out_s(base, slot + E_ + 512);

    const auto S_rounded = convert<bf16>(S);
    const auto SK = dot_nt(S_rounded, Ks, fill<Square>(0.0f));
    const auto SQ = dot_nt(S_rounded, Qs, fill<Square>(0.0f));
    const auto V = read_transposed<Fragment<bf16, 64, 64, 4>>(Vs);
    const auto e_in = read_column_slice(e_in_s);
    const auto e_in_spread = spread_columns<64, 4>(e_in);
    const auto SK_decayed = e_in_spread * SK;
    const auto V_wide = convert<float>(V);
    const auto X = V_wide - SK_decayed;
    const auto X_rounded = convert<bf16>(X);
    const auto U = dot_nt<Part::Lower>(X_rounded, Ts, fill<Square>(0.0f));
    const auto e_out = read_column_slice(e_out_s);
    const auto e_out_spread = spread_columns<64, 4>(e_out);
    const auto U_out = U * e_out_spread;
    const auto U_out_rounded = convert<bf16>(U_out);
    const auto e_chunk = element(e_in_s, 63);
    const auto S_decayed = S * e_chunk;
    const auto S_next = dot_nn(U_out_rounded, Ks, S_decayed);
    const auto U_rounded = convert<bf16>(U);
    const auto e_read = read_column_slice(e_read_s);
    const auto e_read_spread = spread_columns<64, 4>(e_read);
    const auto SQ_decayed = SQ * e_read_spread;
    const auto O = dot_nt<Part::Lower>(U_rounded, Ps, SQ_decayed);
    const auto O_rounded = convert<bf16>(O);
    write_transposed(O_rounded, Os);
    cta_sync();
    store_tile<128>(
        Os, args.o + (b * args.length + c * 64) * args.v_stride + hv * 128 + v0,
        args.v_stride, args.length - c * 64);
    S = S_next;
  }
  store(S, args.s1 + head * 16384 + v0, 1, 128);
}
