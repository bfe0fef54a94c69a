// RUN: delta-opt %s --tile-budget-registers --split-input-file --verify-diagnostics | FileCheck %s

!wide = tensor<64x128xf32, #tile.frag<warps = 4>>
!half = tensor<64x128xbf16, #tile.frag<warps = 4>>
!square = tensor<64x64xf32, #tile.frag<warps = 4>>
!buffer = memref<64x128xbf16, #tile.smem<128>>

// S (64), rounded (32), and two products of 32 each: 160. Scaling the product happens
// in place. 160 + 40 registers of 128 threads: two CTAs per SM.

// CHECK-LABEL: tile.kernel @products
// CHECK-SAME: {{.*}}min_blocks = 2 : i64, {{.*}}registers = 160 : i64
tile.kernel @products(%i: index, %s: memref<64x128xf32>, %o: memref<64x64xf32>) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %two = arith.constant dense<2.0> : !square
  %k = tile.alloc : !buffer
  %S = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !wide
  %a = arith.truncf %S : !wide to !half
  %x = tile.dot instr(mma_m16n8k16) %a, %k {contract = array<i64: 1, 1>} : !half, !buffer -> !square
  %y = arith.mulf %x, %two : !square
  %z = tile.dot instr(mma_m16n8k16) %a, %k {contract = array<i64: 1, 1>} : !half, !buffer -> !square
  %w = arith.addf %y, %z : !square
  tile.store %w, %o[%c0, %c0] {dims = array<i64: 0, 1>} : !square, memref<64x64xf32>
  tile.store %S, %s[%c0, %c0] {dims = array<i64: 0, 1>} : !wide, memref<64x128xf32>
  tile.return
}

// -----

// A loop keeps its carried values and its values from outside: 64 + 64, and 64 inside.
// Shared memory leaves room for one CTA.

// CHECK-LABEL: tile.kernel @loop
// CHECK-SAME: {{.*}}min_blocks = 1 : i64, {{.*}}registers = 192 : i64
tile.kernel @loop(%i: index, %s: memref<64x128xf32>, %n: index) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64, shared_bytes = 100000 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> tensor<64x128xf32, #tile.frag<warps = 4>>
  %R = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> tensor<64x128xf32, #tile.frag<warps = 4>>
  %X = scf.for %c = %c0 to %n step %c1 iter_args(%x = %S) -> tensor<64x128xf32, #tile.frag<warps = 4>> {
    %y = arith.truncf %x : tensor<64x128xf32, #tile.frag<warps = 4>> to tensor<64x128xbf16, #tile.frag<warps = 4>>
    %z = arith.addf %x, %R : tensor<64x128xf32, #tile.frag<warps = 4>>
    %v = arith.extf %y : tensor<64x128xbf16, #tile.frag<warps = 4>> to tensor<64x128xf32, #tile.frag<warps = 4>>
    %w = arith.mulf %z, %v : tensor<64x128xf32, #tile.frag<warps = 4>>
    scf.yield %w : tensor<64x128xf32, #tile.frag<warps = 4>>
  }
  tile.store %X, %s[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<64x128xf32, #tile.frag<warps = 4>>, memref<64x128xf32>
  tile.return
}

// -----

// Squares are summed one after another: X (128), and its row sums (2).

// CHECK-LABEL: tile.kernel @squares
// CHECK-SAME: {{.*}}registers = 130 : i64
tile.kernel @squares(%i: index, %s: memref<64x256xf32>, %o: memref<64xf32>) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %X = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x256xf32> -> tensor<64x256xf32, #tile.frag<warps = 4>>
  %squares = arith.mulf %X, %X : tensor<64x256xf32, #tile.frag<warps = 4>>
  %sums = tile.reduce add %squares {axis = 1 : i64} : tensor<64x256xf32, #tile.frag<warps = 4>> -> tensor<64xf32, #tile.slice<axis = 0, <warps = 4>>>
  tile.store %sums, %o[%c0] {dims = array<i64: 0>} : tensor<64xf32, #tile.slice<axis = 0, <warps = 4>>>, memref<64xf32>
  tile.store %X, %s[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<64x256xf32, #tile.frag<warps = 4>>, memref<64x256xf32>
  tile.return
}

// -----

// The residual of a rounding: X (64) becomes the difference, its rounding (32) is extended
// element by element.

