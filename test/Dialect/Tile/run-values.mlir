// RUN: delta-opt %s --delta-cpu-pipeline \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_runner_utils \
// RUN:   | FileCheck %s
// RUN: delta-opt %s -pass-pipeline='builtin.module(delta-decompose{outline=false},delta-cpu-pipeline)' \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_runner_utils \
// RUN:   | FileCheck %s

// The results of each op on values, for numbers that can be checked by hand.

func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}

func.func private @show2(%t: tensor<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<2x2xf32>
  tile.store %t, %m[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<2x2xf32>, memref<2x2xf32>
  %u = memref.cast %m : memref<2x2xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}

func.func private @show4(%t: tensor<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<4x4xf32>
  tile.store %t, %m[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<4x4xf32>, memref<4x4xf32>
  %u = memref.cast %m : memref<4x4xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}

func.func @main() {
  %a = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xbf16>
  %b = arith.constant dense<[[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]]> : tensor<2x3xbf16>
  %at = tile.transpose %a : tensor<2x3xbf16> -> tensor<3x2xbf16>
  %bt = tile.transpose %b : tensor<2x3xbf16> -> tensor<3x2xbf16>
  %acc = arith.constant dense<[[100.0, 200.0], [300.0, 400.0]]> : tensor<2x2xf32>

  // a b^T = [7 5; 16 11], whichever way the operands are stored.
  // CHECK: data =
  // CHECK-NEXT: [7, 5]
  // CHECK-NEXT: [16, 11]
  %nt = tile.dot %a, %b {contract = array<i64: 1, 1>} : tensor<2x3xbf16>, tensor<2x3xbf16> -> tensor<2x2xf32>
  call @show2(%nt) : (tensor<2x2xf32>) -> ()
  // CHECK: data =
  // CHECK-NEXT: [7, 5]
  // CHECK-NEXT: [16, 11]
  %nn = tile.dot %a, %bt {contract = array<i64: 1, 0>} : tensor<2x3xbf16>, tensor<3x2xbf16> -> tensor<2x2xf32>
  call @show2(%nn) : (tensor<2x2xf32>) -> ()
  // CHECK: data =
  // CHECK-NEXT: [7, 5]
  // CHECK-NEXT: [16, 11]
  %tn = tile.dot %at, %bt {contract = array<i64: 0, 0>} : tensor<3x2xbf16>, tensor<3x2xbf16> -> tensor<2x2xf32>
  call @show2(%tn) : (tensor<2x2xf32>) -> ()
  // CHECK: data =
  // CHECK-NEXT: [107, 205]
  // CHECK-NEXT: [316, 411]
  %tt = tile.dot %at, %b acc(%acc) {contract = array<i64: 0, 1>} : tensor<3x2xbf16>, tensor<2x3xbf16> -> tensor<2x2xf32>
  call @show2(%tt) : (tensor<2x2xf32>) -> ()
  // The accumulator is a value: it is the same for the second use.
  // CHECK: data =
  // CHECK-NEXT: [107, 205]
  // CHECK-NEXT: [316, 411]
  %again = tile.dot %a, %b acc(%acc) {contract = array<i64: 1, 1>} : tensor<2x3xbf16>, tensor<2x3xbf16> -> tensor<2x2xf32>
  call @show2(%again) : (tensor<2x2xf32>) -> ()

  // Products of 16-bit operands are exact in f32: 257^2 = 66049 needs 17 bits.
  // CHECK: data =
  // CHECK-NEXT: [66049, 66049]
  %h = arith.constant dense<257.0> : tensor<2x1xf16>
  %hh = tile.dot %h, %h {contract = array<i64: 1, 1>} : tensor<2x1xf16>, tensor<2x1xf16> -> tensor<2x2xf32>
  call @show2(%hh) : (tensor<2x2xf32>) -> ()

  %m = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0], [-1.0, -2.0, -3.0, -4.0]]> : tensor<4x4xf32>
  // Row sums 10, 26, 42, -10 along rows; prefix sums 10, 36, 78, 68 along columns.
  // CHECK: data =
  // CHECK-NEXT: [10, 10, 10, 10]
  // CHECK-NEXT: [26, 26, 26, 26]
  // CHECK-NEXT: [42, 42, 42, 42]
  // CHECK-NEXT: [-10, -10, -10, -10]
  %rs = tile.reduce add %m {axis = 1} : tensor<4x4xf32> -> tensor<4xf32>
  %rv = tile.spread %rs {axis = 0} : tensor<4xf32> -> tensor<4x4xf32>
  call @show4(%rv) : (tensor<4x4xf32>) -> ()
  // CHECK: data =
  // CHECK-NEXT: [10, 36, 78, 68]
  // CHECK-NEXT: [10, 36, 78, 68]
  %ps = tile.scan %rs : tensor<4xf32>
  %pv = tile.spread %ps {axis = 1} : tensor<4xf32> -> tensor<4x4xf32>
  call @show4(%pv) : (tensor<4x4xf32>) -> ()
  // CHECK: data =
  // CHECK-NEXT: [14, 16, 18, 20]
  %cs = tile.reduce add %m {axis = 0} : tensor<4x4xf32> -> tensor<4xf32>
  %cv = tile.spread %cs {axis = 1} : tensor<4xf32> -> tensor<4x4xf32>
  call @show4(%cv) : (tensor<4x4xf32>) -> ()
  // CHECK: data =
  // CHECK-NEXT: [4, 4, 4, 4]
  // CHECK-NEXT: [8, 8, 8, 8]
  // CHECK-NEXT: [12, 12, 12, 12]
  // CHECK-NEXT: [-1, -1, -1, -1]
  %rm = tile.reduce max %m {axis = 1} : tensor<4x4xf32> -> tensor<4xf32>
  %rw = tile.spread %rm {axis = 0} : tensor<4xf32> -> tensor<4x4xf32>
  call @show4(%rw) : (tensor<4x4xf32>) -> ()

  // Elements outside the diagonal are not read.
  // CHECK: data =
  // CHECK-NEXT: [1, 1, 1, 1]
  // CHECK-NEXT: [6, 6, 6, 6]
  // CHECK-NEXT: [11, 11, 11, 11]
  // CHECK-NEXT: [-4, -4, -4, -4]
  %dm = arith.constant dense<[[1.0, 0x7fc00000, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 0x7fc00000], [-1.0, -2.0, -3.0, -4.0]]> : tensor<4x4xf32>
  %dv = tile.diagonal %dm : tensor<4x4xf32> -> tensor<4xf32>
  %dw = tile.spread %dv {axis = 0} : tensor<4xf32> -> tensor<4x4xf32>
  call @show4(%dw) : (tensor<4x4xf32>) -> ()

  // Diagonals: one above, two below, and one that misses the matrix.
  %c1 = arith.constant 1 : index
  %cm2 = arith.constant -2 : index
  %c4 = arith.constant 4 : index
  // CHECK: data =
  // CHECK-NEXT: [0, 1, 0, 0]
  // CHECK-NEXT: [0, 0, 1, 0]
  // CHECK-NEXT: [0, 0, 0, 1]
  // CHECK-NEXT: [0, 0, 0, 0]
  %above = tile.identity %c1 : tensor<4x4xf32>
  call @show4(%above) : (tensor<4x4xf32>) -> ()
  // CHECK: data =
  // CHECK-NEXT: [0, 0, 0, 0]
  // CHECK-NEXT: [0, 0, 0, 0]
  // CHECK-NEXT: [1, 0, 0, 0]
  // CHECK-NEXT: [0, 1, 0, 0]
  %under = tile.identity %cm2 : tensor<4x4xf32>
  call @show4(%under) : (tensor<4x4xf32>) -> ()
  // CHECK: data =
  // CHECK-NEXT: [0, 0]
  // CHECK-NEXT: [0, 0]
  %missed = tile.identity %c4 : tensor<2x2xf32>
  call @show2(%missed) : (tensor<2x2xf32>) -> ()

  // A host function can ask for the device's size: 132 here.
  // CHECK: data =
  // CHECK-NEXT: [132, 132]
  %sms = tile.multiprocessors
  %smi = arith.index_cast %sms : index to i32
  %smf = arith.sitofp %smi : i32 to f32
  %smt = tensor.splat %smf : tensor<2x2xf32>
  call @show2(%smt) : (tensor<2x2xf32>) -> ()

  // Parts, with NaN where nothing may be kept.
  // CHECK: data =
  // CHECK-NEXT: [1, 0, 0, 0]
  // CHECK-NEXT: [5, 6, 0, 0]
  // CHECK-NEXT: [9, 10, 11, 0]
  // CHECK-NEXT: [-1, -2, -3, -4]
  %low = tile.mask lower %m : tensor<4x4xf32>
  call @show4(%low) : (tensor<4x4xf32>) -> ()
  // CHECK: data =
  // CHECK-NEXT: [0, 2, 3, 4]
  // CHECK-NEXT: [0, 0, 7, 8]
  // CHECK-NEXT: [0, 0, 0, 12]
  // CHECK-NEXT: [0, 0, 0, 0]
  %sup = tile.mask strict_upper %m : tensor<4x4xf32>
  call @show4(%sup) : (tensor<4x4xf32>) -> ()
  // i >= j / 2: a row is a token, two columns are its micro-steps.
  // CHECK: data =
  // CHECK-NEXT: [1, 2, 0, 0]
  // CHECK-NEXT: [5, 6, 7, 8]
  %lst = tile.mask lower %m {col_steps = 2} : tensor<4x4xf32>
  call @show4(%lst) : (tensor<4x4xf32>) -> ()
  // i / 2 <= j: the same, transposed.
  // CHECK: data =
  // CHECK-NEXT: [1, 2, 3, 4]
  // CHECK-NEXT: [5, 6, 7, 8]
  // CHECK-NEXT: [0, 10, 11, 12]
  // CHECK-NEXT: [0, -2, -3, -4]
  %ust = tile.mask upper %m {row_steps = 2} : tensor<4x4xf32>
  call @show4(%ust) : (tensor<4x4xf32>) -> ()
  // i / 2 > j, columns below 1, out of a matrix that is NaN elsewhere.
  // CHECK: data =
  // CHECK-NEXT: [0, 0, 0, 0]
  // CHECK-NEXT: [0, 0, 0, 0]
  // CHECK-NEXT: [9, 0, 0, 0]
  // CHECK-NEXT: [-1, 0, 0, 0]
  %nan = arith.constant dense<[[0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000], [0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000], [9.0, 0x7FC00000, 0x7FC00000, 0x7F800000], [-1.0, 2.0, 0x7FC00000, 0xFF800000]]> : tensor<4x4xf32>
  %sls = tile.mask strict_lower %nan columns(%c1) {row_steps = 2} : tensor<4x4xf32>
  call @show4(%sls) : (tensor<4x4xf32>) -> ()
  // Scores outside the mask must not become the maximum.
  // CHECK: data =
  // CHECK-NEXT: [-8, -8, -8, -8]
  // CHECK-NEXT: [5, -8, -8, -8]
  // CHECK-NEXT: [9, 10, -8, -8]
  // CHECK-NEXT: [-1, -2, -3, -8]
  %filled = tile.mask strict_lower %m {fill = -8.0 : f32} : tensor<4x4xf32>
  call @show4(%filled) : (tensor<4x4xf32>) -> ()
  // CHECK: data =
  // CHECK-NEXT: [1, 0, 0, 0]
  // CHECK-NEXT: [5, 0, 0, 0]
  %full = tile.mask full %m columns(%c1) : tensor<4x4xf32>
  call @show4(%full) : (tensor<4x4xf32>) -> ()

  // (I + A)^-1 of A = 1 below the diagonal: I minus a shift by one row. Elements on and
  // above the diagonal are not read.
  // CHECK: data =
  // CHECK-NEXT: [1, 0, 0, 0]
  // CHECK-NEXT: [-1, 1, 0, 0]
  // CHECK-NEXT: [0, -1, 1, 0]
  // CHECK-NEXT: [0, 0, -1, 1]
  %ones = arith.constant dense<[[7.0, 7.0, 7.0, 7.0], [1.0, 7.0, 7.0, 7.0], [1.0, 1.0, 7.0, 7.0], [1.0, 1.0, 1.0, 7.0]]> : tensor<4x4xf32>
  %inv = tile.tri_inverse %ones : tensor<4x4xf32>
  call @show4(%inv) : (tensor<4x4xf32>) -> ()

  // Its transpose.
  // CHECK: data =
  // CHECK-NEXT: [1, -1, 0, 0]
  // CHECK-NEXT: [0, 1, -1, 0]
  // CHECK-NEXT: [0, 0, 1, -1]
  // CHECK-NEXT: [0, 0, 0, 1]
  %inv_t = tile.tri_inverse precision(tf32) %ones {transposed} : tensor<4x4xf32>
  call @show4(%inv_t) : (tensor<4x4xf32>) -> ()

  // G = P - P diag(f) G: with P = 1 below the diagonal and f = [2, 3, 5, 7], row
  // 2 is [1, 1, 0] - 3 [1, 0, 0] and row 3 is [1, 1, 1] - 3 [1, 0, 0] - 5 row 2.
  // CHECK: data =
  // CHECK-NEXT: [0, 0, 0, 0]
  // CHECK-NEXT: [1, 0, 0, 0]
  // CHECK-NEXT: [-2, 1, 0, 0]
  // CHECK-NEXT: [8, -4, 1, 0]
  %below = arith.constant dense<[[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0]]> : tensor<4x4xf32>
  %f = arith.constant dense<[2.0, 3.0, 5.0, 7.0]> : tensor<4xf32>
  %solved = tile.tri_solve %below, %f : tensor<4x4xf32>, tensor<4xf32>
  call @show4(%solved) : (tensor<4x4xf32>) -> ()
  return
}
