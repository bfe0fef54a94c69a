// The chunked form of new tokens behind a cache: segments of one pass, the sums
// that they leave, the block of the new tokens, and the cache updated in place.

// RUN: delta-opt %s -split-input-file --delta-chunk --delta-verify-chunked | FileCheck %s

// Tied, softmax, three new tokens in blocks of 16 rows, 32 cached ones at a time.
// CHECK-LABEL: func.func @tied
// CHECK-SAME:    %[[Q:[^:]+]]: memref<?x3x4x64xbf16> {delta.name = "q"}
// CHECK-SAME:    %[[K:[^:]+]]: memref<?x3x4x64xbf16> {delta.name = "k"}
// CHECK-SAME:    %[[KC:[^:]+]]: memref<?x?x4x64xbf16> {delta.name = "k_cache", delta.updated}
// CHECK-SAME:    %[[UC:[^:]+]]: memref<?x?x4x32xbf16> {delta.name = "u_cache", delta.updated}
// CHECK-SAME:    %[[N:[^:]+]]: memref<?xi64> {delta.name = "cached"}
// CHECK-SAME:    %[[O:[^:]+]]: memref<?x3x4x32xbf16> {delta.name = "o", delta.result})
// CHECK:         %[[C:.+]] = memref.dim %[[KC]], %c1
// CHECK:         tile.multiprocessors
// CHECK:         %[[P:.+]] = arith.minui
// CHECK:         %[[MAX:.+]] = memref.alloc(%{{.+}}, %[[P]]) {delta.name = "segment_max"} : memref<?x?x4x16xf32>
// CHECK:         %[[SUM:.+]] = memref.alloc(%{{.+}}, %[[P]]) {delta.name = "segment_sum"} : memref<?x?x4x16xf32>
// CHECK:         %[[ACC:.+]] = memref.alloc(%{{.+}}, %[[P]]) {delta.name = "segment_acc"} : memref<?x?x4x3x32xf32>
// CHECK:         scf.forall (%[[B:.+]], %[[H:.+]], %[[I:.+]]) in (%{{.+}}, 4, %[[P]])
// CHECK:           %[[W:.+]] = delta.load %[[Q]][%[[B]], %{{.+}}, %[[H]], %{{.+}}] rows(%c3) dims [1, 3] : memref<?x3x4x64xbf16> -> tensor<16x64xf32>
// CHECK:           %[[SAID:.+]] = delta.load_index %[[N]][%[[B]]]
// CHECK:           %[[CACHED:.+]] = arith.minui %[[SAID]], %[[C]]
// CHECK:           %[[BLOCKS:.+]] = arith.ceildivui %[[CACHED]], %c32
// CHECK:           %[[S0:.+]] = arith.muli %[[BLOCKS]], %[[I]]
// CHECK:           %[[FIRST:.+]] = arith.divui %[[S0]], %[[P]]
// CHECK:           %[[END:.+]] = arith.divui %{{.+}}, %[[P]]
// CHECK:           %[[COUNT:.+]] = arith.subi %[[END]], %[[FIRST]]
// CHECK:           %[[SUMS:.+]]:3 = scf.for %[[J:.+]] = %{{.+}} to %[[COUNT]]
// CHECK:             %[[BLOCK:.+]] = arith.addi %[[FIRST]], %[[J]]
// CHECK:             %[[ROW:.+]] = arith.muli %[[BLOCK]], %c32
// CHECK:             %[[LEFT:.+]] = arith.subi %[[CACHED]], %[[ROW]]
// CHECK:             %[[ROWS:.+]] = arith.minui %[[LEFT]], %c32
// CHECK:             %[[KJ:.+]] = delta.load %[[KC]][%[[B]], %[[ROW]], %[[H]], %{{.+}}] rows(%[[ROWS]])
// CHECK:             %[[UJ:.+]] = delta.load %[[UC]][%[[B]], %[[ROW]], %[[H]], %{{.+}}] rows(%[[ROWS]])
// CHECK:             %[[S:.+]] = delta.gram %[[W]], %[[KJ]] part<full> {{.*}} -> tensor<16x32xf32>
// CHECK:             delta.online %{{.+}}, %{{.+}}, %{{.+}}, %[[S]] values(%[[UJ]] : tensor<32x32xf32>) columns(%[[ROWS]]) part<full>
// CHECK:           delta.store %[[SUMS]]#0, %[[MAX]][%[[B]], %[[I]], %[[H]], %{{.+}}] dims [3]
// CHECK:           delta.store %[[SUMS]]#1, %[[SUM]]
// CHECK:           delta.store %[[SUMS]]#2, %[[ACC]][%[[B]], %[[I]], %[[H]], %{{.+}}, %{{.+}}] rows(%c3{{.*}}) dims [3, 4]
// CHECK:         delta.nest = #delta.nest<kind = attention, name = "attend", axes = ["batch", "head", "segment"], carries = sums>}
// CHECK:         scf.forall (%[[B2:.+]], %[[H2:.+]]) in (%{{.+}}, 4)
// CHECK:           %[[KN:.+]] = delta.load %[[K]]
// CHECK:           %[[MERGED:.+]]:3 = scf.for %[[I2:.+]] = %{{.+}} to %[[P]] step %{{.+}} iter_args(%[[M0:.+]] = %{{.+}}, %[[L0:.+]] = %{{.+}}, %[[A0:.+]] = %{{.+}}) ->
// CHECK:             %[[M1:.+]] = delta.load %[[MAX]]
// CHECK:             %[[L1:.+]] = delta.load %[[SUM]]
// CHECK:             %[[A1:.+]] = delta.load %[[ACC]]
// CHECK:             %[[M:.+]] = arith.maximumf %[[M0]], %[[M1]]
// CHECK:             %[[D0:.+]] = arith.subf %[[M0]], %[[M]]
// CHECK:             %[[E0:.+]] = math.exp %[[D0]]
// CHECK:             %[[D1:.+]] = arith.subf %[[M1]], %[[M]]
// CHECK:             %[[E1:.+]] = math.exp %[[D1]]
// CHECK-DAG:         arith.mulf %[[L0]], %[[E0]]
// CHECK-DAG:         arith.mulf %[[L1]], %[[E1]]
// CHECK-DAG:         delta.scale %[[A0]], %[[E0]] {axis = 0
// CHECK-DAG:         delta.scale %[[A1]], %[[E1]] {axis = 0
// CHECK:           delta.gram %{{.+}}, %[[KN]] part<strict_lower>
// CHECK:           delta.tri_inverse
// CHECK:           %[[U:.+]] = delta.apply {{.*}} part<lower>
// CHECK:           delta.store %{{.+}}, %[[O]]
// CHECK:           %[[BEHIND:.+]] = arith.minui %{{.+}}, %[[C]]
// CHECK:           %[[ROOM:.+]] = arith.subi %[[C]], %[[BEHIND]]
// CHECK:           %[[KEPT:.+]] = arith.minui %[[ROOM]], %c3
// CHECK:           delta.store %[[U]], %[[UC]][%[[B2]], %[[BEHIND]], %[[H2]], %{{.+}}] rows(%[[KEPT]])
// CHECK:           delta.store %[[KN]], %[[KC]][%[[B2]], %[[BEHIND]], %[[H2]], %{{.+}}] rows(%[[KEPT]])
// CHECK:         delta.nest = #delta.nest<kind = attention, name = "append", axes = ["batch", "head"], carries = sums>}
func.func @tied(%q: tensor<?x3x4x64xbf16>, %k: tensor<?x3x4x64xbf16>,
                %v: tensor<?x3x4x32xbf16>, %beta: tensor<?x3x4xf32>,
                %kc: tensor<?x?x4x64xbf16>, %uc: tensor<?x?x4x32xbf16>,
                %n: tensor<?xi64>)
    -> (tensor<?x3x4x32xbf16>, tensor<?x?x4x64xbf16>, tensor<?x?x4x32xbf16>) {
  %o:3 = delta.recurrence query(%q : tensor<?x3x4x64xbf16>)
      key(%k : tensor<?x3x4x64xbf16>) value(%v : tensor<?x3x4x32xbf16>)
      beta(%beta : tensor<?x3x4xf32>)
      cache(%kc, %uc : tensor<?x?x4x64xbf16>, tensor<?x?x4x32xbf16>)
      cached(%n : tensor<?xi64>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<?x3x4x32xbf16>,
         cache(tensor<?x?x4x64xbf16>, tensor<?x?x4x32xbf16>)
  return %o#0, %o#1, %o#2 : tensor<?x3x4x32xbf16>, tensor<?x?x4x64xbf16>,
                            tensor<?x?x4x32xbf16>
}

// -----

// Two queries with one kernel are one block of rows, if both fit it: those that
// write, and 8 rows further down those that read.
// CHECK-LABEL: func.func @stacked
// CHECK:         %[[MAX:.+]] = memref.alloc({{.*}}) {delta.name = "segment_max"}
// CHECK:         %[[ACC:.+]] = memref.alloc({{.*}}) {delta.name = "segment_acc"} : memref<?x?x4x16x32xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         scf.forall
// CHECK:           %[[W:.+]] = delta.load %arg4[
// CHECK:           %[[Q:.+]] = delta.load %arg0[
// CHECK:           %[[EIGHT:.+]] = arith.constant -8
// CHECK:           %[[DOWN:.+]] = delta.identity %[[EIGHT]] : tensor<16x16xf32>
// CHECK:           %[[WQ:.+]] = delta.apply %[[DOWN]], %[[Q]] acc(%[[W]] : tensor<16x64xf32>) part<full>
// CHECK:           scf.for
// CHECK:             delta.gram %[[WQ]]
// CHECK-NOT:         delta.gram
// CHECK:         scf.forall
// CHECK:           scf.for %[[I:.+]] = %{{.+}} to
// CHECK:             delta.load %[[MAX]][%{{.+}}, %[[I]], %{{.+}}, %c0{{[_0-9]*}}] dims [3]
// CHECK:             delta.load %[[ACC]][%{{.+}}, %[[I]], %{{.+}}, %c0{{[_0-9]*}}, %c0{{[_0-9]*}}] rows(%c2
// CHECK:           delta.tri_inverse
// CHECK:           scf.for %[[I2:.+]] = %{{.+}} to
// CHECK:             delta.load %[[MAX]][%{{.+}}, %[[I2]], %{{.+}}, %c8{{[_0-9]*}}] rows(%c8{{[_0-9]*}}) dims [3]
// CHECK:             delta.load %[[ACC]][%{{.+}}, %[[I2]], %{{.+}}, %c8{{[_0-9]*}}, %c0{{[_0-9]*}}] rows(%c2
func.func @stacked(%q: tensor<?x2x4x64xbf16>, %k: tensor<?x2x4x64xbf16>,
                   %v: tensor<?x2x4x32xbf16>, %beta: tensor<?x2x4xf32>,
                   %w: tensor<?x2x4x64xbf16>,
                   %kc: tensor<?x?x4x64xbf16>, %uc: tensor<?x?x4x32xbf16>,
                   %n: tensor<?xi64>)
    -> (tensor<?x2x4x32xbf16>, tensor<?x?x4x64xbf16>, tensor<?x?x4x32xbf16>) {
  %o:3 = delta.recurrence query(%q : tensor<?x2x4x64xbf16>)
      key(%k : tensor<?x2x4x64xbf16>) value(%v : tensor<?x2x4x32xbf16>)
      beta(%beta : tensor<?x2x4xf32>) write(%w : tensor<?x2x4x64xbf16>)
      cache(%kc, %uc : tensor<?x?x4x64xbf16>, tensor<?x?x4x32xbf16>)
      cached(%n : tensor<?xi64>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<?x2x4x32xbf16>,
         cache(tensor<?x?x4x64xbf16>, tensor<?x?x4x32xbf16>)
  return %o#0, %o#1, %o#2 : tensor<?x2x4x32xbf16>, tensor<?x?x4x64xbf16>,
                            tensor<?x?x4x32xbf16>
}

// -----

// A query of its own that reads takes the same keys and u in the same pass, and
// the new u from the block; relu has no row statistics and no ragged columns.
// CHECK-LABEL: func.func @untied
// CHECK:         memref.alloc({{.*}}) {delta.name = "segment_acc"}
// CHECK:         memref.alloc({{.*}}) {delta.name = "segment_read_max"}
// CHECK:         memref.alloc({{.*}}) {delta.name = "segment_read_sum"}
// CHECK:         memref.alloc({{.*}}) {delta.name = "segment_read_acc"}
// CHECK:         scf.forall
// CHECK:           scf.for
// CHECK-COUNT-2:     delta.load
// CHECK-NOT:         delta.load
// CHECK:             %[[P:.+]] = delta.gram {{.*}} part<full> kernel<relu>
// CHECK:             delta.apply %[[P]]
// CHECK:             %[[S:.+]] = delta.gram {{.*}} part<full> {
// CHECK:             delta.online {{.*}}, %[[S]] values({{.*}}) columns(
// CHECK:         scf.forall
// CHECK:           %[[U:.+]] = delta.apply {{.*}} part<lower>
// CHECK:           delta.online {{.*}} values(%[[U]] : {{.*}}) part<lower>
// CHECK:           delta.normalize
func.func @untied(%q: tensor<?x1x4x64xbf16>, %k: tensor<?x1x4x64xbf16>,
                  %v: tensor<?x1x4x32xbf16>, %beta: tensor<?x1x4xf32>,
                  %w: tensor<?x1x4x64xbf16>,
                  %kc: tensor<?x?x4x64xbf16>, %uc: tensor<?x?x4x32xbf16>,
                  %n: tensor<?xi64>)
    -> (tensor<?x1x4x32xbf16>, tensor<?x?x4x64xbf16>, tensor<?x?x4x32xbf16>) {
  %o:3 = delta.recurrence query(%q : tensor<?x1x4x64xbf16>)
      key(%k : tensor<?x1x4x64xbf16>) value(%v : tensor<?x1x4x32xbf16>)
      beta(%beta : tensor<?x1x4xf32>) write(%w : tensor<?x1x4x64xbf16>)
      cache(%kc, %uc : tensor<?x?x4x64xbf16>, tensor<?x?x4x32xbf16>)
      cached(%n : tensor<?xi64>)
      {kernel = #delta.kernel<write = relu, read = softmax>}
      -> tensor<?x1x4x32xbf16>,
         cache(tensor<?x?x4x64xbf16>, tensor<?x?x4x32xbf16>)
  return %o#0, %o#1, %o#2 : tensor<?x1x4x32xbf16>, tensor<?x?x4x64xbf16>,
                            tensor<?x?x4x32xbf16>
}

// -----

// More tokens than half of the rows: a second warp's rows read.
// CHECK-LABEL: func.func @stacked_high
// CHECK:         %[[MAX:.+]] = memref.alloc({{.*}}) {delta.name = "segment_max"} : memref<?x?x4x32xf32>
// CHECK:         %[[ACC:.+]] = memref.alloc({{.*}}) {delta.name = "segment_acc"} : memref<?x?x4x32x32xf32>
// CHECK:         scf.forall
// CHECK:           %[[W:.+]] = delta.load %arg4[{{.*}} rows(%c9{{[_0-9]*}}) {{.*}} -> tensor<32x64xf32>
// CHECK:           %[[Q:.+]] = delta.load %arg0[{{.*}} rows(%c9{{[_0-9]*}}) {{.*}} -> tensor<32x64xf32>
// CHECK:           %[[DOWN:.+]] = delta.identity %c-16{{[_0-9]*}} : tensor<32x32xf32>
// CHECK:           %[[WQ:.+]] = delta.apply %[[DOWN]], %[[Q]] acc(%[[W]] : tensor<32x64xf32>) part<full>
// CHECK:           scf.for
// CHECK:             %[[S:.+]] = delta.gram %[[WQ]], {{.*}} -> tensor<32x32xf32>
// CHECK:             delta.online {{.*}}, %[[S]] values({{.*}} -> tensor<32xf32>, tensor<32xf32>, tensor<32x32xf32>
// The block of new tokens has 16 rows all the same, and joins the reading sums first.
// CHECK:         scf.forall
// CHECK:           scf.for
// CHECK:             delta.load %[[MAX]][%{{.+}}, %{{.+}}, %{{.+}}, %c0{{[_0-9]*}}] dims [3] : memref<?x?x4x32xf32> -> tensor<16xf32>
// CHECK:           %[[U:.+]] = delta.apply {{.*}} part<lower> {{.*}} -> tensor<16x32xf32>
// CHECK:           %[[M:.+]], %[[L:.+]], %[[A:.+]] = delta.online {{.*}} values(%[[U]] : tensor<16x32xf32>) part<lower>
// CHECK:           %[[ALL:.+]]:3 = scf.for {{.*}} iter_args(%{{.+}} = %[[M]], %{{.+}} = %[[L]], %{{.+}} = %[[A]])
// CHECK:             delta.load %[[MAX]][%{{.+}}, %{{.+}}, %{{.+}}, %c16{{[_0-9]*}}] rows(%c16{{[_0-9]*}}) dims [3]
// CHECK:           delta.normalize %[[ALL]]#2, %[[ALL]]#1
func.func @stacked_high(%q: tensor<?x9x4x64xbf16>, %k: tensor<?x9x4x64xbf16>,
                        %v: tensor<?x9x4x32xbf16>, %beta: tensor<?x9x4xf32>,
                        %w: tensor<?x9x4x64xbf16>,
                        %kc: tensor<?x?x4x64xbf16>, %uc: tensor<?x?x4x32xbf16>,
                        %n: tensor<?xi64>)
    -> (tensor<?x9x4x32xbf16>, tensor<?x?x4x64xbf16>, tensor<?x?x4x32xbf16>) {
  %o:3 = delta.recurrence query(%q : tensor<?x9x4x64xbf16>)
      key(%k : tensor<?x9x4x64xbf16>) value(%v : tensor<?x9x4x32xbf16>)
      beta(%beta : tensor<?x9x4xf32>) write(%w : tensor<?x9x4x64xbf16>)
      cache(%kc, %uc : tensor<?x?x4x64xbf16>, tensor<?x?x4x32xbf16>)
      cached(%n : tensor<?xi64>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<?x9x4x32xbf16>, cache(tensor<?x?x4x64xbf16>, tensor<?x?x4x32xbf16>)
  return %o#0, %o#1, %o#2 : tensor<?x9x4x32xbf16>, tensor<?x?x4x64xbf16>, tensor<?x?x4x32xbf16>
}

// -----

// Sums of two kernels with 128 columns are more than a warp holds: a pass each.
// CHECK-LABEL: func.func @passes
// CHECK:         scf.forall
// CHECK:           delta.load %arg4[
// CHECK:           scf.for
// CHECK:             delta.gram {{.*}} kernel<relu>
// CHECK-NOT:         delta.gram
// CHECK:         delta.nest = #delta.nest<kind = attention, name = "attend", axes = ["batch", "head", "segment"], carries = sums>}
// CHECK:         scf.forall
// CHECK:           delta.load %arg0[
// CHECK:           scf.for
// CHECK:             delta.gram
// CHECK-NOT:         delta.gram
// CHECK:         delta.nest = #delta.nest<kind = attention, name = "attend_read", axes = ["batch", "head", "segment"], carries = sums>}
// CHECK:         scf.forall
// CHECK:         delta.nest = #delta.nest<kind = attention, name = "append", axes = ["batch", "head"], carries = sums>}
func.func @passes(%q: tensor<?x1x4x64xbf16>, %k: tensor<?x1x4x64xbf16>,
                  %v: tensor<?x1x4x128xbf16>, %beta: tensor<?x1x4xf32>,
                  %w: tensor<?x1x4x64xbf16>,
                  %kc: tensor<?x?x4x64xbf16>, %uc: tensor<?x?x4x128xbf16>,
                  %n: tensor<?xi64>)
    -> (tensor<?x1x4x128xbf16>, tensor<?x?x4x64xbf16>, tensor<?x?x4x128xbf16>) {
  %o:3 = delta.recurrence query(%q : tensor<?x1x4x64xbf16>)
      key(%k : tensor<?x1x4x64xbf16>) value(%v : tensor<?x1x4x128xbf16>)
      beta(%beta : tensor<?x1x4xf32>) write(%w : tensor<?x1x4x64xbf16>)
      cache(%kc, %uc : tensor<?x?x4x64xbf16>, tensor<?x?x4x128xbf16>)
      cached(%n : tensor<?xi64>)
      {kernel = #delta.kernel<write = relu, read = softmax>}
      -> tensor<?x1x4x128xbf16>, cache(tensor<?x?x4x64xbf16>, tensor<?x?x4x128xbf16>)
  return %o#0, %o#1, %o#2 : tensor<?x1x4x128xbf16>, tensor<?x?x4x64xbf16>, tensor<?x?x4x128xbf16>
}

// -----

// Value heads that share a key head: each reads its keys, the first adds the new ones.
// CHECK-LABEL: func.func @grouped
// CHECK:         scf.forall (%{{.+}}, %[[H:.+]], %{{.+}}) in (%{{.+}}, 4,
// CHECK:           %[[KH:.+]] = arith.divui %[[H]], %c2
// CHECK:           scf.for
// CHECK:             delta.load %arg4[%{{.+}}, %{{.+}}, %[[KH]],
// CHECK:             delta.load %arg5[%{{.+}}, %{{.+}}, %[[H]],
// CHECK:         scf.forall (%{{.+}}, %[[H2:.+]]) in
// CHECK:           %[[KH2:.+]] = arith.divui %[[H2]], %c2
// CHECK:           %[[KEPT:.+]] = arith.minui %{{.+}}, %c1
// CHECK:           delta.store %{{.+}}, %arg5[%{{.+}}, %{{.+}}, %[[H2]], %{{.+}}] rows(%[[KEPT]])
// CHECK:           %[[MEMBER:.+]] = arith.remui %[[H2]], %c2
// CHECK:           %[[FIRST:.+]] = arith.cmpi eq, %[[MEMBER]], %c0
// CHECK:           %[[KEYS:.+]] = arith.select %[[FIRST]], %[[KEPT]], %c0
// CHECK:           delta.store %{{.+}}, %arg4[%{{.+}}, %{{.+}}, %[[KH2]], %{{.+}}] rows(%[[KEYS]])
func.func @grouped(%q: tensor<?x1x2x64xbf16>, %k: tensor<?x1x2x64xbf16>,
                   %v: tensor<?x1x4x32xbf16>, %beta: tensor<?x1x4xf32>,
                   %kc: tensor<?x?x2x64xbf16>, %uc: tensor<?x?x4x32xbf16>,
                   %n: tensor<?xi64>)
    -> (tensor<?x1x4x32xbf16>, tensor<?x?x2x64xbf16>, tensor<?x?x4x32xbf16>) {
  %o:3 = delta.recurrence query(%q : tensor<?x1x2x64xbf16>)
      key(%k : tensor<?x1x2x64xbf16>) value(%v : tensor<?x1x4x32xbf16>)
      beta(%beta : tensor<?x1x4xf32>)
      cache(%kc, %uc : tensor<?x?x2x64xbf16>, tensor<?x?x4x32xbf16>)
      cached(%n : tensor<?xi64>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<?x1x4x32xbf16>, cache(tensor<?x?x2x64xbf16>, tensor<?x?x4x32xbf16>)
  return %o#0, %o#1, %o#2 : tensor<?x1x4x32xbf16>, tensor<?x?x2x64xbf16>, tensor<?x?x4x32xbf16>
}
