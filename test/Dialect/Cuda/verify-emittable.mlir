// RUN: delta-opt %s --split-input-file --verify-diagnostics --cuda-verify-emittable

// E1: other ops.
// expected-error@+1 {{E1: a module to emit holds files only, got 'cuda.kernel'}}
cuda.kernel @k() attributes {threads = 32 : i64} {
  cuda.comment "empty"
}

// -----

cuda.file "a.cu" {
  cuda.function @f() {
    // expected-error@+1 {{E1: only ops of the exit dialect can be emitted, got 'arith.constant'}}
    %0 = arith.constant 1 : index
  }
}

// -----

// E1: two files of one name.
cuda.file "a.cu" {
}
// expected-error@+1 {{E1: duplicate file name 'a.cu'}}
cuda.file "a.cu" {
}

// -----

// E2: names.
cuda.file "a.cu" {
  // expected-error@+1 {{E2: a variable has no name}}
  cuda.function @f(%x: index) {
    cuda.comment "empty"
  }
}

// -----

cuda.file "a.cu" {
  // expected-error@+1 {{E2: 'class' is no legal name}}
  cuda.function @f(%x: index {cuda.name = "class"}) {
    cuda.comment "empty"
  }
}

// -----

cuda.file "a.cu" {
  cuda.function @f(%x: index {cuda.name = "x"}) {
    // expected-error@+1 {{E2: 'x' is taken}}
    %0 = cuda.binary add %x, %x {name = "x"} : index, index -> index
    cuda.call "see"(%0) : (index) -> ()
  }
}

// -----

cuda.file "a.cu" {
  cuda.function @f(%x: index {cuda.name = "x"}) {
    // expected-error@+1 {{E2: 'see' would hide what the text calls by that name}}
    %0 = cuda.binary add %x, %x {name = "see"} : index, index -> index
    cuda.call "see"(%0) : (index) -> ()
  }
}

// -----

cuda.file "a.cu" {
  // expected-error@+1 {{E2: kernel 'see_rows' would hide what the text calls by that name: give the function another one}}
  cuda.kernel @see_rows(%x: index {cuda.name = "x"}) attributes {threads = 128 : i64} {
    cuda.call "see_rows"(%x) : (index) -> ()
  }
}

// -----

// E3: inlined expressions.
cuda.file "a.cu" {
  cuda.function @f(%x: f32 {cuda.name = "x"}) {
    %v = cuda.declare init(%x) {name = "v"} : (f32) -> !cuda.variable<f32>
    // expected-error@+1 {{E3: what the inlined expression reads may change before its use}}
    %0 = cuda.read %v {inlined} : !cuda.variable<f32> -> f32
    cuda.assign %v, %x : !cuda.variable<f32>, f32
    // expected-note@+1 {{it is evaluated here}}
    cuda.call "see"(%0) : (f32) -> ()
  }
}

// -----

cuda.file "a.cu" {
  cuda.function @f() {
    // expected-error@+1 {{E3: an expression with an effect can be inlined into a return right after it alone}}
    %0 = cuda.call "now"() {inlined} : () -> f32
    cuda.call "see"(%0) : (f32) -> ()
  }
}

// -----

cuda.file "a.cu" {
  cuda.function @f() {
    // expected-error@+1 {{E3: the literal alone would have another type}}
    %0 = cuda.literal {inlined} 64 : index
    %1 = cuda.literal {inlined} 64 : index
    %2 = cuda.binary mul %0, %1 {name = "x"} : index, index -> index
    cuda.call "see"(%2) : (index) -> ()
  }
}

// -----

// E4: types.
cuda.file "a.cu" {
  // expected-error@+1 {{E4: type of argument 0 has no spelling in C++: 'tensor<4xf32>'}}
  cuda.function @f(%x: tensor<4xf32> {cuda.name = "x"}) {
    cuda.comment "empty"
  }
}

// -----

cuda.file "a.cu" {
  cuda.struct "s" {
    // expected-error@+1 {{E4: type has no spelling in C++: 'i7'}}
    cuda.field "x" : i7
  }
}

// -----

// E5: symbols.
cuda.file "a.cu" {
  cuda.struct "s" {
    // expected-error@+1 {{E5: 'int' is no name that C and C++ accept}}
    cuda.field "int" : index
  }
}

// -----

cuda.file "a.cu" {
  // expected-error@+1 {{E5: 'a-b' is no name that C and C++ accept}}
  cuda.function @"a-b"() {
    cuda.comment "empty"
  }
}

// -----

// E6: text.
cuda.file "a.cu" {
  // expected-error@+1 {{E6: a backslash would continue the line}}
  cuda.comment "and so on \\"
}

// -----

cuda.file "a.cu" {
  // expected-error@+1 {{E6: text holds a control character}}
  cuda.directive "pragma once\0Aint x;"
}
