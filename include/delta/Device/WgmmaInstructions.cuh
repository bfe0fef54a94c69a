//===- WgmmaInstructions.cuh - wgmma.mma_async of one k-step ----*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instruction for every width N: a 64 x N accumulator in the registers of a
// warpgroup, a left operand of 64 x 16 in registers (RS) or in shared memory
// (SS), a right operand of 16 columns of k in shared memory, bf16 or f16. Each
// of the N / 2 accumulator registers of a thread is a separate operand, so
// macros assemble the statements; they are undefined at the end of this file.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_WGMMAINSTRUCTIONS_CUH
#define DELTA_DEVICE_WGMMAINSTRUCTIONS_CUH

#include "delta/Device/Element.cuh"

namespace delta::detail {

/// d [64, N] = a b + (Accumulate ? d : 0) for one k-step of 16, asynchronously:
/// d may not be used before a wait. Without Accumulate the old value of d is
/// not read. MnMajor: b has its N axis contiguous.
template <int N> struct Wgmma;

// "%0, .., %(COUNT - 1)": the accumulator's operands.
#define DELTA_REGISTERS_8 "%0, %1, %2, %3, %4, %5, %6, %7"
#define DELTA_REGISTERS_16                                                     \
  DELTA_REGISTERS_8                                                            \
  ", %8, %9, %10, %11, %12, %13, %14, %15"
#define DELTA_REGISTERS_32                                                     \
  DELTA_REGISTERS_16                                                           \
  ", %16, %17, %18, %19, %20, %21, %22, %23"                                   \
  ", %24, %25, %26, %27, %28, %29, %30, %31"
#define DELTA_REGISTERS_64                                                     \
  DELTA_REGISTERS_32                                                           \
  ", %32, %33, %34, %35, %36, %37, %38, %39"                                   \
  ", %40, %41, %42, %43, %44, %45, %46, %47"                                   \
  ", %48, %49, %50, %51, %52, %53, %54, %55"                                   \
  ", %56, %57, %58, %59, %60, %61, %62, %63"
#define DELTA_REGISTERS_128                                                    \
  DELTA_REGISTERS_64                                                           \
  ", %64, %65, %66, %67, %68, %69, %70, %71"                                   \
  ", %72, %73, %74, %75, %76, %77, %78, %79"                                   \
  ", %80, %81, %82, %83, %84, %85, %86, %87"                                   \
  ", %88, %89, %90, %91, %92, %93, %94, %95"                                   \
  ", %96, %97, %98, %99, %100, %101, %102, %103"                               \
  ", %104, %105, %106, %107, %108, %109, %110, %111"                           \
  ", %112, %113, %114, %115, %116, %117, %118, %119"                           \
  ", %120, %121, %122, %123, %124, %125, %126, %127"

// IO(d[I]), .., IO(d[I + COUNT - 1]), IO a constraint.
#define DELTA_VALUES_8(IO, I)                                                  \
  IO(d[I]), IO(d[I + 1]), IO(d[I + 2]), IO(d[I + 3]), IO(d[I + 4]),            \
      IO(d[I + 5]), IO(d[I + 6]), IO(d[I + 7])
#define DELTA_VALUES_16(IO, I) DELTA_VALUES_8(IO, I), DELTA_VALUES_8(IO, I + 8)
#define DELTA_VALUES_32(IO, I)                                                 \
  DELTA_VALUES_16(IO, I), DELTA_VALUES_16(IO, I + 16)
#define DELTA_VALUES_64(IO, I)                                                 \
  DELTA_VALUES_32(IO, I), DELTA_VALUES_32(IO, I + 32)
#define DELTA_VALUES_128(IO, I)                                                \
  DELTA_VALUES_64(IO, I), DELTA_VALUES_64(IO, I + 64)

// One statement. P0, P1, .. are the numbers of the operands after those of the
// accumulator.
#define DELTA_WGMMA_RS(N, COUNT, IO, SCALE, TYPE, P0, P1, P2, P3, P4, P5)      \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, " SCALE ", 0;\n"                \
               "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE \
               " {" DELTA_REGISTERS_##COUNT "}, {" P0 ", " P1 ", " P2 ", " P3  \
                                            "}, " P4 ", p, 1, 1, " P5 "; }"    \
               : DELTA_VALUES_##COUNT(IO, 0)                                   \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b),           \
                 "n"(MnMajor ? 1 : 0))
