// RUN: delta-opt %s -delta-cpu-pipeline \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_runner_utils \
// RUN:   | FileCheck %s
// RUN: delta-opt %s -pass-pipeline='builtin.module(delta-decompose{outline=false},delta-cpu-pipeline)' \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_runner_utils \
// RUN:   | FileCheck %s

// Each named op on numbers that can be checked by hand, outlined and in place.
// ln 2 = 0.693147 turns decays into powers of two.

func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}

func.func private @print1(%t: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<4xf32>
  delta.store %t, %m[%c0] dims [0] : tensor<4xf32>, memref<4xf32>
  %u = memref.cast %m : memref<4xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}

func.func private @print2(%t: tensor<4x2xf32>) {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<4x2xf32>
  delta.store %t, %m[%c0, %c0] dims [0, 1] : tensor<4x2xf32>, memref<4x2xf32>
  %u = memref.cast %m : memref<4x2xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}

func.func private @print4(%t: tensor<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<4x4xf32>
  delta.store %t, %m[%c0, %c0] dims [0, 1] : tensor<4x4xf32>, memref<4x4xf32>
  %u = memref.cast %m : memref<4x4xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}

func.func private @print_state(%t: tensor<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<2x2xf32>
  delta.store %t, %m[%c0, %c0] dims [0, 1] : tensor<2x2xf32>, memref<2x2xf32>
  %u = memref.cast %m : memref<2x2xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %y = arith.constant dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 0.0]]> : tensor<4x2xf32>
  %ones = arith.constant dense<1.0> : tensor<4x4xf32>
  %g = arith.constant dense<[0.0, -0.693147181, 0.0, -0.693147181]> : tensor<4xf32>

  // A diagonal below the main one, and one that misses the matrix.
  // CHECK: data =
  // CHECK-NEXT: [0, 0, 0, 0]
  // CHECK-NEXT: [1, 0, 0, 0]
  // CHECK-NEXT: [0, 1, 0, 0]
  // CHECK-NEXT: [0, 0, 1, 0]
  %cm1 = arith.constant -1 : index
  %below = delta.identity %cm1 : tensor<4x4xf32>
  call @print4(%below) : (tensor<4x4xf32>) -> ()
  // CHECK: data =
  // CHECK-NEXT: [0, 0]
  // CHECK-NEXT: [0, 0]
  // CHECK-NEXT: [0, 0]
  // CHECK-NEXT: [0, 0]
  %missing = delta.identity %c2 : tensor<4x2xf32>
  call @print2(%missing) : (tensor<4x2xf32>) -> ()

  // Rows from `rows` on are zero; the array itself is never padded.
  // CHECK: data =
  // CHECK-NEXT: {{\[}}[3, 4],
  // CHECK-NEXT: [5, 6],
  // CHECK-NEXT: [7, 8],
  // CHECK-NEXT: [0, 0]]
  %m = memref.alloc() : memref<4x2xf32>
  delta.store %x, %m[%c0, %c0] dims [0, 1] : tensor<4x2xf32>, memref<4x2xf32>
  %load = delta.load %m[%c1, %c0] rows(%c3) dims [0, 1] : memref<4x2xf32> -> tensor<4x2xf32>
  call @print2(%load) : (tensor<4x2xf32>) -> ()

  // A token's value sits on its first step.
  // CHECK: data =
  // CHECK-NEXT: [3, 0, 5, 0]
  %steps = delta.load %m[%c1, %c0] rows(%c2) dims [0] {steps = 2 : i64} : memref<4x2xf32> -> tensor<4xf32>
  call @print1(%steps) : (tensor<4xf32>) -> ()

  // A store leaves the rows from `rows` on as they are.
  // CHECK: data =
  // CHECK-NEXT: {{\[}}[1, 0],
  // CHECK-NEXT: [0, 1],
  // CHECK-NEXT: [5, 6],
  // CHECK-NEXT: [7, 8]]
  delta.store %y, %m[%c0, %c0] rows(%c2) dims [0, 1] : tensor<4x2xf32>, memref<4x2xf32>
  %kept = delta.load %m[%c0, %c0] dims [0, 1] : memref<4x2xf32> -> tensor<4x2xf32>
  call @print2(%kept) : (tensor<4x2xf32>) -> ()

  // bf16 rounds to nearest, ties to even: 1 + 2^-8 to 1, 1 + 3 * 2^-8 to 1 + 2^-6.
  // CHECK: data =
  // CHECK-NEXT: [1, 1.01562, 1.00781, -1.01562]
  %ties = arith.constant dense<[1.00390625, 1.01171875, 1.0078125, -1.01171875]> : tensor<4xf32>
  %h = memref.alloc() : memref<4xbf16>
  delta.store %ties, %h[%c0] dims [0] : tensor<4xf32>, memref<4xbf16>
  %rounded = delta.load %h[%c0] dims [0] : memref<4xbf16> -> tensor<4xf32>
  call @print1(%rounded) : (tensor<4xf32>) -> ()

  // CHECK: data =
  // CHECK-NEXT: [0, -0.693147, -0.693147, -1.38629]
  %G = delta.gate_prefix %g : tensor<4xf32>
  call @print1(%G) : (tensor<4xf32>) -> ()

  // CHECK: data =
  // CHECK-NEXT: {{\[}}[1, 0, 0, 0],
  // CHECK-NEXT: [0.5, 1, 0, 0],
  // CHECK-NEXT: [0.5, 1, 1, 0],
  // CHECK-NEXT: [0.25, 0.5, 0.5, 1]]
  %decay = delta.decay %ones, %G, %G part<lower> : tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>
  call @print4(%decay) : (tensor<4x4xf32>) -> ()

  // Above the diagonal exp overflows, and the result is 0 all the same.
  // CHECK: data =
  // CHECK-NEXT: {{\[}}[0, 0, 0, 0],
  // CHECK-NEXT: [0, 0, 0, 0],
  // CHECK-NEXT: [0, 1, 0, 0],
  // CHECK-NEXT: [0, 0, 0, 0]]
  %steep = arith.constant dense<[0.0, -200.0, -200.0, -400.0]> : tensor<4xf32>
  %strict = delta.decay %ones, %steep, %steep part<strict_lower> : tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>
  call @print4(%strict) : (tensor<4x4xf32>) -> ()

  // CHECK: data =
  // CHECK-NEXT: {{\[}}[0, 0, 0, 0],
  // CHECK-NEXT: [1.5, 0, 0, 0],
  // CHECK-NEXT: [2.5, 3, 0, 0],
  // CHECK-NEXT: [3.5, 4, 7.5, 0]]
  %gram = delta.gram %x, %y part<strict_lower> {scale = 0.5 : f32} : tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4x4xf32>
  call @print4(%gram) : (tensor<4x4xf32>) -> ()

  // Two steps a token: row i keeps the columns of tokens up to i.
  // CHECK: data =
  // CHECK-NEXT: {{\[}}[1, 2, 0, 0],
  // CHECK-NEXT: [3, 4, 7, 6],
  // CHECK-NEXT: [5, 6, 11, 10],
  // CHECK-NEXT: [7, 8, 15, 14]]
  %token = delta.gram %x, %y part<lower> {steps = 2 : i64} : tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4x4xf32>
  call @print4(%token) : (tensor<4x4xf32>) -> ()

  // Halves to even: 0.5 to 0, 1.5 to 2, 2.5 to 2, 3.5 to 4.
  // CHECK: data =
  // CHECK-NEXT: {{\[}}[0, 1, 2, 1],
  // CHECK-NEXT: [2, 2, 4, 3],
  // CHECK-NEXT: [2, 3, 6, 5],
  // CHECK-NEXT: [4, 4, 8, 7]]
  %round = delta.gram %x, %y part<full> kernel<round> {scale = 0.5 : f32} : tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4x4xf32>
  call @print4(%round) : (tensor<4x4xf32>) -> ()

  // CHECK: data =
  // CHECK-NEXT: {{\[}}[0, 0, 0, 0],
  // CHECK-NEXT: [0, 0, 0, 0],
  // CHECK-NEXT: [0, 0, 0, 0],
  // CHECK-NEXT: [0, 0, 0, 0]]
  %relu = delta.gram %x, %y part<full> kernel<relu> {scale = -1.0 : f32} : tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4x4xf32>
  call @print4(%relu) : (tensor<4x4xf32>) -> ()

  // CHECK: data =
  // CHECK-NEXT: {{\[}}[1, 2],
  // CHECK-NEXT: [6, 8],
  // CHECK-NEXT: [15, 18],
  // CHECK-NEXT: [28, 32]]
  %count = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %scale = delta.scale %x, %count {axis = 0 : i64} : tensor<4x2xf32>, tensor<4xf32>
  call @print2(%scale) : (tensor<4x2xf32>) -> ()

  // (I + A)^-1 of A = strictly lower ones: -1 below the diagonal only.
  // CHECK: data =
  // CHECK-NEXT: {{\[}}[1, 0, 0, 0],
  // CHECK-NEXT: [-1, 1, 0, 0],
  // CHECK-NEXT: [0, -1, 1, 0],
  // CHECK-NEXT: [0, 0, -1, 1]]
  %lower = arith.constant dense<[[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0]]> : tensor<4x4xf32>
  %inverse = delta.tri_inverse %lower : tensor<4x4xf32>
  call @print4(%inverse) : (tensor<4x4xf32>) -> ()

  // CHECK: data =
  // CHECK-NEXT: {{\[}}[1, 2],
  // CHECK-NEXT: [4, 6],
  // CHECK-NEXT: [9, 12],
  // CHECK-NEXT: [16, 20]]
  %apply = delta.apply %lower, %x acc(%x : tensor<4x2xf32>) part<strict_lower> : tensor<4x4xf32>, tensor<4x2xf32> -> tensor<4x2xf32>
  call @print2(%apply) : (tensor<4x2xf32>) -> ()

  // CHECK: data =
  // CHECK-NEXT: {{\[}}[15, 18],
  // CHECK-NEXT: [12, 14],
  // CHECK-NEXT: [7, 8],
  // CHECK-NEXT: [0, 0]]
  %transposed = delta.apply %lower, %x part<strict_lower> {transpose} : tensor<4x4xf32>, tensor<4x2xf32> -> tensor<4x2xf32>
  call @print2(%transposed) : (tensor<4x2xf32>) -> ()

  // CHECK: data =
  // CHECK-NEXT: [3, 7, 11, 15]
  %sum = delta.rowsum %x : tensor<4x2xf32> -> tensor<4xf32>
  call @print1(%sum) : (tensor<4xf32>) -> ()

  // Role read: rows decayed from the chunk's start, by 1, 1/2, 1/2, 1/4.
  // CHECK: data =
  // CHECK-NEXT: {{\[}}[2, 4],
  // CHECK-NEXT: [3, 5],
  // CHECK-NEXT: [5, 8],
  // CHECK-NEXT: [3.5, 5.5]]
  %S = arith.constant dense<[[1.0, 1.0], [0.0, 0.5]]> : tensor<2x2xf32>
  %read = delta.read %x, %S decay(%G : tensor<4xf32>) {scale = 2.0 : f32} : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
  call @print2(%read) : (tensor<4x2xf32>) -> ()

  // Role write: to the chunk's end, by 1/4, 1/2, 1/2, 1; S transposed.
  // CHECK: data =
  // CHECK-NEXT: {{\[}}[0.75, 0.25],
  // CHECK-NEXT: [3.5, 1],
  // CHECK-NEXT: [5.5, 1.5],
  // CHECK-NEXT: [15, 4]]
  %write = delta.read %x, %S decay(%G : tensor<4xf32>) role<write> {transpose} : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
  call @print2(%write) : (tensor<4x2xf32>) -> ()

  // S / 4 + (diag(1/4, 1/2, 1/2, 1) y)^T x
  // CHECK: data =
  // CHECK-NEXT: {{\[}}[17, 19.75],
  // CHECK-NEXT: [4, 5.125]]
  %update = delta.update %S, %y, %x decay(%G : tensor<4xf32>) : tensor<2x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
  call @print_state(%update) : (tensor<2x2xf32>) -> ()

  // S - y^T x
  // CHECK: data =
  // CHECK-NEXT: {{\[}}[-19, -23],
  // CHECK-NEXT: [-8, -9.5]]
  %plain = delta.update %S, %y, %x {scale = -1.0 : f32} : tensor<2x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
  call @print_state(%plain) : (tensor<2x2xf32>) -> ()

  // 3-4-5 triangles; a zero row stays zero.
  // CHECK: data =
  // CHECK-NEXT: {{\[}}[0.6, 0.8],
  // CHECK-NEXT: [0, 0],
  // CHECK-NEXT: [1, 0],
  // CHECK-NEXT: [-0.8, 0.6]]
  %v = arith.constant dense<[[3.0, 4.0], [0.0, 0.0], [9.0, 0.0], [-4.0, 3.0]]> : tensor<4x2xf32>
  %norm = delta.l2norm %v {eps = 1.0e-9 : f32} : tensor<4x2xf32> -> tensor<4x2xf32>
  call @print2(%norm) : (tensor<4x2xf32>) -> ()

  // CHECK: data =
  // CHECK-NEXT: [1, 1.46212, 0, 2]
  %w = arith.constant dense<[0.0, 1.0, -200.0, 200.0]> : tensor<4xf32>
  %sigmoid = delta.sigmoid %w {range = 2.0 : f32} : tensor<4xf32> -> tensor<4xf32>
  call @print1(%sigmoid) : (tensor<4xf32>) -> ()

  // Online softmax over two blocks of scores equals softmax over both at once.
  // In the first, row 0 has no score at all.
  %low = arith.constant dense<-1.0e30> : tensor<4xf32>
  %none = arith.constant dense<0.0> : tensor<4xf32>
  %acc = arith.constant dense<0.0> : tensor<4x2xf32>
  %scores = arith.constant dense<[[90.0, 90.0, 90.0, 90.0], [0.0, 90.0, 90.0, 90.0], [0.0, 0.693147181, 90.0, 90.0], [0.0, 0.0, 0.693147181, 90.0]]> : tensor<4x4xf32>
  %o1:3 = delta.online %low, %none, %acc, %scores values(%x : tensor<4x2xf32>) part<strict_lower> : tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>, tensor<4x4xf32> -> tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>
  // CHECK: data =
  // CHECK-NEXT: [-1e+30, 0, 0.693147, 0.693147]
  call @print1(%o1#0) : (tensor<4xf32>) -> ()
  // CHECK: data =
  // CHECK-NEXT: [0, 1, 1.5, 2]
  call @print1(%o1#1) : (tensor<4xf32>) -> ()
  // CHECK: data =
  // CHECK-NEXT: {{\[}}[0, 0],
  // CHECK-NEXT: [1, 2],
  // CHECK-NEXT: [3.5, 5],
  // CHECK-NEXT: [7, 9]]
  call @print2(%o1#2) : (tensor<4x2xf32>) -> ()
  // CHECK: data =
  // CHECK-NEXT: {{\[}}[0, 0, 0, 0],
  // CHECK-NEXT: [1, 0, 0, 0],
  // CHECK-NEXT: [0.333333, 0.666667, 0, 0],
  // CHECK-NEXT: [0.25, 0.25, 0.5, 0]]
  %weights = delta.weights %scores, %o1#0, %o1#1 part<strict_lower> : tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>
  call @print4(%weights) : (tensor<4x4xf32>) -> ()
  // A larger maximum rescales what is there: ln 2 more, by one half.
  %more = arith.constant dense<1.386294361> : tensor<4x2xf32>
  %o2:3 = delta.online %o1#0, %o1#1, %o1#2, %more part<full> : tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>
  // CHECK: data =
  // CHECK-NEXT: [2, 2.25, 2.75, 3]
  call @print1(%o2#1) : (tensor<4xf32>) -> ()
  // CHECK: data =
  // CHECK-NEXT: {{\[}}[0, 0],
  // CHECK-NEXT: [0.25, 0.5],
  // CHECK-NEXT: [1.75, 2.5],
  // CHECK-NEXT: [3.5, 4.5]]
  call @print2(%o2#2) : (tensor<4x2xf32>) -> ()

  // What ends a softmax; row 0 of the first block has read nothing.
  // CHECK: data =
  // CHECK-NEXT: {{\[}}[0, 0],
  // CHECK-NEXT: [1, 2],
  // CHECK-NEXT: [2.33333, 3.33333],
  // CHECK-NEXT: [3.5, 4.5]]
  %ended = delta.normalize %o1#2, %o1#1 : tensor<4x2xf32>, tensor<4xf32>
  call @print2(%ended) : (tensor<4x2xf32>) -> ()

  // The diagonal of a gram: x_i . y_i / 4.
  // CHECK: data =
  // CHECK-NEXT: [0.5, -2.5, 3.5, 1.5]
  %own = arith.constant dense<[[2.0, 0.0], [-2.0, -1.0], [4.0, -1.0], [-2.0, 2.5]]> : tensor<4x2xf32>
  %dots = delta.row_dot %x, %own {scale = 0.25 : f32} : tensor<4x2xf32> -> tensor<4xf32>
  call @print1(%dots) : (tensor<4xf32>) -> ()

  // What bf16 loses of a number goes into the array of rests: the sum of both, and each alone.
  // CHECK: data =
  // CHECK-NEXT: [1.01074, 1, -3.002, 0]
  // CHECK: data =
  // CHECK-NEXT: [1.00781, 1, -3, 0]
  // CHECK: data =
  // CHECK-NEXT: [0.00292969, 0, -0.0019989, 0]
  %fine = arith.constant dense<[1.0107421875, 1.0, -3.002, 7.0]> : tensor<4xf32>
  %nearest = memref.alloc() : memref<4xbf16>
  %lost = memref.alloc() : memref<4xbf16>
  delta.store %fine, %nearest[%c0] rows(%c3) rest(%lost : memref<4xbf16>) dims [0] : tensor<4xf32>, memref<4xbf16>
  %whole = delta.load %nearest[%c0] rows(%c3) rest(%lost : memref<4xbf16>) dims [0] : memref<4xbf16> -> tensor<4xf32>
  call @print1(%whole) : (tensor<4xf32>) -> ()
  %only_nearest = delta.load %nearest[%c0] rows(%c3) dims [0] : memref<4xbf16> -> tensor<4xf32>
  call @print1(%only_nearest) : (tensor<4xf32>) -> ()
  %only_rest = delta.load %lost[%c0] rows(%c3) dims [0] : memref<4xbf16> -> tensor<4xf32>
  call @print1(%only_rest) : (tensor<4xf32>) -> ()
  return
}
