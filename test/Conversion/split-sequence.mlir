// A chain over a sequence becomes maps of its segments, the states between them, and
// the chain over each segment.
// RUN: delta-opt %s --delta-chunk --delta-split-kernels --delta-split-sequence=segments=3 --mlir-use-nameloc-as-prefix | FileCheck %s
// RUN: delta-opt %s --delta-chunk --delta-split-kernels --delta-split-sequence --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=COST

// CHECK-LABEL: func.func @gdn
// Segments of equal length, at least one chunk.
// CHECK: %[[CHUNKS:.*]] = arith.ceildivui
// CHECK: scf.forall ({{.*}}, {{.*}}, {{.*}}) in
// CHECK: %[[UP:.*]] = arith.ceildivui %[[CHUNKS]], %{{.*}}
// CHECK: %[[LENGTH:.*]] = arith.maxui %[[UP]], %{{.*}}
// CHECK: %[[COUNT:.*]] = arith.ceildivui %[[CHUNKS]], %[[LENGTH]]
// CHECK: %[[SPLIT:.*]] = arith.cmpi ult, %{{.*}}, %[[COUNT]]
// CHECK: %[[SEGMENTS:.*]] = arith.select %[[SPLIT]], %[[COUNT]], %{{.*}}
// CHECK: %[[SOME:.*]] = arith.maxui %[[SEGMENTS]], %{{.*}}
// CHECK: %[[TRANSFERRED:.*]] = arith.subi %[[SOME]], %{{.*}}
// CHECK: %[[MAPS:.*]] = memref.alloc({{.*}}) {delta.name = "transfers"} : memref<?x2x128x256xf32>
// CHECK: %[[STARTS:.*]] = memref.alloc({{.*}}) {delta.name = "starts"} : memref<?x2x128x128xf32>
// CHECK: scf.if %[[SPLIT]] {

// N from zeros and M from the identity: a part is a state wide. Nothing but the state
// is stored, so nothing reads Q and P.
// CHECK: scf.forall (%[[WORK:.*]], %[[HEAD:.*]]) in (%{{.*}}, 2) {
// CHECK: %[[PART:.*]] = arith.remui %[[WORK]], %{{.*}}
// CHECK: %[[MAP:.*]] = arith.divui %[[WORK]], %{{.*}}
// CHECK: %[[SEGMENT:.*]] = arith.remui %[[MAP]], %[[TRANSFERRED]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[SEGMENT]], %[[LENGTH]]
// CHECK: %[[COLUMN:.*]] = arith.muli %[[PART]], %{{.*}}
// CHECK: %[[DIAGONAL:.*]] = arith.subi %{{.*}}, %[[COLUMN]]
// CHECK: %[[ONE:.*]] = delta.identity %[[DIAGONAL]]
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[LENGTH]] step %{{.*}} iter_args({{.*}} = %[[ONE]])
// CHECK: arith.addi %[[FIRST]], %[[I]]
// Values of M's columns start behind the sequence, where there are none.
// CHECK: %[[PAST:.*]] = arith.muli %[[PART]], %[[T:[a-z0-9_]+]]
// CHECK: %[[MOVED:.*]] = arith.addi %{{.*}}, %[[PAST]]
// CHECK: %[[START:.*]] = arith.minui %[[MOVED]], %[[T]]
// CHECK: %[[REST:.*]] = arith.subi %[[T]], %[[START]]
// CHECK: %[[ROWS:.*]] = arith.minui %[[REST]], %{{.*}}
// CHECK: delta.load %{{.*}}[%{{.*}}, %[[START]], %[[HEAD]], %{{.*}}] rows(%[[ROWS]])
// CHECK: delta.apply
// CHECK-NOT: delta.apply
// CHECK: delta.update
// CHECK: delta.store %{{.*}}, %[[MAPS]][%[[MAP]], %[[HEAD]], %{{.*}}, %[[COLUMN]]] dims [2, 3]
// CHECK: delta.nest = #delta.nest<kind = scan, name = "transfer", {{.*}}>}

// S' = N + M S, in three products: rounded and rest of both, without rest times rest.
// CHECK: scf.forall (%[[B:.*]], %[[HEAD:.*]]) in (%{{.*}}, 2) {
// CHECK: delta.store %[[S0:.*]], %[[STARTS]]
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[TRANSFERRED]] step %{{.*}} iter_args(%[[S:.*]] = %[[S0]]) -> (tensor<128x128xf32>)
// CHECK: %[[OF_BATCH:.*]] = arith.muli %[[B]], %[[TRANSFERRED]]
// CHECK: %[[MAP:.*]] = arith.addi %[[OF_BATCH]], %[[I]]
// CHECK: %[[BEHIND_N:.*]] = arith.constant 128 : index
// CHECK: %[[M:.*]] = delta.load %[[MAPS]][%[[MAP]], %[[HEAD]], %{{.*}}, %[[BEHIND_N]]] dims [2, 3] : memref<?x2x128x256xf32> -> tensor<128x128xf32>
// CHECK: %[[NARROW_M:.*]] = arith.truncf %[[M]]
// CHECK: %[[MR:.*]] = arith.extf %[[NARROW_M]]
// CHECK: %[[WIDE_M:.*]] = arith.subf %[[M]], %[[MR]]
// CHECK: %[[NARROW_M:.*]] = arith.truncf %[[WIDE_M]]
// CHECK: %[[M_REST:.*]] = arith.extf %[[NARROW_M]]
// CHECK: %[[NARROW:.*]] = arith.truncf %[[S]] : tensor<128x128xf32> to tensor<128x128xbf16>
// CHECK: %[[SR:.*]] = arith.extf %[[NARROW]]
// CHECK: %[[WIDE_REST:.*]] = arith.subf %[[S]], %[[SR]]
// CHECK: %[[NARROW_REST:.*]] = arith.truncf %[[WIDE_REST]]
// CHECK: %[[S_REST:.*]] = arith.extf %[[NARROW_REST]]
// CHECK: %[[N:.*]] = delta.load %[[MAPS]][%[[MAP]], %[[HEAD]], %{{.*}}, %{{.*}}] dims [2, 3] : memref<?x2x128x256xf32> -> tensor<128x128xf32>
// CHECK: %[[S1:.*]] = delta.apply %[[M_REST]], %[[SR]] part<full>
// CHECK: %[[S2:.*]] = delta.apply %[[MR]], %[[S_REST]] acc(%[[S1]] : {{.*}}) part<full>
// CHECK: %[[S3:.*]] = delta.apply %[[MR]], %[[SR]] acc(%[[N]] : {{.*}}) part<full>
// CHECK: %[[NEXT:.*]] = arith.addf %[[S3]], %[[S2]]
// CHECK: delta.store %[[NEXT]], %[[STARTS]]
// CHECK: scf.yield %[[NEXT]]
// CHECK: delta.nest = #delta.nest<kind = segment_fold, name = "combine", {{.*}}>}