#define DELTA_WGMMA_SS(N, COUNT, IO, SCALE, TYPE, P0, P1, P2)                  \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, " SCALE ", 0;\n"                \
               "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE \
               " {" DELTA_REGISTERS_##COUNT "}, " P0 ", " P1                   \
                                            ", p, 1, 1, 0, " P2 "; }"          \
               : DELTA_VALUES_##COUNT(IO, 0)                                   \
               : "l"(a), "l"(b), "n"(MnMajor ? 1 : 0))

// STATEMENT(.., IO, SCALE, TYPE, ..) for the four kinds of a k-step.
#define DELTA_WGMMA_KINDS(STATEMENT, N, COUNT, ...)                            \
  if constexpr (is_bf16<T> && Accumulate)                                      \
    STATEMENT(N, COUNT, "+f", "1", "bf16", __VA_ARGS__);                       \
  else if constexpr (is_bf16<T>)                                               \
    STATEMENT(N, COUNT, "=f", "0", "bf16", __VA_ARGS__);                       \
  else if constexpr (Accumulate)                                               \
    STATEMENT(N, COUNT, "+f", "1", "f16", __VA_ARGS__);                        \
  else                                                                         \
    STATEMENT(N, COUNT, "=f", "0", "f16", __VA_ARGS__)

#define DELTA_WGMMA(N, COUNT, P0, P1, P2, P3, P4, P5)                          \
  template <> struct Wgmma<N> {                                                \
    template <class T, bool Accumulate, bool MnMajor>                          \
    static DELTA_DEVICE void rs(float (&d)[COUNT], const uint32_t *a,          \
                                uint64_t b) {                                  \
      DELTA_WGMMA_KINDS(DELTA_WGMMA_RS, N, COUNT, P0, P1, P2, P3, P4, P5);     \
    }                                                                          \
    template <class T, bool Accumulate, bool MnMajor>                          \
    static DELTA_DEVICE void ss(float (&d)[COUNT], uint64_t a, uint64_t b) {   \
      DELTA_WGMMA_KINDS(DELTA_WGMMA_SS, N, COUNT, P0, P1, P2);                 \
    }                                                                          \
  }

DELTA_WGMMA(16, 8, "%8", "%9", "%10", "%11", "%12", "%13");
DELTA_WGMMA(32, 16, "%16", "%17", "%18", "%19", "%20", "%21");
DELTA_WGMMA(64, 32, "%32", "%33", "%34", "%35", "%36", "%37");
DELTA_WGMMA(128, 64, "%64", "%65", "%66", "%67", "%68", "%69");
DELTA_WGMMA(256, 128, "%128", "%129", "%130", "%131", "%132", "%133");

#undef DELTA_WGMMA
#undef DELTA_WGMMA_KINDS
#undef DELTA_WGMMA_SS
#undef DELTA_WGMMA_RS
#undef DELTA_VALUES_128
#undef DELTA_VALUES_64
#undef DELTA_VALUES_32
#undef DELTA_VALUES_16
#undef DELTA_VALUES_8
#undef DELTA_REGISTERS_128
#undef DELTA_REGISTERS_64
#undef DELTA_REGISTERS_32
#undef DELTA_REGISTERS_16
#undef DELTA_REGISTERS_8

} // namespace delta::detail

#endif // DELTA_DEVICE_WGMMAINSTRUCTIONS_CUH
