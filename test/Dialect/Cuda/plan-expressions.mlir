// RUN: delta-opt %s --cuda-plan-expressions | FileCheck %s

// CHECK-LABEL: cuda.function @names
cuda.function @names(%a: index, %b: index) -> index {
  // A literal stands at its uses, with a name it is a variable.
  // CHECK: cuda.literal {inlined} 1 : index
  %one = cuda.literal 1 : index
  // CHECK: cuda.literal {name = "C"} 64 : index
  %C = cuda.literal {name = "C"} 64 : index
  // One use and no name: inline. A name asks for a variable.
  // CHECK: cuda.binary add %{{.*}}, %{{.*}} {inlined}
  %0 = cuda.binary add %a, %one : index, index -> index
  // CHECK: cuda.binary mul %{{.*}}, %C {name = "x"}
  %x = cuda.binary mul %0, %C {name = "x"} : index, index -> index
  // Two uses: a variable.
  // CHECK: cuda.binary sub %x, %{{[a-z0-9]+}} : index
  %y = cuda.binary sub %x, %b : index, index -> index
  // CHECK: cuda.binary mul %{{.*}}, %{{.*}} {inlined}
  %z = cuda.binary mul %y, %y : index, index -> index
  // Nobody uses it: gone.
  // CHECK-NOT: div
  %dead = cuda.binary div %a, %b : index, index -> index
  cuda.return %z : index
}

// What is inline grows no further than a reader can follow.
// CHECK-LABEL: cuda.function @long
cuda.function @long(%a: index) -> index {
  // CHECK: cuda.binary add %{{[a-z0-9]+}}, %{{[a-z0-9]+}} {inlined}
  // CHECK: cuda.binary add %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : index
  // CHECK-COUNT-6: cuda.binary add %{{[a-z0-9]+}}, %{{[a-z0-9]+}} {inlined}
  %0 = cuda.binary add %a, %a : index, index -> index
  %1 = cuda.binary add %0, %a : index, index -> index
  %2 = cuda.binary add %1, %a : index, index -> index
  %3 = cuda.binary add %2, %a : index, index -> index
  %4 = cuda.binary add %3, %a : index, index -> index
  %5 = cuda.binary add %4, %a : index, index -> index
  %6 = cuda.binary add %5, %a : index, index -> index
  %7 = cuda.binary add %6, %a : index, index -> index
  cuda.return %7 : index
}

// Each argument of a call is a formula of its own; a call in one of them is not.
// CHECK-LABEL: cuda.function @arguments
cuda.function @arguments(%a: index) {
  // CHECK-COUNT-7: cuda.binary add %{{[a-z0-9]+}}, %{{[a-z0-9]+}} {inlined}
  // CHECK-NOT: inlined
  // CHECK: cuda.call "see"
  %0 = cuda.binary add %a, %a : index, index -> index
  %1 = cuda.binary add %0, %a : index, index -> index
  %2 = cuda.binary add %1, %a : index, index -> index
  %3 = cuda.binary add %2, %a : index, index -> index
  %4 = cuda.binary add %a, %a : index, index -> index
  %5 = cuda.binary add %4, %a : index, index -> index
  %6 = cuda.binary add %5, %a : index, index -> index
  cuda.call "see"(%3, %6) : (index, index) -> ()
  // CHECK-NEXT: cuda.binary add %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : index
  %7 = cuda.binary add %a, %a : index, index -> index
  // CHECK-COUNT-5: cuda.binary add %{{[a-z0-9]+}}, %{{[a-z0-9]+}} {inlined}
  %8 = cuda.binary add %7, %a : index, index -> index
  %9 = cuda.binary add %8, %a : index, index -> index
  %10 = cuda.binary add %a, %a : index, index -> index
  %11 = cuda.binary add %10, %a : index, index -> index
  // CHECK: cuda.call "inner"{{.*}}inlined
  %12 = cuda.binary add %11, %a : index, index -> index
  %13 = cuda.call "inner"(%9, %12) {pure} : (index, index) -> index
  cuda.call "see"(%13) : (index) -> ()
}

// A read is written at its use unless something assigns in between.
// CHECK-LABEL: cuda.function @swap
cuda.function @swap(%a: f32, %b: f32) {
  %x = cuda.declare init(%a) {name = "x"} : (f32) -> !cuda.variable<f32>
  %y = cuda.declare init(%b) {name = "y"} : (f32) -> !cuda.variable<f32>
  // CHECK: cuda.read %x : !cuda.variable<f32> -> f32
  %0 = cuda.read %x : !cuda.variable<f32> -> f32
  // CHECK: cuda.read %y {inlined}
  %1 = cuda.read %y : !cuda.variable<f32> -> f32
  cuda.assign %x, %1 : !cuda.variable<f32>, f32
  cuda.assign %y, %0 : !cuda.variable<f32>, f32
}

// The bound of a loop is evaluated again after each turn.
// CHECK-LABEL: cuda.function @bound
cuda.function @bound(%zero: index, %one: index) {
  %n = cuda.declare init(%one) {name = "n"} : (index) -> !cuda.variable<index>
  // CHECK: cuda.read %n : !cuda.variable<index> -> index
  %0 = cuda.read %n : !cuda.variable<index> -> index
  cuda.for %i = %zero to %0 step %one {
    cuda.assign %n, %i : !cuda.variable<index>, index
  }
}

