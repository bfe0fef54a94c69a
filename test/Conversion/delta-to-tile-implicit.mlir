// Implicit features as kernels in value form: tickets, flags, online softmax, explicit rounding.
// RUN: delta-opt %s --split-input-file --delta-tile-value-pipeline --mlir-use-nameloc-as-prefix | FileCheck %s

// Tied: one kernel. CTAs draw (group, block, batch, head), blocks ascending, all sequences of a
// group in turn; a line of the workspace a sequence, its flag behind the ticket.
// CHECK-LABEL: tile.kernel @tied_write
// CHECK-SAME: %[[U:[^:]+]]: memref<?x?x2x64xbf16> {delta.name = "u"}
// CHECK-SAME: %[[PROGRESS:[^:]+]]: memref<?xi32> {delta.name = "progress"}
// CHECK-SAME: %[[BATCHES:[^:]+]]: index {delta.name = "batches"}
// CHECK-SAME: %[[SIZE:[^:]+]]: index {delta.name = "group_chains"}
// CHECK-SAME: %[[GROUP_ITEMS:[^:]+]]: index {delta.name = "group_items"}
// CHECK-SAME: grid = 1 : i64, plan = #plan.kernel<{{.*}}work = queue, {{.*}}>, warps = 4 : i64
// CHECK: %[[ITEM:.*]] = tile.ticket %[[PROGRESS]]
// CHECK: %[[ITEM32:.*]] = arith.index_cast %[[ITEM]] : index to i32
// CHECK: %[[GROUP_ITEMS32:.*]] = arith.index_cast %[[GROUP_ITEMS]] : index to i32
// CHECK: %[[GROUP32:.*]] = arith.divui %[[ITEM32]], %[[GROUP_ITEMS32]] : i32
// CHECK: %[[GROUP:.*]] = arith.index_cast %[[GROUP32]]
// CHECK: %[[BEFORE:.*]] = arith.muli %[[GROUP]], %[[GROUP_ITEMS]]
// CHECK: %[[OWN:.*]] = arith.subi %[[ITEM]], %[[BEFORE]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[GROUP]], %[[SIZE]]
// CHECK: %[[CHAINS:.*]] = arith.muli %[[BATCHES]], %{{.*}}
// The last group may be smaller.
// CHECK: %[[LEFT:.*]] = arith.subi %[[CHAINS]], %[[FIRST]]
// CHECK: %[[TOGETHER:.*]] = arith.minui %[[LEFT]], %[[SIZE]]
// CHECK: %[[OWN32:.*]] = arith.index_cast %[[OWN]] : index to i32
// CHECK: %[[TOGETHER32:.*]] = arith.index_cast %[[TOGETHER]] : index to i32
// CHECK: %[[BLOCK32:.*]] = arith.divui %[[OWN32]], %[[TOGETHER32]] : i32
// CHECK: %[[BLOCK:.*]] = arith.index_cast %[[BLOCK32]]
// CHECK: %[[WHOLE:.*]] = arith.muli %[[BLOCK]], %[[TOGETHER]]
// CHECK: %[[IN_GROUP:.*]] = arith.subi %[[OWN]], %[[WHOLE]]
// CHECK: %[[SEQUENCE:.*]] = arith.addi %[[FIRST]], %[[IN_GROUP]]
// CHECK: arith.remui %[[SEQUENCE]]
// CHECK: arith.divui %[[SEQUENCE]]
// CHECK: %[[LINE:.*]] = arith.muli %[[SEQUENCE]], %{{.*}}
// CHECK: %[[FLAG:.*]] = arith.addi %[[LINE]], %{{.*}}

