// RUN: delta-opt %s --tile-rotate-loop | FileCheck %s

!s  = tensor<64x128xf32, #tile.frag<warps = 4>>
!a  = tensor<64x128xbf16, #tile.frag<warps = 4>>
!x  = tensor<64x64xf32, #tile.frag<warps = 4>>
!xa = tensor<64x64xbf16, #tile.frag<warps = 4>>
!k  = memref<64x128xbf16, #tile.smem<128>>
!r  = tensor<64xf32, #tile.slice<axis = 0, <warps = 4>>>

// The rounded state is carried next to the state: computed once before the loop, and at the
// end of each iteration. It has two uses and is computed once. The result of the loop keeps
// its use.

// CHECK-LABEL: tile.kernel @rounded
// CHECK: %[[S0:.*]] = tile.load
// CHECK: %[[FIRST:.*]] = arith.truncf %[[S0]]
// CHECK-NEXT: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[S:.*]] = %[[S0]], %[[SA:.*]] = %[[FIRST]])
// CHECK-NEXT: %[[KS:.*]] = tile.dot instr(wgmma_rs) %[[SA]]
// CHECK-NEXT: %[[QS:.*]] = tile.dot instr(wgmma_rs) %[[SA]]
// CHECK-NEXT: %[[X:.*]] = arith.addf %[[KS]], %[[QS]]
// CHECK-NEXT: %[[XA:.*]] = arith.truncf %[[X]]
// CHECK-NEXT: %[[S1:.*]] = tile.dot instr(wgmma_rs) %[[XA]], %{{.*}} acc(%[[S]])
// CHECK-NEXT: %[[NEXT:.*]] = arith.truncf %[[S1]]
// CHECK-NEXT: scf.yield %[[S1]], %[[NEXT]]
// CHECK: tile.store %[[R]]#0
tile.kernel @rounded(%i: index, %n: index, %s: memref<64x128xf32>) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : !k
  %S0 = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !s
  %S1 = scf.for %c = %c0 to %n step %c1 iter_args(%S = %S0) -> !s {
    %Sa = arith.truncf %S : !s to !a
    %KS = tile.dot instr(wgmma_rs) %Sa, %K {contract = array<i64: 1, 1>} : !a, !k -> !x
    %QS = tile.dot instr(wgmma_rs) %Sa, %K {contract = array<i64: 1, 1>} : !a, !k -> !x
    %X = arith.addf %KS, %QS : !x
    %Xa = arith.truncf %X : !x to !xa
    %Sn = tile.dot instr(wgmma_rs) %Xa, %K acc(%S) {contract = array<i64: 1, 0>} : !xa, !k -> !s
    scf.yield %Sn : !s
  }
  tile.store %S1, %s[%c0, %c0] {dims = array<i64: 0, 1>} : !s, memref<64x128xf32>
  tile.return
}

// A scale from outside of the loop moves along, and a state that is constant before the loop gives a constant; the scaled state itself stays where it
// is used.

// CHECK-LABEL: tile.kernel @scaled
// CHECK: %[[A0:.*]] = arith.constant dense<2.000000e+00> : tensor<64x128xbf16
// CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[SA:.*]] = %[[A0]])
// CHECK-NEXT: %[[E:.*]] = arith.mulf %[[S]], %[[SCALE:.*]] :
// CHECK-NEXT: %[[X:.*]] = tile.dot instr(wgmma_rs) %[[SA]]
// CHECK-NEXT: %[[XA:.*]] = arith.truncf %[[X]]
// CHECK-NEXT: %[[S1:.*]] = tile.dot instr(wgmma_rs) %[[XA]], %{{.*}} acc(%[[E]])
// CHECK-NEXT: %[[E1:.*]] = arith.mulf %[[S1]], %[[SCALE]]
// CHECK-NEXT: %[[A1:.*]] = arith.truncf %[[E1]]
// CHECK-NEXT: scf.yield %[[S1]], %[[A1]]
tile.kernel @scaled(%i: index, %n: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : !k
  %S0 = arith.constant dense<1.0> : !s
  %two = arith.constant dense<2.0> : !s
  scf.for %c = %c0 to %n step %c1 iter_args(%S = %S0) -> !s {
    %E = arith.mulf %S, %two : !s
    %Sa = arith.truncf %E : !s to !a
    %X = tile.dot instr(wgmma_rs) %Sa, %K {contract = array<i64: 1, 1>} : !a, !k -> !x
    %Xa = arith.truncf %X : !x to !xa
    %Sn = tile.dot instr(wgmma_rs) %Xa, %K acc(%E) {contract = array<i64: 1, 0>} : !xa, !k -> !s
    scf.yield %Sn : !s
  }
  tile.return
}

