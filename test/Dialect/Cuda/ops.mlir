// RUN: delta-opt %s | delta-opt | FileCheck %s

// Every op of the exit dialect survives a print and a parse; values are shown by
// the names that they want.

// CHECK: cuda.file "gdn.cu" {
cuda.file "gdn.cu" {
  // CHECK: cuda.comment "A file"
  cuda.comment "A file"
  // CHECK: cuda.include "gdn.h"
  cuda.include "gdn.h"
  // CHECK: cuda.include "cstdint" system
  cuda.include "cstdint" system
  // CHECK: cuda.directive "pragma once"
  cuda.directive "pragma once"
  // CHECK: cuda.typedef "stream_t" = !cuda.pointer<!cuda.opaque<"struct stream">>
  cuda.typedef "stream_t" = !cuda.pointer<!cuda.opaque<"struct stream">>
  // CHECK: cuda.struct "gdn_args" {
  cuda.struct "gdn_args" {
    // CHECK: cuda.field "q" : !cuda.pointer<bf16, const> {doc = "queries"}
    cuda.field "q" : !cuda.pointer<bf16, const> {doc = "queries"}
    // CHECK: cuda.field "q_strides" : !cuda.array<4 x index>
    cuda.field "q_strides" : !cuda.array<4 x index>
  }
  // CHECK: cuda.enum "gdn_status" {
  cuda.enum "gdn_status" {
    // CHECK: cuda.enumerator "gdn_success" = 0
    cuda.enumerator "gdn_success" = 0
  }
  // CHECK: cuda.extern_c {
  cuda.extern_c {
    // CHECK: cuda.function @gdn_launch(!cuda.pointer<!cuda.opaque<"gdn_args">, const> {cuda.name = "args"}) -> i32
    cuda.function @gdn_launch(!cuda.pointer<!cuda.opaque<"gdn_args">, const> {cuda.name = "args"}) -> i32
  }
  // CHECK: cuda.namespace "delta::gdn" {
  cuda.namespace "delta::gdn" {
    // CHECK: cuda.kernel @gdn_chain(%q: !cuda.pointer<bf16, const> {cuda.name = "q", cuda.restrict}, %T: index {cuda.name = "T"})
    // CHECK-SAME: attributes {capability = 80 : i64, grid = array<i64: 2, -1>, includes = ["delta/Device/Mma.cuh"], min_blocks = 1 : i64, shared_bytes = 1024 : i64, threads = 128 : i64}
    cuda.kernel @gdn_chain(%q: !cuda.pointer<bf16, const> {cuda.name = "q", cuda.restrict}, %T: index {cuda.name = "T"})
        attributes {threads = 128 : i64, shared_bytes = 1024 : i64, grid = array<i64: 2, -1>, includes = ["delta/Device/Mma.cuh"]} {
      // CHECK: %C = cuda.literal {name = "C"} 64 : index
      %C = cuda.literal {name = "C"} 64 : index
      %zero = cuda.literal 0 : index
      %one = cuda.literal 1 : index
      // CHECK: cuda.literal 5.000000e-01 : f32
      %half = cuda.literal 0.5 : f32
      // CHECK: %x = cuda.builtin "blockIdx.x" {name = "x"} : ui32
      %x = cuda.builtin "blockIdx.x" {name = "x"} : ui32
      // CHECK: cuda.cast %x : ui32 to index
      %b = cuda.cast %x : ui32 to index
      // CHECK: %t0 = cuda.binary mul %{{.*}}, %C {name = "t0"} : index, index -> index
      %t0 = cuda.binary mul %b, %C {name = "t0"} : index, index -> index
      // CHECK: %inside = cuda.binary lt %t0, %T {name = "inside"} : index, index -> i1
      %inside = cuda.binary lt %t0, %T {name = "inside"} : index, index -> i1
      // CHECK: cuda.unary not %inside : i1
      %not = cuda.unary not %inside : i1
      // CHECK: cuda.select %inside, %t0, %C : index
      %sel = cuda.select %inside, %t0, %C : index
      // CHECK: cuda.index %q[%{{.*}}] : !cuda.pointer<bf16, const>, index -> bf16
      %e = cuda.index %q[%sel] : !cuda.pointer<bf16, const>, index -> bf16
      // CHECK: %S = cuda.declare init(%{{.*}}) {name = "S"} : (f32) -> !cuda.variable<f32>
      %S = cuda.declare init(%half) {name = "S"} : (f32) -> !cuda.variable<f32>
      // CHECK: cuda.for %c = %{{.*}} to %T step %{{.*}} {
      cuda.for %c = %zero to %T step %one {
        // CHECK: cuda.read %S : !cuda.variable<f32> -> f32
        %s = cuda.read %S : !cuda.variable<f32> -> f32
        // CHECK: %y = cuda.call "round"<[!cuda.opaque<"Tag">, 3, "Part::Lower"]>(%{{.*}}) {name = "y", pure} : (f32) -> f32
        %y = cuda.call "round"<[!cuda.opaque<"Tag">, 3, "Part::Lower"]>(%s) {name = "y", pure} : (f32) -> f32
        // CHECK: cuda.assign %S, %y : !cuda.variable<f32>, f32
        cuda.assign %S, %y : !cuda.variable<f32>, f32
        // CHECK: cuda.call "cta_sync"() : () -> ()
        cuda.call "cta_sync"() : () -> ()
      // CHECK: } {name = "c", unroll = 0 : i64}
      } {name = "c", unroll = 0 : i64}
      // CHECK: cuda.if %{{.*}} {
      cuda.if %not {
        // CHECK: cuda.return
        cuda.return
      // CHECK: } else {
      } else {
        // CHECK: cuda.comment "nothing"
        cuda.comment "nothing"
      }
    }
    // CHECK: cuda.function @run(%args: !cuda.pointer<!cuda.opaque<"gdn_args">, const> {cuda.name = "args"}) -> i1 attributes {extern_c, internal}
    cuda.function @run(%args: !cuda.pointer<!cuda.opaque<"gdn_args">, const> {cuda.name = "args"}) -> i1 attributes {extern_c, internal} {
      // CHECK: cuda.member %args "q" : !cuda.pointer<!cuda.opaque<"gdn_args">, const> -> !cuda.pointer<bf16, const>
      %q = cuda.member %args "q" : !cuda.pointer<!cuda.opaque<"gdn_args">, const> -> !cuda.pointer<bf16, const>
      %T = cuda.literal 1 : index
      // CHECK: cuda.declare init() : () -> !cuda.variable<!cuda.opaque<"cudaLaunchConfig_t">>
      %config = cuda.declare init() : () -> !cuda.variable<!cuda.opaque<"cudaLaunchConfig_t">>
      // CHECK: cuda.address_of %{{.*}} : !cuda.variable<!cuda.opaque<"cudaLaunchConfig_t">> -> !cuda.pointer<!cuda.opaque<"cudaLaunchConfig_t">>
      %pointer = cuda.address_of %config : !cuda.variable<!cuda.opaque<"cudaLaunchConfig_t">> -> !cuda.pointer<!cuda.opaque<"cudaLaunchConfig_t">>
      // CHECK: cuda.symbol @gdn_chain : !cuda.opaque<"kernel">
      %kernel = cuda.symbol @gdn_chain : !cuda.opaque<"kernel">
      cuda.call "prefer"(%kernel) : (!cuda.opaque<"kernel">) -> ()
      // CHECK: %error = cuda.launch @gdn_chain config(%{{.*}} : !cuda.pointer<!cuda.opaque<"cudaLaunchConfig_t">>)
      // CHECK-SAME: args(%{{.*}}, %{{.*}} : !cuda.pointer<bf16, const>, index) {name = "error"} : !cuda.opaque<"cudaError_t">
      %error = cuda.launch @gdn_chain config(%pointer : !cuda.pointer<!cuda.opaque<"cudaLaunchConfig_t">>)
          args(%q, %T : !cuda.pointer<bf16, const>, index) {name = "error"} : !cuda.opaque<"cudaError_t">
      %success = cuda.builtin "cudaSuccess" : !cuda.opaque<"cudaError_t">
      %ok = cuda.binary eq %error, %success : !cuda.opaque<"cudaError_t">, !cuda.opaque<"cudaError_t"> -> i1
      // CHECK: cuda.return %{{.*}} : i1
      cuda.return %ok : i1
    }
  }
}
