// RUN: delta-opt %s --tile-expand-variants --split-input-file --mlir-use-nameloc-as-prefix | FileCheck %s

// Two kernels, and a choice among them for each launch.
// CHECK: tile.kernel @chain_by1({{.*}}split = chains>
// CHECK: tile.kernel @chain_by2({{.*}}chains = 2, split = chains>
// CHECK-NOT: tile.kernel @chain(
tile.kernel @chain(%i: index, %h: index, %b: index) attributes {grid = 3 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>, alternatives = [#plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>, #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains>]} {
  tile.return
}
// A kernel without chains has no variants.
// CHECK: tile.kernel @prepare(
tile.kernel @prepare(%h: index) attributes {grid = 1 : i64, warps = 4 : i64,
    plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 3, columns = 64>} {
  tile.return
}
// CHECK-LABEL: func.func @host
// CHECK-SAME: (%[[B:.*]]: index)
// CHECK: tile.launch @prepare
// CHECK: %[[SMS:.*]] = tile.multiprocessors
// CHECK: %[[HEADS:.*]] = arith.muli %[[C2:.*]], %[[C8:.*]] :
// CHECK: %[[CHAINS:.*]] = arith.muli %[[HEADS]], %[[B]]
// CHECK: %[[TIME1:.*]] = tile.chunk_time %[[CHAINS]] on %[[SMS]] {half = 110 : i64, tiles = 1 : i64, wave = 800 : i64}
// CHECK: %[[TIME2:.*]] = tile.chunk_time %[[CHAINS]] on %[[SMS]] {half = 450 : i64, tiles = 2 : i64, wave = 1000 : i64}
// CHECK: %[[FASTER:.*]] = arith.cmpi ult, %[[TIME2]], %[[TIME1]]
// CHECK: scf.if %[[FASTER]] {
// CHECK: tile.launch @chain_by2 grid(%[[C2]], %[[C8]], %[[B]])
// CHECK: } else {
// CHECK: tile.launch @chain_by1 grid(%[[C2]], %[[C8]], %[[B]])
// CHECK: scf.if
// CHECK: tile.launch @chain_by2 grid(%[[C2]], %[[C2]], %[[B]])
func.func @host(%B: index) {
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  tile.launch @prepare grid(%c8) args()
  tile.launch @chain grid(%c2, %c8, %B) args()
  tile.launch @chain grid(%c2, %c2, %B) args()
  return
}

// -----

// One chain per head: no chain has a neighbour.
// CHECK: tile.kernel @chain({{.*}}split = chains>
// CHECK-LABEL: func.func @single
// CHECK-NOT: scf.if
// CHECK: tile.launch @chain grid
tile.kernel @chain(%i: index, %h: index, %b: index) attributes {grid = 3 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>, alternatives = [#plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>, #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains>]} {
  tile.return
}
func.func @single(%B: index) {
  %c1 = arith.constant 1 : index
  tile.launch @chain grid(%c1, %B, %B) args()
  return
}
