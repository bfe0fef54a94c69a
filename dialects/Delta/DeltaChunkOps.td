//===- DeltaChunkOps.td - named ops of the chunked phase ---*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One chunk of C micro-step rows of one head, as values. Notation: K, Q, V, U are
// tiles of rows; S is a state [K, V]; G is the inclusive prefix sum of log decays
// inside the chunk, R its last row. Rows outside the sequence are zero rows, for
// which every op here is the identity of the recurrence.
//
// Tiles are f32 of static shape. Labels N1, N2, ... are the constraints of
// docs/delta-dialect.md, which the verifiers check. No op promises an order of
// summation.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_CHUNK_OPS_TD
#define DELTA_CHUNK_OPS_TD

include "Delta/DeltaAttrs.td"
include "Delta/DeltaChunkInterfaces.td"
include "Delta/DeltaInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Delta_Tile : StaticShapeTensorOf<[F32]>;
def Delta_Steps : DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">;

class Delta_ChunkOp<string mnemonic, list<Trait> traits = [], list<OpInterface> interfaces = []>
    : Delta_Op<mnemonic, traits # !foreach(interface,
        !listconcat([DecomposableOpInterface], interfaces),
        DeclareOpInterfaceMethods<interface>)> {
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Rows of the caller's arrays
//===----------------------------------------------------------------------===//

def Delta_LoadOp : Delta_ChunkOp<"load", [AttrSizedOperandSegments]> {
  let summary = "Rows of an array as an f32 tile; rows from `rows` on are zero";
  let description = [{
    The tile spans axes `dims` of `source`, starting at `indices`; all other axes
    are fixed at `indices`. Elements are extended to f32 (exact). Row r of the tile
    (its first axis) is read where r < rows; otherwise it is zero and is not read.

    With `steps = n` the source axis counts tokens and the tile's rows count
    micro-steps: row r holds source row r / n where r % n = 0, and 0 elsewhere
    (a token's decay sits on its step 0); `rows` counts tokens then.

    `before` says that every row read was stored by an earlier iteration of the
    surrounding loop (DeltaFormer reads u); the chunked phase's verifier checks the
    offset.

    An array whose numbers have twice the digits of its 16 bits has a second one of its
    type, `rest` (N23): the tile is the sum of what lies at the same place in both.
    Products take the two as they are (`delta.apply`).

    Arrays are bf16, f16 or f32 (N1), with one index an axis (N2). The caller
    promises that what is read lies inside the array, also on the fixed axes.

    ```mlir
    %K = delta.load %k[%b, %t, %h, %c0] rows(%n) dims [1, 3]
           : memref<?x?x16x128xbf16> -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source,
      Variadic<Index>:$indices, Optional<Index>:$rows,
      Arg<Optional<AnyMemRef>, "", [MemRead]>:$rest,
      DenseI64ArrayAttr:$dims, Delta_Steps:$steps, UnitAttr:$before);
  let results = (outs Delta_Tile:$tile);
  let assemblyFormat = [{
    $source `[` $indices `]` (`rows` `(` $rows^ `)`)? (`rest` `(` $rest^ `:` type($rest) `)`)?
    `dims` $dims attr-dict `:` type($source) `->` type($tile)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$tile, "::mlir::Value":$source,
      "::mlir::ValueRange":$indices, "::mlir::Value":$rows,
      "::llvm::ArrayRef<int64_t>":$dims, CArg<"int64_t", "1">:$steps,
      CArg<"bool", "false">:$before), [{
    build($_builder, $_state, tile, source, indices, rows, /*rest=*/::mlir::Value(),
          dims, steps, before);
  }]>];
}

def Delta_StoreOp : Delta_ChunkOp<"store", [AttrSizedOperandSegments]> {
  let summary = "Write the first `rows` rows of a tile, rounded to the array's dtype";
  let description = [{
    The inverse of `delta.load`: rows from `rows` on are not written.
    Elements round to nearest, ties to even; what that loses of them, rounded likewise,
    goes into `rest` where it is given (N23). Arguments and promises as of `delta.load`.

    ```mlir
    delta.store %O, %o[%b, %t, %h, %c0] rows(%n) dims [1, 3]
      : tensor<64x128xf32>, memref<?x?x16x128xbf16>
    ```
  }];
  let arguments = (ins Delta_Tile:$tile,
      Arg<AnyMemRef, "", [MemWrite]>:$dest, Variadic<Index>:$indices,
      Optional<Index>:$rows, Arg<Optional<AnyMemRef>, "", [MemWrite]>:$rest,
      DenseI64ArrayAttr:$dims);
  let assemblyFormat = [{
    $tile `,` $dest `[` $indices `]` (`rows` `(` $rows^ `)`)?
    (`rest` `(` $rest^ `:` type($rest) `)`)? `dims` $dims attr-dict
    `:` type($tile) `,` type($dest)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$tile, "::mlir::Value":$dest,
      "::mlir::ValueRange":$indices, "::mlir::Value":$rows,
      "::llvm::ArrayRef<int64_t>":$dims), [{
    build($_builder, $_state, tile, dest, indices, rows, /*rest=*/::mlir::Value(), dims);
  }]>];
}

def Delta_LoadIndexOp : Delta_ChunkOp<"load_index"> {
  let summary = "One element of a vector of counts";
  let description = [{
    How many tokens a sequence has in a cache: an i64 of the caller's, not negative, as
    an index (N21). The only load whose value may be an index or a bound of others.

    ```mlir
    %p = delta.load_index %cached[%b] : memref<?xi64>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source, Index:$position);
  let results = (outs Index:$value);
  let assemblyFormat = "$source `[` $position `]` attr-dict `:` type($source)";
}

//===----------------------------------------------------------------------===//
// Decay
//===----------------------------------------------------------------------===//

def Delta_GatePrefixOp : Delta_ChunkOp<"gate_prefix", [Pure,
    AllTypesMatch<["decay", "prefix"]>]> {
  let summary = "Inclusive prefix sum of log decays inside a chunk";
  let description = [{
    `G_i = sum_{j <= i} g_j` for a vector g [C] of natural logarithms (N6). Rows
    outside the sequence have g = 0, so the last element is the chunk's whole decay.

    ```mlir
    %G = delta.gate_prefix %g : tensor<64xf32>
    ```
  }];
  let arguments = (ins Delta_Tile:$decay);
  let results = (outs Delta_Tile:$prefix);
  let assemblyFormat = "$decay attr-dict `:` type($decay)";
}

def Delta_DecayOp : Delta_ChunkOp<"decay", [Pure,
    AllTypesMatch<["input", "result"]>], [PartReaderOpInterface]> {
  let summary = "X_ij exp(G_i - G_j) on `part`, 0 elsewhere";
  let description = [{
    A scalar decay is a similarity: it commutes with the triangular inverse. The
    exponent is <= 0 wherever it counts; elsewhere the result is 0, also where the
    exponential would overflow. `rows` and `columns` are the prefixes of the row and
    of the column index (they differ in length when rows count tokens and columns
    micro-steps).
    Shapes [R, C], [R], [C]; the part is triangular (N7). Gated DeltaNet, 2412.06464,
    section 3.3.

    ```mlir
    %P = delta.decay %QK, %Gt, %G part<lower> {steps = 2 : i64}
           : tensor<32x64xf32>, tensor<32xf32>, tensor<64xf32>
    ```
  }];
  let arguments = (ins Delta_Tile:$input, Delta_Tile:$rows,
      Delta_Tile:$columns, Delta_Part:$part, Delta_Steps:$steps);
  let results = (outs Delta_Tile:$result);
  let assemblyFormat = [{
    $input `,` $rows `,` $columns `part` `` $part attr-dict
    `:` type($input) `,` type($rows) `,` type($columns)
  }];
}

//===----------------------------------------------------------------------===//
// Products inside a chunk
//===----------------------------------------------------------------------===//

def Delta_GramOp : Delta_ChunkOp<"gram", [Pure],
    [ProductOpInterface, RowScaleOpInterface]> {
  let summary = "kappa(scale * x_i . y_j) on `part`, 0 elsewhere";
  let description = [{
    `kernel` is an elementwise function of the scaled product: `linear`, `exp`,
    `relu` or `round` (to the nearest integer, halves to even). `softmax` needs the
    whole row and is refused here: see `delta.online`.

    x [R, D] and y [C, D] give [R, C] (N8, N9). The matrices K K^T and Q K^T of the
    WY form (DeltaNet, 2406.06484, section 3), and the kernels of DeltaFormer
    (2505.19488, eqs. 8 and 9).

    ```mlir
    %KK = delta.gram %K, %K part<strict_lower> {prec = #delta.prec<bf16>}
            : tensor<64x128xf32>, tensor<64x128xf32> -> tensor<64x64xf32>
    ```
  }];
  let arguments = (ins Delta_Tile:$lhs, Delta_Tile:$rhs, Delta_Part:$part,
      Delta_Steps:$steps, DefaultValuedAttr<F32Attr, "1.0f">:$scale,
      DefaultValuedAttr<Delta_FeatureKernel, "::delta::FeatureKernel::Linear">:$kernel,
      OptionalAttr<Delta_PrecAttr>:$prec);
  let results = (outs Delta_Tile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `part` `` $part (`kernel` `` $kernel^)? attr-dict
    `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
}

def Delta_ScaleOp : Delta_ChunkOp<"scale", [Pure,
    AllTypesMatch<["input", "result"]>], [ColumnLinearOpInterface, PartReaderOpInterface]> {
  let summary = "Multiply rows (axis 0) or columns (axis 1) by a vector";
  let description = [{
    axis 0: `v_i x_ij`; axis 1: `x_ij v_j`, for x [R, C] and v [R] or [C] (N10).
    Canonical is one factor an axis: factors of one axis are multiplied, and one of
    rows takes over the `scale` of a linear product in front of it.

    ```mlir
    %A = delta.scale %KK, %beta {axis = 0 : i64} : tensor<64x64xf32>, tensor<64xf32>
    ```
  }];
  let arguments = (ins Delta_Tile:$input, Delta_Tile:$factors,
      ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<1>]>:$axis);
  let results = (outs Delta_Tile:$result);
  let assemblyFormat = [{
    $input `,` $factors attr-dict `:` type($input) `,` type($factors)
  }];
  let hasCanonicalizer = 1;
}

def Delta_TriInverseOp : Delta_ChunkOp<"tri_inverse", [Pure,
    AllTypesMatch<["input", "result"]>], [PartReaderOpInterface]> {
  let summary = "(I + A)^-1 of a strictly lower triangular A";
  let description = [{
    The inverse of the WY form (DeltaNet, 2406.06484, section 3): unit lower
    triangular, for a square A (N11) of which what is below the diagonal is read.

    `entry_bound` promises |entries of the inverse below its diagonal and of every
    block merge| <= bound
    (linear kernel, |k| <= 1 and beta <= 2: |M_ij| <= beta_i). `row_stochastic`
    promises that rows of |A| sum to at most 1 (softmax rows and |beta| <= 1 proved by
    the spec); only then is Neumann doubling admissible.

    ```mlir
    %M = delta.tri_inverse %A {entry_bound = 2.0 : f32} : tensor<64x64xf32>
    ```
  }];
  let arguments = (ins Delta_Tile:$input, OptionalAttr<F32Attr>:$entry_bound,
      UnitAttr:$row_stochastic);
  let results = (outs Delta_Tile:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Delta_ApplyOp : Delta_ChunkOp<"apply", [Pure],
    [ProductOpInterface, ColumnLinearOpInterface]> {
  let summary = "L x (or L^T x), plus an accumulator";
  let description = [{
    `part` and `steps` say which part of L may differ from 0 (before `transpose`).
    L must be 0 elsewhere; a lowering may use that or not. L [R, C] and x [C, V] give
    [R, V], transposed x [R, V] gives [C, V] (N12).

    An operand that is `split` is given to the rounding product that `prec` asks for
    as two numbers an element, rounded and rest, so that about 16 (bf16) or 22 (f16)
    bits of it count: one product more an operand. What both rests give is left out
    (N22).

    ```mlir
    %O = delta.apply %P, %U acc(%QS : tensor<64x128xf32>) part<lower>
           : tensor<64x64xf32>, tensor<64x128xf32> -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins Delta_Tile:$matrix, Delta_Tile:$input,
      Optional<Delta_Tile>:$accumulator, Delta_Part:$part, Delta_Steps:$steps,
      UnitAttr:$transpose, OptionalAttr<Delta_PrecAttr>:$prec,
      UnitAttr:$split_matrix, UnitAttr:$split_input);
  let results = (outs Delta_Tile:$result);
  let assemblyFormat = [{
    $matrix `,` $input (`acc` `(` $accumulator^ `:` type($accumulator) `)`)?
    `part` `` $part attr-dict `:` type($matrix) `,` type($input) `->` type($result)
  }];
}

def Delta_RowDotOp : Delta_ChunkOp<"row_dot", [Pure,
    AllTypesMatch<["lhs", "rhs"]>], [ProductOpInterface]> {
  let summary = "scale * x_i . y_i: the diagonal of a gram";
  let description = [{
    The score of a row's own token, where the rest of the row is known already: reads
    of DeltaFormer (2505.19488) that are a tied softmax need it. A lowering may take
    the diagonal of a `delta.gram` instead. x, y [R, K] (N18).

    ```mlir
    %s = delta.row_dot %Q, %K {scale = 0.125 : f32} : tensor<64x64xf32> -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Delta_Tile:$lhs, Delta_Tile:$rhs,
      DefaultValuedAttr<F32Attr, "1.0f">:$scale);
  let results = (outs Delta_Tile:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
}

def Delta_RowSumOp : Delta_ChunkOp<"rowsum", [Pure]> {
  let summary = "Sum of each row";
  let description = [{
    `r_i = sum_j x_ij` for x [R, C] (N13).

    ```mlir
    %r = delta.rowsum %x : tensor<64x128xf32> -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Delta_Tile:$input);
  let results = (outs Delta_Tile:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

//===----------------------------------------------------------------------===//
// The state
//===----------------------------------------------------------------------===//

def Delta_ReadOp : Delta_ChunkOp<"read", [Pure],
    [ProductOpInterface, ColumnLinearOpInterface, RowScaleOpInterface, DecayOpInterface]> {
  let summary = "Rows read out of a state: scale * (decayed x) S";
  let description = [{
    `result_i = scale * f_i * x_i S` (or `x_i S^T` with `transpose`), where f_i is
    exp(G_i) for role `read`, exp(G_R - G_i) for role `write`, and 1 without `decay`.
    x [R, K] and S [K, V] give [R, V], transposed x [R, V] gives [R, K]; `decay` is
    the prefix G [R] (N14).

    ```mlir
    %KS = delta.read %K, %S decay(%G : tensor<64xf32>)
            : tensor<64x128xf32>, tensor<128x128xf32> -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins Delta_Tile:$input, Delta_Tile:$state,
      Optional<Delta_Tile>:$decay,
      DefaultValuedAttr<Delta_ReadRole, "::delta::ReadRole::Read">:$role,
      DefaultValuedAttr<F32Attr, "1.0f">:$scale, UnitAttr:$transpose,
      OptionalAttr<Delta_PrecAttr>:$prec);
  let results = (outs Delta_Tile:$result);
  let assemblyFormat = [{
    $input `,` $state (`decay` `(` $decay^ `:` type($decay) `)`)?
    (`role` `` $role^)? attr-dict
    `:` type($input) `,` type($state) `->` type($result)
  }];
}

def Delta_UpdateOp : Delta_ChunkOp<"update", [Pure,
    AllTypesMatch<["state", "result"]>],
    [ProductOpInterface, StateUpdateOpInterface, ColumnLinearOpInterface, RowScaleOpInterface,
     DecayOpInterface]> {
  let summary = "The only producer of a state: decayed S plus decayed K^T U";
  let description = [{
    `result = exp(G_R) S + scale * sum_i f_i k_i^T u_i`, where f_i is exp(G_R - G_i)
    for role `write`, exp(G_i) for role `read`, and both factors are 1 without `decay`.
    S [K, V], rows k [R, K] and u [R, V]; `decay` is the prefix G [R] (N15).

    ```mlir
    %S1 = delta.update %S, %K, %U decay(%G : tensor<64xf32>)
            : tensor<128x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>
    ```
  }];
  let arguments = (ins Delta_Tile:$state, Delta_Tile:$key, Delta_Tile:$value,
      Optional<Delta_Tile>:$decay,
      DefaultValuedAttr<Delta_ReadRole, "::delta::ReadRole::Write">:$role,
      DefaultValuedAttr<F32Attr, "1.0f">:$scale, OptionalAttr<Delta_PrecAttr>:$prec);
  let results = (outs Delta_Tile:$result);
  let assemblyFormat = [{
    $state `,` $key `,` $value (`decay` `(` $decay^ `:` type($decay) `)`)?
    (`role` `` $role^)? attr-dict
    `:` type($state) `,` type($key) `,` type($value)
  }];
}

def Delta_IdentityOp : Delta_ChunkOp<"identity", [Pure]> {
  let summary = "1 on one diagonal of a matrix, 0 elsewhere";
  let description = [{
    `r_ij = 1` where `j - i = diagonal`; a diagonal that misses the matrix gives zeros
    (N20). As an initial state it makes the last state a column block of the product of
    all transitions.

    ```mlir
    %I = delta.identity %diagonal : tensor<128x128xf32>
    ```
  }];
  let arguments = (ins Index:$diagonal);
  let results = (outs Delta_Tile:$result);
  let assemblyFormat = "$diagonal attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Implicit features
//===----------------------------------------------------------------------===//

def Delta_OnlineOp : Delta_ChunkOp<"online", [Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<ColumnLinearOpInterface, ["getLinearResult"]>],
    [ProductOpInterface, PartReaderOpInterface]> {
  let summary = "One step of online softmax";
  let description = [{
    With scores s [C, N], of which only those on `part` exist, running row maximum m,
    row sum l and accumulator acc [C, V]:

    ```
    m' = max(m, max_j s_ij)     l' = l exp(m - m') + sum_j exp(s_ij - m')
    acc' = acc exp(m - m') + sum_j exp(s_ij - m') u_j
    ```
    Without `values` acc is only rescaled (the diagonal block, whose u are not known
    yet). A row that has seen no score has m = `kNoScore` and l = 0, never NaN; one
    that has has l >= 1. Start with `kNoScore`, 0 and 0. Shapes: N16.

    `columns`, where given, is how many of the N columns exist, at least one: the last
    block of a cache is ragged. Elsewhere there is no bound: blocks before the diagonal
    one are whole, and on that one a triangular part keeps rows past the sequence's
    end, which come last, out of every row of the sequence.

    The product of weights and values takes what is `split` as `delta.apply` does (N22).

    ```mlir
    %m1, %l1, %a1 = delta.online %m, %l, %a, %s values(%u : tensor<64x128xf32>) part<full>
        : tensor<64xf32>, tensor<64xf32>, tensor<64x128xf32>, tensor<64x64xf32>
       -> tensor<64xf32>, tensor<64xf32>, tensor<64x128xf32>
    ```
  }];
  let arguments = (ins Delta_Tile:$max, Delta_Tile:$sum, Delta_Tile:$acc,
      Delta_Tile:$scores, Optional<Delta_Tile>:$values,
      Optional<Index>:$columns, Delta_Part:$part,
      OptionalAttr<Delta_PrecAttr>:$prec, UnitAttr:$split_weights,
      UnitAttr:$split_values);
  let results = (outs Delta_Tile:$new_max, Delta_Tile:$new_sum, Delta_Tile:$new_acc);
  let assemblyFormat = [{
    $max `,` $sum `,` $acc `,` $scores
    (`values` `(` $values^ `:` type($values) `)`)? (`columns` `(` $columns^ `)`)?
    `part` `` $part attr-dict `:` type($max) `,` type($sum) `,` type($acc) `,` type($scores)
    `->` type($new_max) `,` type($new_sum) `,` type($new_acc)
  }];
  let extraClassDeclaration = [{
    /// The maximum of no scores. Finite, so that differences of two such maxima
    /// are 0 and not NaN, and far below every score that is not itself a limit.
    static constexpr float kNoScore = -1e30f;
  }];
}

def Delta_NormalizeOp : Delta_ChunkOp<"normalize", [Pure,
    AllTypesMatch<["acc", "result"]>], [ColumnLinearOpInterface]> {
  let summary = "acc_i / l_i, and 0 in rows with l_i = 0";
  let description = [{
    Ends a softmax that `delta.online` accumulated. A row that has seen no score
    reads nothing: 0. acc [R, V], sum [R] (N19).

    ```mlir
    %a = delta.normalize %acc, %l : tensor<64x64xf32>, tensor<64xf32>
    ```
  }];
  let arguments = (ins Delta_Tile:$acc, Delta_Tile:$sum);
  let results = (outs Delta_Tile:$result);
  let assemblyFormat = "$acc `,` $sum attr-dict `:` type($acc) `,` type($sum)";
}

def Delta_WeightsOp : Delta_ChunkOp<"weights", [Pure,
    AllTypesMatch<["scores", "result"]>], [PartReaderOpInterface]> {
  let summary = "Softmax weights of a block from finished row statistics";
  let description = [{
    `exp(s_ij - m_i) / l_i` on `part`, 0 elsewhere and in rows with l_i = 0.
    m and l are the row statistics of `delta.online` (N17).

    ```mlir
    %P = delta.weights %s, %m, %l part<strict_lower>
           : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>
    ```
  }];
  let arguments = (ins Delta_Tile:$scores, Delta_Tile:$max, Delta_Tile:$sum,
      Delta_Part:$part);
  let results = (outs Delta_Tile:$result);
  let assemblyFormat = [{
    $scores `,` $max `,` $sum `part` `` $part attr-dict
    `:` type($scores) `,` type($max) `,` type($sum)
  }];
}

#endif // DELTA_CHUNK_OPS_TD
