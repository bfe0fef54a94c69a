// RUN: delta-opt %s --tile-solve-reads --canonicalize | FileCheck %s

!m = tensor<64x64xf32>
!a = tensor<64x64xbf16>
!x = tensor<64x128xf32>
!b = tensor<64x128xbf16>

// One product gives the values that rows read, and the rows follow from these.

// CHECK-LABEL: tile.kernel @solution
// CHECK: %[[P0:.*]] = tile.load %arg1
// CHECK-DAG: %[[V:.*]] = tile.load %arg2
// CHECK-DAG: %[[A:.*]] = tile.load %arg3
// CHECK-DAG: %[[F:.*]] = tile.load %arg4
// CHECK: %[[P:.*]] = tile.mask strict_lower %[[P0]]
// CHECK-NOT: tile.tri_inverse
// CHECK-NOT: tile.mask
// CHECK: %[[G:.*]] = tile.tri_solve %[[P]], %[[F]] : tensor<64x64xf32>, tensor<64xf32>
// CHECK: %[[GA:.*]] = arith.truncf %[[G]]
// CHECK: %[[ROWS:.*]] = tile.spread %[[F]] {axis = 0 : i64}
// CHECK: %[[FA:.*]] = arith.mulf %[[A]], %[[ROWS]]
// CHECK: %[[R:.*]] = arith.subf %[[V]], %[[FA]]
// CHECK: %[[RA:.*]] = arith.truncf %[[R]]
// CHECK: %[[READ:.*]] = tile.dot %[[GA]], %[[RA]] acc(%[[A]]) {contract = array<i64: 1, 0>}
// CHECK: %[[FR:.*]] = arith.mulf %[[READ]], %[[ROWS]]
// CHECK: %[[U:.*]] = arith.subf %[[V]], %[[FR]]
// CHECK: tile.store %[[U]], %arg5
// CHECK: tile.store %[[READ]], %arg6
// CHECK-NOT: tile.dot
tile.kernel @solution(%i: index, %p: memref<64x64xf32>, %v: memref<64x128xf32>, %c: memref<64x128xf32>,
                      %beta: memref<64xf32>, %u: memref<64x128xf32>, %o: memref<64x128xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %P0 = tile.load %p[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> !m
  %V = tile.load %v[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %A = tile.load %c[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %f = tile.load %beta[%c0] {dims = array<i64: 0>} : memref<64xf32> -> tensor<64xf32>
  %P = tile.mask strict_lower %P0 : !m
  %fs = tile.spread %f {axis = 0} : tensor<64xf32> -> !m
  %FP = arith.mulf %P, %fs : !m
  %M = tile.tri_inverse %FP : !m
  %Ma = arith.truncf %M : !m to !a
  %fx = tile.spread %f {axis = 0} : tensor<64xf32> -> !x
  %FA = arith.mulf %A, %fx : !x
  %R = arith.subf %V, %FA : !x
  %Ra = arith.truncf %R : !x to !b
  %U = tile.dot %Ma, %Ra {contract = array<i64: 1, 0>} : !a, !b -> !x
  tile.store %U, %u[%c0, %c0] {dims = array<i64: 0, 1>} : !x, memref<64x128xf32>
  %Ua = arith.truncf %U : !x to !b
  %Pa = arith.truncf %P : !m to !a
  %read = tile.dot %Pa, %Ua acc(%A) {contract = array<i64: 1, 0>} : !a, !b -> !x
  tile.store %read, %o[%c0, %c0] {dims = array<i64: 0, 1>} : !x, memref<64x128xf32>
  tile.return
}

// No read uses the query that writes: only the rows are needed, and their product has as
// many terms as before.

// CHECK-LABEL: tile.kernel @rows_alone
// CHECK-NOT: tile.tri_inverse
// CHECK: %[[P:.*]] = tile.mask strict_lower
// CHECK: %[[G:.*]] = tile.tri_solve %[[P]], %[[F:.*]] : tensor<64x64xf32>, tensor<64xf32>
// CHECK: %[[GA:.*]] = arith.truncf %[[G]]
// CHECK: %[[ROWS:.*]] = tile.spread %[[F]] {axis = 0 : i64} : tensor<64xf32> -> tensor<64x128xf32>
// CHECK: %[[FA:.*]] = arith.mulf %[[A:.*]], %[[ROWS]]
// CHECK: %[[R:.*]] = arith.subf %[[V:.*]], %[[FA]]
// CHECK: %[[RA:.*]] = arith.truncf %[[R]]
// CHECK: %[[READ:.*]] = tile.dot %[[GA]], %[[RA]] acc(%[[A]]) {contract = array<i64: 1, 0>}
// CHECK: %[[FR:.*]] = arith.mulf %[[READ]], %[[ROWS]]
// CHECK: %[[U:.*]] = arith.subf %[[V]], %[[FR]]
// CHECK: tile.store %[[U]], %arg5
// CHECK-NOT: tile.dot
tile.kernel @rows_alone(%i: index, %p: memref<64x64xf32>, %v: memref<64x128xf32>, %c: memref<64x128xf32>,
                        %beta: memref<64xf32>, %u: memref<64x128xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %P0 = tile.load %p[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> !m
  %V = tile.load %v[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %A = tile.load %c[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %f = tile.load %beta[%c0] {dims = array<i64: 0>} : memref<64xf32> -> tensor<64xf32>
  %P = tile.mask strict_lower %P0 : !m
  %fs = tile.spread %f {axis = 0} : tensor<64xf32> -> !m
  %FP = arith.mulf %P, %fs : !m
  %M = tile.tri_inverse %FP : !m
  %Ma = arith.truncf %M : !m to !a
  %fx = tile.spread %f {axis = 0} : tensor<64xf32> -> !x
  %FA = arith.mulf %A, %fx : !x
  %R = arith.subf %V, %FA : !x
  %Ra = arith.truncf %R : !x to !b
  %U = tile.dot %Ma, %Ra {contract = array<i64: 1, 0>} : !a, !b -> !x
  tile.store %U, %u[%c0, %c0] {dims = array<i64: 0, 1>} : !x, memref<64x128xf32>
  tile.return
}

// An inverse uses only elements below the diagonal. The weights may have other elements,
// which must not take part in the solve: they are masked.

// CHECK-LABEL: tile.kernel @unmasked
// CHECK: %[[P:.*]] = arith.maximumf
// CHECK: %[[LOWER:.*]] = tile.mask strict_lower %[[P]]
// CHECK-NOT: tile.mask
// CHECK: %[[G:.*]] = tile.tri_solve %[[LOWER]],
// CHECK: %[[READ:.*]] = tile.dot
// CHECK-NOT: tile.dot
// CHECK: tile.store %{{.*}}, %arg5
// CHECK: tile.store %[[READ]], %arg6
tile.kernel @unmasked(%i: index, %p: memref<64x64xf32>, %v: memref<64x128xf32>, %c: memref<64x128xf32>,
                      %beta: memref<64xf32>, %u: memref<64x128xf32>, %o: memref<64x128xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : !m
  %S = tile.load %p[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> !m
  %V = tile.load %v[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %A = tile.load %c[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %f = tile.load %beta[%c0] {dims = array<i64: 0>} : memref<64xf32> -> tensor<64xf32>
  %P = arith.maximumf %S, %zero : !m
  %fs = tile.spread %f {axis = 0} : tensor<64xf32> -> !m
  %FP = arith.mulf %P, %fs : !m
  %M = tile.tri_inverse %FP : !m
  %Ma = arith.truncf %M : !m to !a
  %fx = tile.spread %f {axis = 0} : tensor<64xf32> -> !x
  %FA = arith.mulf %A, %fx : !x
  %R = arith.subf %V, %FA : !x
  %Ra = arith.truncf %R : !x to !b
  %U = tile.dot %Ma, %Ra {contract = array<i64: 1, 0>} : !a, !b -> !x
  tile.store %U, %u[%c0, %c0] {dims = array<i64: 0, 1>} : !x, memref<64x128xf32>
  %Ua = arith.truncf %U : !x to !b
  %lower = tile.mask strict_lower %P : !m
  %Pa = arith.truncf %lower : !m to !a
  %read = tile.dot %Pa, %Ua acc(%A) {contract = array<i64: 1, 0>} : !a, !b -> !x
  tile.store %read, %o[%c0, %c0] {dims = array<i64: 0, 1>} : !x, memref<64x128xf32>
  tile.return
}

// Scores that are -infinity on and above the diagonal have exponentials that are 0 there.

// CHECK-LABEL: tile.kernel @exponentials
// CHECK: tile.mask strict_lower
// CHECK: %[[P:.*]] = math.exp2
// CHECK-NOT: tile.mask
// CHECK: tile.tri_solve %[[P]],
tile.kernel @exponentials(%i: index, %p: memref<64x64xf32>, %v: memref<64x128xf32>, %c: memref<64x128xf32>,
    %beta: memref<64xf32>, %max: memref<64xf32>, %o: memref<64x128xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %scale = arith.constant dense<0.125> : !m
  %S = tile.load %p[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> !m
  %V = tile.load %v[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %A = tile.load %c[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %f = tile.load %beta[%c0] {dims = array<i64: 0>} : memref<64xf32> -> tensor<64xf32>
  %m = tile.load %max[%c0] {dims = array<i64: 0>} : memref<64xf32> -> tensor<64xf32>
  %present = tile.mask strict_lower %S {fill = 0xFF800000 : f32} : !m
  %scaled = arith.mulf %present, %scale : !m
  %rows = tile.spread %m {axis = 0} : tensor<64xf32> -> !m
  %below = arith.subf %scaled, %rows : !m
  %P = math.exp2 %below : !m
  %fs = tile.spread %f {axis = 0} : tensor<64xf32> -> !m
  %FP = arith.mulf %P, %fs : !m
  %M = tile.tri_inverse %FP : !m
  %Ma = arith.truncf %M : !m to !a
  %fx = tile.spread %f {axis = 0} : tensor<64xf32> -> !x
  %FA = arith.mulf %A, %fx : !x
  %R = arith.subf %V, %FA : !x
  %Ra = arith.truncf %R : !x to !b
  %U = tile.dot %Ma, %Ra {contract = array<i64: 1, 0>} : !a, !b -> !x
  %Ua = arith.truncf %U : !x to !b
  %Pa = arith.truncf %P : !m to !a
  %read = tile.dot %Pa, %Ua acc(%A) {contract = array<i64: 1, 0>} : !a, !b -> !x
  tile.store %read, %o[%c0, %c0] {dims = array<i64: 0, 1>} : !x, memref<64x128xf32>
  tile.return
}

// Exponentials of other scores are not 0 there, and the rows may read them.

// CHECK-LABEL: tile.kernel @finite_scores
// CHECK: tile.tri_inverse
// CHECK-NOT: tile.tri_solve
tile.kernel @finite_scores(%i: index, %p: memref<64x64xf32>, %v: memref<64x128xf32>, %c: memref<64x128xf32>,
    %beta: memref<64xf32>, %max: memref<64xf32>, %o: memref<64x128xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %scale = arith.constant dense<0.125> : !m
  %S = tile.load %p[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> !m
  %V = tile.load %v[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %A = tile.load %c[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %f = tile.load %beta[%c0] {dims = array<i64: 0>} : memref<64xf32> -> tensor<64xf32>
  %m = tile.load %max[%c0] {dims = array<i64: 0>} : memref<64xf32> -> tensor<64xf32>
  %present = tile.mask strict_lower %S {fill = -8.0 : f32} : !m
  %scaled = arith.mulf %present, %scale : !m
  %rows = tile.spread %m {axis = 0} : tensor<64xf32> -> !m
  %below = arith.subf %scaled, %rows : !m
  %P = math.exp2 %below : !m
  %fs = tile.spread %f {axis = 0} : tensor<64xf32> -> !m
  %FP = arith.mulf %P, %fs : !m
  %M = tile.tri_inverse %FP : !m
  %Ma = arith.truncf %M : !m to !a
  %fx = tile.spread %f {axis = 0} : tensor<64xf32> -> !x
  %FA = arith.mulf %A, %fx : !x
  %R = arith.subf %V, %FA : !x
  %Ra = arith.truncf %R : !x to !b
  %U = tile.dot %Ma, %Ra {contract = array<i64: 1, 0>} : !a, !b -> !x
  %Ua = arith.truncf %U : !x to !b
  %Pa = arith.truncf %P : !m to !a
  %read = tile.dot %Pa, %Ua acc(%A) {contract = array<i64: 1, 0>} : !a, !b -> !x
  tile.store %read, %o[%c0, %c0] {dims = array<i64: 0, 1>} : !x, memref<64x128xf32>
  tile.return
}

// Rows that also read themselves: the weights on the diagonal are taken before the solve,
// and their term is added after it. A read without the diagonal is the product itself.

// CHECK-LABEL: tile.kernel @reads_itself
// CHECK: %[[S:.*]] = tile.load %arg1
// CHECK: %[[OWN:.*]] = tile.diagonal %[[S]]
// CHECK: %[[P:.*]] = tile.mask strict_lower %[[S]]
// CHECK-NOT: tile.mask
// CHECK: tile.tri_solve %[[P]],
// CHECK: %[[READ:.*]] = tile.dot
// CHECK-NOT: tile.dot
// CHECK: %[[U:.*]] = arith.subf
// CHECK: tile.store %[[READ]], %arg5
// CHECK: %[[ROWS:.*]] = tile.spread %[[OWN]] {axis = 0 : i64}
// CHECK: %[[SHARE:.*]] = arith.mulf %[[U]], %[[ROWS]]
// CHECK: %[[O:.*]] = arith.addf %[[READ]], %[[SHARE]]
// CHECK: tile.store %[[O]], %arg6
tile.kernel @reads_itself(%i: index, %p: memref<64x64xf32>, %v: memref<64x128xf32>, %c: memref<64x128xf32>,
                      %beta: memref<64xf32>, %u: memref<64x128xf32>, %o: memref<64x128xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %S = tile.load %p[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> !m
  %V = tile.load %v[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %A = tile.load %c[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %f = tile.load %beta[%c0] {dims = array<i64: 0>} : memref<64xf32> -> tensor<64xf32>
  %P = tile.mask lower %S : !m
  %fs = tile.spread %f {axis = 0} : tensor<64xf32> -> !m
  %FP = arith.mulf %P, %fs : !m
  %M = tile.tri_inverse %FP : !m
  %Ma = arith.truncf %M : !m to !a
  %fx = tile.spread %f {axis = 0} : tensor<64xf32> -> !x
  %FA = arith.mulf %A, %fx : !x
  %R = arith.subf %V, %FA : !x
  %Ra = arith.truncf %R : !x to !b
  %U = tile.dot %Ma, %Ra {contract = array<i64: 1, 0>} : !a, !b -> !x
  %Ua = arith.truncf %U : !x to !b
  %strict = tile.mask strict_lower %S : !m
  %strict_a = arith.truncf %strict : !m to !a
  %ubar = tile.dot %strict_a, %Ua acc(%A) {contract = array<i64: 1, 0>} : !a, !b -> !x
  tile.store %ubar, %u[%c0, %c0] {dims = array<i64: 0, 1>} : !x, memref<64x128xf32>
  %Pa = arith.truncf %P : !m to !a
  %read = tile.dot %Pa, %Ua acc(%A) {contract = array<i64: 1, 0>} : !a, !b -> !x
  tile.store %read, %o[%c0, %c0] {dims = array<i64: 0, 1>} : !x, memref<64x128xf32>
  tile.return
}

// If no product reads the weights, their scale is part of the factors of rows; it goes back
// to the weights.

// CHECK-LABEL: tile.kernel @scaled
// CHECK-DAG: %[[SCALE:.*]] = arith.constant dense<2.500000e-01> : tensor<64x64xf32>
// CHECK: %[[F:.*]] = tile.load %arg4
// CHECK: %[[P:.*]] = arith.mulf %{{.*}}, %[[SCALE]]
// CHECK: tile.tri_solve %[[P]], %[[F]]
// CHECK: %[[ROWS:.*]] = tile.spread %[[F]]
// CHECK: %[[READ:.*]] = tile.dot
// CHECK: arith.mulf %[[READ]], %[[ROWS]]
tile.kernel @scaled(%i: index, %p: memref<64x64xf32>, %v: memref<64x128xf32>, %c: memref<64x128xf32>,
                      %beta: memref<64xf32>, %u: memref<64x128xf32>, %o: memref<64x128xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %S = tile.load %p[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> !m
  %V = tile.load %v[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %A = tile.load %c[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %f = tile.load %beta[%c0] {dims = array<i64: 0>} : memref<64xf32> -> tensor<64xf32>
  %P = tile.mask strict_lower %S : !m
  %scale = arith.constant dense<0.25> : tensor<64xf32>
  %g = arith.mulf %f, %scale : tensor<64xf32>
  %fs = tile.spread %g {axis = 0} : tensor<64xf32> -> !m
  %FP = arith.mulf %P, %fs : !m
  %M = tile.tri_inverse %FP : !m
  %Ma = arith.truncf %M : !m to !a
  %fx = tile.spread %f {axis = 0} : tensor<64xf32> -> !x
  %FA = arith.mulf %A, %fx : !x
  %R = arith.subf %V, %FA : !x
  %Ra = arith.truncf %R : !x to !b
  %U = tile.dot %Ma, %Ra {contract = array<i64: 1, 0>} : !a, !b -> !x
  tile.store %U, %u[%c0, %c0] {dims = array<i64: 0, 1>} : !x, memref<64x128xf32>
  tile.return
}

// Operands split into a high part and a residual: the new product has split operands too.

// CHECK-LABEL: tile.kernel @rests
// CHECK: %[[A:.*]] = tile.load %arg3
// CHECK: %[[G:.*]] = tile.tri_solve
// CHECK: %[[GA:.*]] = arith.truncf %[[G]]
// CHECK: %[[BACK:.*]] = arith.extf %[[GA]]
// CHECK: %[[DIFFERENCE:.*]] = arith.subf %[[G]], %[[BACK]]
// CHECK: %[[GR:.*]] = arith.truncf %[[DIFFERENCE]]
// CHECK: %[[N0:.*]] = tile.dot %[[GA]], %{{.*}} acc(%[[A]])
// CHECK: %[[N1:.*]] = tile.dot %[[GR]], %{{.*}} acc(%[[N0]])
// CHECK: %[[N:.*]] = tile.dot %[[GA]], %{{.*}} acc(%[[N1]])
// CHECK: %[[FN:.*]] = arith.mulf %[[N]],
// CHECK: %[[U:.*]] = arith.subf %{{.*}}, %[[FN]]
// CHECK: tile.store %[[U]], %arg5
tile.kernel @rests(%i: index, %p: memref<64x64xf32>, %v: memref<64x128xf32>, %c: memref<64x128xf32>,
                   %beta: memref<64xf32>, %u: memref<64x128xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %S = tile.load %p[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> !m
  %V = tile.load %v[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %A = tile.load %c[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %f = tile.load %beta[%c0] {dims = array<i64: 0>} : memref<64xf32> -> tensor<64xf32>
  %P = tile.mask strict_lower %S : !m
  %fs = tile.spread %f {axis = 0} : tensor<64xf32> -> !m
  %FP = arith.mulf %P, %fs : !m
  %M = tile.tri_inverse %FP : !m
  %Ma = arith.truncf %M : !m to !a
  %Mb = arith.extf %Ma : !a to !m
  %Md = arith.subf %M, %Mb : !m
  %Mr = arith.truncf %Md : !m to !a
  %fx = tile.spread %f {axis = 0} : tensor<64xf32> -> !x
  %FA = arith.mulf %A, %fx : !x
  %R = arith.subf %V, %FA : !x
  %Ra = arith.truncf %R : !x to !b
  %Rb = arith.extf %Ra : !b to !x
  %Rd = arith.subf %R, %Rb : !x
  %Rr = arith.truncf %Rd : !x to !b
  %U0 = tile.dot %Ma, %Rr {contract = array<i64: 1, 0>} : !a, !b -> !x
  %U1 = tile.dot %Mr, %Ra acc(%U0) {contract = array<i64: 1, 0>} : !a, !b -> !x
  %U = tile.dot %Ma, %Ra acc(%U1) {contract = array<i64: 1, 0>} : !a, !b -> !x
  tile.store %U, %u[%c0, %c0] {dims = array<i64: 0, 1>} : !x, memref<64x128xf32>
  tile.return
}

// The factors are not a constant multiple of each other.

// CHECK-LABEL: tile.kernel @other_factors
// CHECK: tile.tri_inverse
tile.kernel @other_factors(%i: index, %p: memref<64x64xf32>, %v: memref<64x128xf32>, %c: memref<64x128xf32>,
                      %beta: memref<64xf32>, %u: memref<64x128xf32>, %o: memref<64x128xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %S = tile.load %p[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> !m
  %V = tile.load %v[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %A = tile.load %c[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %f = tile.load %beta[%c0] {dims = array<i64: 0>} : memref<64xf32> -> tensor<64xf32>
  %P = tile.mask strict_lower %S : !m
  %g = arith.mulf %f, %f : tensor<64xf32>
  %fs = tile.spread %g {axis = 0} : tensor<64xf32> -> !m
  %FP = arith.mulf %P, %fs : !m
  %M = tile.tri_inverse %FP : !m
  %Ma = arith.truncf %M : !m to !a
  %fx = tile.spread %f {axis = 0} : tensor<64xf32> -> !x
  %FA = arith.mulf %A, %fx : !x
  %R = arith.subf %V, %FA : !x
  %Ra = arith.truncf %R : !x to !b
  %U = tile.dot %Ma, %Ra {contract = array<i64: 1, 0>} : !a, !b -> !x
  tile.store %U, %u[%c0, %c0] {dims = array<i64: 0, 1>} : !x, memref<64x128xf32>
  tile.return
}

// The same, but the read uses all of the weights: an inverse does not give this sum.

// CHECK-LABEL: tile.kernel @reads_above
// CHECK: tile.tri_inverse
// CHECK-NOT: tile.tri_solve
tile.kernel @reads_above(%i: index, %p: memref<64x64xf32>, %v: memref<64x128xf32>, %c: memref<64x128xf32>,
                         %beta: memref<64xf32>, %o: memref<64x128xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %P = tile.load %p[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> !m
  %V = tile.load %v[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %A = tile.load %c[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %f = tile.load %beta[%c0] {dims = array<i64: 0>} : memref<64xf32> -> tensor<64xf32>
  %fs = tile.spread %f {axis = 0} : tensor<64xf32> -> !m
  %FP = arith.mulf %P, %fs : !m
  %M = tile.tri_inverse %FP : !m
  %Ma = arith.truncf %M : !m to !a
  %fx = tile.spread %f {axis = 0} : tensor<64xf32> -> !x
  %FA = arith.mulf %A, %fx : !x
  %R = arith.subf %V, %FA : !x
  %Ra = arith.truncf %R : !x to !b
  %U = tile.dot %Ma, %Ra {contract = array<i64: 1, 0>} : !a, !b -> !x
  %Ua = arith.truncf %U : !x to !b
  %Pa = arith.truncf %P : !m to !a
  %read = tile.dot %Pa, %Ua acc(%A) {contract = array<i64: 1, 0>} : !a, !b -> !x
  tile.store %read, %o[%c0, %c0] {dims = array<i64: 0, 1>} : !x, memref<64x128xf32>
  tile.return
}

// The rows read a different sum than the one that was subtracted: no solve of this form.

// CHECK-LABEL: tile.kernel @other_sum
// CHECK: tile.tri_inverse
// CHECK-NOT: tile.tri_solve
tile.kernel @other_sum(%i: index, %p: memref<64x64xf32>, %v: memref<64x128xf32>, %c: memref<64x128xf32>,
                       %beta: memref<64xf32>, %o: memref<64x128xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %P0 = tile.load %p[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> !m
  %V = tile.load %v[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %A = tile.load %c[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %f = tile.load %beta[%c0] {dims = array<i64: 0>} : memref<64xf32> -> tensor<64xf32>
  %P = tile.mask strict_lower %P0 : !m
  %fs = tile.spread %f {axis = 0} : tensor<64xf32> -> !m
  %FP = arith.mulf %P, %fs : !m
  %M = tile.tri_inverse %FP : !m
  %Ma = arith.truncf %M : !m to !a
  %fx = tile.spread %f {axis = 0} : tensor<64xf32> -> !x
  %FA = arith.mulf %A, %fx : !x
  %R = arith.subf %V, %FA : !x
  %Ra = arith.truncf %R : !x to !b
  %U = tile.dot %Ma, %Ra {contract = array<i64: 1, 0>} : !a, !b -> !x
  %Ua = arith.truncf %U : !x to !b
  %Pa = arith.truncf %P : !m to !a
  %read = tile.dot %Pa, %Ua acc(%V) {contract = array<i64: 1, 0>} : !a, !b -> !x
  tile.store %read, %o[%c0, %c0] {dims = array<i64: 0, 1>} : !x, memref<64x128xf32>
  tile.return
}

// Without wgmma products the inverse stays.

// CHECK-LABEL: tile.kernel @no_roles
// CHECK: tile.tri_inverse
tile.kernel @no_roles(%i: index, %p: memref<64x64xf32>, %v: memref<64x128xf32>, %c: memref<64x128xf32>,
                      %beta: memref<64xf32>, %o: memref<64x128xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %P0 = tile.load %p[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> !m
  %V = tile.load %v[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %A = tile.load %c[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %f = tile.load %beta[%c0] {dims = array<i64: 0>} : memref<64xf32> -> tensor<64xf32>
  %P = tile.mask strict_lower %P0 : !m
  %fs = tile.spread %f {axis = 0} : tensor<64xf32> -> !m
  %FP = arith.mulf %P, %fs : !m
  %M = tile.tri_inverse %FP : !m
  %Ma = arith.truncf %M : !m to !a
  %fx = tile.spread %f {axis = 0} : tensor<64xf32> -> !x
  %FA = arith.mulf %A, %fx : !x
  %R = arith.subf %V, %FA : !x
  %Ra = arith.truncf %R : !x to !b
  %U = tile.dot %Ma, %Ra {contract = array<i64: 1, 0>} : !a, !b -> !x
  %Ua = arith.truncf %U : !x to !b
  %Pa = arith.truncf %P : !m to !a
  %read = tile.dot %Pa, %Ua acc(%A) {contract = array<i64: 1, 0>} : !a, !b -> !x
  tile.store %read, %o[%c0, %c0] {dims = array<i64: 0, 1>} : !x, memref<64x128xf32>
  tile.return
}

// The rows come from the transpose of the inverse.

// CHECK-LABEL: tile.kernel @transposed
// CHECK: tile.tri_inverse
tile.kernel @transposed(%i: index, %p: memref<64x64xf32>, %v: memref<64x128xf32>, %c: memref<64x128xf32>,
                      %beta: memref<64xf32>, %o: memref<64x128xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %P = tile.load %p[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> !m
  %V = tile.load %v[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %A = tile.load %c[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %f = tile.load %beta[%c0] {dims = array<i64: 0>} : memref<64xf32> -> tensor<64xf32>
  %fs = tile.spread %f {axis = 0} : tensor<64xf32> -> !m
  %FP = arith.mulf %P, %fs : !m
  %M = tile.tri_inverse %FP {transposed} : !m
  %Ma = arith.truncf %M : !m to !a
  %fx = tile.spread %f {axis = 0} : tensor<64xf32> -> !x
  %FA = arith.mulf %A, %fx : !x
  %R = arith.subf %V, %FA : !x
  %Ra = arith.truncf %R : !x to !b
  %U = tile.dot %Ma, %Ra {contract = array<i64: 1, 0>} : !a, !b -> !x
  %Ua = arith.truncf %U : !x to !b
  %Pa = arith.truncf %P : !m to !a
  %read = tile.dot %Pa, %Ua acc(%A) {contract = array<i64: 1, 0>} : !a, !b -> !x
  tile.store %read, %o[%c0, %c0] {dims = array<i64: 0, 1>} : !x, memref<64x128xf32>
  tile.return
}
