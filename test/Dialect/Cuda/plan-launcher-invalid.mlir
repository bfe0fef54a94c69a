// RUN: delta-opt %s --split-input-file --verify-diagnostics --cuda-plan-launcher

// What no launcher can be made for.

// expected-error@+1 {{'my-kernel' is no name that C and C++ accept}}
func.func @"my-kernel"(%q: memref<?x?x4xf32>) {
  return
}

// -----

// expected-error@+1 {{argument 0 must be a contiguous memref of f32, bf16, f16 or i64, got 'memref<?x4xf32, strided<[?, 1]>>'}}
func.func @f(%q: memref<?x4xf32, strided<[?, 1]>>) {
  return
}

// -----

// expected-error@+1 {{argument 0 must be a contiguous memref of f32, bf16, f16 or i64, got 'index'}}
func.func @f(%q: index) {
  return
}

// -----

// expected-error@+1 {{axis 2 of 'q' must be static: only axis 0 (batch) and axis 1 (length) may be dynamic}}
func.func @f(%q: memref<?x?x?xf32> {delta.name = "q"}) {
  return
}

// -----

// expected-error@+1 {{axis 0 of 'k' must be 2 as in the arguments before it, got 3}}
func.func @f(%q: memref<2x?x4xf32> {delta.name = "q"}, %k: memref<3x?x4xf32> {delta.name = "k"}) {
  return
}

// -----

func.func @f(%q: memref<?x?x4xf32>) {
  // expected-error@+1 {{array: expected workspace, got an argument}}
  tile.clear %q : memref<?x?x4xf32>
  return
}

// -----

func.func @f(%q: memref<?x?x4xf32>) {
  // expected-error@+1 {{workspace must be a contiguous memref of f32, bf16, f16 or i32, got 'memref<4xi64>'}}
  %a = memref.alloc() : memref<4xi64>
  return
}

// -----

cuda.kernel @k(%x: !cuda.pointer<i32> {cuda.name = "x"}) attributes {threads = 32 : i64, grid = array<i64: 1>} {}
func.func @f(%q: memref<?x?x4xf32>) {
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xi32>
  tile.launch @k grid(%c1) args(%a : memref<4xi32>)
  // expected-error@+1 {{expected in front of the launches}}
  tile.clear %a : memref<4xi32>
  return
}

// -----

func.func @f(%q: memref<?x?x4xf32>) {
  // expected-error@+1 {{'memref.copy' is nothing that a launcher can do}}
  memref.copy %q, %q : memref<?x?x4xf32> to memref<?x?x4xf32>
  return
}

// -----

// expected-error@+1 {{workspace 'scores': expected at most batch * length * 2^40 bytes}}
func.func @f(%q: memref<?x?x4xf32>) {
  %c1 = arith.constant 1 : index
  %T = memref.dim %q, %c1 : memref<?x?x4xf32>
  %TT = arith.muli %T, %T : index
  %scores = memref.alloc(%TT) {delta.name = "scores"} : memref<?xf32>
  return
}

// -----

// 2^39 elements of four bytes.
// expected-error@+1 {{array 'q': expected at most batch * length * 2^40 bytes}}
func.func @f(%q: memref<?x?x549755813888xf32> {delta.name = "q"}) {
  return
}

// -----

// The product itself has more than 64 bits.
// expected-error@+1 {{workspace 'big': expected at most batch * length * 2^40 bytes}}
func.func @f(%q: memref<?x?x4xf32>) {
  %big = memref.alloc() {delta.name = "big"} : memref<4294967296x4294967296xf32>
  return
}

// -----

cuda.kernel @f_k(%blocks: index) attributes {threads = 32 : i64, grid = array<i64: -1, -1>} {
  cuda.comment "empty"
}
// expected-error@+1 {{grid of 'k': expected at most batch * length * 2^40 blocks}}
func.func @f(%q: memref<?x?x4xf32>) {
  %many = arith.constant 4294967296 : index
  tile.launch @f_k grid(%many, %many) args()
  return
}

// -----

// expected-note@+1 {{the kernel is here}}
cuda.kernel @f_k(%q: !cuda.pointer<f32>, %stride: index) attributes {threads = 32 : i64, grid = array<i64: 1, -1>} {
  cuda.comment "empty"
}
func.func @f(%q: memref<?x?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %B = memref.dim %q, %c0 : memref<?x?x4xf32>
  // expected-error@+1 {{kernel @f_k must have parameters ('!cuda.pointer<f32>', 'index', 'index'), got ('!cuda.pointer<f32>', 'index')}}
  tile.launch @f_k grid(%c1, %B) args(%q, %B : memref<?x?x4xf32>, index)
  return
}

// -----

cuda.kernel @f_k() attributes {threads = 32 : i64, grid = array<i64: 2, -1>} {
  cuda.comment "empty"
}
func.func @f(%q: memref<?x?x4xf32>) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{an extent of the grid must be the kernel's 2}}
  tile.launch @f_k grid(%c1, %c1) args()
  return
}

// -----

cuda.kernel @f_k() attributes {threads = 32 : i64} {
  cuda.comment "empty"
}
func.func @f(%q: memref<?x?x4xf32>) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{grid has 1 extents, the kernel's has 0}}
  tile.launch @f_k grid(%c1) args()
  return
}

// -----

cuda.kernel @f_k(%m: !cuda.opaque<"CUtensorMap"> {cuda.name = "x_map", cuda.tensor_map = #cuda.tensor_map<input = 0, box = [64, 64, 2, 1]>}) attributes {threads = 32 : i64, grid = array<i64: 1>} {
}
func.func @f(%x: memref<?x?x4x64xbf16> {delta.name = "x"}) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{input 0: expected a 16-bit array with an axis for each of the box's, of 16, 32 or 64 columns by rows of one other axis, got 'memref<?x?x4x64xbf16>' and #cuda.tensor_map<input = 0, box = [64, 64, 2, 1]>}}
  tile.launch @f_k grid(%c1) args(%x : memref<?x?x4x64xbf16>)
  return
}

// -----

func.func @f(%x: memref<?x?x4xf32> {delta.name = "x"}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %B = memref.dim %x, %c0 : memref<?x?x4xf32>
  %few = arith.cmpi ult, %B, %c8 : index
  // expected-error@+1 {{results of a condition must be indices, got 'memref<?xf32>'}}
  %buffer = scf.if %few -> memref<?xf32> {
    %a = memref.alloc(%B) : memref<?xf32>
    scf.yield %a : memref<?xf32>
  } else {
    %a = memref.alloc(%c8) : memref<?xf32>
    scf.yield %a : memref<?xf32>
  }
  return
}

// -----

module attributes {plan.targets = [#plan.machine<"sm_80">]} {
  func.func @f(%q: memref<?x?x4xf32>) {
    return
  }
}
module {
  // expected-error@+1 {{one of 2 kernel sets: expected 'plan.targets' on its module}}
  func.func @f(%q: memref<?x?x4xf32>) {
    return
  }
}
