// RUN: delta-opt %s --canonicalize --cse | FileCheck %s

// In the final form the order of ops has a meaning: generic passes neither merge nor drop
// nor move accesses to shared memory. The same products on tensors are pure.

!a = tensor<16x16xbf16, #tile.frag<warps = 1>>
!d = tensor<16x16xf32, #tile.frag<warps = 1>>
!b = memref<16x16xbf16, #tile.smem<32>>

// CHECK-LABEL: func.func @shared
// CHECK: %[[B:.*]] = tile.alloc
// CHECK: tile.dot
// CHECK-NEXT: tile.write
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.dot
// CHECK-NEXT: return
func.func @shared(%a: !a) {
  %b = tile.alloc : !b
  %x = tile.dot instr(mma_m16n8k16) %a, %b {contract = array<i64: 1, 1>} : !a, !b -> !d
  tile.write %a, %b : !a, !b
  tile.barrier
  tile.barrier
  %y = tile.dot instr(mma_m16n8k16) %a, %b {contract = array<i64: 1, 1>} : !a, !b -> !d
  return
}

// CHECK-LABEL: func.func @values
// CHECK-NEXT: %[[X:.*]] = tile.dot
// CHECK-NEXT: return %[[X]], %[[X]]
func.func @values(%a: tensor<16x16xbf16>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %x = tile.dot %a, %a {contract = array<i64: 1, 1>} : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
  %y = tile.dot %a, %a {contract = array<i64: 1, 1>} : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
  %unused = tile.dot %a, %a {contract = array<i64: 1, 0>} : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
  return %x, %y : tensor<16x16xf32>, tensor<16x16xf32>
}
