// RUN: delta-opt %s --tile-skew-loops | FileCheck %s

// The part that waits for other CTAs, or that sums with weights from this iteration's
// scores, runs one iteration later than the other part.

!in = memref<256x64xbf16>
!block = tensor<64x64xbf16>
!square = tensor<64x64xf32>
!row = tensor<64xf32>

// Weights p of block j and the factors of the rescale cross to iteration j + 1; the maximum
// stays in the early part. A spread vector is spread again.

// CHECK-LABEL: tile.kernel @skewed
// CHECK-SAME: (%{{[^:]+}}: index, %[[Q:[^:]+]]: memref<256x64xbf16>, %[[KEYS:[^:]+]]: memref<256x64xbf16>, %[[US:[^:]+]]: memref<256x64xbf16>, %{{[^:]+}}: memref<64x64xf32>, %[[BETA:[^:]+]]: memref<64xbf16>, %[[FLAGS:[^:]+]]: memref<8xi32>, %[[N:[^:]+]]: index)
// CHECK: %[[ZERO_F:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
// CHECK: %[[ZERO_P:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xbf16>
// CHECK: %[[LOOP:.*]]:4 = scf.for %[[J:.*]] = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[M:[^ ]+]] = %{{[^,]+}}, %[[ACC:[^ ]+]] = %{{[^,]+}}, %[[F1:[^ ]+]] = %[[ZERO_F]], %[[P1:[^ ]+]] = %[[ZERO_P]])
// CHECK: %[[K:.*]] = tile.load %[[KEYS]][
// CHECK: %[[S:.*]] = tile.dot %{{.*}}, %[[K]]

// The late part of iteration j - 1 follows the scores; in iteration 0 it reads nothing and
// waits for no CTA.
// CHECK: %[[LEAST:.*]] = arith.maxsi %[[J]], %[[ONE:.*]] : index
// CHECK: %[[BEFORE:.*]] = arith.subi %[[LEAST]], %[[ONE]]
// CHECK: %[[ANY:.*]] = arith.cmpi sgt, %[[J]], %[[ZERO:.*]] : index
// CHECK: %[[DONE:.*]] = arith.addi %[[BEFORE]], %{{.*}}
// CHECK: %[[EPOCH:.*]] = arith.index_cast %[[DONE]] : index to i32
// CHECK: %[[AT:.*]] = arith.muli %[[BEFORE]], %{{.*}}
// CHECK: %[[SPREAD:.*]] = tile.spread %[[F1]]
// CHECK: %[[SCALED:.*]] = arith.mulf %[[ACC]], %[[SPREAD]]
// CHECK: %[[NONE:.*]] = arith.constant 0 : i32
// CHECK: %[[WANTED:.*]] = arith.select %[[ANY]], %[[EPOCH]], %[[NONE]] : i32
// CHECK: tile.expect %[[FLAGS]][%{{.*}}], %[[WANTED]]
// CHECK: %[[ROWS:.*]] = arith.select %[[ANY]], %{{.*}}, %[[ZERO]] : index
// CHECK: %[[U:.*]] = tile.load %[[US]][%[[AT]], %{{.*}}] bound(%[[ROWS]])
// CHECK: %[[NEXT:.*]] = tile.dot %[[P1]], %[[U]] acc(%[[SCALED]])
// CHECK-NOT: tile.expect
// CHECK: %[[M2:.*]] = arith.maximumf %[[M]]
// CHECK: %[[F:.*]] = math.exp
// CHECK: %[[P:.*]] = arith.truncf %[[S]]
// CHECK: scf.yield %[[M2]], %[[NEXT]], %[[F]], %[[P]]

