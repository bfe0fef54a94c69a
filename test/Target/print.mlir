// RUN: delta-opt %s --emit=cuda -o %t
// RUN: diff %S/Inputs/print.cu.txt %t/print.cu
// RUN: diff %S/Inputs/print.h.txt %t/print.h

// The text of every op, to the letter. What is inline, what is named and where
// lines break is part of it.

cuda.file "print.h" {
  cuda.comment "print.h: declarations. A comment that is longer than a line is wrapped at the last word that fits into one hundred columns.\nLine breaks in the text stay.\n  So does indentation, for lists and equations, in the lines that a long one is wrapped into, too."
  cuda.directive "pragma once"
  cuda.include "stddef.h" system
  cuda.include "stdint.h" system
  cuda.extern_c {
    cuda.typedef "cudaStream_t" = !cuda.pointer<!cuda.opaque<"struct CUstream_st">>
    cuda.enum "print_status" {
      cuda.enumerator "print_success" = 0
      cuda.enumerator "print_error_size" = 3 {doc = "A size is negative."}
    } {doc = "What a launch returns."}
    cuda.struct "print_args" {
      cuda.field "size" : ui32
      cuda.field "batch" : index {doc = "Sequences."}
      cuda.field "q" : !cuda.pointer<!cuda.opaque<"void">, const>
      cuda.field "q_strides" : !cuda.array<4 x index>
      cuda.field "rows" : !cuda.pointer<!cuda.pointer<f32, const>>
    } {doc = "Arguments."}
    cuda.function @print_launch(!cuda.pointer<!cuda.opaque<"print_args">, const> {cuda.name = "args"},
        !cuda.pointer<!cuda.opaque<"void">> {cuda.name = "workspace"},
        !cuda.opaque<"cudaStream_t"> {cuda.name = "stream"}) -> !cuda.opaque<"int"> attributes {doc = "Starts the kernels."}
  }
}

