// RUN: delta-opt %s --verify-tile-final --convert-tile-to-cuda --mlir-print-debuginfo -o %t.mlir
// RUN: delta-opt %t.mlir --emit=cuda -o %t
// RUN: FileCheck %s --input-file=%t/f.cu
// RUN: %ptxas_check %t/f.cu --nvcc %nvcc --arch sm_90a --max-registers 168

// A query block of DeltaFormer, of 128 rows and two warpgroups that multiply together.
// Other CTAs store the arrays that it reads.

#rows = #tile.slice<axis = 0, <warps = 8>>
!tile = memref<128x64xbf16, #tile.smem<128>>
!square = memref<128x128xbf16, #tile.smem<128>>
!vec = memref<128xf32, #tile.smem<0>>
!array = memref<?x?x8x64xbf16>
!x = tensor<128x64xf32, #tile.frag<warps = 8>>
!xb = tensor<128x64xbf16, #tile.frag<warps = 8>>
!s = tensor<128x128xf32, #tile.frag<warps = 8>>
!sb = tensor<128x128xbf16, #tile.frag<warps = 8>>
!r = tensor<128xf32, #tile.slice<axis = 0, <warps = 8>>>
!flat = tensor<128xf32, #tile.flat<warps = 8>>
!ring1 = !tile.ring<1, [memref<128x64xbf16, #tile.smem<128>>]>
!ring3 = !tile.ring<3, [memref<128x64xbf16, #tile.smem<128>>]>

func.func @f(%q: !array {delta.name = "q"}, %k: !array {delta.name = "k"}, %v: !array {delta.name = "v"},
             %beta: memref<?x?x8xf32> {delta.name = "beta"}, %o: !array {delta.name = "o", delta.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %B = memref.dim %k, %c0 : !array
  %T = memref.dim %k, %c1 : !array
  %n = arith.ceildivui %T, %c128 : index
  %heads = arith.muli %B, %c8 : index
  %items = arith.muli %heads, %n : index
  %lines = arith.addi %heads, %c1 : index
  %words = arith.muli %lines, %c32 : index
  %u = memref.alloc(%B, %T) {delta.name = "u"} : !array
  %progress = memref.alloc(%words) {delta.name = "progress"} : memref<?xi32>
  tile.clear %progress : memref<?xi32>
  tile.launch @f_blocks grid(%items) args(%q, %k, %v, %beta, %u, %o, %progress, %heads, %T
      : !array, !array, !array, memref<?x?x8xf32>, !array, !array, memref<?xi32>, index, index)
  return
}

// CHECK: __launch_bounds__(384, 1)
tile.kernel @f_blocks(%cta: index {delta.name = "cta"}, %q: !array {delta.name = "q"}, %k: !array {delta.name = "k"},
    %v: !array {delta.name = "v"}, %beta_global: memref<?x?x8xf32> {delta.name = "beta"}, %u: !array {delta.name = "u"},
    %o: !array {delta.name = "o"}, %progress: memref<?xi32> {delta.name = "progress"}, %heads: index {delta.name = "heads"},
    %T: index {delta.name = "tokens"})
    attributes {grid = 1 : i64, warps = 12 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>, shared_bytes = 152096 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : !r
  %one = arith.constant dense<1.0> : !r
  %tiny = arith.constant dense<1.0e-30> : !r
  %low = arith.constant dense<-1.0e30> : !r
  %N_0 = arith.constant dense<0.0> : !x
  %P_0 = arith.constant dense<0.0> : !sb
  %scale = arith.constant dense<0.125> : !s

  // Every role needs the number of the block: a ticket of the whole CTA.
  // CHECK: const int64_t item = draw_ticket(progress, item_scratch);
  %scratch = tile.alloc {offset = 152080 : i64} : memref<4xf32, #tile.smem<0>> loc("item_scratch")
  %item = tile.ticket %progress scratch(%scratch : memref<4xf32, #tile.smem<0>>) : memref<?xi32> loc("item")
  %head = arith.remui %item, %heads : index loc("head")
  %block = arith.divui %item, %heads : index loc("block")
  %h = arith.remui %head, %c8 : index loc("h")
  %b = arith.divui %head, %c8 : index loc("batch")
  %line = arith.muli %head, %c32 : index
  %flag = arith.addi %line, %c32 : index loc("flag")
  %t0 = arith.muli %block, %c128 : index loc("row")

  // Buffers in the bytes of ring slots that are no longer used.
  %beta_s = tile.alloc {offset = 151568 : i64} : !vec loc("beta")
  %solve = tile.alloc {offset = 0 : i64} : !square loc("solve")
  %R_s = tile.alloc {offset = 32768 : i64} : !tile loc("R")
  %kr = tile.ring_create "k" mbarrier {offset = 0 : i64, tile.buffers = ["K"]} : <3, [!tile]>
  %ur = tile.ring_create "u_in" mbarrier {offset = 50176 : i64, tile.buffers = ["U_in"]} : <3, [!tile]>
  %qr = tile.ring_create "q" mbarrier {offset = 100352 : i64, tile.buffers = ["Q"]} : <1, [!tile]>
  %vr = tile.ring_create "v" mbarrier {offset = 117760 : i64, tile.buffers = ["V"]} : <1, [!tile]>
  // Eight warps fill the slot, one warp frees it.
  // CHECK: const auto out_ring = Ring<1, 8, 1>(shared, 151552u);
  %or = tile.ring_create "out" mbarrier {offset = 135168 : i64, tile.buffers = ["out"]} : <1, [!tile]>

  tile.roles [#tile.role<name = "math", warps = 8, registers = 240>,
              #tile.role<name = "load", warps = 3, registers = 24>,
              #tile.role<name = "store", warps = 1, registers = 24>] {
  ^bb0(%i: index):
    %rows = arith.subi %T, %t0 : index
    %beta_f = tile.load %beta_global[%b, %t0, %h] bound(%rows) {dims = array<i64: 1>} : memref<?x?x8xf32> -> !flat loc("beta")
    tile.write %beta_f, %beta_s : !flat, !vec
    // CHECK: ring_peek(q_ring, 0u);
    %q_slot, %Q = tile.peek %qr[%c0] {tile.buffers = ["Q"]} : <1, [!tile]> -> !tile
    // CHECK: for (int64_t i = 0; i < block; ++i) {
    %m, %l, %N, %P = scf.for %j = %c0 to %block step %c1 iter_args(%m = %low, %l = %zero, %N = %N_0, %P = %P_0) -> (!r, !r, !x, !sb) {
      %k_slot, %K = tile.peek %kr[%j] {tile.buffers = ["K"]} : <3, [!tile]> -> !tile
      // The left operand is in shared memory, 64 rows per warpgroup.
      // CHECK: const auto S_inflight = dot_nt_start(Q_tile, K_tile);
      %S_0 = tile.dot_start wgmma_ss %Q, %K {contract = array<i64: 1, 1>} : !tile, !tile -> <!s>
      %u_slot, %U = tile.peek %ur[%j] {tile.buffers = ["U_in"]} : <3, [!tile]> -> !tile
      // CHECK: dot_nn_start(variable_3, U_in_tile, variable_2);
      %N_1 = tile.dot_start wgmma_rs %P, %U acc(%N : !x) {contract = array<i64: 1, 0>} : !sb, !tile -> <!x>
      // CHECK: const auto S = await<1>(S_inflight);
      // CHECK-NEXT: ring_release(k_ring, use);
      %S = tile.await %S_0 {pending = 1 : i64} : !tile.async<!s> -> !s loc("S")
      tile.release %k_slot
      %scaled = arith.mulf %S, %scale : !s
      %top = tile.reduce max %scaled {axis = 1 : i64} : !s -> !r
      %m_next = arith.maximumf %m, %top : !r loc("m_next")
      %m_wide = tile.spread %m_next {axis = 0 : i64} : !r -> !s
      %below = arith.subf %scaled, %m_wide : !s
      %E = math.exp %below : !s loc("E")
      %fall = arith.subf %m, %m_next : !r
      %decay = math.exp %fall : !r loc("decay")
      %sum = tile.reduce add %E {axis = 1 : i64} : !s -> !r
      %l_old = arith.mulf %l, %decay : !r
      %l_next = arith.addf %l_old, %sum : !r
      %N_2 = tile.await %N_1 {pending = 0 : i64} : !tile.async<!x> -> !x loc("N_read")
      tile.release %u_slot
      // After the product that reads the carried tile: both have the same registers.
      %P_next = arith.truncf %E : !s to !sb
      %decay_wide = tile.spread %decay {axis = 0 : i64} : !r -> !x
      %N_next = arith.mulf %N_2, %decay_wide : !x
      scf.yield %m_next, %l_next, %N_next, %P_next : !r, !r, !x, !sb
    }
    // The ring continues after the loop.
    // CHECK: ring_peek(k_ring, block_use);
    %k_slot, %K = tile.peek %kr[%block] {tile.buffers = ["K"]} : <3, [!tile]> -> !tile
    %S_0 = tile.dot_start wgmma_ss %Q, %K {contract = array<i64: 1, 1>} : !tile, !tile -> <!s>
    %S = tile.await %S_0 {pending = 0 : i64} : !tile.async<!s> -> !s loc("S_own")
    tile.release %k_slot
    tile.release %q_slot
    %scaled = arith.mulf %S, %scale : !s
    %strict = tile.mask strict_lower %scaled {fill = -1.0e30 : f32} : !s
    %top = tile.reduce max %strict {axis = 1 : i64} : !s -> !r
    %m_all = arith.maximumf %m, %top : !r
    %m_wide = tile.spread %m_all {axis = 0 : i64} : !r -> !s
    %below = arith.subf %scaled, %m_wide : !s
    %E_all = math.exp %below : !s
    %E = tile.mask strict_lower %E_all : !s
    %fall = arith.subf %m, %m_all : !r
    %decay = math.exp %fall : !r
    %sum = tile.reduce add %E {axis = 1 : i64} : !s -> !r
    %l_old = arith.mulf %l, %decay : !r
    %l_all = arith.addf %l_old, %sum : !r
    %l_safe = arith.maximumf %l_all, %tiny : !r
    %inverse = arith.divf %one, %l_safe : !r loc("inverse")
    %inverse_wide = tile.spread %inverse {axis = 0 : i64} : !r -> !s
    %P_own = arith.mulf %E, %inverse_wide : !s loc("P_own")

    // Threads write for each other, and for products: a fence, then a barrier of the role.
    // CHECK: async_proxy_fence();
    // CHECK-NEXT: role_sync<1, 256>();
    tile.barrier {id = 1 : i64}
    // CHECK: // G = (I + P_own diag(beta))^-1 P_own
    // CHECK-NEXT: const auto G = solve_scaled_columns(P_own, beta_vector, solve_tile, 1);
    %G = tile.tri_solve %P_own, %beta_s scratch(%solve : !square) : !s, !vec loc("G")
    %G_a = arith.truncf %G : !s to !sb loc("G_a")
    %u_slot, %U = tile.peek %ur[%block] {tile.buffers = ["U_in"]} : <3, [!tile]> -> !tile
    %N_1 = tile.dot_start wgmma_rs %P, %U acc(%N : !x) {contract = array<i64: 1, 0>} : !sb, !tile -> <!x>
    %N_2 = tile.await %N_1 {pending = 0 : i64} : !tile.async<!x> -> !x loc("N_all")
    tile.release %u_slot
    %factor = arith.mulf %decay, %inverse : !r
    %factor_wide = tile.spread %factor {axis = 0 : i64} : !r -> !x
    %a = arith.mulf %N_2, %factor_wide : !x loc("a")
    %v_slot, %Vs = tile.peek %vr[%c0] {tile.buffers = ["V"]} : <1, [!tile]> -> !tile
    %V = tile.read %Vs : !tile -> !xb loc("V")
    tile.release %v_slot
    %V_wide = arith.extf %V : !xb to !x loc("V_wide")
    %beta = tile.read %beta_s : !vec -> !r
    %beta_wide = tile.spread %beta {axis = 0 : i64} : !r -> !x
    %beta_a = arith.mulf %a, %beta_wide : !x
    %R = arith.subf %V_wide, %beta_a : !x
    %R_b = arith.truncf %R : !x to !xb loc("R_b")
    tile.write %R_b, %R_s : !xb, !tile
    // CHECK: write(R_b, R_tile);
    // CHECK-NEXT: async_proxy_fence();
    // CHECK-NEXT: role_sync<1, 256>();
    // CHECK: dot_nn_start(G_a, R_tile, a);
    tile.barrier {id = 1 : i64}
    %read_0 = tile.dot_start wgmma_rs %G_a, %R_s acc(%a : !x) {contract = array<i64: 1, 0>} : !sb, !tile -> <!x>
    %read = tile.await %read_0 {pending = 0 : i64} : !tile.async<!x> -> !x loc("read")
    %beta_read = arith.mulf %read, %beta_wide : !x
    %U_new = arith.subf %V_wide, %beta_read : !x
    %U_b = arith.truncf %U_new : !x to !xb loc("U_b")
    // CHECK: ring_acquire(out_ring, {{[a-z0-9_]+}});
    // CHECK: write(U_b, out_tile);
    // CHECK-NEXT: ring_commit(out_ring, {{[a-z0-9_]+}});
    %w0, %out0 = tile.acquire %or[%c0] {tile.buffers = ["out"]} : <1, [!tile]> -> !tile
    tile.write %U_b, %out0 : !xb, !tile
    tile.commit %w0
    %O_b = arith.truncf %read : !x to !xb loc("O_b")
    // CHECK: write(O_b, out_tile_2);
    %w1, %out1 = tile.acquire %or[%c1] {tile.buffers = ["out"]} : <1, [!tile]> -> !tile
    tile.write %O_b, %out1 : !xb, !tile
    tile.commit %w1
  }, {
  ^bb0(%i: index):
    // CHECK: // The role load.
    // The role keeps the last value of a flag.
    // CHECK: int32_t seen = 0;
    %w0, %Q = tile.acquire %qr[%c0] {tile.buffers = ["Q"]} : <1, [!tile]> -> !tile
    %f0 = tile.copy tma %q[%b, %t0, %h, %c0], %Q {dims = array<i64: 1, 3>} : !array, !tile
    tile.commit %w0, %f0
    scf.for %j = %c0 to %block step %c1 {
      %t = arith.muli %j, %c128 : index loc("first")
      %before = arith.subi %t, %c128 : index loc("before")
      %w1, %K = tile.acquire %kr[%j] {tile.buffers = ["K"]} : <3, [!tile]> -> !tile
      %f1 = tile.copy tma %k[%b, %t, %h, %c0], %K {dims = array<i64: 1, 3>} : !array, !tile
      tile.commit %w1, %f1
      // CHECK: await_published(progress + {{.*}}, int32_t(i), seen);
      %epoch = arith.index_cast %j : index to i32
      tile.expect %progress[%flag], %epoch : memref<?xi32>
      %w2, %U = tile.acquire %ur[%j] {tile.buffers = ["U_in"]} : <3, [!tile]> -> !tile
      // The first block has no block before it: the box lies outside of the array, and
      // arrives as zeros.
      // CHECK: tma_load(U_in_tile, u_map, u_in_ring, use, 0, h, before, batch);
      %f2 = tile.copy tma %u[%b, %before, %h, %c0], %U {dims = array<i64: 1, 3>} : !array, !tile
      tile.commit %w2, %f2
    }
    %before = arith.subi %t0, %c128 : index loc("before")
    %w1, %K = tile.acquire %kr[%block] {tile.buffers = ["K"]} : <3, [!tile]> -> !tile
    %f1 = tile.copy tma %k[%b, %t0, %h, %c0], %K {dims = array<i64: 1, 3>} : !array, !tile
    tile.commit %w1, %f1
    %w2, %V = tile.acquire %vr[%c0] {tile.buffers = ["V"]} : <1, [!tile]> -> !tile
    %f2 = tile.copy tma %v[%b, %t0, %h, %c0], %V {dims = array<i64: 1, 3>} : !array, !tile
    tile.commit %w2, %f2
    // CHECK: await_published(progress + {{.*}}, int32_t(block), seen);
    %epoch = arith.index_cast %block : index to i32
    tile.expect %progress[%flag], %epoch : memref<?xi32>
    %w3, %U = tile.acquire %ur[%block] {tile.buffers = ["U_in"]} : <3, [!tile]> -> !tile
    %f3 = tile.copy tma %u[%b, %before, %h, %c0], %U {dims = array<i64: 1, 3>} : !array, !tile
    tile.commit %w3, %f3
  }, {
  ^bb0(%i: index):
    // CHECK: // The role store.
    // The slot is free as soon as it has been read; the flag is raised when all stores are
    // complete.
    // CHECK: tma_store(u_map, out_tile, 0, h, row, batch);
    // CHECK-NEXT: store_wait_read();
    // CHECK-NEXT: ring_release(out_ring, 0u);
    // CHECK: publish_stores(progress + {{.*}}, int32_t(block + 1));
    // CHECK: tma_store(o_map, out_tile_2, 0, h, row, batch);
    // CHECK: store_wait_all();
    %s0, %U = tile.peek %or[%c0] {tile.buffers = ["out"]} : <1, [!tile]> -> !tile
    %f0 = tile.copy tma %u[%b, %t0, %h, %c0], %U {dims = array<i64: 1, 3>, to_global} : !array, !tile
    tile.release %s0, %f0
    %next = arith.addi %block, %c1 : index
    %epoch = arith.index_cast %next : index to i32
    tile.signal %progress[%flag], %epoch : memref<?xi32>
    %s1, %O = tile.peek %or[%c1] {tile.buffers = ["out"]} : <1, [!tile]> -> !tile
    %f1 = tile.copy tma %o[%b, %t0, %h, %c0], %O {dims = array<i64: 1, 3>, to_global} : !array, !tile
    tile.release %s1, %f1
  }
  tile.return
}

// CHECK: make_tensor_map(&u_map, u, u_extents, u_steps, 64, 128, 2);