// A call may write to what an address was taken of, and to memory.
// CHECK-LABEL: cuda.function @memory
cuda.function @memory(%p: !cuda.pointer<f32>, %i: index) {
  %x = cuda.declare init(%i) {name = "x"} : (index) -> !cuda.variable<index>
  // CHECK: cuda.read %x : !cuda.variable<index> -> index
  %0 = cuda.read %x : !cuda.variable<index> -> index
  // CHECK: cuda.index %{{.*}}[%{{.*}}] : !cuda.pointer<f32>
  %1 = cuda.index %p[%i] : !cuda.pointer<f32>, index -> f32
  // CHECK: cuda.address_of %x {inlined}
  %address = cuda.address_of %x : !cuda.variable<index> -> !cuda.pointer<index>
  cuda.call "change"(%address) : (!cuda.pointer<index>) -> ()
  cuda.call "use"(%0, %1) : (index, f32) -> ()
  // CHECK: cuda.index %{{.*}}[%{{.*}}] {inlined}
  %2 = cuda.index %p[%i] : !cuda.pointer<f32>, index -> f32
  cuda.call "see"(%2) : (f32) -> ()
}

// `64 * 64` and `1 << n` would be computed as int.
// CHECK-LABEL: cuda.function @typed
cuda.function @typed(%n: index) -> index {
  // CHECK: cuda.literal 64 : index
  %0 = cuda.literal 64 : index
  // CHECK: cuda.literal {inlined} 65 : index
  %1 = cuda.literal 65 : index
  %2 = cuda.binary mul %0, %1 {name = "x"} : index, index -> index
  // CHECK: cuda.literal 1 : index
  %3 = cuda.literal 1 : index
  %4 = cuda.binary shl %3, %n {name = "y"} : index, index -> index
  %5 = cuda.binary add %2, %4 : index, index -> index
  cuda.return %5 : index
}

// A fragment is written inside an assignment and nothing else.
// CHECK-LABEL: cuda.function @fragments
cuda.function @fragments(%a: !cuda.opaque<"Fragment<float, 64, 64, 4>">) {
  %S = cuda.declare init(%a) {name = "S"} : (!cuda.opaque<"Fragment<float, 64, 64, 4>">) -> !cuda.variable<!cuda.opaque<"Fragment<float, 64, 64, 4>">>
  // CHECK: cuda.binary mul %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : !cuda.opaque
  %0 = cuda.binary mul %a, %a : !cuda.opaque<"Fragment<float, 64, 64, 4>">, !cuda.opaque<"Fragment<float, 64, 64, 4>"> -> !cuda.opaque<"Fragment<float, 64, 64, 4>">
  // CHECK: cuda.binary add %{{[a-z0-9]+}}, %{{[a-z0-9]+}} {inlined}
  %1 = cuda.binary add %0, %a : !cuda.opaque<"Fragment<float, 64, 64, 4>">, !cuda.opaque<"Fragment<float, 64, 64, 4>"> -> !cuda.opaque<"Fragment<float, 64, 64, 4>">
  cuda.assign %S, %1 : !cuda.variable<!cuda.opaque<"Fragment<float, 64, 64, 4>">>, !cuda.opaque<"Fragment<float, 64, 64, 4>">
}

// It stays where it is if something with an effect comes before the assignment: it was put
// beside a product in flight.
// CHECK-LABEL: cuda.function @beside
cuda.function @beside(%a: !cuda.opaque<"Fragment<float, 64, 64, 4>">) {
  %S = cuda.declare init(%a) {name = "S"} : (!cuda.opaque<"Fragment<float, 64, 64, 4>">) -> !cuda.variable<!cuda.opaque<"Fragment<float, 64, 64, 4>">>
  // CHECK: cuda.binary add %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : !cuda.opaque
  %0 = cuda.binary add %a, %a : !cuda.opaque<"Fragment<float, 64, 64, 4>">, !cuda.opaque<"Fragment<float, 64, 64, 4>"> -> !cuda.opaque<"Fragment<float, 64, 64, 4>">
  cuda.call "wait"() : () -> ()
  cuda.assign %S, %0 : !cuda.variable<!cuda.opaque<"Fragment<float, 64, 64, 4>">>, !cuda.opaque<"Fragment<float, 64, 64, 4>">
}

// What has an effect is returned where it is computed, and stands nowhere else.
// CHECK-LABEL: cuda.function @returned
cuda.function @returned(%a: index) -> index {
  // CHECK: cuda.call "draw"(%{{.*}}) : (index) -> index
  %0 = cuda.call "draw"(%a) : (index) -> index
  // CHECK: cuda.call "draw"(%{{.*}}) {inlined} : (index) -> index
  %1 = cuda.call "draw"(%0) : (index) -> index
  cuda.return %1 : index
}

// CHECK-LABEL: cuda.function @late
cuda.function @late(%a: index) -> index {
  // CHECK: cuda.call "draw"(%{{.*}}) : (index) -> index
  %0 = cuda.call "draw"(%a) : (index) -> index
  cuda.call "see"(%a) : (index) -> ()
  cuda.return %0 : index
}
