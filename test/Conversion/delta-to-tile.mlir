// Kernels in value form: orientation, explicit rounding, arguments, launches.
// RUN: delta-opt %s --split-input-file --delta-tile-value-pipeline --mlir-use-nameloc-as-prefix | FileCheck %s

// The chain is transposed: a CTA owns 64 of the 128 value columns and keeps S^T.
// CHECK-LABEL: tile.kernel @gdn_prepare
// CHECK-SAME: grid = 3 : i64, plan = #plan.kernel<{{.*}}>, warps = 4 : i64
// Keys are normalised and rounded once; the rounded tile is both operands.
// CHECK: %[[KN:.*]] = arith.truncf %{{.*}} : tensor<64x128xf32> to tensor<64x128xbf16>
// CHECK: tile.dot %[[KN]], %[[KN]]
// T = M diag(beta) is only stored, and rounded to bf16: column by column, from an
// inverse that is no more precise.
// CHECK: %[[BETA:beta_i]] = tile.spread %{{.*}} {axis = 0 : i64}
// CHECK: %[[M:.*]] = tile.tri_inverse precision(tf32) %{{.*}} {entry_bound = 1.00782776 : f32, transposed}
// CHECK: %[[T:.*]] = arith.mulf %[[M]], %[[BETA]]
// CHECK: %[[TA:.*]] = arith.truncf %[[T]]
// CHECK: tile.store %[[TA]], {{.*}}dims = array<i64: 4, 3>
// CHECK-LABEL: tile.kernel @gdn_chain
// CHECK-SAME: grid = 3 : i64, plan = #plan.kernel<{{.*}}>, warps = 4 : i64
// CHECK: tile.load {{.*}}dims = array<i64: 3, 2>{{.*}} -> tensor<64x128xf32>
// CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = {{.*}}) -> (tensor<64x128xf32>)
// CHECK: %[[SA:.*]] = arith.truncf %[[S]] : tensor<64x128xf32> to tensor<64x128xbf16>
// CHECK: %[[KS:.*]] = tile.dot %[[SA]], %[[K:.*]] {contract = array<i64: 1, 1>}
// Values are read transposed, tokens along the second axis.
// CHECK: tile.load {{.*}}bound_axis = 1 : i64, dims = array<i64: 3, 1>{{.*}} -> tensor<64x64xbf16>
// CHECK: %[[X:.*]] = arith.subf
// CHECK: %[[XA:.*]] = arith.truncf %[[X]]
// CHECK: tile.dot %[[XA]], %{{.*}} b_part(lower) {contract = array<i64: 1, 1>}
// CHECK: tile.store {{.*}}dims = array<i64: 3, 1>
// S' = e S + U^T K, with the keys contracted along their rows.
// CHECK: tile.dot %{{.*}}, %[[K]] acc({{.*}}) {contract = array<i64: 1, 0>}
// CHECK-LABEL: func.func @gdn
// CHECK: tile.launch @gdn_prepare grid(
// CHECK: tile.launch @gdn_chain grid(
func.func @gdn(%q: tensor<?x?x1x128xbf16>, %k: tensor<?x?x1x128xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>, %g: tensor<?x?x2xf32>, %s0: tensor<?x2x128x128xf32>) -> (tensor<?x?x2x128xbf16>, tensor<?x2x128x128xf32>) {
  %qn = delta.l2norm %q : tensor<?x?x1x128xbf16> -> tensor<?x?x1x128xbf16>
  %kn = delta.l2norm %k : tensor<?x?x1x128xbf16> -> tensor<?x?x1x128xbf16>
  %b = delta.sigmoid %beta : tensor<?x?x2xbf16> -> tensor<?x?x2xf32>
  %o, %s = delta.recurrence query(%qn : tensor<?x?x1x128xbf16>) key(%kn : tensor<?x?x1x128xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%b : tensor<?x?x2xf32>) decay(%g : tensor<?x?x2xf32>) initial(%s0 : tensor<?x2x128x128xf32>)
         {kernel = #delta.kernel<linear>, chunk = 64} -> tensor<?x?x2x128xbf16>, state(tensor<?x2x128x128xf32>)
  return %o, %s : tensor<?x?x2x128xbf16>, tensor<?x2x128x128xf32>
}

// -----

// Four steps a token: 16 tokens in 64 rows. P has 16 rows, fewer than a CTA's warps
// hold, so it is computed transposed and stored as the chain reads it.
// CHECK-LABEL: tile.kernel @product_prepare
// CHECK: tile.dot %{{.*}} : tensor<64x64xf16>, tensor<16x64xf16> -> tensor<64x16xf32>
// CHECK: tile.mask upper %{{.*}} {row_steps = 4 : i64} : tensor<64x16xf32>
// CHECK: tile.store {{.*}}bound_axis = 1 : i64, dims = array<i64: 4, 3>{{.*}} : tensor<64x16xf16>, memref<?x?x2x16x64xf16>
// In f16, and with keys of any length, the inverse keeps the precision of f32.
// CHECK: tile.tri_inverse %{{.*}} {transposed}
// CHECK-LABEL: tile.kernel @product_chain
// CHECK: tile.dot {{.*}} b_part(lower) {b_col_steps = 4 : i64, contract = array<i64: 1, 1>}
func.func @product(%q: tensor<?x?x2x64xf16>, %k: tensor<?x?x4x2x64xf16>, %v: tensor<?x?x4x2x64xf16>, %beta: tensor<?x?x4x2xf32>) -> tensor<?x?x2x64xf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xf16>) key(%k : tensor<?x?x4x2x64xf16>)
         value(%v : tensor<?x?x4x2x64xf16>) beta(%beta : tensor<?x?x4x2xf32>)
         {kernel = #delta.kernel<linear>, steps = 4 : i64} -> tensor<?x?x2x64xf16>
  return %o : tensor<?x?x2x64xf16>
}
