// RUN: delta-opt %s --verify-tile-final --convert-tile-to-cuda --mlir-print-debuginfo -o %t.mlir
// RUN: delta-opt %t.mlir --emit=cuda -o %t
// RUN: FileCheck %s --input-file=%t/f.cu

// Roles of twelve warps: two warpgroups multiply, one warp loads for both, one stores for each.

!k = memref<64x128xbf16, #tile.smem<128>>
!b = memref<64x64xbf16, #tile.smem<128>>
!view = memref<64x64xbf16, strided<[128, 1], offset: ?>, #tile.smem<128>>
!vec = memref<64xf32, #tile.smem<0>>
!s = tensor<64x128xf32, #tile.frag<warps = 4>>
!sb = tensor<64x128xbf16, #tile.frag<warps = 4>>
!x = tensor<64x64xf32, #tile.frag<warps = 4>>
!xb = tensor<64x64xbf16, #tile.frag<warps = 4>>

func.func @f(%k: memref<?x?x2x128xbf16> {delta.name = "k"}, %v: memref<?x?x2x128xbf16> {delta.name = "v"},
             %s: memref<?x2x128x128xf32> {delta.name = "s"}, %o: memref<?x?x2x128xbf16> {delta.name = "o", delta.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %B = memref.dim %k, %c0 : memref<?x?x2x128xbf16>
  %T = memref.dim %k, %c1 : memref<?x?x2x128xbf16>
  %n = arith.ceildivui %T, %c64 : index
  %e = memref.alloc(%B, %n) {delta.name = "e"} : memref<?x?x2x64xf32>
  tile.launch @f_chain grid(%c1, %c2, %B) args(%k, %v, %e, %s, %o, %n : memref<?x?x2x128xbf16>, memref<?x?x2x128xbf16>,
      memref<?x?x2x64xf32>, memref<?x2x128x128xf32>, memref<?x?x2x128xbf16>, index)
  return
}

// Arrays that only copies access have no pointer; the state and the vector do.
// CHECK: __launch_bounds__(384, 1)
// CHECK-NEXT: f_chain(const __grid_constant__ CUtensorMap k_map, const __grid_constant__ CUtensorMap v_map,
// CHECK-NEXT: const float *e, int64_t e_batch_stride, float *s,
// CHECK-NEXT: const __grid_constant__ CUtensorMap o_map, int64_t chunks) {
tile.kernel @f_chain(%pair: index {delta.name = "pair"}, %head: index {delta.name = "head"}, %batch: index {delta.name = "batch"},
    %k: memref<?x?x2x128xbf16> {delta.name = "k"}, %v: memref<?x?x2x128xbf16> {delta.name = "v"}, %eg: memref<?x?x2x64xf32> {delta.name = "e"},
    %s: memref<?x2x128x128xf32> {delta.name = "s"}, %o: memref<?x?x2x128xbf16> {delta.name = "o"}, %chunks: index {delta.name = "chunks"})
    attributes {grid = 3 : i64, warps = 12 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains>, shared_bytes = 122208 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // CHECK: // Ring chunks, from role load to role math: 3 slots, then their mbarriers.
  // CHECK-NEXT: constexpr uint32_t K_offset = 0u;
  // CHECK-NEXT: constexpr uint32_t V_offset = 16384u;
  // CHECK-NEXT: constexpr uint32_t e_offset = 32768u;
  // CHECK-NEXT: constexpr uint32_t chunks_slot_bytes = 33792u;
  // One arrival, that of the copies, fills a slot; eight warps free it.
  // CHECK-NEXT: const auto chunks_ring = Ring<3, 1, 8>(shared, 101376u);
  %in = tile.ring_create "chunks" mbarrier {consumers = 2 : i64, offset = 0 : i64, tile.buffers = ["K", "V", "e"]}
      : <3, [memref<64x128xbf16, #tile.smem<128>>, memref<64x128xbf16, #tile.smem<128>>, memref<64xf32, #tile.smem<0>>]>
  // CHECK: // Ring out, from role math to role store: 1 slot for each instance, then their mbarriers.
  // CHECK-NEXT: constexpr uint32_t X_offset = 105472u;
  // CHECK-NEXT: constexpr uint32_t out_slot_bytes = 8192u;
  %out = tile.ring_create "out" mbarrier {offset = 105472 : i64, tile.buffers = ["X"]} : <1, [memref<64x64xbf16, #tile.smem<128>>]>

  // CHECK: if (threadIdx.x == 0u) {
  // CHECK-NEXT: ring_init(chunks_ring);
  // CHECK-NEXT: const auto out_ring_0 = Ring<1, 4, 1>(shared, 121856u);
  // CHECK-NEXT: ring_init(out_ring_0);
  // CHECK-NEXT: const auto out_ring_1 = Ring<1, 4, 1>(shared, 121872u);
  // CHECK-NEXT: ring_init(out_ring_1);
  // CHECK-NEXT: }
  // CHECK-NEXT: cta_sync();
  // CHECK-NEXT: const int64_t warp = uniform_warp_index();
  // CHECK-NEXT: if (warp < 8) {
  // CHECK-NEXT: increase_registers<240>();
  tile.roles [#tile.role<name = "math", warps = 8, registers = 240, instances = 2>,
              #tile.role<name = "load", warps = 2, registers = 24>,
              #tile.role<name = "store", warps = 2, registers = 24, instances = 2>] {
  ^bb0(%i: index):
    // CHECK: // The role math, 2 instances.
    // CHECK-NEXT: const int64_t instance = warp / 4;
    // CHECK-NEXT: const auto out_ring = Ring<1, 4, 1>(shared, 121856u + uint32_t(instance) * 16u);
    // CHECK: const int64_t panel = instance * 64;
    %panel = arith.muli %i, %c64 : index loc("panel")
    %S0 = tile.load %s[%batch, %head, %c0, %panel] {bound_axis = 1 : i64, dims = array<i64: 3, 2>} : memref<?x2x128x128xf32> -> !s loc("S")
    // CHECK: for (int64_t i = 0; i < chunks; ++i) {
    %S1 = scf.for %c = %c0 to %chunks step %c1 iter_args(%S = %S0) -> !s {
      // CHECK-NEXT: const uint32_t use = i;
      // CHECK-NEXT: ring_peek(chunks_ring, use);
      // CHECK-NEXT: const uint32_t chunks_slot = use % 3u * chunks_slot_bytes;
      // CHECK-NEXT: const auto K_tile = SharedTile<bf16, 64, 128>(shared, chunks_slot + K_offset);
      // CHECK-NEXT: const auto e_vector = SharedVector<float, 64>(shared, chunks_slot + e_offset);
      %slot, %K, %V, %e = tile.peek %in[%c] {tile.buffers = ["K", "V", "e"]}
          : <3, [memref<64x128xbf16, #tile.smem<128>>, memref<64x128xbf16, #tile.smem<128>>, memref<64xf32, #tile.smem<0>>]> -> !k, !k, !vec
      // An instance's panel of a shared buffer.
      // CHECK-NEXT: const auto V_tile =
      // CHECK-NEXT: SharedTile<bf16, 64, 64>(shared, chunks_slot + V_offset + uint32_t(panel) * 128u);
      %Vi = memref.subview %V[0, %panel] [64, 64] [1, 1] : !k to !view
      // CHECK-NEXT: const float decay = element(e_vector, 0);
      // CHECK-NEXT: const auto S_decayed = S * decay;
      %decay = memref.load %e[%c0] : !vec loc("decay")
      %spread = tensor.splat %decay : !s
      %Sd = arith.mulf %S, %spread : !s loc("S_decayed")
      // CHECK-NEXT: const auto S_a = convert<bf16>(S);
      %Sa = arith.truncf %S : !s to !sb loc("S_a")
      // The second half accumulates onto the first one in flight.
      // CHECK: // KS_part = S_a K^T, terms 0 to 63
      // CHECK-NEXT: const auto KS_part_inflight = dot_nt_start<0, 64>(S_a, K_tile);
      // CHECK: // KS = KS_part + S_a K^T, terms 64 to 127
      // CHECK-NEXT: const auto KS_inflight = dot_nt_start<64, 128>(S_a, K_tile, KS_part_inflight);
      // CHECK-NEXT: const auto V_read = read_transposed<Fragment<bf16, 64, 64, 4>>(V_tile);
      // CHECK-NEXT: const auto V = convert<float>(V_read);
      // CHECK-NEXT: const auto KS = await<0>(KS_inflight);
      %KS0 = tile.dot_start wgmma_rs %Sa, %K {contract = array<i64: 1, 1>, k = array<i64: 0, 64>} : !sb, !k -> <!x>
      %KS1 = tile.dot_start wgmma_rs %Sa, %K acc(%KS0 : !tile.async<!x>) {contract = array<i64: 1, 1>, k = array<i64: 64, 128>} : !sb, !k -> <!x>
      %Vt = tile.read %Vi {transpose} : !view -> !xb loc("V")
      %Vw = arith.extf %Vt : !xb to !x loc("V")
      %KS = tile.await %KS1 {pending = 0 : i64} : !tile.async<!x> -> !x loc("KS")
      %X = arith.subf %Vw, %KS : !x loc("X")
      %Xa = arith.truncf %X : !x to !xb loc("X_a")
      // CHECK: // S_next = S_decayed + X_a K
      // CHECK-NEXT: const auto S_next_inflight = dot_nn_start(X_a, K_tile, S_decayed);
      // CHECK-NEXT: const auto S_next = await<0>(S_next_inflight);
      %Sf = tile.dot_start wgmma_rs %Xa, %K acc(%Sd : !s) {contract = array<i64: 1, 0>} : !xb, !k -> <!s> loc("S_next")
      %Sn = tile.await %Sf {pending = 0 : i64} : !tile.async<!s> -> !s loc("S_next")
      // CHECK-NEXT: ring_release(chunks_ring, use);
      tile.release %slot
      // CHECK: // Hand X to the role store.
      // CHECK-NEXT: ring_acquire(out_ring, use);
      // CHECK-NEXT: const uint32_t out_slot = uint32_t(instance) * out_slot_bytes;
      // CHECK-NEXT: const auto X_tile = SharedTile<bf16, 64, 64>(shared, out_slot + X_offset);
      // CHECK-NEXT: write_transposed(X_a, X_tile);
      // CHECK-NEXT: ring_commit(out_ring, use);
      // CHECK-NEXT: S = S_next;
      %w, %Xs = tile.acquire %out[%c] {tile.buffers = ["X"]} : <1, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      tile.write %Xa, %Xs {transpose} : !xb, !b
      tile.commit %w
      scf.yield %Sn : !s
    }
    // CHECK: store(S, s + (batch * 32768 + head * 16384 + panel), 1, 128);
    tile.store %S1, %s[%batch, %head, %c0, %panel] {bound_axis = 1 : i64, dims = array<i64: 3, 2>} : !s, memref<?x2x128x128xf32>
  }, {
  ^bb0(%i: index):
    // The whole warpgroup lowers its registers; one of its two warps loads.
    // CHECK: } else {
    // CHECK-NEXT: decrease_registers<24>();
    // CHECK-NEXT: if (warp == 8) {
    // CHECK-NEXT: // The role load.
    tile.wait_launches
    // CHECK: // Wait for what earlier launches write.
    // CHECK-NEXT: wait_for_prior_launches();
    scf.for %c = %c0 to %chunks step %c1 {
      %t0 = arith.muli %c, %c64 : index loc("row")
      // CHECK: ring_acquire(chunks_ring, use);
      // CHECK-NEXT: ring_expect(chunks_ring, use, 33024u);
      %w, %K, %V, %e = tile.acquire %in[%c] {tile.buffers = ["K", "V", "e"]}
          : <3, [memref<64x128xbf16, #tile.smem<128>>, memref<64x128xbf16, #tile.smem<128>>, memref<64xf32, #tile.smem<0>>]> -> !k, !k, !vec
      // Coordinates count the innermost axis first.
      // CHECK: tma_load(K_tile, k_map, chunks_ring, use, 0, head, row, batch);
      // CHECK-NEXT: tma_load(V_tile, v_map, chunks_ring, use, 0, head, row, batch);
      // CHECK: bulk_load(e_vector, e + {{.*}}, chunks_ring, use);
      %f0 = tile.copy tma %k[%batch, %t0, %head, %c0], %K {dims = array<i64: 1, 3>} : memref<?x?x2x128xbf16>, !k
      %f1 = tile.copy tma %v[%batch, %t0, %head, %c0], %V {dims = array<i64: 1, 3>} : memref<?x?x2x128xbf16>, !k
      %f2 = tile.copy bulk %eg[%batch, %c, %head, %c0], %e {dims = array<i64: 3>} : memref<?x?x2x64xf32>, !vec
      tile.commit %w, %f0, %f1, %f2
    }
  }, {
  ^bb0(%i: index):
    // CHECK: } else if (warp >= 10) {
    // CHECK-NEXT: // The role store, 2 instances.
    // CHECK-NEXT: const int64_t instance = warp - 10;
    // CHECK-NEXT: const auto out_ring = Ring<1, 4, 1>(shared, 121856u + uint32_t(instance) * 16u);
    %column = arith.muli %i, %c64 : index loc("column")
    scf.for %c = %c0 to %chunks step %c1 {
      %t0 = arith.muli %c, %c64 : index loc("row")
      // CHECK: ring_peek(out_ring, use);
      // CHECK: tma_store(o_map, X_tile, column, head, row, batch);
      // CHECK-NEXT: store_wait_read();
      // CHECK-NEXT: ring_release(out_ring, use);
      %slot, %Xs = tile.peek %out[%c] {tile.buffers = ["X"]} : <1, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %f = tile.copy tma %o[%batch, %t0, %head, %column], %Xs {dims = array<i64: 1, 3>, to_global} : memref<?x?x2x128xbf16>, !b
      tile.release %slot, %f
    }
    // CHECK: // Shared memory outlives the copies out of it.
    // CHECK-NEXT: store_wait_all();
  }
  tile.return
}
// The launcher makes the maps of panels: 64 columns by 64 rows of the axis that rows run along.
// CHECK: make_tensor_map(&k_map, k, k_extents, k_steps, 64, 64, 2);
// CHECK: make_tensor_map(&v_map, v, v_extents, v_steps, 64, 64, 2);
// CHECK: make_tensor_map(&o_map, o, o_extents, o_steps, 64, 64, 2);