// CHECK-LABEL: tile.kernel @rest
// CHECK-SAME: {{.*}}registers = 96 : i64
tile.kernel @rest(%i: index, %s: memref<64x128xf32>, %o: memref<64x128xbf16>) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %X = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> tensor<64x128xf32, #tile.frag<warps = 4>>
  %a = arith.truncf %X : tensor<64x128xf32, #tile.frag<warps = 4>> to tensor<64x128xbf16, #tile.frag<warps = 4>>
  %back = arith.extf %a : tensor<64x128xbf16, #tile.frag<warps = 4>> to tensor<64x128xf32, #tile.frag<warps = 4>>
  %difference = arith.subf %X, %back : tensor<64x128xf32, #tile.frag<warps = 4>>
  %rest = arith.truncf %difference : tensor<64x128xf32, #tile.frag<warps = 4>> to tensor<64x128xbf16, #tile.frag<warps = 4>>
  tile.barrier
  tile.store %rest, %o[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<64x128xbf16, #tile.frag<warps = 4>>, memref<64x128xbf16>
  tile.store %a, %o[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<64x128xbf16, #tile.frag<warps = 4>>, memref<64x128xbf16>
  tile.return
}

// -----

// F11.
// expected-error @below {{predicted 256 live registers per thread; expected at most 215, which leaves 40 of 255 for addresses and copies}}
tile.kernel @F11(%i: index, %s: memref<64x256xf32>) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %S = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x256xf32> -> tensor<64x256xf32, #tile.frag<warps = 4>>
  %R = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x256xf32> -> tensor<64x256xf32, #tile.frag<warps = 4>>
  %X = arith.addf %S, %R : tensor<64x256xf32, #tile.frag<warps = 4>>
  // expected-note @below {{the most are alive here}}
  tile.store %X, %s[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<64x256xf32, #tile.frag<warps = 4>>, memref<64x256xf32>
  tile.return
}

// -----

!wide = tensor<64x128xf32, #tile.frag<warps = 4>>
!half = tensor<64x128xbf16, #tile.frag<warps = 4>>
!square = tensor<64x64xf32, #tile.frag<warps = 4>>
!small = tensor<64x64xbf16, #tile.frag<warps = 4>>

// A role with products in flight: S (64); S rounded (32), which Q S holds until it is
// awaited; Q S (32); V extended (32) and K S (32), of which one becomes X: 192. The loop
// takes over the registers of S0, which has a second use before the loop. That leaves 16 of
// 208.

// CHECK-LABEL: tile.kernel @in_flight
// CHECK-SAME: {{.*}}min_blocks = 1 : i64, {{.*}}registers = 192 : i64
tile.kernel @in_flight(%i: index, %n: index, %s: memref<64x128xf32>) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : memref<64x128xbf16, #tile.smem<128>>
  %V = tile.alloc : memref<64x64xbf16, #tile.smem<128>>
  tile.roles [#tile.role<name = "math", warps = 4, registers = 208>,
              #tile.role<name = "load", warps = 4, registers = 24>] {
  ^bb0(%k: index):
    %S0 = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !wide
    %Sa0 = arith.truncf %S0 : !wide to !half
    scf.for %c = %c0 to %n step %c1 iter_args(%S = %S0, %Sa = %Sa0) -> (!wide, !half) {
      %ks = tile.dot_start wgmma_rs %Sa, %K {contract = array<i64: 1, 1>} : !half, memref<64x128xbf16, #tile.smem<128>> -> <!square>
      %qs = tile.dot_start wgmma_rs %Sa, %K {contract = array<i64: 1, 1>} : !half, memref<64x128xbf16, #tile.smem<128>> -> <!square>
      %v = tile.read %V : memref<64x64xbf16, #tile.smem<128>> -> !small
      %KS = tile.await %ks : !tile.async<!square> -> !square
      %vf = arith.extf %v : !small to !square
      %X = arith.subf %vf, %KS : !square
      %Xa = arith.truncf %X : !square to !small
      %s1 = tile.dot_start wgmma_rs %Xa, %K acc(%S : !wide) {contract = array<i64: 1, 0>} : !small, memref<64x128xbf16, #tile.smem<128>> -> <!wide>
      %QS = tile.await %qs : !tile.async<!square> -> !square
      %S1 = tile.await %s1 : !tile.async<!wide> -> !wide
      %Sa1 = arith.truncf %S1 : !wide to !half
      scf.yield %S1, %Sa1 : !wide, !half
    }
  }, {
  ^bb0(%k: index):
  }
  tile.return
}

// -----

!wide = tensor<64x128xf32, #tile.frag<warps = 4>>
!half = tensor<64x128xbf16, #tile.frag<warps = 4>>
!square = tensor<64x64xf32, #tile.frag<warps = 4>>
!small = tensor<64x64xbf16, #tile.frag<warps = 4>>