// The query is loaded once, in front of the loop; keys, then scores, then the late part.
// CHECK: %[[Q:Q]] = tile.load
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[BLOCK]]
// CHECK: %[[K:.*]] = tile.load
// CHECK: %[[S:.*]] = tile.dot %[[Q]], %[[K]] {contract = array<i64: 1, 1>}
// CHECK: tile.expect %[[PROGRESS]][%[[FLAG]]]
// CHECK: tile.load %[[U]]
// CHECK: tile.dot {{.*}}contract = array<i64: 1, 0>
// The largest score of a row before the scale; the exponent of an element is one product and
// one difference.
// CHECK: tile.reduce max %[[S]]
// CHECK: %[[EXPONENT:.*]] = arith.mulf %[[S]]
// CHECK: %[[MAX:.*]] = tile.spread
// CHECK: %[[BELOW:.*]] = arith.subf %[[EXPONENT]], %[[MAX]]
// CHECK: math.exp2 %[[BELOW]]
// CHECK: arith.truncf %{{.*}} : tensor<64x64xf32> to tensor<64x64xbf16>

// The diagonal block: what its part leaves out is no maximum, and weighs nothing.
// CHECK: %[[SCORES:.*]] = tile.dot %[[Q]]
// The row's own score is the diagonal of the product.
// CHECK: tile.diagonal %[[SCORES]]
// CHECK: %[[PRESENT:.*]] = tile.mask strict_lower %[[SCORES]] {fill = 0xFF800000 : f32}
// CHECK: tile.reduce max %[[PRESENT]]
// CHECK: %[[EXPONENT:.*]] = arith.mulf %[[PRESENT]]
// CHECK: %[[BELOW:.*]] = arith.subf %[[EXPONENT]]
// CHECK: math.exp2 %[[BELOW]]
// CHECK-NOT: tile.mask
// CHECK: tile.tri_inverse %{{.*}} {row_stochastic}
// The last wait, then one product to the residual and one to u.
// CHECK: tile.expect %[[PROGRESS]][%[[FLAG]]]
// CHECK: tile.load %[[U]]
// CHECK: %[[R:.*]] = arith.subf
// CHECK: %[[RA:.*]] = arith.truncf %[[R]]
// CHECK: %[[NEW:.*]] = tile.dot %{{.*}}, %[[RA]]
// CHECK: %[[NEWA:.*]] = arith.truncf %[[NEW]]
// CHECK: tile.store %[[NEWA]], %[[U]]
// CHECK-NEXT: tile.signal %[[PROGRESS]][%[[FLAG]]]
// CHECK: tile.store
// CHECK: tile.return