// After the loop, ops that need no other CTA come before the last wait. Stores do not move,
// nor does the extension of a matrix, which would hold twice the registers, unless it is
// for a residual.
// CHECK: arith.cmpi sgt, %[[N]]
// CHECK: %[[LAST_SCALED:.*]] = arith.mulf %[[LOOP]]#1
// CHECK: %[[V:.*]] = tile.load %[[KEYS]][
// CHECK: %[[G:.*]] = tile.dot %{{.*}}, %[[V]]
// CHECK: %[[GA:.*]] = arith.truncf %[[G]]
// CHECK: %[[BACK:.*]] = arith.extf %[[GA]]
// CHECK: %[[REST:.*]] = arith.subf %[[G]], %[[BACK]]
// CHECK: %[[NARROW:.*]] = tile.load %[[BETA]][
// CHECK: %[[FACTORS:.*]] = arith.extf %[[NARROW]]
// CHECK: tile.spread %[[FACTORS]]
// CHECK: tile.expect
// CHECK: %[[LAST_U:.*]] = tile.load %[[US]][
// CHECK: %[[LAST:.*]] = tile.dot %[[LOOP]]#3, %[[LAST_U]] acc(%[[LAST_SCALED]])
// CHECK: tile.store %[[LOOP]]#0
// CHECK: %[[WIDE:.*]] = arith.extf %[[V]]
// CHECK: %[[SUM:.*]] = arith.addf %[[LAST]], %[[REST]]
// CHECK: arith.addf %[[SUM]], %[[WIDE]]
// CHECK: tile.store
tile.kernel @skewed(%cta: index, %q: !in, %k: !in, %u: !in, %o: memref<64x64xf32>, %beta: memref<64xbf16>, %flags: memref<8xi32>, %n: index)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : !square
  %least = arith.constant dense<-1.0e30> : !row
  %Q = tile.load %q[%c0, %c0] {dims = array<i64: 0, 1>} : !in -> !block
  %m, %acc = scf.for %j = %c0 to %n step %c1 iter_args(%m0 = %least, %acc0 = %zero) -> (!row, !square) {
    %at = arith.muli %j, %c64 : index
    %K = tile.load %k[%at, %c0] {dims = array<i64: 0, 1>} : !in -> !block
    %s = tile.dot %Q, %K {contract = array<i64: 1, 1>} : !block, !block -> !square
    %ms = tile.reduce max %s {axis = 1 : i64} : !square -> !row
    %m1 = arith.maximumf %m0, %ms : !row
    %d = arith.subf %m0, %m1 : !row
    %f = math.exp %d : !row
    %p = arith.truncf %s : !square to !block
    %fs = tile.spread %f {axis = 0 : i64} : !row -> !square
    %scaled = arith.mulf %acc0, %fs : !square
    %done = arith.addi %j, %c1 : index
    %epoch = arith.index_cast %done : index to i32
    tile.expect %flags[%c0], %epoch : memref<8xi32>
    %U = tile.load %u[%at, %c0] {dims = array<i64: 0, 1>} : !in -> !block
    %acc1 = tile.dot %p, %U acc(%scaled) {contract = array<i64: 1, 0>} : !block, !block -> !square
    scf.yield %m1, %acc1 : !row, !square
  }
  tile.store %m, %o[%c0, %c0] {dims = array<i64: 0>} : !row, memref<64x64xf32>
  %t0 = arith.muli %n, %c64 : index
  %V = tile.load %k[%t0, %c0] {dims = array<i64: 0, 1>} : !in -> !block
  %G = tile.dot %Q, %V {contract = array<i64: 1, 1>} : !block, !block -> !square
  %wide = arith.extf %V : !block to !square
  %Ga = arith.truncf %G : !square to !block
  %back = arith.extf %Ga : !block to !square
  %rest = arith.subf %G, %back : !square
  %b = tile.load %beta[%c0] {dims = array<i64: 0>} : memref<64xbf16> -> tensor<64xbf16>
  %factors = arith.extf %b : tensor<64xbf16> to !row
  %fb = tile.spread %factors {axis = 0 : i64} : !row -> !square
  %sum = arith.addf %acc, %rest : !square
  %all = arith.addf %sum, %wide : !square
  %weighed = arith.mulf %all, %fb : !square
  %r = arith.truncf %weighed : !square to !block
  tile.store %r, %u[%t0, %c0] {dims = array<i64: 0, 1>} : !block, !in
  tile.return
}

// Everything needs other CTAs, so the early part has no product.

// CHECK-LABEL: tile.kernel @chain
// CHECK: scf.for
// CHECK-NEXT: tile.expect
// CHECK-NEXT: tile.load
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: tile.dot
// CHECK-NEXT: scf.yield
tile.kernel @chain(%cta: index, %u: !in, %flags: memref<8xi32>, %n: index)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %epoch = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !square
  %s = scf.for %j = %c0 to %n step %c1 iter_args(%s0 = %zero) -> (!square) {
    tile.expect %flags[%j], %epoch : memref<8xi32>
    %U = tile.load %u[%c0, %c0] {dims = array<i64: 0, 1>} : !in -> !block
    %a = arith.truncf %s0 : !square to !block
    %s1 = tile.dot %a, %U {contract = array<i64: 1, 0>} : !block, !block -> !square
    scf.yield %s1 : !square
  }
  %r = arith.truncf %s : !square to !block
  tile.store %r, %u[%c0, %c0] {dims = array<i64: 0, 1>} : !block, !in
  tile.return
}

