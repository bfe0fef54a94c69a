// A product is masked where somebody sees what lies outside of its part.
// RUN: delta-opt %s --convert-delta-to-tile --mlir-use-nameloc-as-prefix | FileCheck %s

// An inverse looks below the diagonal alone, whatever scales its operand; a decay looks
// at its own part.
// CHECK-LABEL: tile.kernel @masks_prepare
// CHECK: tile.dot
// CHECK-NOT: tile.mask
// CHECK: tile.tri_inverse
// CHECK: tile.store
// A store sees everything, and a scale what its users see.
// CHECK: tile.dot
// CHECK: tile.mask lower
// CHECK: arith.mulf
// CHECK: tile.store
// The product of which the decay sees a part is not masked; the decay, which is stored, is.
// CHECK: tile.dot
// CHECK-NOT: tile.mask
// CHECK: math.exp2
// CHECK: tile.mask strict_lower
// CHECK: tile.store
func.func @masks(%k: memref<?x?x2x64xbf16>, %f: memref<?x?x2xf32>, %m: memref<?x?x2x3x64x64xf32>, %B: index, %n: index) attributes {
    delta.plans = {prepare = [#plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>]}} {
  scf.forall (%b, %c, %h) in (%B, %n, 2) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %K = delta.load %k[%b, %c0, %h, %c0] rows(%c1) dims [1, 3] : memref<?x?x2x64xbf16> -> tensor<64x64xf32>
    %F = delta.load %f[%b, %c0, %h] rows(%c1) dims [1] : memref<?x?x2xf32> -> tensor<64xf32>
    %KK = delta.gram %K, %K part<strict_lower> {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %D = delta.decay %KK, %F, %F part<strict_lower> : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>
    %A = delta.scale %D, %F {axis = 0 : i64} : tensor<64x64xf32>, tensor<64xf32>
    %T = delta.tri_inverse %A : tensor<64x64xf32>
    delta.store %T, %m[%b, %c, %h, %c0, %c0, %c0] dims [4, 5] : tensor<64x64xf32>, memref<?x?x2x3x64x64xf32>
    %P = delta.gram %K, %K part<lower> {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %PS = delta.scale %P, %F {axis = 0 : i64} : tensor<64x64xf32>, tensor<64xf32>
    delta.store %PS, %m[%b, %c, %h, %c1, %c0, %c0] dims [4, 5] : tensor<64x64xf32>, memref<?x?x2x3x64x64xf32>
    %Q = delta.gram %K, %K part<lower> {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %QD = delta.decay %Q, %F, %F part<strict_lower> : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>
    delta.store %QD, %m[%b, %c, %h, %c2, %c0, %c0] dims [4, 5] : tensor<64x64xf32>, memref<?x?x2x3x64x64xf32>
    scf.forall.in_parallel {
    }
  } {delta.nest = #delta.nest<kind = intra_chunk, name = "prepare", axes = ["batch", "chunk", "head"]>}
  return
}
