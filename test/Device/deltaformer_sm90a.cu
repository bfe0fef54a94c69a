//===- deltaformer_sm90a.cu - tied DeltaFormer on Hopper --------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forward pass of DeltaFormer (2505.19488) with a softmax kernel that
// writes and reads share, w = q, written by hand as an sm_90a schedule would
// emit it: the yardstick for emitted kernels. It is compiled here; its numbers
// are checked in test/Integration/GPU/device/deltaformer_sm90a.cu.
//
//   u_t = v_t - beta_t sum_{s < t} p_ts u_s       p_t. = softmax_{s < t}
//   o_t = sum_{s <= t} p'_ts u_s                  p'_t. = softmax_{s <= t}
//       = rho_t ubar_t + (1 - rho_t) u_t          ubar_t the sum of the first
//
// Blocks of 128 rows are handed out by tickets, ascending, heads interleaved,
// to CTAs that stay. A CTA has a load role, two instances of a math role, 64
// rows each, and two of a store role. Of a block i:
//
//   scores S_j = Q K_j^T run one tile ahead of N += P_{j-1} U_{j-1}, with an
//   online softmax between them;
//   the block on the diagonal is solved for G = (I + P beta)^-1 P before
//   U_{i-1} is waited for, which another CTA may still be working on;
//   a = N / l, ubar = a + G (v - beta a), u = v - beta ubar.
//
// Flags in global memory count the finished half blocks of u of a head. Tiles
// are used again: r = v - beta a lies over V, u over U_{i-1}, o over the
// solve's scratch, and with 128 columns P_{i-1} over Q.
//
// REQUIRES: nvcc
// RUN: %ptxas_check %s --nvcc %nvcc --arch sm_90a --max-registers 255
//
//===----------------------------------------------------------------------===//

#include "delta/Device/PublishedStores.cuh"
#include "delta/Device/Sm90a.cuh"
#include "delta/Device/TriangularSolve.cuh"

#include <cmath>

struct deltaformer_args {
  const float *beta; // [batch, tokens, heads]
  int32_t *counters; // [32 (1 + batch heads)]: tickets, then flags; zeroed
  int64_t tokens;
  int batch, heads;
  float scale; // of the scores, times log2(e)
};

using namespace delta;

/// Where the buffers of a CTA lie, in bytes. D = 64 or 128 columns.
template <int D> struct deltaformer_shared {
  static constexpr int k_stages = D == 64 ? 3 : 2;
  static constexpr uint32_t half = 64 * D * 2, tile = 2 * half;
  static constexpr uint32_t Q = 0, K = tile, U = K + k_stages * tile,
                            OUT = U + 3 * tile, BETA = OUT + 2 * 16384,
                            TICKET = BETA + 512, Q_RING = TICKET + 16,
                            K_RING = Q_RING + 16, U_RING = K_RING + 48,
                            U_OUT = U_RING + 48, O_OUT = U_OUT + 32,
                            bytes = O_OUT + 32;
};

