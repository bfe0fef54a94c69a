//===- DeltaPasses.td - passes on the delta dialect --------*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_PASSES_TD
#define DELTA_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Recurrent phase
//===----------------------------------------------------------------------===//

def VerifyRecurrent : Pass<"delta-verify-recurrent", "::mlir::ModuleOp"> {
  let summary = "Check that every function is a recurrence that can be compiled";
  let description = [{
    The contract at the end of the recurrent phase (docs/spec.md, R1 to R15). A
    function is a prologue (`delta.l2norm`, `delta.sigmoid`) and one
    `delta.recurrence`; nothing else. What the dialect can say and no lowering
    knows yet is refused here, with what is accepted instead, so that later passes
    need not check it. The IR is never changed.
  }];
}

//===----------------------------------------------------------------------===//
// Chunked phase
//===----------------------------------------------------------------------===//

def Chunk : Pass<"delta-chunk", "::mlir::func::FuncOp"> {
  let summary = "Rewrite a recurrence as loops over chunks of rows";
  let description = [{
    Ends the recurrent phase. The function's tensors become memrefs, its results
    become trailing memref arguments marked `delta.result` (operands with rows written
    to them, as caches, stay one argument, marked `delta.updated`), and the recurrence
    becomes a parallel loop over batches and value heads around a sequential loop
    over chunks. Prologue ops move into the loop, onto the tiles. A function without
    a recurrence is left alone.

    Before:

    ```mlir
    func.func @f(%q: tensor<?x?x4x64xbf16>, ..) -> tensor<?x?x4x64xbf16> {
      %o = delta.recurrence query(%q : ..) key(%k : ..) value(%v : ..) beta(%b : ..)
             {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
      return %o : tensor<?x?x4x64xbf16>
    }
    ```
    After:

    ```mlir
    func.func @f(%q: memref<?x?x4x64xbf16> {delta.name = "q"}, ..,
                 %o: memref<?x?x4x64xbf16> {delta.name = "o", delta.result}) {
      scf.forall (%b, %h) in (%B, 4) {
        %s = scf.for %c = %c0 to %chunks step %c1 iter_args(%S = %zero) -> .. {
          %K = delta.load %k[%b, %t0, %h, %c0] rows(%n) {dims = array<i64: 1, 3>}
                 : memref<?x?x4x64xbf16> -> tensor<64x64xf32>
          ..
          %S1 = delta.update %S, %K, %U : ..
          scf.yield %S1 : tensor<64x64xf32>
        }
      }
      return
    }
    ```
    The chunk has the length that the recurrence names (`delta-plan` writes one), else 64
    rows, and 32 rows of a cache. A scalar decay is applied to what the triangular inverse
    inverts; the inverse names a bound of its entries where the function's own prologues
    prove one (l2norm on the keys, sigmoid on beta). The recurrence's plans become the
    function's, `delta.plans`. What the chunked phase looks like, and why, is in
    docs/delta-dialect.md.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::delta::tile::TileDialect"
  ];
}

def VerifyChunked : Pass<"delta-verify-chunked", "::mlir::func::FuncOp"> {
  let summary = "Check that a function keeps the contract of the chunked phase";
  let description = [{
    The contract at the end of the chunked phase (docs/delta-dialect.md, H1 to H8):
    arguments are named memrefs, memory is touched by `delta.load`, `delta.load_index`
    and `delta.store` alone, every access stays inside its array, and what a loop nest stores is read
    back after it, or inside it `before`. The IR is never changed.
  }];
}

def Decompose : Pass<"delta-decompose", "::mlir::ModuleOp"> {
  let summary = "Replace every executable op by upstream ops";
  let description = [{
    Every op with the DecomposableOpInterface becomes what its decomposition says:
    linalg on tensors, loops around memrefs for loads and stores. This is the CPU's
    meaning of a phase; the GPU's lowering does not pass through it.

    ```mlir
    %y = delta.scale %x, %v {axis = 0 : i64} : tensor<64x64xf32>, tensor<64xf32>
    // becomes
    func.func private @delta_scale(%x: tensor<64x64xf32>, %v: tensor<64xf32>) -> tensor<64x64xf32> { .. }
    %y = call @delta_scale(%x, %v) : (tensor<64x64xf32>, tensor<64xf32>) -> tensor<64x64xf32>
    ```
    One function serves all ops of the same name, attributes and types, so that the time
    to compile depends on the kinds of ops alone.
    Attributes of delta on functions and arguments are removed: they describe a
    phase that ends here.
  }];
  let options = [
    Option<"outline", "outline", "bool", /*default=*/"true",
           "call one private function for each kind of op instead of writing the "
           "decomposition in place">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Chunked phase: algebra
//===----------------------------------------------------------------------===//

def FoldNorms : Pass<"delta-fold-norms", "::mlir::func::FuncOp"> {
  let summary = "Turn norms of keys and queries into factors of rows";
  let description = [{
    Every use of a normalised tile is linear in each of its rows, so products may
    take the caller's rows and scale what comes out (or, for an update, what goes
    in): no normalised copy is made or stored, and the kernels read keys and
    queries where the caller has them. With r_i = rsqrt(k_i . k_i + eps):

    ```mlir
    func.func @f(%k: memref<64x128xbf16>, %t: index, %S: tensor<128x64xf32>, %U: tensor<64x64xf32>)
        -> (tensor<64x64xf32>, tensor<128x64xf32>) {
      %K  = delta.load %k[%t, %t] dims [0, 1] : memref<64x128xbf16> -> tensor<64x128xf32>
      %Kn = delta.l2norm %K : tensor<64x128xf32> -> tensor<64x128xf32>
      %KS = delta.read %Kn, %S {prec = #delta.prec<bf16>}
              : tensor<64x128xf32>, tensor<128x64xf32> -> tensor<64x64xf32>
      %S1 = delta.update %S, %Kn, %U {prec = #delta.prec<bf16>}
              : tensor<128x64xf32>, tensor<64x128xf32>, tensor<64x64xf32>
      return %KS, %S1 : tensor<64x64xf32>, tensor<128x64xf32>
    }
    // becomes
    %n  = delta.row_dot %K, %K : tensor<64x128xf32> -> tensor<64xf32>
    %ne = arith.addf %n, %eps : tensor<64xf32>
    %r  = math.rsqrt %ne : tensor<64xf32>
    %x  = delta.read %K, %S {prec = #delta.prec<bf16>}
            : tensor<64x128xf32>, tensor<128x64xf32> -> tensor<64x64xf32>
    %KS = delta.scale %x, %r {axis = 0 : i64} : tensor<64x64xf32>, tensor<64xf32>
    %rU = delta.scale %U, %r {axis = 0 : i64} : tensor<64x64xf32>, tensor<64xf32>
    %S1 = delta.update %S, %K, %rU {prec = #delta.prec<bf16>}
            : tensor<128x64xf32>, tensor<64x128xf32>, tensor<64x64xf32>
    ```
    A norm is left alone where the result would differ: where it rounds to 16 bits
    (that rounding is part of a spec's meaning), where its rows are of another type
    than the products' operands, and where that type is f16, whose range a scaled
    update may leave.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def FactorDecay : Pass<"delta-factor-decay", "::mlir::func::FuncOp"> {
  let summary = "Turn decays of reads and updates into factors of rows";
  let description = [{
    The factors do not depend on the state, so they need not be computed where it
    is: exponentials leave the sequential chain. All exponents stay <= 0. Ends with
    the canonical form of `delta.scale`, one vector of factors an axis. With
    e_in = exp(G), e_out = exp(G_R - G), and e_chunk = exp(G_R), which is a vector of
    four equal elements, the 16 bytes that copies move at once:

    ```mlir
    func.func @f(%K: tensor<64x64xf32>, %S: tensor<64x64xf32>, %U: tensor<64x64xf32>, %G: tensor<64xf32>)
        -> (tensor<64x64xf32>, tensor<64x64xf32>) {
      %x  = delta.read %K, %S decay(%G : tensor<64xf32>)
              : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %s1 = delta.update %S, %K, %U decay(%G : tensor<64xf32>)
              : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
      return %x, %s1 : tensor<64x64xf32>, tensor<64x64xf32>
    }
    // becomes
    %y  = delta.read %K, %S : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %x  = delta.scale %y, %e_in {axis = 0 : i64} : tensor<64x64xf32>, tensor<64xf32>
    %e  = tensor.extract %e_chunk[%c0] : tensor<4xf32>
    %es = tensor.splat %e : tensor<64x64xf32>
    %Sd = arith.mulf %S, %es : tensor<64x64xf32>
    %Ud = delta.scale %U, %e_out {axis = 0 : i64} : tensor<64x64xf32>, tensor<64xf32>
    %s1 = delta.update %Sd, %K, %Ud : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

//===----------------------------------------------------------------------===//
// Chunked phase: kernels
//===----------------------------------------------------------------------===//

def SplitKernels : Pass<"delta-split-kernels", "::mlir::ModuleOp"> {
  let summary = "Cut the chunk loop where the state enters";
  let description = [{
    What depends on the loop-carried state is the chain. Everything else of the loop
    becomes a loop of its own over (batch, chunk, head); a value that the chain needs
    from it goes through workspace, one slot a (batch, chunk, head), or a (batch,
    chunk, key head) where the value head does not matter. Rows of the caller's
    arrays, repeated elements and index arithmetic are computed again instead.

    A value that the chain uses only as operand of products with one `prec` is stored
    rounded to it.

    ```
    scf.forall (%b, %h) { scf.for %c iter_args(%S) { %K = load; %T = f(%K); %U = apply %T, g(%S) } }
    // becomes
    %ws = memref.alloc : memref<?x?x8x64x64xbf16>
    scf.forall (%b, %c, %h) { %K = load; %T = f(%K); store %T, %ws[%b, %c, %h, 0, 0] }
    scf.forall (%b, %h) { scf.for %c iter_args(%S) { %T = load %ws[%b, %c, %h, 0, 0]; %U = apply %T, g(%S) } }
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def SplitSequence : Pass<"delta-split-sequence", "::mlir::ModuleOp"> {
  let summary = "Let several CTAs run the chunks of one sequence, exactly";
  let description = [{
    For functions whose plan of `chain` has work `segments`, after `delta-split-kernels`. A
    segment of whole chunks maps the state before it to the state behind it by
    `S' = M S + N`: the recurrence is linear in its state. So a chain of L chunks becomes

    * the transfers (M, N) of all segments but the last, at once: the chain's own loop
      without outputs, for N from a state of zeros, for M from columns of the identity
      and with values of zero;
    * the states at the start of the segments, one after another, each from the
      transfer before it;
    * the chain's loop over each segment, at once, from these states.

    M is as exact as a state: what crosses chunks is f32 and operands of products are
    rounded. The product M S rounds nothing: both are sums of a rounded part and a
    rounded rest (three products; the fourth is below the rounding of f32 sums).

    How many segments there are is computed when the function runs, from the chains of
    one sequence position (batch x heads x columns), the chunks and the device's
    multiprocessors, by the costs of `tile.choose_segments`. Where one segment is best,
    the chain as it was runs.

    ```mlir
    scf.forall (%b, %h) in (%B, 8) { scf.for %c = 0 to %chunks iter_args(%S = %S0) { .. } }
    // becomes
    %segments, %length = .. // by cost
    scf.if (%segments > 1) {
      scf.forall (%w, %h) in (%B * (%segments - 1) * 2, 8) {
        // part 0: N, part 1: M
        scf.for %i = 0 to %length iter_args(%S = delta.identity %diagonal) { .. }
      }
      scf.forall (%b, %h) in (%B, 8) {
        scf.for %s = 0 to %segments iter_args(%S = %S0) { S -> starts; S' = M S + N }
      }
      scf.forall (%w, %h) in (%B * %segments, 8) {
        scf.for %i = 0 to %n iter_args(%S = starts[%w, %h]) { %c = %first + %i; .. }
      }
    } else {
      scf.forall (%b, %h) in (%B, 8) { scf.for %c = 0 to %chunks iter_args(%S = %S0) { .. } }
    }
    ```
  }];
  let options = [Option<"segments", "segments", "int64_t", /*default=*/"0",
      "split every sequence into at most so many segments; 0: by cost">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::delta::tile::TileDialect"
  ];
}

def ShareGroups : Pass<"delta-share-groups", "::mlir::ModuleOp"> {
  let summary = "Compute once a key head what its value heads share";
  let description = [{
    A loop over (batch, chunk, value head) becomes one over (batch, chunk, key head)
    around a loop over the heads of the group; what depends on the value head only
    through its key head stays outside the inner loop.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def RoundWorkspace : Pass<"delta-round-workspace", "::mlir::ModuleOp"> {
  let summary = "Keep a workspace rounded to what every product that reads it rounds to";
  let description = [{
    An f32 array of the function's own whose tiles are only ever operands of products of
    one `prec` is kept in that type. Rounding at the store is then the rounding that each
    product would do: u of DeltaFormer (2505.19488) is read by all later blocks. Where all
    of these operands are split, it is kept as two arrays, rounded and rest.

    ```mlir
    %u = memref.alloc(..) : memref<?x?x8x64xf32>
    %U = delta.load %u[..] ..
    .. = delta.online .. values(%U : ..) {prec = #delta.prec<bf16>} ..
    // becomes
    %u = memref.alloc(..) : memref<?x?x8x64xbf16>

    .. = delta.apply %P, %U part<full> {prec = #delta.prec<bf16>, split_input} ..
    // becomes
    %u = memref.alloc(..) : memref<?x?x8x64xbf16>
    %r = memref.alloc(..) : memref<?x?x8x64xbf16>
    %U = delta.load %u[..] rest(%r : ..) ..
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

#endif // DELTA_PASSES_TD
