// A kernel that inverts in a loop, and whose CTAs wait for each of their results, keeps its
// buffers apart while the CTA stays within its share of shared memory, a quarter for four
// warps: 40960 bytes on sm_80, 57344 on sm_90a.
// RUN: delta-opt %s --tile-plan-shared | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: sed s/sm_80/sm_90a/ %s | delta-opt --tile-plan-shared | FileCheck %s --check-prefixes=CHECK,SM90

!keys = tensor<64x128xbf16, #tile.frag<warps = 4>>
!square = tensor<64x64xf32, #tile.frag<warps = 4>>
!narrow = tensor<64x64xbf16, #tile.frag<warps = 4>>
!flat = tensor<64xf32, #tile.flat<warps = 4>>
!vector = memref<64xf32, #tile.smem<0>>

// The scratch of the inverse, keys and %v lie apart. %t does not fit after them on sm_80:
// it shares bytes with the keys, which were last read long before, and not with the
// scratch.

// CHECK-LABEL: tile.kernel @apart
// SM80-SAME: {{.*}}shared_bytes = 35072 : i64
// SM90-SAME: {{.*}}shared_bytes = 43264 : i64
// CHECK: %[[K:.*]] = tile.alloc {offset = 18432 : i64} : memref<64x128xbf16
// CHECK-NEXT: tile.alloc {offset = 0 : i64} : memref<64x64xf32
// SM80-NEXT: tile.alloc {offset = 18432 : i64} : memref<64x64xbf16
// SM90-NEXT: tile.alloc {offset = 34816 : i64} : memref<64x64xbf16
// SM80-NEXT: tile.alloc {offset = 34816 : i64} : memref<64xf32
// SM90-NEXT: tile.alloc {offset = 43008 : i64} : memref<64xf32
tile.kernel @apart(%i: index, %n: index) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64, residency = alone>, grid = 1 : i64, warps = 4 : i64} {
  %k = tile.alloc : memref<64x128xbf16, #tile.smem<128>>
  %s = tile.alloc : memref<64x64xf32, #tile.smem<0>>
  %t = tile.alloc : memref<64x64xbf16, #tile.smem<128>>
  %v = tile.alloc : !vector
  %K = arith.constant dense<1.0> : !keys
  %A = arith.constant dense<0.0> : !square
  %g = arith.constant dense<0.0> : !flat
  tile.write %K, %k : !keys, memref<64x128xbf16, #tile.smem<128>>
  %0 = tile.read %k : memref<64x128xbf16, #tile.smem<128>> -> !keys
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    %M = tile.tri_inverse %A scratch(%s : memref<64x64xf32, #tile.smem<0>>) : !square
    %T = arith.truncf %M : !square to !narrow
    tile.write %T, %t : !narrow, memref<64x64xbf16, #tile.smem<128>>
    %1 = tile.read %t : memref<64x64xbf16, #tile.smem<128>> -> !narrow
    tile.write %g, %v : !flat, !vector
    %2 = tile.read %v : !vector -> !flat
  }
  tile.return
}

// A kernel that inverts once takes as few bytes as possible.

// CHECK-LABEL: tile.kernel @once
// CHECK-SAME: {{.*}}shared_bytes = 18432 : i64
// CHECK: tile.alloc {offset = 0 : i64}
// CHECK-NEXT: tile.alloc {offset = 0 : i64}
tile.kernel @once(%i: index) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64, residency = alone>, grid = 1 : i64, warps = 4 : i64} {
  %s = tile.alloc : memref<64x64xf32, #tile.smem<0>>
  %v = tile.alloc : !vector
  %A = arith.constant dense<0.0> : !square
  %g = arith.constant dense<0.0> : !flat
  %M = tile.tri_inverse %A scratch(%s : memref<64x64xf32, #tile.smem<0>>) : !square
  tile.write %g, %v : !flat, !vector
  %0 = tile.read %v : !vector -> !flat
  tile.return
}

// A kernel without an inverse takes as few bytes as possible.

// CHECK-LABEL: tile.kernel @together
// CHECK-SAME: {{.*}}shared_bytes = 16384 : i64
// CHECK: tile.alloc {offset = 0 : i64}
// CHECK-NEXT: tile.alloc {offset = 0 : i64}
tile.kernel @together(%i: index) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %k = tile.alloc : memref<64x128xbf16, #tile.smem<128>>
  %v = tile.alloc : !vector
  %K = arith.constant dense<1.0> : !keys
  %g = arith.constant dense<0.0> : !flat
  tile.write %K, %k : !keys, memref<64x128xbf16, #tile.smem<128>>
  %0 = tile.read %k : memref<64x128xbf16, #tile.smem<128>> -> !keys
  tile.write %g, %v : !flat, !vector
  %1 = tile.read %v : !vector -> !flat
  tile.return
}