// An accumulator that is computed from tiles which the loop carries for it alone moves too,
// and a result of the loop replaces the same computation after the loop.

// CHECK-LABEL: tile.kernel @accumulator
// CHECK: %[[L:.*]] = scf.for {{.*}} iter_args(%[[N:.*]] = %{{.*}}) -> (tensor<64x128xf32, #tile.frag<warps = 4>>)
// CHECK-NEXT: %[[F:.*]] = tile.load
// CHECK-NEXT: %[[N1:.*]] = tile.dot instr(wgmma_rs) %{{.*}}, %{{.*}} acc(%[[N]]
// CHECK-NEXT: %[[W:.*]] = tile.spread %[[F]]
// CHECK-NEXT: %[[SCALED:.*]] = arith.mulf %[[N1]], %[[W]]
// CHECK-NEXT: scf.yield %[[SCALED]] :
// CHECK: tile.dot instr(wgmma_rs) %{{.*}}, %{{.*}} acc(%[[L]]
tile.kernel @accumulator(%i: index, %n: index, %f: memref<64xf32>) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : !k
  %P = arith.constant dense<1.0> : !xa
  %N0 = arith.constant dense<0.0> : !s
  %f0 = arith.constant dense<1.0> : !r
  %N1, %f1 = scf.for %c = %c0 to %n step %c1 iter_args(%N = %N0, %factor = %f0) -> (!s, !r) {
    %wide = tile.spread %factor {axis = 0 : i64} : !r -> !s
    %scaled = arith.mulf %N, %wide : !s
    %next = tile.load %f[%c] {dims = array<i64: 0>} : memref<64xf32> -> !r
    %sum = tile.dot instr(wgmma_rs) %P, %K acc(%scaled) {contract = array<i64: 1, 0>} : !xa, !k -> !s
    scf.yield %sum, %next : !s, !r
  }
  %wide = tile.spread %f1 {axis = 0 : i64} : !r -> !s
  %scaled = arith.mulf %N1, %wide : !s
  %sum = tile.dot instr(wgmma_rs) %P, %K acc(%scaled) {contract = array<i64: 1, 0>} : !xa, !k -> !s
  tile.return
}

// Left alone: an operand that needs values read in this iteration, and mma.sync products.

// CHECK-LABEL: tile.kernel @stays
// CHECK: scf.for {{.*}} iter_args(%[[S:[a-z0-9]*]] = %{{[a-z0-9_]*}})
// CHECK-NEXT: %[[E:.*]] = tile.read
// CHECK-NEXT: %[[D:.*]] = arith.mulf %[[S]], %[[E]]
// CHECK-NEXT: %[[A:.*]] = arith.truncf %[[D]]
// CHECK-NEXT: tile.dot instr(wgmma_rs) %[[A]]
// CHECK: scf.for {{.*}} iter_args(%[[T:[a-z0-9]*]] = %{{[a-z0-9_]*}})
// CHECK-NEXT: %[[B:.*]] = arith.truncf %[[T]]
// CHECK-NEXT: tile.dot instr(mma_m16n8k16) %[[B]]
tile.kernel @stays(%i: index, %n: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : !k
  %F = tile.alloc : memref<64x128xf32, #tile.smem<0>>
  %S0 = arith.constant dense<1.0> : !s
  scf.for %c = %c0 to %n step %c1 iter_args(%S = %S0) -> !s {
    %e = tile.read %F : memref<64x128xf32, #tile.smem<0>> -> !s
    %D = arith.mulf %S, %e : !s
    %Sa = arith.truncf %D : !s to !a
    %X = tile.dot instr(wgmma_rs) %Sa, %K {contract = array<i64: 1, 1>} : !a, !k -> !x
    scf.yield %D : !s
  }
  scf.for %c = %c0 to %n step %c1 iter_args(%S = %S0) -> !s {
    %Sa = arith.truncf %S : !s to !a
    %X = tile.dot instr(mma_m16n8k16) %Sa, %K {contract = array<i64: 1, 1>} : !a, !k -> !x
    scf.yield %S : !s
  }
  tile.return
}