// u is kept rounded, counters and flags are cleared in front of the launch.
// CHECK-LABEL: func.func @tied
// CHECK: memref.alloc({{.*}}) {delta.name = "u"} : memref<?x?x2x64xbf16>
// CHECK: %[[HOST:.*]] = memref.alloc({{.*}}) {delta.name = "progress"} : memref<?xi32>
// CHECK: tile.clear %[[HOST]]
// Groups of 4096 blocks: 64 MiB of keys and u.
// CHECK: %[[ALL:.*]] = arith.muli
// CHECK: %[[FULL:.*]] = arith.divui %[[ALL]], %c4096
// CHECK: %[[GROUPS:.*]] = arith.maxui %[[FULL]], %c1
// CHECK: %[[GROUP_SIZE:.*]] = arith.ceildivui %{{.*}}, %[[GROUPS]]
// CHECK: %[[IN_GROUP:.*]] = arith.muli %[[GROUP_SIZE]]
// CHECK: tile.launch @tied_write grid(%{{.*}}) args({{.*}}, %[[GROUP_SIZE]], %[[IN_GROUP]]
func.func @tied(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %b = delta.sigmoid %beta : tensor<?x?x2xbf16> -> tensor<?x?x2xf32>
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%b : tensor<?x?x2xf32>)
         {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// A write query of its own: the chain writes u alone; a second kernel, whose blocks wait for
// nobody, reads it. Kernels of single scores have no row statistics.
// CHECK-LABEL: tile.kernel @general_write
// CHECK: tile.ticket
// CHECK: math.roundeven
// CHECK: tile.signal
// CHECK-NOT: tile.store
// CHECK: tile.return
// CHECK-LABEL: tile.kernel @general_read
// CHECK-SAME: %{{[^:]+}}: index {delta.name = "block"}, %{{[^:]+}}: index {delta.name = "head"}, %{{[^:]+}}: index {delta.name = "batch"}
// CHECK-SAME: grid = 3 : i64
// CHECK-NOT: tile.expect
// CHECK: %[[RELU:.*]] = arith.maximumf
// CHECK: tile.mask lower %{{.*}} : tensor
// CHECK-LABEL: func.func @general
// CHECK: tile.clear
// CHECK: tile.launch @general_write
// CHECK: tile.launch @general_read
func.func @general(%q: tensor<?x?x2x64xf16>, %k: tensor<?x?x2x64xf16>, %v: tensor<?x?x4x128xf16>, %beta: tensor<?x?x4xf32>, %w: tensor<?x?x2x64xf16>) -> (tensor<?x?x4x128xf16>, tensor<?x?x4x128xf16>) {
  %o, %u = delta.recurrence query(%q : tensor<?x?x2x64xf16>) key(%k : tensor<?x?x2x64xf16>)
         value(%v : tensor<?x?x4x128xf16>) beta(%beta : tensor<?x?x4xf32>) write(%w : tensor<?x?x2x64xf16>)
         {kernel = #delta.kernel<write = round, read = relu>} -> tensor<?x?x4x128xf16>, u(tensor<?x?x4x128xf16>)
  return %o, %u : tensor<?x?x4x128xf16>, tensor<?x?x4x128xf16>
}

// -----

// Keys are normalised by a kernel in front, in f32, and kept in the products' type; counters are
// cleared in front of that kernel too.
// CHECK-LABEL: tile.kernel @normalised_normalise
// CHECK-SAME: %{{[^:]+}}: index {delta.name = "block"}, %{{[^:]+}}: index {delta.name = "head"}, %{{[^:]+}}: index {delta.name = "batch"}
// CHECK-SAME: %[[KN:[^:]+]]: memref<?x?x1x64xbf16> {delta.name = "k_normalised"}
// CHECK-SAME: warps = 4 : i64
// CHECK: %[[K:K]] = tile.load
// CHECK: %[[KF:.*]] = arith.extf %[[K]]
// CHECK: math.rsqrt
// CHECK: %[[N:.*]] = arith.mulf %[[KF]]
// CHECK: %[[NA:.*]] = arith.truncf %[[N]] : tensor<64x64xf32> to tensor<64x64xbf16>
// CHECK: tile.store %[[NA]], %[[KN]]
// CHECK-LABEL: tile.kernel @normalised_write
// CHECK-SAME: %[[KEYS:[^:]+]]: memref<?x?x1x64xbf16> {delta.name = "k_normalised"}
// CHECK: math.rsqrt
// CHECK: scf.for
// CHECK: tile.load %[[KEYS]]
// CHECK-NOT: math.rsqrt
// CHECK-LABEL: func.func @normalised
// CHECK: tile.clear
// CHECK: tile.launch @normalised_normalise
// CHECK: tile.launch @normalised_write
func.func @normalised(%q: tensor<?x?x1x64xbf16>, %k: tensor<?x?x1x64xbf16>, %v: tensor<?x?x1x64xbf16>, %beta: tensor<?x?x1xf32>) -> tensor<?x?x1x64xbf16> {
  %qn = delta.l2norm %q : tensor<?x?x1x64xbf16> -> tensor<?x?x1x64xf32>
  %kn = delta.l2norm %k : tensor<?x?x1x64xbf16> -> tensor<?x?x1x64xf32>
  %o = delta.recurrence query(%qn : tensor<?x?x1x64xf32>) key(%kn : tensor<?x?x1x64xf32>)
         value(%v : tensor<?x?x1x64xbf16>) beta(%beta : tensor<?x?x1xf32>)
         {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x?x1x64xbf16>
  return %o : tensor<?x?x1x64xbf16>
}

// -----

// Exponentials of single scores: what 16 bits lose of a weight and of u is a second operand, applied
// first. The rest of u has an array of its own, which its flag publishes too.
// CHECK-LABEL: tile.kernel @exponentials_write
// CHECK-SAME: %[[U_ARRAY:[a-z0-9]+]]: memref<?x?x1x64xbf16> {delta.name = "u"}
// CHECK-SAME: %[[REST_ARRAY:[a-z0-9]+]]: memref<?x?x1x64xbf16> {delta.name = "u_rest"}
// CHECK: scf.for
// CHECK-SAME: iter_args(%[[ACC:.*]] = %{{.*}}, %[[PA_J:.*]] = %{{.*}}, %[[P_REST_J:.*]] = %{{.*}}) ->
// CHECK: tile.expect
// CHECK-NOT: tile.expect
// CHECK: %[[U:.*]] = tile.load %[[U_ARRAY]]
// CHECK: %[[U_REST:.*]] = tile.load %[[REST_ARRAY]]
// CHECK: %[[SUM1:.*]] = tile.dot %[[PA_J]], %[[U_REST]] acc(%[[ACC]])
// CHECK: %[[SUM2:.*]] = tile.dot %[[P_REST_J]], %[[U]] acc(%[[SUM1]])
// CHECK: tile.dot %[[PA_J]], %[[U]] acc(%[[SUM2]])
// CHECK: %[[P:.*]] = math.exp
// CHECK: %[[PA:.*]] = arith.truncf %[[P]]
// CHECK: %[[BACK:.*]] = arith.extf %[[PA]]
// CHECK: %[[REST:.*]] = arith.subf %[[P]], %[[BACK]]
// CHECK: %[[RESTA:.*]] = arith.truncf %[[REST]]
// CHECK: scf.yield %{{.*}}, %[[PA]], %[[RESTA]] :
// CHECK: tile.store %{{.*}}, %[[REST_ARRAY]]
// CHECK: tile.store %{{.*}}, %[[U_ARRAY]]
// CHECK: tile.signal
func.func @exponentials(%q: tensor<?x?x1x64xbf16>, %k: tensor<?x?x1x64xbf16>, %v: tensor<?x?x1x64xbf16>, %beta: tensor<?x?x1xf32>) -> tensor<?x?x1x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x1x64xbf16>) key(%k : tensor<?x?x1x64xbf16>)
         value(%v : tensor<?x?x1x64xbf16>) beta(%beta : tensor<?x?x1xf32>)
         {kernel = #delta.kernel<write = exp, read = linear>} -> tensor<?x?x1x64xbf16>
  return %o : tensor<?x?x1x64xbf16>
}

// -----

// The inverse, the residual and u have rests; those of what needs no other CTA are made before the
// last wait.
// CHECK-LABEL: tile.kernel @tied_exponentials_write
// CHECK: %[[P:.*]] = tile.mask lower
// CHECK: %[[M:.*]] = tile.tri_inverse
// CHECK: %[[MA:.*]] = arith.truncf %[[M]]
// CHECK: %[[M_BACK:.*]] = arith.extf %[[MA]]
// CHECK: %[[M_LOST:.*]] = arith.subf %[[M]], %[[M_BACK]]
// CHECK: %[[M_REST:.*]] = arith.truncf %[[M_LOST]]
// CHECK: %[[PA:.*]] = arith.truncf %[[P]]
// CHECK: %[[P_BACK:.*]] = arith.extf %[[PA]]
// CHECK: %[[P_LOST:.*]] = arith.subf %[[P]], %[[P_BACK]]
// CHECK: %[[P_REST:.*]] = arith.truncf %[[P_LOST]]
// CHECK: tile.expect
// CHECK: %[[RA:.*]] = arith.truncf
// CHECK: %[[R_REST:.*]] = arith.truncf
// CHECK: %[[U1:.*]] = tile.dot %[[MA]], %[[R_REST]] {
// CHECK: %[[U2:.*]] = tile.dot %[[M_REST]], %[[RA]] acc(%[[U1]])
// CHECK: %[[U:.*]] = tile.dot %[[MA]], %[[RA]] acc(%[[U2]])
// CHECK: %[[UA:.*]] = arith.truncf %[[U]]
// CHECK: %[[U_REST:.*]] = arith.truncf
// CHECK: tile.signal
// CHECK: %[[O1:.*]] = tile.dot %[[PA]], %[[U_REST]] acc(%{{.*}})
// CHECK: %[[O2:.*]] = tile.dot %[[P_REST]], %[[UA]] acc(%[[O1]])
// CHECK: tile.dot %[[PA]], %[[UA]] acc(%[[O2]])
func.func @tied_exponentials(%q: tensor<?x?x1x64xbf16>, %k: tensor<?x?x1x64xbf16>, %v: tensor<?x?x1x64xbf16>, %beta: tensor<?x?x1xf32>) -> tensor<?x?x1x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x1x64xbf16>) key(%k : tensor<?x?x1x64xbf16>)
         value(%v : tensor<?x?x1x64xbf16>) beta(%beta : tensor<?x?x1xf32>)
         {kernel = #delta.kernel<write = exp, read = exp>} -> tensor<?x?x1x64xbf16>
  return %o : tensor<?x?x1x64xbf16>
}

// -----

// A softmax of what exponentials wrote has rests too, of weights as they are relative to the maximum.
// CHECK-LABEL: tile.kernel @read_exponentials_read
// CHECK: scf.for
// CHECK: %[[P:.*]] = math.exp2
// CHECK: %[[SHRINK:.*]] = tile.spread
// CHECK: %[[ACC:.*]] = arith.mulf %{{.*}}, %[[SHRINK]]
// CHECK: %[[PA:.*]] = arith.truncf %[[P]]
// CHECK: %[[U:.*]] = tile.load
// CHECK: %[[U_REST:.*]] = tile.load
// CHECK: %[[SUM1:.*]] = tile.dot %[[PA]], %[[U_REST]] acc(%[[ACC]])
// CHECK: %[[BACK:.*]] = arith.extf %[[PA]]
// CHECK: %[[LOST:.*]] = arith.subf %[[P]], %[[BACK]]
// CHECK: %[[P_REST:.*]] = arith.truncf %[[LOST]]
// CHECK: %[[SUM2:.*]] = tile.dot %[[P_REST]], %[[U]] acc(%[[SUM1]])
// CHECK: tile.dot %[[PA]], %[[U]] acc(%[[SUM2]])
// CHECK: scf.yield
func.func @read_exponentials(%q: tensor<?x?x1x64xbf16>, %k: tensor<?x?x1x64xbf16>, %v: tensor<?x?x1x64xbf16>, %beta: tensor<?x?x1xf32>) -> tensor<?x?x1x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x1x64xbf16>) key(%k : tensor<?x?x1x64xbf16>)
         value(%v : tensor<?x?x1x64xbf16>) beta(%beta : tensor<?x?x1xf32>)
         {kernel = #delta.kernel<write = exp, read = softmax>} -> tensor<?x?x1x64xbf16>
  return %o : tensor<?x?x1x64xbf16>
}