tile.kernel @F11_role(%i: index, %n: index, %s: memref<64x128xf32>) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : memref<64x128xbf16, #tile.smem<128>>
  %V = tile.alloc : memref<64x64xbf16, #tile.smem<128>>
  // expected-error @below {{role "math": predicted 192 live registers per thread; expected at most 184, which leaves 16 of 200 for addresses}}
  tile.roles [#tile.role<name = "math", warps = 4, registers = 200>,
              #tile.role<name = "load", warps = 4, registers = 24>] {
  ^bb0(%k: index):
    %S0 = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !wide
    %Sa0 = arith.truncf %S0 : !wide to !half
    scf.for %c = %c0 to %n step %c1 iter_args(%S = %S0, %Sa = %Sa0) -> (!wide, !half) {
      %ks = tile.dot_start wgmma_rs %Sa, %K {contract = array<i64: 1, 1>} : !half, memref<64x128xbf16, #tile.smem<128>> -> <!square>
      %qs = tile.dot_start wgmma_rs %Sa, %K {contract = array<i64: 1, 1>} : !half, memref<64x128xbf16, #tile.smem<128>> -> <!square>
      %v = tile.read %V : memref<64x64xbf16, #tile.smem<128>> -> !small
      %KS = tile.await %ks : !tile.async<!square> -> !square
      %vf = arith.extf %v : !small to !square
      // expected-note @below {{the most are alive here}}
      %X = arith.subf %vf, %KS : !square
      %Xa = arith.truncf %X : !square to !small
      %s1 = tile.dot_start wgmma_rs %Xa, %K acc(%S : !wide) {contract = array<i64: 1, 0>} : !small, memref<64x128xbf16, #tile.smem<128>> -> <!wide>
      %QS = tile.await %qs : !tile.async<!square> -> !square
      %S1 = tile.await %s1 : !tile.async<!wide> -> !wide
      %Sa1 = arith.truncf %S1 : !wide to !half
      scf.yield %S1, %Sa1 : !wide, !half
    }
  }, {
  ^bb0(%k: index):
  }
  tile.return
}

// -----

!square = tensor<64x64xf32, #tile.frag<warps = 4>>
!small = tensor<64x64xbf16, #tile.frag<warps = 4>>
!row = tensor<64xf32, #tile.slice<axis = 0, #tile.frag<warps = 4>>>

// A kernel that inverts, with nothing in flight meanwhile. Arithmetic before the inverse
// and before the writes is done element by element: A, B and P never occupy a whole tile.
// In addition to X (32), which is stored last, and r (2), the inverse uses 32 for the
// blocks of a column and 40 for sums and operands: 106. With 10 more that would be four
// CTAs per SM.

// CHECK-LABEL: tile.kernel @inverts
// CHECK-SAME: {{.*}}min_blocks = 4 : i64, {{.*}}registers = 106 : i64
tile.kernel @inverts(%i: index, %s: memref<64x64xf32>) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64, residency = alone>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %scratch = tile.alloc : memref<64x64xf32, #tile.smem<0>>
  %p = tile.alloc : memref<64x64xbf16, #tile.smem<128>>
  %v = tile.alloc : memref<64xf32, #tile.smem<0>>
  %X = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> !square
  %r = tile.read %v : memref<64xf32, #tile.smem<0>> -> !row
  %ri = tile.spread %r {axis = 0 : i64} : !row -> !square
  %P = arith.mulf %X, %ri : !square
  %Pm = tile.mask lower %P : !square
  %Pa = arith.truncf %Pm : !square to !small
  tile.write %Pa, %p : !small, memref<64x64xbf16, #tile.smem<128>>
  %A = arith.mulf %X, %ri : !square
  %B = arith.mulf %A, %ri : !square
  %M = tile.tri_inverse %B scratch(%scratch : memref<64x64xf32, #tile.smem<0>>) : !square
  %T = arith.mulf %M, %ri : !square
  %Ta = arith.truncf %T : !square to !small
  tile.write %Ta, %p : !small, memref<64x64xbf16, #tile.smem<128>>
  tile.store %X, %s[%c0, %c0] {dims = array<i64: 0, 1>} : !square, memref<64x64xf32>
  tile.return
}

// With `transposed`, the blocks stay in registers next to split operands: 16 more.

