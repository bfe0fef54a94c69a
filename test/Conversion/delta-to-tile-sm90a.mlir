// A kernel carries the plan of its nest: the chain runs wgmma, the kernel that prepares for it mma.sync, and says so.
// RUN: delta-opt %s --delta-tile-value-pipeline=target=sm_90a | FileCheck %s

// CHECK: tile.kernel @gdn_prepare
// CHECK-SAME: attributes {{{.*}}grid = 3 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 3, columns = 64, residency = alone>, warps = 4 : i64}
// CHECK: tile.kernel @gdn_chain
// CHECK-SAME: attributes {{{.*}}grid = 3 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains>, warps = 4 : i64}
// Grid index 0 counts chains still.
// CHECK: tile.launch @gdn_chain grid(%c2, %c2, %{{.*}})
func.func @gdn(%q: tensor<?x?x1x128xbf16>, %k: tensor<?x?x1x128xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x1x128xbf16>) key(%k : tensor<?x?x1x128xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>, plans = {chain = #plan.kernel<products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains>}} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}

// Row blocks that solve for u, and blocks that read it: the latter wait for nobody, and start with the last
// block of each sequence, which is the longest.

// CHECK: tile.kernel @df_write(%{{.*}}: index {delta.name = "cta"}
// CHECK-SAME: attributes {{{.*}}grid = 1 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, work = queue, group_bytes = 67108864>, warps = 8 : i64}
// CHECK: tile.kernel @df_read(%[[HEAD:[^:]*]]: index {delta.name = "head"}, %[[BATCH:[^:]*]]: index {delta.name = "batch"}, %[[AFTER:[^:]*]]: index {delta.name = "blocks_after"}, %[[Q:[^:]*]]: memref{{.*}}"q"}{{.*}}, %[[BLOCKS:[^:]*]]: index {delta.name = "blocks"})
// CHECK-SAME: attributes {{{.*}}grid = 3 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, work = longest_first>, warps = 8 : i64}
// CHECK: %[[LAST:.*]] = arith.subi %[[BLOCKS]], %c1
// CHECK: %[[BLOCK:.*]] = arith.subi %[[LAST]], %[[AFTER]]
// CHECK: %[[ROW:.*]] = arith.muli %[[BLOCK]], %c128
// CHECK: tile.load %[[Q]][%[[BATCH]], %[[ROW]], %[[HEAD]], %c0]
// CHECK: scf.for %{{.*}} = %c0 to %[[BLOCK]]
// CHECK: %[[COUNT:.*]] = arith.ceildivui %{{.*}}, %c128
// CHECK: tile.launch @df_read grid(%c2, %[[B:.*]], %[[COUNT]]) args(
func.func @df(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>, %w: tensor<?x?x2x64xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>) write(%w : tensor<?x?x2x64xbf16>)
         {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// Where a CTA owns half of the columns of what it reads, both halves of a block are neighbours.

// CHECK: tile.kernel @halves_read(%[[TILE:[^:]*]]: index {delta.name = "head_tile"}, %[[BATCH:[^:]*]]: index {delta.name = "batch"}, %{{[^:]*}}: index {delta.name = "blocks_after"}, %[[Q:[^:]*]]: memref{{.*}}"q"}{{.*}}, %[[U:[^:]*]]: memref{{[^,]*}} {delta.name = "u"}
// CHECK: %[[HEAD:.*]] = arith.divui %[[TILE]], %c2
// CHECK: %[[HALF:.*]] = arith.remui %[[TILE]], %c2
// CHECK: %[[COLUMN:.*]] = arith.muli %[[HALF]], %c64
// CHECK: tile.load %[[Q]][%[[BATCH]], %{{.*}}, %[[HEAD]], %c0]
// CHECK: tile.load %[[U]][%[[BATCH]], %{{.*}}, %[[HEAD]], %[[COLUMN]]]
// CHECK: tile.launch @halves_read grid(%c6, %{{.*}}, %{{.*}}) args(
func.func @halves(%q: tensor<?x?x3x64xbf16>, %k: tensor<?x?x3x64xbf16>, %v: tensor<?x?x3x128xbf16>, %beta: tensor<?x?x3xbf16>) -> tensor<?x?x3x128xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x3x64xbf16>) key(%k : tensor<?x?x3x64xbf16>)
         value(%v : tensor<?x?x3x128xbf16>) beta(%beta : tensor<?x?x3xbf16>)
         {kernel = #delta.kernel<write = exp, read = linear>} -> tensor<?x?x3x128xbf16>
  return %o : tensor<?x?x3x128xbf16>
}