/// The maps' axes are (D, heads, tokens, batch), innermost first; the boxes, 64
/// columns x 64 tokens, or x 128 for k_wide and u_wide.
template <int D>
__global__ void __launch_bounds__(384, 1)
    deltaformer(const __grid_constant__ CUtensorMap q_map,
                const __grid_constant__ CUtensorMap k_map,
                const __grid_constant__ CUtensorMap k_wide_map,
                const __grid_constant__ CUtensorMap v_map,
                const __grid_constant__ CUtensorMap u_map,
                const __grid_constant__ CUtensorMap u_wide_map,
                const __grid_constant__ CUtensorMap o_map,
                const deltaformer_args args) {
  using L = deltaformer_shared<D>;
  using Half = SharedTile<bf16, 64, D>;
  using Whole = SharedTile<bf16, 128, D>;
  using Square = SharedTile<bf16, 64, 64>;
  using Block = Fragment<float, 64, 64, 4>;
  using Rows = Fragment<float, 64, D, 4>;
  using Stats = RowSlice<64, 4>;
  using ScoresA = Fragment<bf16, 64, 128, 4>;
  using BlockA = Fragment<bf16, 64, 64, 4>;
  using RowsA = Fragment<bf16, 64, D, 4>;
  constexpr bool park = D == 128;

  const SharedBase base = shared_base();
  const Ring<1, 1, 10> q(base, L::Q_RING);
  const Ring<L::k_stages, 1, 8> k(base, L::K_RING);
  const Ring<3, 1, 8> u(base, L::U_RING);
  const int warp = uniform_warp_index();
  const int heads = args.batch * args.heads;
  const SharedVector<float, 128> beta_s(base, L::BETA);
  const SharedVector<float, 4> ticket_s(base, L::TICKET);
  if (threadIdx.x == 0) {
    ring_init(q);
    ring_init(k);
    ring_init(u);
    for (int i = 0; i < 2; ++i) {
      ring_init(Ring<1, 4, 1>(base, L::U_OUT + i * 16));
      ring_init(Ring<1, 4, 1>(base, L::O_OUT + i * 16));
    }
  }
  cta_sync();

  if (warp < 8) {
    increase_registers<240>();
    const int i = warp / 4;
    const Ring<1, 4, 1> u_out(base, L::U_OUT + i * 16);
    const Ring<1, 4, 1> o_out(base, L::O_OUT + i * 16);
    const Half Qs(base, L::Q + i * L::half);
    const SharedTile<bf16, 64, 128> Ps(base, L::Q + i * L::half);
    const Square Es(base, L::OUT + i * 16384),
        Xs(base, L::OUT + i * 16384 + 8192), G_upper(base, L::OUT + 8192);
    const Half Os(base, L::OUT + i * 16384);
    const SharedVector<float, 64> beta_own_s(base, L::BETA + i * 256),
        beta_left_s(base, L::BETA);
    uint32_t k_use = 0, u_use = 0;
    for (uint32_t item = 0;; ++item) {
      ring_peek(q, item);
      const int ticket = __float_as_int(element(ticket_s, 0));
      if (ticket < 0)
        break;
      const int block = ticket / heads;
      Rows N = fill<Rows>(0.0f);
      Stats m = fill<Stats>(-1e30f), l = fill<Stats>(0.0f);
      ScoresA P = {};
      if (block > 0) {
        const Whole Ks(base, L::K + k_use % L::k_stages * L::tile);
        ring_peek(k, k_use);
        const auto S_0 = dot_nt_start(Qs, Ks);
        const auto S = await<0>(S_0);
        ring_release(k, k_use);
        ++k_use;
        m = reduce_max_rows(S) * args.scale;
        const auto E = exp2(S * args.scale - spread_rows<128>(m));
        l = reduce_add_rows(E);
        P = convert<bf16>(E);
      }
      for (int j = 1; j < block; ++j) {
        const Whole Ks(base, L::K + k_use % L::k_stages * L::tile);
        const Whole Us(base, L::U + u_use % 3 * L::tile);
        ring_peek(k, k_use);
        const auto S_0 = dot_nt_start(Qs, Ks);
        ring_peek(u, u_use);
        const auto N_0 = dot_nn_start(P, Us, N);
        const auto S = await<1>(S_0);
        ring_release(k, k_use);
        ++k_use;
        // The scale behind the maximum: one fused operation an element.
        const auto m_next = max(m, reduce_max_rows(S) * args.scale);
        const auto E = exp2(S * args.scale - spread_rows<128>(m_next));
        const auto decay = exp2(m - m_next);
        const auto l_next = l * decay + reduce_add_rows(E);
        const auto N_1 = await<0>(N_0);
        ring_release(u, u_use);
        ++u_use;
        N = N_1 * spread_rows<D>(decay);
        P = convert<bf16>(E);
        m = m_next;
        l = l_next;
      }

      // The block on the diagonal, in two halves of 64 keys: what stands left
      // of the square on the diagonal exists for the second instance alone.
      const uint32_t k_slot = L::K + k_use % L::k_stages * L::tile;
      const Half K_own(base, k_slot + i * L::half), K_left(base, k_slot);
      ring_peek(k, k_use);
      const auto S_own_0 = dot_nt_start(Qs, K_own);
      const auto S_own = await<0>(S_own_0);
      Block S_left = fill<Block>(-INFINITY);
      if (i == 1) {
        const auto S_left_0 = dot_nt_start(Qs, K_left);
        S_left = await<0>(S_left_0);
      }
      ring_release(k, k_use);
      ++k_use;
      if constexpr (park) {
        role_sync<128>(1 + i);
        write(P, Ps);
        async_proxy_fence();
      }
      const auto S_strict = mask<Part::StrictLower>(S_own, -INFINITY);
      const auto S_lower = mask<Part::Lower>(S_own);
      const auto S_self = reduce_add_rows(mask<Part::Upper>(S_lower));
      const auto m_left = max(m, reduce_max_rows(S_left) * args.scale);
      const auto m_all = max(m_left, reduce_max_rows(S_strict) * args.scale);
      const auto decay = exp2(m - m_all);
      const auto E_own = exp2(S_strict * args.scale - spread_rows<64>(m_all));
      const auto E_left = exp2(S_left * args.scale - spread_rows<64>(m_all));
      const auto l_left = l * decay + reduce_add_rows(E_left);
      const auto l_all = l_left + reduce_add_rows(E_own);
      // Row 0 reads nothing: its sums are 0, and so is what they divide.
      const auto inverse = 1.0f / max(l_all, 1e-30f);
      const auto rho = l_all / (l_all + exp2(S_self * args.scale - m_all));
      const auto P_own = E_own * spread_rows<64>(inverse);
      const auto P_left = E_left * spread_rows<64>(inverse);
      const auto P_left_a = convert<bf16>(P_left);
      const auto beta = read_row_slice<64, 4>(beta_own_s);

      // G of both instances' rows: G_own beside the diagonal, and for the
      // second instance G_left = X - G_own beta X, X = P_left - P_left beta G.
      ring_acquire(o_out, item);
      const auto G_own = solve_scaled_columns(P_own, beta_own_s, Es, Xs, 1 + i);
      const auto G_own_a = convert<bf16>(G_own);
      BlockA G_left_a = {};
      if (i == 0) {
        role_sync<128>(1 + i);
        write(G_own_a, Xs);
        async_proxy_fence();
      }
      role_sync<3, 256>();
      if (i == 1) {
        const auto P_wide = convert<float>(P_left_a);
        const auto beta_left = read_column_slice(beta_left_s);
        const auto P_beta = P_wide * spread_columns<64, 4>(beta_left);
        const auto P_beta_a = convert<bf16>(-P_beta);
        const auto X_0 = dot_nn_start(P_beta_a, G_upper, P_wide);
        const auto X = await<0>(X_0);
        const auto X_beta = X * spread_rows<64>(beta);
        const auto X_beta_a = convert<bf16>(-X_beta);
        write(X_beta_a, Xs);
        async_proxy_fence();
        role_sync<128>(1 + i);
        const auto G_left_0 = dot_nn_start(G_own_a, Xs, X);
        const auto G_left = await<0>(G_left_0);
        G_left_a = convert<bf16>(G_left);
      }

      // What waits for the block before.
      const uint32_t v_use = u_use, last_use = u_use + 1;
      u_use += 2;
      const uint32_t v_slot = L::U + v_use % 3 * L::tile;
      const uint32_t u_slot = L::U + last_use % 3 * L::tile;
      const Half Vs(base, v_slot + i * L::half), R_upper(base, v_slot);
      const Half U_own(base, u_slot + i * L::half);
      const Whole Us(base, u_slot);
      ring_peek(u, v_use);
      const auto V = read<RowsA>(Vs);
      ring_peek(u, last_use);
      if (block > 0) {
        if constexpr (park) {
          const auto N_0 = dot_nn_start(Ps, Us, N);
          N = await<0>(N_0);
        } else {
          const auto N_0 = dot_nn_start(P, Us, N);
          N = await<0>(N_0);
        }
      }
      ring_release(q, item);
      const auto a = N * spread_rows<D>(decay * inverse);
      const auto V_wide = convert<float>(V);
      const auto beta_spread = spread_rows<D>(beta);
      const auto R = V_wide - beta_spread * a;
      const auto R_a = convert<bf16>(R);
      write(R_a, Vs);
      async_proxy_fence();
      role_sync<3, 256>();
      Rows ubar_left = a;
      if (i == 1) {
        const auto ubar_left_0 = dot_nn_start(G_left_a, R_upper, a);
        ubar_left = await<0>(ubar_left_0);
      }
      const auto ubar_0 = dot_nn_start(G_own_a, Vs, ubar_left);
      const auto ubar = await<0>(ubar_0);
      ring_release(u, v_use);
      const auto U = V_wide - beta_spread * ubar;
      const auto U_a = convert<bf16>(U);
      ring_acquire(u_out, item);
      write(U_a, U_own);
      ring_commit(u_out, item); // with it the slot: the store role releases it
      const auto O = spread_rows<D>(rho) * (ubar - U) + U;
      const auto O_a = convert<bf16>(O);
      write(O_a, Os);
      ring_commit(o_out, item);
    }
  } else {
    decrease_registers<24>();
    if (warp == 8) {
      const int tickets = static_cast<int>((args.tokens + 127) / 128) * heads;
      uint32_t k_use = 0, u_use = 0;
      for (uint32_t item = 0;; ++item) {
        const int drawn = warp_draw_ticket(args.counters);
        const int ticket = drawn < tickets ? drawn : -1;
        ring_acquire(q, item);
        if (lane_index() == 0)
          detail::store_shared(ticket_s.at(0), __int_as_float(ticket));
        if (ticket < 0) {
          ring_expect(q, item, 0);
          break;
        }
        const int block = ticket / heads, head = ticket % heads;
        const int b = head / args.heads, h = head % args.heads;
        const int t0 = block * 128;
        const int32_t *flag = args.counters + 32 * (1 + head);
        const float *beta = args.beta + (b * args.tokens + t0) * args.heads + h;
#pragma unroll
        for (int x = lane_index(); x < 128; x += 32)
          detail::store_shared(
              beta_s.at(x),
              detail::load_if(beta + x * args.heads, t0 + x < args.tokens));
        // Lane 0 hands over what all lanes wrote.
        __syncwarp();
        ring_expect(q, item, L::tile);
        tma_load(Half(base, L::Q), q_map, q, item, 0, h, t0, b);
        tma_load(Half(base, L::Q + L::half), q_map, q, item, 0, h, t0 + 64, b);
        // K_j in front of U_{j-1}: what the wait for u must not hold up.
        int32_t seen = 0;
        for (int j = 0; j < block; ++j) {
          const Whole Ks(base, L::K + k_use % L::k_stages * L::tile);
          ring_acquire(k, k_use);
          ring_expect(k, k_use, Ks.bytes);
          tma_load(Ks, k_wide_map, k, k_use, 0, h, j * 128, b);
          ++k_use;
          if (j > 0) {
            const Whole Us(base, L::U + u_use % 3 * L::tile);
            ring_acquire(u, u_use);
            seen = await_published(flag, 2 * j, seen);
            ring_expect(u, u_use, Us.bytes);
            tma_load(Us, u_wide_map, u, u_use, 0, h, (j - 1) * 128, b);
            ++u_use;
          }
        }
        const uint32_t k_slot = L::K + k_use % L::k_stages * L::tile;
        const uint32_t v_slot = L::U + u_use % 3 * L::tile;
        ring_acquire(k, k_use);
        ring_expect(k, k_use, L::tile);
        tma_load(Half(base, k_slot), k_map, k, k_use, 0, h, t0, b);
        tma_load(Half(base, k_slot + L::half), k_map, k, k_use, 0, h, t0 + 64,
                 b);
        ++k_use;
        ring_acquire(u, u_use);
        ring_expect(u, u_use, L::tile);
        tma_load(Half(base, v_slot), v_map, u, u_use, 0, h, t0, b);
        tma_load(Half(base, v_slot + L::half), v_map, u, u_use, 0, h, t0 + 64,
                 b);
        ++u_use;
        // The slot that will take u; block 0 has nothing to read from it.
        ring_acquire(u, u_use);
        if (block > 0) {
          const Whole Us(base, L::U + u_use % 3 * L::tile);
          await_published(flag, 2 * block, seen);
          ring_expect(u, u_use, Us.bytes);
          tma_load(Us, u_wide_map, u, u_use, 0, h, t0 - 128, b);
        } else {
          ring_expect(u, u_use, 0);
        }
        ++u_use;
      }
    } else if (warp >= 10) {
      const int i = warp - 10;
      const Ring<1, 4, 1> u_out(base, L::U_OUT + i * 16);
      const Ring<1, 4, 1> o_out(base, L::O_OUT + i * 16);
      const Half Os(base, L::OUT + i * 16384);
      uint32_t u_use = 0;
      for (uint32_t item = 0;; ++item) {
        ring_peek(q, item);
        const int ticket = __float_as_int(element(ticket_s, 0));
        ring_release(q, item);
        if (ticket < 0)
          break;
        const int block = ticket / heads, head = ticket % heads;
        const int b = head / args.heads, h = head % args.heads;
        const int t0 = block * 128 + i * 64;
        const uint32_t last_use = u_use + (block > 0 ? block : 1);
        u_use = last_use + 1;
        const Half U_own(base, L::U + last_use % 3 * L::tile + i * L::half);
        ring_peek(u_out, item);
        tma_store(u_map, U_own, 0, h, t0, b);
        publish_stores(args.counters + 32 * (1 + head));
        ring_release(u, last_use, 4);
        ring_release(u_out, item);
        ring_peek(o_out, item);
        tma_store(o_map, Os, 0, h, t0, b);
        store_wait_read();
        ring_release(o_out, item);
      }
      store_wait_all();
    }
  }
}

/// Bytes of dynamic shared memory of a launch.
template <int D> constexpr int deltaformer_shared_bytes() {
  return deltaformer_shared<D>::bytes;
}

template __global__ void deltaformer<64>(
    const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap,
    const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap,
    const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap,
    const __grid_constant__ CUtensorMap, const deltaformer_args);
template __global__ void deltaformer<128>(
    const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap,
    const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap,
    const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap,
    const __grid_constant__ CUtensorMap, const deltaformer_args);