// CHECK-LABEL: tile.kernel @inverts_transposed
// CHECK-SAME: {{.*}}min_blocks = 3 : i64, {{.*}}registers = 122 : i64
tile.kernel @inverts_transposed(%i: index, %s: memref<64x64xf32>) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64, residency = alone>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %scratch = tile.alloc : memref<64x64xf32, #tile.smem<0>>
  %p = tile.alloc : memref<64x64xbf16, #tile.smem<128>>
  %v = tile.alloc : memref<64xf32, #tile.smem<0>>
  %X = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> !square
  %r = tile.read %v : memref<64xf32, #tile.smem<0>> -> !row
  %ri = tile.spread %r {axis = 0 : i64} : !row -> !square
  %P = arith.mulf %X, %ri : !square
  %Pm = tile.mask lower %P : !square
  %Pa = arith.truncf %Pm : !square to !small
  tile.write %Pa, %p : !small, memref<64x64xbf16, #tile.smem<128>>
  %A = arith.mulf %X, %ri : !square
  %B = arith.mulf %A, %ri : !square
  %M = tile.tri_inverse %B scratch(%scratch : memref<64x64xf32, #tile.smem<0>>) {transposed} : !square
  %T = arith.mulf %M, %ri : !square
  %Ta = arith.truncf %T : !square to !small
  tile.write %Ta, %p : !small, memref<64x64xbf16, #tile.smem<128>>
  tile.store %X, %s[%c0, %c0] {dims = array<i64: 0, 1>} : !square, memref<64x64xf32>
  tile.return
}

// In tf32 operands are not split.

// CHECK-LABEL: tile.kernel @inverts_in_tf32
// CHECK-SAME: {{.*}}min_blocks = 4 : i64, {{.*}}registers = 106 : i64
tile.kernel @inverts_in_tf32(%i: index, %s: memref<64x64xf32>) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64, residency = alone>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %scratch = tile.alloc : memref<64x64xf32, #tile.smem<0>>
  %p = tile.alloc : memref<64x64xbf16, #tile.smem<128>>
  %v = tile.alloc : memref<64xf32, #tile.smem<0>>
  %X = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> !square
  %r = tile.read %v : memref<64xf32, #tile.smem<0>> -> !row
  %ri = tile.spread %r {axis = 0 : i64} : !row -> !square
  %P = arith.mulf %X, %ri : !square
  %Pm = tile.mask lower %P : !square
  %Pa = arith.truncf %Pm : !square to !small
  tile.write %Pa, %p : !small, memref<64x64xbf16, #tile.smem<128>>
  %A = arith.mulf %X, %ri : !square
  %B = arith.mulf %A, %ri : !square
  %M = tile.tri_inverse precision(tf32) %B scratch(%scratch : memref<64x64xf32, #tile.smem<0>>) {transposed} : !square
  %T = arith.mulf %M, %ri : !square
  %Ta = arith.truncf %T : !square to !small
  tile.write %Ta, %p : !small, memref<64x64xbf16, #tile.smem<128>>
  tile.store %X, %s[%c0, %c0] {dims = array<i64: 0, 1>} : !square, memref<64x64xf32>
  tile.return
}

// -----

// The same with few registers: the kernel asks for at most 16 warps per SM.

// CHECK-LABEL: tile.kernel @small
// CHECK-SAME: {{.*}}min_blocks = 8 : i64, {{.*}}registers = 56 : i64
tile.kernel @small(%i: index, %s: memref<32x32xf32>) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64, residency = alone>, grid = 1 : i64, warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %scratch = tile.alloc : memref<32x32xf32, #tile.smem<0>>
  %X = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<32x32xf32> -> tensor<32x32xf32, #tile.frag<warps = 2>>
  %M = tile.tri_inverse %X scratch(%scratch : memref<32x32xf32, #tile.smem<0>>) : tensor<32x32xf32, #tile.frag<warps = 2>>
  tile.store %M, %s[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<32x32xf32, #tile.frag<warps = 2>>, memref<32x32xf32>
  tile.return
}

// -----

// A mask before a reduction is computed element by element: the matrix (64), and its vector
// of two registers.

// CHECK-LABEL: tile.kernel @masked_reduction
// CHECK-SAME: {{.*}}registers = 66 : i64
tile.kernel @masked_reduction(%i: index, %s: memref<64x128xf32>, %o: memref<64xf32>) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %S = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> tensor<64x128xf32, #tile.frag<warps = 4>>
  %below = tile.mask lower %S : tensor<64x128xf32, #tile.frag<warps = 4>>
  %diagonal = tile.mask upper %below : tensor<64x128xf32, #tile.frag<warps = 4>>
  %d = tile.reduce add %diagonal {axis = 1} : tensor<64x128xf32, #tile.frag<warps = 4>> -> tensor<64xf32, #tile.slice<axis = 0, #tile.frag<warps = 4>>>
  %rows = tile.spread %d {axis = 0} : tensor<64xf32, #tile.slice<axis = 0, #tile.frag<warps = 4>>> -> tensor<64x128xf32, #tile.frag<warps = 4>>
  %x = arith.addf %S, %rows : tensor<64x128xf32, #tile.frag<warps = 4>>
  tile.store %x, %s[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<64x128xf32, #tile.frag<warps = 4>>, memref<64x128xf32>
  tile.return
}