// The late part of iteration -1 would change its initial value.

// CHECK-LABEL: tile.kernel @from_ones
// CHECK: scf.for {{.*}} iter_args(%{{[^,]*}} = %{{[^,]*}}) ->
tile.kernel @from_ones(%cta: index, %q: !in, %u: !in, %flags: memref<8xi32>, %n: index)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %epoch = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : !square
  %acc = scf.for %j = %c0 to %n step %c1 iter_args(%acc0 = %one) -> (!square) {
    %Q = tile.load %q[%c0, %c0] {dims = array<i64: 0, 1>} : !in -> !block
    tile.expect %flags[%j], %epoch : memref<8xi32>
    %U = tile.load %u[%c0, %c0] {dims = array<i64: 0, 1>} : !in -> !block
    %acc1 = tile.dot %Q, %U acc(%acc0) {contract = array<i64: 1, 0>} : !block, !block -> !square
    scf.yield %acc1 : !square
  }
  %r = arith.truncf %acc : !square to !block
  tile.store %r, %u[%c0, %c0] {dims = array<i64: 0, 1>} : !block, !in
  tile.return
}

// Without any wait for a CTA, products still run in parallel with other work: the sum of
// iteration j - 1 while the weights of this iteration are computed. Loads for the sum alone
// move with it. After the loop the sum follows one product, and the uses of that product
// follow the sum.

// CHECK-LABEL: tile.kernel @sums
// CHECK-SAME: (%{{[^:]+}}: index, %{{[^:]+}}: memref<256x64xbf16>, %[[KEYS:[^:]+]]: memref<256x64xbf16>, %[[US:[^:]+]]: memref<256x64xbf16>, %{{[^:]+}}: memref<64x64xf32>, %[[N:[^:]+]]: index)
// CHECK: %[[LOOP:.*]]:2 = scf.for %[[J:.*]] = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[ACC:[^ ]+]] = %{{[^,]+}}, %[[P1:[^ ]+]] = %{{[^,]+}})
// CHECK: %[[K:.*]] = tile.load %[[KEYS]][
// CHECK-NOT: tile.load
// CHECK: %[[S:.*]] = tile.dot %{{.*}}, %[[K]]
// CHECK: %[[LEAST:.*]] = arith.maxsi %[[J]], %[[ONE:.*]] : index
// CHECK: %[[BEFORE:.*]] = arith.subi %[[LEAST]], %[[ONE]]
// CHECK: %[[ANY:.*]] = arith.cmpi sgt, %[[J]], %[[ZERO:.*]] : index
// CHECK: %[[AT:.*]] = arith.muli %[[BEFORE]], %{{.*}}
// CHECK: %[[ROWS:.*]] = arith.select %[[ANY]], %{{.*}}, %[[ZERO]] : index
// CHECK: %[[U:.*]] = tile.load %[[US]][%[[AT]], %{{.*}}] bound(%[[ROWS]])
// CHECK: %[[NEXT:.*]] = tile.dot %[[P1]], %[[U]] acc(%[[ACC]])
// CHECK: %[[P:.*]] = arith.truncf %[[S]]
// CHECK: scf.yield %[[NEXT]], %[[P]]
// CHECK: %[[K2:.*]] = tile.load %[[KEYS]][
// CHECK: %[[S2:.*]] = tile.dot %{{.*}}, %[[K2]]
// CHECK: tile.load %[[US]][
// CHECK: %[[LAST:.*]] = tile.dot %[[LOOP]]#1, %{{.*}} acc(%[[LOOP]]#0)
// CHECK: %[[P2:.*]] = arith.truncf %[[S2]]
// CHECK: %[[U2:.*]] = tile.load %[[US]][
// CHECK: tile.dot %[[P2]], %[[U2]] acc(%[[LAST]])
tile.kernel @sums(%cta: index, %q: !in, %k: !in, %u: !in, %o: memref<64x64xf32>, %n: index)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : !square
  %Q = tile.load %q[%c0, %c0] {dims = array<i64: 0, 1>} : !in -> !block
  %acc = scf.for %j = %c0 to %n step %c1 iter_args(%acc0 = %zero) -> (!square) {
    %at = arith.muli %j, %c64 : index
    %K = tile.load %k[%at, %c0] {dims = array<i64: 0, 1>} : !in -> !block
    %U = tile.load %u[%at, %c0] {dims = array<i64: 0, 1>} : !in -> !block
    %s = tile.dot %Q, %K {contract = array<i64: 1, 1>} : !block, !block -> !square
    %p = arith.truncf %s : !square to !block
    %acc1 = tile.dot %p, %U acc(%acc0) {contract = array<i64: 1, 0>} : !block, !block -> !square
    scf.yield %acc1 : !square
  }
  %t0 = arith.muli %n, %c64 : index
  %K2 = tile.load %k[%t0, %c0] {dims = array<i64: 0, 1>} : !in -> !block
  %s2 = tile.dot %Q, %K2 {contract = array<i64: 1, 1>} : !block, !block -> !square
  %p2 = arith.truncf %s2 : !square to !block
  %U2 = tile.load %u[%t0, %c0] {dims = array<i64: 0, 1>} : !in -> !block
  %o2 = tile.dot %p2, %U2 acc(%acc) {contract = array<i64: 1, 0>} : !block, !block -> !square
  tile.store %o2, %o[%c0, %c0] {dims = array<i64: 0, 1>} : !square, memref<64x64xf32>
  tile.return
}

