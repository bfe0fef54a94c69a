//===- gdn_chain_sm90a.cu - the chain kernel on Hopper ----------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state pass of Gated DeltaNet (2412.06464), written by hand as the sm_90a
// schedule emits kernels: roles that hand tiles on through rings, products in
// flight, one statement a value. The yardstick for emitted kernels. It is
// compiled here; its numbers are checked in
// test/Integration/GPU/device/gdn_chain_sm90a.cu.
//
// State S^T [64 value columns, 128] of each math warpgroup, transposed so that
// it is an accumulator and, rounded, a left operand. A chunk of 64 tokens, with
// T and P the gated inverse and the gated scores of the prepare kernel and the
// vectors e_in, e_read, e_out, e_chunk its gate factors, which may hold the
// inverse norms of k and q:
//
//   X = V - e_in o (S K^T)    U = X T^T    O = e_read o (S Q^T) + U P^T
//   S = e_chunk S + (e_out o U) K
//
// The order is the fastest of those measured
// (docs/notes/chain-kernel-by-hand.md): products in flight cover the
// elementwise work between the products of the recurrence, S K^T, U and S; what
// reads shared memory stands in front of the batch whose successor needs it,
// because the memory queue is in order and products sit in it; and S is scaled
// before any group is open, since ptxas does not know that a value from an
// earlier trip is complete (C7517).
//
// REQUIRES: nvcc
// RUN: %ptxas_check %s --nvcc %nvcc --arch sm_90a --max-registers 255
//
//===----------------------------------------------------------------------===//

#include "delta/Device/Sm90a.cuh"

struct gdn_chain_args {
  const float *e_in, *e_read, *e_out; // [batch, chunks, heads, 64]
  const float *e_chunk;               // [batch, chunks, heads, 4], the first
  const float *s0;                    // [batch, heads, 128, 128], keys x values
  float *s1;                          // likewise
  int64_t chunks;
  int value_heads, group;
};

using namespace delta;

