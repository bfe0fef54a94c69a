// RUN: delta-opt %s --delta-cpu-pipeline -o %t.mlir
// RUN: mlir-runner %t.mlir -e main -entry-point-result=void -shared-libs=%mlir_runner_utils \
// RUN:   | FileCheck %s
// RUN: not --crash mlir-runner %t.mlir -e wait_for_ever -entry-point-result=void \
// RUN:   -shared-libs=%mlir_runner_utils

// Boxes of global memory, their bounds, and flags between CTAs.

func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}

memref.global "private" constant @numbers : memref<3x4xf32> = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]]>

func.func private @show(%m: memref<3x4xf32>) {
  %u = memref.cast %m : memref<3x4xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}

// Loads a 4 x 2 tile whose first axis runs along axis 1 of the array, and
// stores it where its second axis runs along axis 1, both with a bound.
func.func private @move(%from: memref<3x4xf32>, %to: memref<3x4xf32>, %load: index, %store: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.load %from[%c1, %c0] bound(%load) {dims = array<i64: 1, 0>, bound_axis = 1}
      : memref<3x4xf32> -> tensor<4x2xf32>
  %r = tile.transpose %t : tensor<4x2xf32> -> tensor<2x4xf32>
  tile.store %r, %to[%c0, %c0] bound(%store) {dims = array<i64: 0, 1>, bound_axis = 0}
      : tensor<2x4xf32>, memref<3x4xf32>
  return
}

func.func @main() {
  %cm1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %minus = arith.constant -1.0 : f32
  %in = memref.get_global @numbers : memref<3x4xf32>
  %out = memref.alloc() : memref<3x4xf32>

  // Rows 1 and 2 of the array, all of them stored; a bound beyond the box is
  // the box.
  // CHECK: data =
  // CHECK-NEXT: [5, 6, 7, 8]
  // CHECK-NEXT: [9, 10, 11, 12]
  // CHECK-NEXT: [-1, -1, -1, -1]
  linalg.fill ins(%minus : f32) outs(%out : memref<3x4xf32>)
  call @move(%in, %out, %c9, %c2) : (memref<3x4xf32>, memref<3x4xf32>, index, index) -> ()
  call @show(%out) : (memref<3x4xf32>) -> ()

  // Only one row exists: the second row of the tile is zero.
  // CHECK: data =
  // CHECK-NEXT: [5, 6, 7, 8]
  // CHECK-NEXT: [0, 0, 0, 0]
  // CHECK-NEXT: [-1, -1, -1, -1]
  linalg.fill ins(%minus : f32) outs(%out : memref<3x4xf32>)
  call @move(%in, %out, %c1, %c2) : (memref<3x4xf32>, memref<3x4xf32>, index, index) -> ()
  call @show(%out) : (memref<3x4xf32>) -> ()

  // A negative bound loads no row; one row is stored.
  // CHECK: data =
  // CHECK-NEXT: [0, 0, 0, 0]
  // CHECK-NEXT: [-1, -1, -1, -1]
  linalg.fill ins(%minus : f32) outs(%out : memref<3x4xf32>)
  call @move(%in, %out, %cm1, %c1) : (memref<3x4xf32>, memref<3x4xf32>, index, index) -> ()
  call @show(%out) : (memref<3x4xf32>) -> ()

  // Every second element of a vector, from column 1; two of them exist.
  // CHECK: data =
  // CHECK-NEXT: [2, 0, 3, 0]
  // CHECK-NEXT: [-1, -1, -1, -1]
  linalg.fill ins(%minus : f32) outs(%out : memref<3x4xf32>)
  %v = tile.load %in[%c0, %c1] bound(%c2) {dims = array<i64: 1>, steps = 2} : memref<3x4xf32> -> tensor<4xf32>
  tile.store %v, %out[%c0, %c0] {dims = array<i64: 1>} : tensor<4xf32>, memref<3x4xf32>
  call @show(%out) : (memref<3x4xf32>) -> ()

  // Tickets count from a cleared counter, an expectation of a flag that is set passes.
  // CHECK: data =
  // CHECK-NEXT: [0, 1, 2, -1]
  linalg.fill ins(%minus : f32) outs(%out : memref<3x4xf32>)
  %counter = memref.alloc() : memref<1xi32>
  %flags = memref.alloc() : memref<2x2xi32>
  %epoch = arith.constant 5 : i32
  %earlier = arith.constant 4 : i32
  tile.clear %counter : memref<1xi32>
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %item = tile.ticket %counter : memref<1xi32>
    %n = arith.index_cast %item : index to i32
    %f = arith.sitofp %n : i32 to f32
    memref.store %f, %out[%c0, %i] : memref<3x4xf32>
  }
  tile.signal %flags[%c1, %c0], %epoch : memref<2x2xi32>
  tile.expect %flags[%c1, %c0], %epoch : memref<2x2xi32>
  tile.expect %flags[%c1, %c0], %earlier : memref<2x2xi32>
  call @show(%out) : (memref<3x4xf32>) -> ()
  return
}

// A wait for a flag that no later CTA sets aborts.
func.func @wait_for_ever() {
  %c0 = arith.constant 0 : index
  %epoch = arith.constant 5 : i32
  %earlier = arith.constant 4 : i32
  %flags = memref.alloc() : memref<1xi32>
  tile.signal %flags[%c0], %earlier : memref<1xi32>
  tile.expect %flags[%c0], %epoch : memref<1xi32>
  return
}