cuda.file "print.cu" {
  cuda.include "print.h"
  cuda.namespace "delta::print" {
    cuda.kernel @print_chain(%q: !cuda.pointer<bf16, const> {cuda.name = "q", cuda.restrict},
        %q_stride: index {cuda.name = "q_batch_stride"}, %T: index {cuda.name = "T"})
        attributes {threads = 128 : i64, min_blocks = 2 : i64, doc = "One sequence."} {
      %C = cuda.literal 64 : index
      %zero = cuda.literal 0 : index
      %one = cuda.literal 1 : index
      %offset = cuda.literal {name = "K_offset"} 16384 : ui32
      %x = cuda.builtin "blockIdx.x" : ui32
      %b = cuda.cast %x {name = "b"} : ui32 to index
      cuda.comment "Where the sequence starts."
      %t = cuda.binary mul %b, %q_stride : index, index -> index
      %rows = cuda.binary add %q, %t {name = "q_rows"} : !cuda.pointer<bf16, const>, index -> !cuda.pointer<bf16, const>
      %base = cuda.call "shared_base"() {name = "base"} : () -> !cuda.opaque<"SharedBase">
      %K = cuda.call "SharedTile"<[bf16, 64, 128]>(%base, %offset) {name = "K_tile"} : (!cuda.opaque<"SharedBase">, ui32) -> !cuda.opaque<"SharedTile<bf16, 64, 128>">
      %half = cuda.literal 0.5 : f32
      %S0 = cuda.call "fill"<[!cuda.opaque<"Fragment<float, 64, 128, 4>">]>(%half) {name = "S_0"} : (f32) -> !cuda.opaque<"Fragment<float, 64, 128, 4>">
      %S = cuda.declare init(%S0) {name = "S"} : (!cuda.opaque<"Fragment<float, 64, 128, 4>">) -> !cuda.variable<!cuda.opaque<"Fragment<float, 64, 128, 4>">>
      %T63a = cuda.literal 63 : index
      %T63 = cuda.binary add %T, %T63a : index, index -> index
      %n = cuda.binary div %T63, %C {name = "chunks"} : index, index -> index
      cuda.comment "The chain."
      cuda.for %c = %zero to %n step %one {
        %t0 = cuda.binary mul %c, %C : index, index -> index
        %left = cuda.binary sub %T, %t0 {name = "left"} : index, index -> index
        %Sv = cuda.read %S : !cuda.variable<!cuda.opaque<"Fragment<float, 64, 128, 4>">> -> !cuda.opaque<"Fragment<float, 64, 128, 4>">
        cuda.call "copy_async"<[128]>(%K, %rows, %q_stride, %left) : (!cuda.opaque<"SharedTile<bf16, 64, 128>">, !cuda.pointer<bf16, const>, index, index) -> ()
        %Sa = cuda.call "convert"<[bf16]>(%Sv) {name = "S_a"} : (!cuda.opaque<"Fragment<float, 64, 128, 4>">) -> !cuda.opaque<"Fragment<bf16, 64, 128, 4>">
        %SK = cuda.call "dot_nt"<["Part::Full", 1, 1]>(%Sa, %K, %Sv) {name = "a_long_name_for_a_product_of_the_state"} : (!cuda.opaque<"Fragment<bf16, 64, 128, 4>">, !cuda.opaque<"SharedTile<bf16, 64, 128>">, !cuda.opaque<"Fragment<float, 64, 128, 4>">) -> !cuda.opaque<"Fragment<float, 64, 128, 4>">
        %sum = cuda.binary add %Sv, %SK : !cuda.opaque<"Fragment<float, 64, 128, 4>">, !cuda.opaque<"Fragment<float, 64, 128, 4>"> -> !cuda.opaque<"Fragment<float, 64, 128, 4>">
        cuda.assign %S, %sum : !cuda.variable<!cuda.opaque<"Fragment<float, 64, 128, 4>">>, !cuda.opaque<"Fragment<float, 64, 128, 4>">
      } {name = "c", unroll = 1 : i64}
      cuda.call "cta_sync"() : () -> ()
    }
    cuda.function @precedence(%a: index {cuda.name = "a"}, %b: index {cuda.name = "b"}, %c: index {cuda.name = "c"}, %p: i1 {cuda.name = "p"}) -> index attributes {internal} {
      %0 = cuda.binary add %a, %b : index, index -> index
      %x0 = cuda.binary mul %0, %c {name = "sum_times"} : index, index -> index
      %1 = cuda.binary mul %a, %b : index, index -> index
      %x1 = cuda.binary add %1, %c {name = "product_plus"} : index, index -> index
      %2 = cuda.binary sub %b, %c : index, index -> index
      %x2 = cuda.binary sub %a, %2 {name = "minus_difference"} : index, index -> index
      %3 = cuda.binary sub %a, %b : index, index -> index
      %x3 = cuda.binary sub %3, %c {name = "from_left"} : index, index -> index
      %4 = cuda.binary bit_and %a, %b : index, index -> index
      %x4x = cuda.binary shl %4, %c : index, index -> index
      %x4 = cuda.binary bit_or %x4x, %a {name = "bits"} : index, index -> index
      %l = cuda.binary lt %a, %b : index, index -> i1
      %e = cuda.binary eq %b, %c : index, index -> i1
      %and = cuda.binary and %l, %e : i1, i1 -> i1
      %or = cuda.binary or %and, %p {name = "mixed"} : i1, i1 -> i1
      %5 = cuda.binary ge %a, %c : index, index -> i1
      %6 = cuda.binary or %or, %p : i1, i1 -> i1
      %7 = cuda.binary or %6, %5 : i1, i1 -> i1
      %not = cuda.unary not %7 {name = "negated"} : i1
      %neg = cuda.literal -1 : index
      %x5 = cuda.binary sub %a, %neg {name = "minus_literal"} : index, index -> index
      %u0 = cuda.unary neg %a : index
      %x6 = cuda.unary neg %u0 {name = "twice"} : index
      %sel = cuda.select %p, %a, %b : index
      %x7 = cuda.binary add %sel, %c {name = "selected"} : index, index -> index
      %lit_a = cuda.literal 64 : index
      %lit_b = cuda.literal 65 : index
      %x8 = cuda.binary mul %lit_a, %lit_b {name = "typed"} : index, index -> index
      %all0 = cuda.call "use"(%x0, %x1, %x2, %x3, %x4, %or, %not, %x5, %x6, %x7, %x8) {pure} : (index, index, index, index, index, i1, i1, index, index, index, index) -> index
      %all = cuda.binary add %all0, %x8 : index, index -> index
      cuda.return %all : index
    }
    cuda.function @control(%p: !cuda.pointer<f32> {cuda.name = "p"}, %n: index {cuda.name = "n"}) -> !cuda.pointer<!cuda.opaque<"char">, const> attributes {extern_c} {
      %0 = cuda.literal 0 : index
      %none = cuda.builtin "nullptr" : !cuda.pointer<f32>
      %a = cuda.binary eq %p, %none : !cuda.pointer<f32>, !cuda.pointer<f32> -> i1
      cuda.if %a {
        %text = cuda.literal "say \22null\22" : !cuda.pointer<!cuda.opaque<"char">, const>
        cuda.return %text : !cuda.pointer<!cuda.opaque<"char">, const>
      } else {
        %b = cuda.binary lt %n, %0 : index, index -> i1
        cuda.if %b {
          cuda.call "warn"(%n) : (index) -> ()
          cuda.call "stop"() : () -> ()
        } else {
          cuda.call "go"() : () -> ()
        }
      }
      %step = cuda.literal 16 : index
      cuda.for %i = %0 to %n step %step {
        %x = cuda.index %p[%i] {name = "x"} : !cuda.pointer<f32>, index -> f32
        cuda.call "see"(%x, %x) : (f32, f32) -> ()
      } {name = "i"}
      cuda.for %i = %0 to %n step %step {
        cuda.call "see"(%i) : (index) -> ()
      } {name = "i", unroll = 0 : i64}
      %inf = cuda.literal 0x7F800000 : f32
      %tiny = cuda.literal 1.0e-06 : f32
      %third = cuda.literal 0.0883883461 : f32
      %two = cuda.literal 2.0 : f32
      %yes = cuda.literal true
      cuda.call "numbers"(%inf, %tiny, %third, %two, %yes) : (f32, f32, f32, f32, i1) -> ()
      %text = cuda.literal "done" : !cuda.pointer<!cuda.opaque<"char">, const>
      cuda.return %text : !cuda.pointer<!cuda.opaque<"char">, const>
    }
    cuda.function @casts(%v: !cuda.pointer<!cuda.opaque<"void">, const> {cuda.name = "v"}, %f: !cuda.pointer<f32> {cuda.name = "f"}) attributes {internal} {
      %a = cuda.cast %v {name = "a"} : !cuda.pointer<!cuda.opaque<"void">, const> to !cuda.pointer<bf16, const>
      %b = cuda.cast %f {name = "b"} : !cuda.pointer<f32> to !cuda.opaque<"uintptr_t">
      %c = cuda.cast %f : !cuda.pointer<f32> to !cuda.pointer<f32, const>
      %d = cuda.cast %f : !cuda.pointer<f32> to !cuda.pointer<f16>
      cuda.call "use"(%a, %b, %c, %d) : (!cuda.pointer<bf16, const>, !cuda.opaque<"uintptr_t">, !cuda.pointer<f32, const>, !cuda.pointer<f16>) -> ()
    }
  }
}