// The chain as it was, from the segment's state on; the last one's state is stored.
// CHECK: scf.forall (%[[WORK:.*]], %[[HEAD:.*]]) in (%{{.*}}, 2) {
// CHECK: %[[SEGMENT:.*]] = arith.remui %[[WORK]], %[[SEGMENTS]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[SEGMENT]], %[[LENGTH]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[CHUNKS]], %[[FIRST]]
// CHECK: %[[HERE:.*]] = arith.minui %[[LEFT]], %[[LENGTH]]
// CHECK: %[[S0:.*]] = delta.load %[[STARTS]][%[[WORK]], %[[HEAD]], %{{.*}}, %{{.*}}]
// CHECK: %[[LAST:.*]] = scf.for %{{.*}} to %[[HERE]] step %{{.*}} iter_args({{.*}} = %[[S0]])
// CHECK: delta.store {{.*}}, %arg6[
// CHECK: %[[NEXT:.*]] = arith.addi %[[SEGMENT]], %{{.*}}
// CHECK: %[[IS_LAST:.*]] = arith.cmpi eq, %[[NEXT]], %[[SEGMENTS]]
// CHECK: %[[ROWS:.*]] = arith.select %[[IS_LAST]], %{{.*}}, %{{.*}}
// CHECK: delta.store %[[LAST]], %{{.*}} rows(%[[ROWS]]) dims [2, 3]
// CHECK: delta.nest = #delta.nest<kind = scan, name = "segments", {{.*}}>}

// One segment: nothing changes.
// CHECK: } else {
// CHECK: scf.forall ({{.*}}, {{.*}}) in ({{.*}}, 2) {
// CHECK: scf.for {{.*}} to %[[CHUNKS]]
// CHECK-NOT: delta.name

// The count that costs least among four, and one segment: 2 heads of 2 chains.
// COST-LABEL: func.func @gdn
// COST: %[[SMS:.*]] = tile.multiprocessors
// COST: %[[FOUR:.*]] = arith.constant 4 : index
// COST: %[[CHAINS:.*]] = arith.muli %{{.*}}, %[[FOUR]] : index
// COST: %[[COUNT:.*]], %[[LENGTH:.*]] = tile.choose_segments %{{.*}} of %[[CHAINS]] on %[[SMS]]
// COST-SAME: {costs = array<i64: 1900, 0, 1900, 0, 1400, 0, 1400, 0, 2350, 7000>, parts = 2 : i64, tiles = array<i64: 1>}
// COST: %[[SPLIT:.*]] = arith.cmpi ult, %{{.*}}, %[[COUNT]]
// COST: scf.if %[[SPLIT]]
func.func @gdn(%q: tensor<?x?x1x128xbf16>, %k: tensor<?x?x1x128xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>, %g: tensor<?x?x2xf32>, %s0: tensor<?x2x128x128xf32>) -> (tensor<?x?x2x128xbf16>, tensor<?x2x128x128xf32>) {
  %kn = delta.l2norm %k : tensor<?x?x1x128xbf16> -> tensor<?x?x1x128xbf16>
  %b = delta.sigmoid %beta : tensor<?x?x2xbf16> -> tensor<?x?x2xf32>
  %o, %s = delta.recurrence query(%q : tensor<?x?x1x128xbf16>) key(%kn : tensor<?x?x1x128xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%b : tensor<?x?x2xf32>) decay(%g : tensor<?x?x2xf32>) initial(%s0 : tensor<?x2x128x128xf32>)
         {kernel = #delta.kernel<linear>, chunk = 64, plans = {chain = [#plan.kernel<machine = <"sm_90">, products = mma_sync, copies = cp_async, stages = 2, columns = 64, work = segments>]}}
         -> tensor<?x?x2x128xbf16>, state(tensor<?x2x128x128xf32>)
  return %o, %s : tensor<?x?x2x128xbf16>, tensor<?x2x128x128xf32>
}

// A plan that does not ask for it.
// CHECK-LABEL: func.func @whole
// CHECK-NOT: scf.if
// CHECK: return
func.func @whole(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xf32>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xf32>)
         {kernel = #delta.kernel<linear>, plans = {chain = [#plan.kernel<machine = <"sm_90">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>]}} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}
