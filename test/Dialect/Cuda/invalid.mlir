// RUN: delta-opt %s --split-input-file --verify-diagnostics

// One program per rule that a verifier of the exit dialect holds.

// expected-error@+1 {{name must be a file name without a folder, got 'a/b.cu'}}
cuda.file "a/b.cu" {
}

// -----

// expected-error@+1 {{is a header and holds a body of 'f'}}
cuda.file "a.h" {
  cuda.function @f() {
    cuda.comment "empty"
  }
}

// -----

cuda.file "a.cu" {
  // expected-error@+1 {{must have a field}}
  cuda.struct "s" {
  }
}

// -----

cuda.file "a.cu" {
  cuda.struct "s" {
    cuda.field "x" : f32
    // expected-error@+1 {{duplicate name 'x'}}
    cuda.field "x" : index
  }
}

// -----

// expected-error@+1 {{must have no result}}
cuda.kernel @k() -> i32 attributes {threads = 32 : i64} {
  cuda.comment "empty"
}

// -----

// expected-error@+1 {{threads must be at most 1024, got 2048}}
cuda.kernel @k() attributes {threads = 2048 : i64} {
  cuda.comment "empty"
}

// -----

// expected-error@+1 {{extents of the grid must be -1 or at least 0, got -2}}
cuda.kernel @k() attributes {threads = 32 : i64, grid = array<i64: 4, -2>} {
  cuda.comment "empty"
}

// -----

// expected-error@+1 {{'cuda.restrict' needs a pointer, argument 0 is 'index'}}
cuda.kernel @k(%x: index {cuda.restrict}) attributes {threads = 32 : i64} {
  cuda.comment "empty"
}

// -----

// expected-error@+1 {{unknown argument attribute 'cuda.nam'}}
cuda.kernel @k(%x: index {cuda.nam = "x"}) attributes {threads = 32 : i64} {
  cuda.comment "empty"
}

// -----

// expected-error@+1 {{must end with a return of its result}}
cuda.function @f() -> i32 {
  cuda.comment "empty"
}

// -----

cuda.function @f() -> i32 {
  %x = cuda.literal 1 : index
  // expected-error@+1 {{must return ('i32'), got ('index')}}
  cuda.return %x : index
}

// -----

cuda.function @f() {
  // expected-error@+1 {{must be the last statement of its block}}
  cuda.return
  cuda.comment "too late"
}

// -----

cuda.function @f(%x: index, %y: i32) {
  // expected-error@+1 {{scalar operands and the result must have one type, got 'index', 'i32' and 'index'}}
  %z = cuda.binary add %x, %y : index, i32 -> index
}

// -----

cuda.function @f(%x: index) {
  // expected-error@+1 {{the result of a comparison must be i1, got 'index'}}
  %z = cuda.binary lt %x, %x : index, index -> index
}

// -----

cuda.function @f(%x: index, %y: i1) {
  // expected-error@+1 {{operands and result of 'and' must be i1, got 'index'}}
  %z = cuda.binary and %x, %y : index, i1 -> i1
}

// -----

cuda.function @f(%x: index, %p: !cuda.pointer<f32>) {
  // expected-error@+1 {{the result must be of the pointer's type '!cuda.pointer<f32>', got 'index'}}
  %z = cuda.binary add %p, %x : !cuda.pointer<f32>, index -> index
}

// -----

cuda.function @f() {
  // expected-error@+1 {{value must be an integer of 1, 32 or 64 bits, an index, an f32, an f64 or a string, got 1 : i8}}
  %z = cuda.literal 1 : i8
}

// -----

cuda.function @f(%x: f32) {
  // expected-error@+1 {{base must be a pointer or an array, got 'f32'}}
  %z = cuda.index %x[%x] : f32, f32 -> f32
}

// -----

cuda.function @f(%x: f32) {
  %v = cuda.declare init() : () -> !cuda.variable<index>
  // expected-error@+1 {{value must be of the variable's type 'index', got 'f32'}}
  cuda.assign %v, %x : !cuda.variable<index>, f32
}

// -----

cuda.function @f() {
  // expected-error@+1 {{a pure call must have a result}}
  cuda.call "f"() {pure} : () -> ()
}

// -----

cuda.function @f() {
  // expected-error@+1 {{template arguments must be integers, types or strings, got 1.000000e+00 : f64}}
  cuda.call "f"<[1.0]>() : () -> ()
}

// -----

cuda.function @f() {
  // expected-error@+1 {{names no kernel or function: @g}}
  %g = cuda.symbol @g : !cuda.opaque<"kernel">
}

// -----

// expected-note@+1 {{the kernel is here}}
cuda.kernel @k(%x: index) attributes {threads = 32 : i64} {
  cuda.comment "empty"
}
cuda.function @f(%config: !cuda.pointer<!cuda.opaque<"cudaLaunchConfig_t">>, %x: i32) {
  // expected-error@+1 {{arguments must have types ('index'), got ('i32')}}
  %e = cuda.launch @k config(%config : !cuda.pointer<!cuda.opaque<"cudaLaunchConfig_t">>) args(%x : i32) : i32
}

// -----

// expected-error@+1 {{the size of an array must be positive, got 0}}
cuda.typedef "a" = !cuda.array<0 x f32>

// -----

// expected-error@+1 {{the spelling of an opaque type is empty}}
cuda.typedef "a" = !cuda.opaque<"">

// -----

cuda.file "a.cu" {
  cuda.namespace "delta::a" {
    // expected-error@+1 {{'cuda.tensor_map' must be a #cuda.tensor_map on a CUtensorMap, argument 0 is 'index' with}}
    cuda.kernel @k(%n: index {cuda.name = "n", cuda.tensor_map = #cuda.tensor_map<input = 0, box = [64, 1]>}) attributes {threads = 32 : i64} {
    }
  }
}

// -----

cuda.file "a.cu" {
  cuda.namespace "delta::a" {
    // expected-error@+1 {{box: expected extents from 1 to 256, got 512}}
    cuda.kernel @k(%m: !cuda.opaque<"CUtensorMap"> {cuda.name = "m", cuda.tensor_map = #cuda.tensor_map<input = 0, box = [64, 512]>}) attributes {threads = 32 : i64} {
    }
  }
}

// -----

cuda.file "a.cu" {
  cuda.namespace "delta::a" {
    // expected-error@+1 {{box: expected 1 to 5 axes, got 6}}
    cuda.kernel @k(%m: !cuda.opaque<"CUtensorMap"> {cuda.name = "m", cuda.tensor_map = #cuda.tensor_map<input = 0, box = [64, 1, 1, 1, 1, 1]>}) attributes {threads = 32 : i64} {
    }
  }
}