// -----

// 256 value columns are two tiles, whose chains of row blocks do not wait for each other: a flag each.
// Tiles stay as they lie; each computes all weights.
// CHECK-LABEL: tile.kernel @wide_write
// CHECK-SAME: %[[U:[^:]+]]: memref<?x?x2x256xbf16> {delta.name = "u"}
// CHECK-SAME: %[[PROGRESS:[^:]+]]: memref<?xi32> {delta.name = "progress"}
// CHECK-SAME: %[[BATCHES:[^:]+]]: index {delta.name = "batches"}
// CHECK-DAG: %[[CHAINS_A_BATCH:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[TILES:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[WIDTH:.*]] = arith.constant 128 : index
// CHECK: %[[ITEM:.*]] = tile.ticket %[[PROGRESS]]
// CHECK: %[[CHAINS:.*]] = arith.muli %[[BATCHES]], %[[CHAINS_A_BATCH]]
// CHECK: %[[CHAIN:.*]] = arith.addi
// CHECK: %[[TILE:.*]] = arith.remui %[[CHAIN]], %[[TILES]]
// CHECK: %[[COLUMN:.*]] = arith.muli %[[TILE]], %[[WIDTH]]
// CHECK: %[[SEQUENCE:.*]] = arith.divui %[[CHAIN]], %[[TILES]]
// CHECK: %[[HEAD:.*]] = arith.remui %[[SEQUENCE]], %[[TILES]]
// CHECK: %[[LINE:.*]] = arith.muli %[[CHAIN]], %{{.*}}
// CHECK: %[[FLAG:.*]] = arith.addi %[[LINE]], %{{.*}}
// CHECK: scf.for
// CHECK: tile.expect %[[PROGRESS]][%[[FLAG]]]
// CHECK: tile.load %[[U]][%{{.*}}, %{{.*}}, %[[HEAD]], %[[COLUMN]]] {{.*}} -> tensor<64x128xbf16>
// CHECK: tile.store %{{.*}}, %[[U]][%{{.*}}, %{{.*}}, %[[HEAD]], %[[COLUMN]]]
// CHECK-NOT: tile.transpose