// If each product is awaited at once, a late product would only hold more registers.

// CHECK-LABEL: tile.kernel @waits_for_products
// CHECK: scf.for {{.*}} iter_args(%{{[^,]*}} = %{{[^,]*}}) ->
tile.kernel @waits_for_products(%cta: index, %q: !in, %k: !in, %u: !in, %o: memref<64x64xf32>, %n: index)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : !square
  %Q = tile.load %q[%c0, %c0] {dims = array<i64: 0, 1>} : !in -> !block
  %acc = scf.for %j = %c0 to %n step %c1 iter_args(%acc0 = %zero) -> (!square) {
    %at = arith.muli %j, %c64 : index
    %K = tile.load %k[%at, %c0] {dims = array<i64: 0, 1>} : !in -> !block
    %U = tile.load %u[%at, %c0] {dims = array<i64: 0, 1>} : !in -> !block
    %s = tile.dot %Q, %K {contract = array<i64: 1, 1>} : !block, !block -> !square
    %p = arith.truncf %s : !square to !block
    %acc1 = tile.dot %p, %U acc(%acc0) {contract = array<i64: 1, 0>} : !block, !block -> !square
    scf.yield %acc1 : !square
  }
  %t0 = arith.muli %n, %c64 : index
  %K2 = tile.load %k[%t0, %c0] {dims = array<i64: 0, 1>} : !in -> !block
  %s2 = tile.dot %Q, %K2 {contract = array<i64: 1, 1>} : !block, !block -> !square
  %p2 = arith.truncf %s2 : !square to !block
  %U2 = tile.load %u[%t0, %c0] {dims = array<i64: 0, 1>} : !in -> !block
  %o2 = tile.dot %p2, %U2 acc(%acc) {contract = array<i64: 1, 0>} : !block, !block -> !square
  tile.store %o2, %o[%c0, %c0] {dims = array<i64: 0, 1>} : !square, memref<64x64xf32>
  tile.return
}

// The weights of the sum are loaded: no product has to be awaited.

// CHECK-LABEL: tile.kernel @independent
// CHECK: scf.for {{.*}} iter_args(%{{[^,]*}} = %{{[^,]*}}) ->
tile.kernel @independent(%cta: index, %q: !in, %k: !in, %o: memref<64x64xf32>, %n: index)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !square
  %acc = scf.for %j = %c0 to %n step %c1 iter_args(%acc0 = %zero) -> (!square) {
    %Q = tile.load %q[%j, %c0] {dims = array<i64: 0, 1>} : !in -> !block
    %K = tile.load %k[%j, %c0] {dims = array<i64: 0, 1>} : !in -> !block
    %acc1 = tile.dot %Q, %K acc(%acc0) {contract = array<i64: 1, 0>} : !block, !block -> !square
    scf.yield %acc1 : !square
  }
  tile.store %acc, %o[%c0, %c0] {dims = array<i64: 0, 1>} : !square, memref<64x64xf32>
  tile.return
}