/// One CTA a (batch, head, ColumnTiles tiles of 64 value columns), the tiles
/// first. The maps' axes, innermost first, and boxes:
///
///   q, k  (128, heads, tokens, batch)             64 columns x 64 tokens
///   v, o  (128, heads, tokens, batch)             64 columns x 64 tokens
///   t, p  (64, 64, heads, chunks, batch)          64 columns x 64 rows
template <int ColumnTiles>
__global__ void __launch_bounds__(ColumnTiles == 1 ? 192 : 384, 1)
    gdn_chain(const __grid_constant__ CUtensorMap q_map,
              const __grid_constant__ CUtensorMap k_map,
              const __grid_constant__ CUtensorMap v_map,
              const __grid_constant__ CUtensorMap t_map,
              const __grid_constant__ CUtensorMap p_map,
              const __grid_constant__ CUtensorMap o_map,
              const gdn_chain_args args) {
  using Wide = Fragment<float, 64, 128, 4>;
  constexpr uint32_t K_ = 0, Q_ = 16384, V_ = 32768,
                     T_ = V_ + 8192 * ColumnTiles, P_ = T_ + 8192,
                     E_IN = P_ + 8192, E_READ = E_IN + 256,
                     E_OUT = E_READ + 256, E_CHUNK = E_OUT + 256,
                     SLOT = E_IN + 1024, OUT = 3 * SLOT, BARRIERS = OUT + 16384;
  constexpr int out_slots = 2 / ColumnTiles;
  constexpr int math_warps = 4 * ColumnTiles;
  constexpr int first_store = math_warps + ColumnTiles;

  const SharedBase base = shared_base();
  const Ring<3, 1, math_warps> in(base, BARRIERS);
  const int warp = uniform_warp_index();
  const int pair = blockIdx.x % (2 / ColumnTiles);
  const int hv = blockIdx.x / (2 / ColumnTiles) % args.value_heads;
  const int b = blockIdx.x / (2 / ColumnTiles) / args.value_heads;
  const int hk = hv / args.group;
  const int64_t head = int64_t(b) * args.value_heads + hv;
  if (threadIdx.x == 0) {
    ring_init(in);
    for (int i = 0; i < ColumnTiles; ++i)
      ring_init(Ring<out_slots, 4, 1>(base, BARRIERS + in.bytes +
                                                i * 16 * out_slots));
  }
  cta_sync();

  if (warp < math_warps) {
    if constexpr (ColumnTiles == 2)
      increase_registers<240>();
    const int i = warp / 4;
    const int v0 = (pair * ColumnTiles + i) * 64;
    const Ring<out_slots, 4, 1> out(base,
                                    BARRIERS + in.bytes + i * 16 * out_slots);
    Wide S = load<Wide>(args.s0 + head * 16384 + v0, 1, 128);
    Fragment<bf16, 64, 128, 4> S_a = convert<bf16>(S);
    for (int64_t c = 0; c < args.chunks; ++c) {
      const uint32_t use = static_cast<uint32_t>(c);
      const uint32_t slot = use % 3 * SLOT;
      const SharedTile<bf16, 64, 128> Ks(base, slot + K_), Qs(base, slot + Q_);
      const SharedTile<bf16, 64, 64> Vs(base, slot + V_ + i * 8192),
          Ts(base, slot + T_), Ps(base, slot + P_);
      const SharedVector<float, 64> e_in_s(base, slot + E_IN),
          e_read_s(base, slot + E_READ), e_out_s(base, slot + E_OUT);
      const SharedVector<float, 4> e_chunk_s(base, slot + E_CHUNK);

      ring_peek(in, use);
      const auto V = read_transposed<Fragment<bf16, 64, 64, 4>>(Vs);
      const auto e_in = read_column_slice(e_in_s);
      const auto e_chunk = element(e_chunk_s, 0);
      const auto S_decayed = S * e_chunk;
      const auto KS_0 = dot_nt_start(S_a, Ks);
      const auto QS_0 = dot_nt_start<0, 64>(S_a, Qs);
      const auto e_in_spread = spread_columns<64, 4>(e_in);
      const auto V_wide = convert<float>(V);
      const auto KS = await<1>(KS_0);
      const auto KS_decayed = e_in_spread * KS;
      const auto X = V_wide - KS_decayed;
      const auto X_a = convert<bf16>(X);
      const auto U_0 = dot_nt_start(X_a, Ts);
      const auto e_out = read_column_slice(e_out_s);
      const auto QS_1 = dot_nt_start<64, 128>(S_a, Qs, QS_0);
      const auto e_out_spread = spread_columns<64, 4>(e_out);
      const auto U = await<1>(U_0);
      const auto U_out = U * e_out_spread;
      const auto U_out_a = convert<bf16>(U_out);
      const auto S_0 = dot_nn_start(U_out_a, Ks, S_decayed);
      const auto U_a = convert<bf16>(U);
      const auto e_read = read_column_slice(e_read_s);
      const auto e_read_spread = spread_columns<64, 4>(e_read);
      const auto QS = await<1>(QS_1);
      const auto QS_decayed = QS * e_read_spread;
      const auto O_0 = dot_nt_start(U_a, Ps, QS_decayed);
      const auto S_next = await<1>(S_0);
      const auto S_next_a = convert<bf16>(S_next);
      ring_acquire(out, use);
      const auto O = await<0>(O_0);
      ring_release(in, use);
      const auto O_a = convert<bf16>(O);
      const SharedTile<bf16, 64, 64> Os(
          base, OUT + (i * out_slots + use % out_slots) * 8192);
      write_transposed(O_a, Os);
      ring_commit(out, use);
      S = S_next;
      S_a = S_next_a;
    }
    store(S, args.s1 + head * 16384 + v0, 1, 128);
  } else {
    if constexpr (ColumnTiles == 2)
      decrease_registers<24>();
    if (warp == math_warps) {
      const int v0 = pair * ColumnTiles * 64;
      for (int64_t c = 0; c < args.chunks; ++c) {
        const uint32_t use = static_cast<uint32_t>(c);
        const uint32_t slot = use % 3 * SLOT;
        const int64_t record = (b * args.chunks + c) * args.value_heads + hv;
        const SharedTile<bf16, 64, 128> Ks(base, slot + K_),
            Qs(base, slot + Q_);
        const SharedTile<bf16, 64, 64 * ColumnTiles> Vs(base, slot + V_);
        const SharedTile<bf16, 64, 64> Ts(base, slot + T_), Ps(base, slot + P_);
        const SharedVector<float, 64> e_in_s(base, slot + E_IN),
            e_read_s(base, slot + E_READ), e_out_s(base, slot + E_OUT);
        const SharedVector<float, 4> e_chunk_s(base, slot + E_CHUNK);

        ring_acquire(in, use);
        ring_expect(in, use,
                    Ks.bytes + Qs.bytes + Vs.bytes + Ts.bytes + Ps.bytes +
                        e_in_s.bytes + e_read_s.bytes + e_out_s.bytes +
                        e_chunk_s.bytes);
        tma_load(Ks, k_map, in, use, 0, hk, c * 64, b);
        tma_load(Vs, v_map, in, use, v0, hv, c * 64, b);
        bulk_load(e_in_s, args.e_in + record * 64, in, use);
        bulk_load(e_chunk_s, args.e_chunk + record * 4, in, use);
        tma_load(Qs, q_map, in, use, 0, hk, c * 64, b);
        tma_load(Ts, t_map, in, use, 0, 0, hv, c, b);
        bulk_load(e_read_s, args.e_read + record * 64, in, use);
        bulk_load(e_out_s, args.e_out + record * 64, in, use);
        tma_load(Ps, p_map, in, use, 0, 0, hv, c, b);
      }
    } else if (warp >= first_store && warp < first_store + ColumnTiles) {
      const int i = warp - first_store;
      const int v0 = (pair * ColumnTiles + i) * 64;
      const Ring<out_slots, 4, 1> out(base,
                                      BARRIERS + in.bytes + i * 16 * out_slots);
      for (int64_t c = 0; c < args.chunks; ++c) {
        const uint32_t use = static_cast<uint32_t>(c);
        const SharedTile<bf16, 64, 64> Os(
            base, OUT + (i * out_slots + use % out_slots) * 8192);
        ring_peek(out, use);
        tma_store(o_map, Os, v0, hv, c * 64, b);
        store_wait_read();
        ring_release(out, use);
      }
      store_wait_all();
    }
  }
}

/// Bytes of dynamic shared memory of a launch.
template <int ColumnTiles> constexpr int gdn_chain_shared() {
  return 3 * (50176 + 8192 * ColumnTiles) + 16384 + 128;
}

template __global__ void gdn_chain<1>(const __grid_constant__ CUtensorMap,
                                      const __grid_constant__ CUtensorMap,
                                      const __grid_constant__ CUtensorMap,
                                      const __grid_constant__ CUtensorMap,
                                      const __grid_constant__ CUtensorMap,
                                      const __grid_constant__ CUtensorMap,
                                      const gdn_chain_args);
template __global__ void gdn_chain<2>(const __grid_constant__ CUtensorMap,
                                      const __grid_constant__ CUtensorMap,
                                      const __grid_constant__ CUtensorMap,
                                      const __grid_constant__ CUtensorMap,
                                      const __grid_constant__ CUtensorMap,
                                      const __grid_constant__ CUtensorMap,
                                      const gdn_chain_args);