// The tiles of a block that reads are neighbours in the grid.
// CHECK-LABEL: tile.kernel @wide_read
// CHECK-SAME: %[[INDEX:[^:]+]]: index {delta.name = "block_tile"}, %{{[^:]+}}: index {delta.name = "head"}, %{{[^:]+}}: index {delta.name = "batch"}
// CHECK: arith.divui %[[INDEX]]
// CHECK: arith.remui %[[INDEX]]
// CHECK-NOT: tile.transpose
// CHECK-LABEL: func.func @wide
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui
// CHECK: %[[BLOCK_TILES:.*]] = arith.muli %[[BLOCKS]], %{{.*}}
// CHECK: tile.launch @wide_write
// CHECK: tile.launch @wide_read grid(%[[BLOCK_TILES]],
func.func @wide(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x256xbf16>, %beta: tensor<?x?x2xf32>, %w: tensor<?x?x2x64xbf16>) -> tensor<?x?x2x256xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x256xbf16>) beta(%beta : tensor<?x?x2xf32>) write(%w : tensor<?x?x2x64xbf16>)
         {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x?x2x256xbf16>
  return %o : tensor<?x?x2x256xbf16>
}

// -----

// Two CTAs share the columns of a row block; both have its statistics, and that of
// the first columns stores them.
// CHECK-LABEL: tile.kernel @statistics_write
// CHECK-SAME: %[[LSE:[^:]+]]: memref<?x?x1xf32> {delta.name = "write_lse"}
// CHECK: %[[COLUMN:.*]] = arith.muli %column_tile, %column :
// CHECK: %[[LOG:.*]] = math.log
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %[[LOG]]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[COLUMN]], %[[NONE:.*]] : index
// CHECK: %[[ROWS:.*]] = arith.select %[[FIRST]], %{{.*}}, %[[NONE]] : index
// CHECK: tile.store %[[SUM]], %[[LSE]][{{.*}}] bound(%[[ROWS]])
func.func @statistics(%q: tensor<?x?x1x64xbf16>, %k: tensor<?x?x1x64xbf16>, %v: tensor<?x?x1x256xbf16>, %beta: tensor<?x?x1xf32>) -> (tensor<?x?x1x256xbf16>, tensor<?x?x1xf32>) {
  %o, %lse = delta.recurrence query(%q : tensor<?x?x1x64xbf16>) key(%k : tensor<?x?x1x64xbf16>)
         value(%v : tensor<?x?x1x256xbf16>) beta(%beta : tensor<?x?x1xf32>)
         {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x?x1x256xbf16>, write_lse(tensor<?x?x1xf32>)
  return %o, %lse : tensor<?x?x1x256xbf16>, tensor<?x?x1xf32>
}
