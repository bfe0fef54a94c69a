// RUN: delta-opt %s --cuda-legalize-names | FileCheck %s

// CHECK-LABEL: cuda.function @names
// A keyword gets a line below, characters that C++ does not have become one, a
// digit in front is moved behind, and nothing at all is named by its type.
// CHECK-SAME: (%class_: index {cuda.name = "class_"}
// CHECK-SAME: {cuda.name = "K_norm_2"}
// CHECK-SAME: {cuda.name = "value_2"}
// CHECK-SAME: {cuda.name = "pointer"}
cuda.function @names(%a: index {cuda.name = "class"}, %b: index {cuda.name = "__K norm--2"},
                     %c: index {cuda.name = "2"}, %d: !cuda.pointer<f32>) {
  // The name of a function that is called, and of one in the file, is taken.
  // CHECK: cuda.call "exp"(%{{.*}}) {name = "exp_2"}
  %0 = cuda.call "exp"(%a) {name = "exp"} : (index) -> index
  // An integer whose name is taken is called what it is.
  // CHECK: {name = "exp_2_plus_class_"}
  %1 = cuda.binary add %0, %a {name = "names"} : index, index -> index
  // A member is no such name.
  // CHECK: cuda.builtin "blockIdx.x" {name = "x"} : ui32
  %2 = cuda.builtin "blockIdx.x" {name = "x"} : ui32
  // CHECK: {name = "S"}
  %3 = cuda.binary add %1, %b {name = "S"} : index, index -> index
  // An integer is then called what it is.
  // CHECK: {name = "S_plus_value_2"}
  %4 = cuda.binary add %3, %c {name = "S"} : index, index -> index
  // What is inline keeps no claim on a name.
  // CHECK: cuda.binary add %{{.*}}, %{{.*}} {inlined} : index
  %5 = cuda.binary add %4, %c {inlined} : index, index -> index
  // CHECK: cuda.call "see"(%{{.*}}) : (
  cuda.call "see"(%5, %2, %d) {name = "dropped"} : (index, ui32, !cuda.pointer<f32>) -> ()
}

// An integer that nobody named is called what it is, if that is short.
// CHECK-LABEL: cuda.function @described
cuda.function @described(%chunk: index {cuda.name = "chunk"},
                         %long: index {cuda.name = "a_name_that_fills_half_a_line"},
                         %x: f32 {cuda.name = "x"}) {
  %one = cuda.literal {inlined} 1 : index
  // CHECK: cuda.binary add {{.*}} {name = "chunk_plus_1"}
  %0 = cuda.binary add %chunk, %one : index, index -> index
  // CHECK: cuda.binary gt {{.*}} {name = "chunk_plus_1_above_chunk"}
  %1 = cuda.binary gt %0, %chunk : index, index -> i1
  %v = cuda.declare init(%0) {name = "v"} : (index) -> !cuda.variable<index>
  %read = cuda.read %v {inlined} : !cuda.variable<index> -> index
  // CHECK: cuda.binary mul {{.*}} {name = "v_times_1"}
  %2 = cuda.binary mul %read, %one : index, index -> index
  // CHECK: cuda.binary sub {{.*}} {name = "value"}
  %3 = cuda.binary sub %long, %chunk : index, index -> index
  // CHECK: cuda.binary mul {{.*}} {inlined}
  %4 = cuda.binary mul %chunk, %chunk {inlined} : index, index -> index
  // CHECK: cuda.binary add {{.*}} {name = "value_2"}
  %5 = cuda.binary add %4, %one : index, index -> index
  // CHECK: cuda.binary add {{.*}} {name = "value_3"}
  %6 = cuda.binary add %x, %x : f32, f32 -> f32
  cuda.call "see"(%1, %2, %3, %5, %6) : (i1, index, index, index, f32) -> ()
}

// Blocks side by side use the same names, and those that the block around them
// declares later; inner blocks hide nothing.
// CHECK-LABEL: cuda.function @scopes
cuda.function @scopes(%n: index, %p: i1) {
  cuda.for %i = %n to %n step %n {
    // CHECK: cuda.read %{{.*}} {name = "K"}
    %v = cuda.declare init() {name = "v"} : () -> !cuda.variable<index>
    %K = cuda.read %v {name = "K"} : !cuda.variable<index> -> index
    cuda.call "see"(%K) : (index) -> ()
    // CHECK: cuda.for
    cuda.for %j = %n to %n step %n {
      cuda.call "see"(%j) : (index) -> ()
    // CHECK: {name = "c_2"}
    } {name = "c"}
  // CHECK: {name = "c"}
  } {name = "c"}
  cuda.for %i = %n to %n step %n {
    %v = cuda.declare init() {name = "v"} : () -> !cuda.variable<index>
    // CHECK: cuda.read %{{.*}} {name = "K"}
    %K = cuda.read %v {name = "K"} : !cuda.variable<index> -> index
    // CHECK: cuda.binary add %{{.*}}, %{{.*}} {name = "late"}
    %late = cuda.binary add %K, %K {name = "late"} : index, index -> index
    cuda.call "see"(%late) : (index) -> ()
  // CHECK: {name = "c"}
  } {name = "c"}
  // CHECK: {name = "late"}
  %late = cuda.binary add %n, %n {name = "late"} : index, index -> index
  cuda.call "see"(%late) : (index) -> ()
}
