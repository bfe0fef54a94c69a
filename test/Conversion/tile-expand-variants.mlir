// RUN: delta-opt %s --tile-expand-variants --split-input-file --mlir-use-nameloc-as-prefix | FileCheck %s

// Two kernels, and a choice among them for each launch.
// CHECK: tile.kernel @chain_by1({{.*}}column_tiles = 1 : i64
// CHECK: tile.kernel @chain_by2({{.*}}column_tiles = 2 : i64
// CHECK-NOT: tile.kernel @chain(
tile.kernel @chain(%i: index, %h: index, %b: index) attributes {grid = 3 : i64, warps = 4 : i64, column_tiles = 1 : i64,
    delta.schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 3, column_tiles = [1, 2]>} {
  tile.return
}
// A kernel without chains has no variants.
// CHECK: tile.kernel @prepare(
tile.kernel @prepare(%h: index) attributes {grid = 1 : i64, warps = 4 : i64,
    delta.schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 3, column_tiles = [1, 2]>} {
  tile.return
}
// CHECK-LABEL: func.func @host
// CHECK-SAME: (%[[B:.*]]: index)
// CHECK: tile.launch @prepare
// CHECK: %[[SMS:.*]] = tile.multiprocessors
// CHECK: %[[HEADS:.*]] = arith.muli %[[C2:.*]], %[[C8:.*]] :
// CHECK: %[[CHAINS:.*]] = arith.muli %[[HEADS]], %[[B]]
// A cost for each wave of CTAs, and one for each half of a wave.
// CHECK: %[[WAVES1:.*]] = arith.ceildivui %[[CHAINS]], %[[SMS]]
// CHECK: %[[TIMES1:.*]] = arith.muli %[[WAVES1]], %
// CHECK: %[[TWICE1:.*]] = arith.muli %[[CHAINS]], %
// CHECK: %[[HALVES1:.*]] = arith.ceildivui %[[TWICE1]], %[[SMS]]
// CHECK: %[[MORE1:.*]] = arith.muli %[[HALVES1]], %
// CHECK: %[[TIME1:.*]] = arith.addi %[[TIMES1]], %[[MORE1]]
// CHECK: %[[PAIRS:.*]] = arith.ceildivui %[[CHAINS]], %
// CHECK: %[[WAVES2:.*]] = arith.ceildivui %[[PAIRS]], %[[SMS]]
// CHECK: %[[TIMES2:.*]] = arith.muli %[[WAVES2]], %
// CHECK: %[[TIME2:.*]] = arith.addi %[[TIMES2]], %
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

// One chain a head: it has no neighbour.
// CHECK: tile.kernel @chain({{.*}}column_tiles = 1 : i64
// CHECK-LABEL: func.func @single
// CHECK-NOT: scf.if
// CHECK: tile.launch @chain grid
tile.kernel @chain(%i: index, %h: index, %b: index) attributes {grid = 3 : i64, warps = 4 : i64, column_tiles = 1 : i64,
    delta.schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 3, column_tiles = [1, 2]>} {
  tile.return
}
func.func @single(%B: index) {
  %c1 = arith.constant 1 : index
  tile.launch @chain grid(%c1, %B, %B) args()
  return
}
