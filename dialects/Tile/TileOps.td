//===- TileOps.td - ops of both forms --------------------- -*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels, launches and the ops of the value form. The final form uses the same ops with
// encodings on their types. Rule labels (V1.., F1..) are those of docs/tile-dialect.md.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_OPS_TD
#define TILE_OPS_TD

include "Delta/DeltaInterfaces.td"
include "Tile/TileTypes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_PlanAttr : Attr<CPred<"::llvm::isa<::delta::plan::KernelPlanAttr>($_self)">,
                         "#plan.kernel"> {
  let storageType = "::delta::plan::KernelPlanAttr";
  let returnType = "::delta::plan::KernelPlanAttr";
  let convertFromStorage = "$_self";
}
def Tile_Tile : StaticShapeTensorOf<[F32, BF16, F16]>;
def Tile_Steps : DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">;
def Tile_Axis : ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<1>]>;

// For ops whose value form is pure and whose final form reads or writes shared memory:
// the operands decide the effects.
defvar Tile_PureUnlessShared = [AlwaysSpeculatable,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>];

class Tile_ValueOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, traits # [
        DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def Tile_KernelOp : Tile_Op<"kernel", [FunctionOpInterface, IsolatedFromAbove,
    AffineScope]> {
  let summary = "The program of one CTA";
  let description = [{
    The first `grid` (1 to 3) arguments are the CTA's indices (type index), of which the
    first runs fastest. `tile.launch` passes the other arguments: memrefs of global
    memory, index values, and i32 values (epochs). `warps` (1 to 32) is the size of the
    CTA. A kernel has no results, and its arguments are its only inputs.

    `plan` says how the kernel uses its machine. If a CTA holds n chains, grid index 0
    counts chains in the value form, and CTAs of n neighbouring chains each in the final
    form. `alternatives` lists all plans of a kernel that `tile-expand-variants` clones
    once for each plan; `plan` is then the first of them.

    In the final form, passes record the resources of the CTA: `shared_bytes` of shared
    memory, a prediction of the `registers` that each thread needs for tiles, and
    `min_blocks`, the number of CTAs that an SM should hold.

    ```mlir
    tile.kernel @chain(%h: index, %b: index, %k: memref<?x?x16x128xbf16>, %T: index)
        attributes {grid = 2 : i64, warps = 4 : i64} { ... tile.return }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
      I64Attr:$grid, I64Attr:$warps, OptionalAttr<StrAttr>:$sym_visibility,
      OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
      OptionalAttr<I64Attr>:$shared_bytes, OptionalAttr<I64Attr>:$registers,
      OptionalAttr<I64Attr>:$min_blocks, OptionalAttr<Tile_PlanAttr>:$plan,
      OptionalAttr<TypedArrayAttrBase<Tile_PlanAttr, "plans">>:$alternatives);
  let regions = (region AnyRegion:$body);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type,
      "int64_t":$grid, "int64_t":$warps, CArg<"::mlir::StringAttr", "{}">:$visibility,
      CArg<"::mlir::ArrayAttr", "{}">:$argAttrs, CArg<"::mlir::ArrayAttr", "{}">:$resAttrs), [{
    build($_builder, $_state, name, type, grid, warps, visibility, argAttrs, resAttrs,
          /*shared_bytes=*/{}, /*registers=*/{}, /*min_blocks=*/{},
          /*plan=*/{}, /*alternatives=*/{});
  }]>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Argument types and (no) result types: FunctionOpInterface.
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// Whether the kernel's warps have roles, or will get them.
    bool hasRoles() { return getPlan() && getPlan()->hasRoles(); }
    /// Whether products use wgmma: their results arrive later, in order of issue.
    bool usesWgmma() { return getPlan() && getPlan()->usesWgmma(); }
    /// Number of chains per CTA; 1 without a plan.
    int64_t getChains() { return getPlan() ? getPlan()->getChains() : 1; }
  }];
}

def Tile_ReturnOp : Tile_Op<"return", [Terminator, HasParent<"KernelOp">, Pure]> {
  let summary = "End of a kernel";
  let assemblyFormat = "attr-dict";
}

def Tile_LaunchOp : Tile_Op<"launch", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Run a kernel once for every index of a grid";
  let description = [{
    Stands in the host function. The CTAs may run in any order and at the same time; two
    launches that access the same buffer run in program order. A grid with an extent of 0
    runs nothing. On the CPU the CTAs run one after another, the first grid index fastest.

    `overlap`: the CTAs may start while the previous launch still runs; the kernel itself
    waits (`tile.wait_launches`) before it accesses arrays that earlier launches write.
    `tile-overlap-launches` sets it.

    ```mlir
    tile.kernel @chain(%h: index, %b: index, %k: memref<?x?x16x128xbf16>, %T: index)
        attributes {grid = 2 : i64, warps = 4 : i64} {
      tile.return
    }
    func.func @f(%k: memref<?x?x16x128xbf16>, %T: index, %H: index, %B: index) {
      tile.launch @chain grid(%H, %B) args(%k, %T : memref<?x?x16x128xbf16>, index)
      return
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Index>:$grid,
      Variadic<AnyType>:$inputs, UnitAttr:$overlap);
  let assemblyFormat = [{
    $kernel `grid` `(` $grid `)` `args` `(` ($inputs^ `:` type($inputs))? `)` attr-dict
  }];
}

def Tile_MultiprocessorsOp : Tile_ValueOp<"multiprocessors", [Pure]> {
  let summary = "Number of multiprocessors of the device that launches run on";
  let description = [{
    Stands in the host function, for the choice among kernels. On the CPU the result is
    132, the number of an H200, so that the CPU makes the same choice.

    ```mlir
    %sms = tile.multiprocessors
    ```
  }];
  let results = (outs Index:$count);
  let assemblyFormat = "attr-dict";
}

def Tile_ChunkTimeOp : Tile_ValueOp<"chunk_time", [Pure]> {
  let summary = "The time that one chunk of a number of chains takes";
  let description = [{
    Nanoseconds on that many multiprocessors, `tiles` chains a CTA, where a wave of CTAs
    costs `wave` and each half of one `half`: `chunk_time` of
    include/delta/Device/Segments.h, which the launcher calls. Stands in the host
    function, for the choice among kernels.

    ```mlir
    %time = tile.chunk_time %chains on %sms {tiles = 2, wave = 1000, half = 450}
    ```
  }];
  let arguments = (ins Index:$chains, Index:$multiprocessors,
                       ConfinedAttr<I64Attr, [IntPositive]>:$tiles,
                       I64Attr:$wave, I64Attr:$half);
  let results = (outs Index:$time);
  let assemblyFormat = "$chains `on` $multiprocessors attr-dict";
}

def Tile_ChooseSegmentsOp : Tile_ValueOp<"choose_segments", [Pure]> {
  let summary = "Into how many segments it costs least to cut sequences";
  let description = [{
    `count` segments, at least 1, of `length` chunks each (the last may be shorter) for
    `chains` chains of `chunks` chunks: `choose_segments` of
    include/delta/Device/Segments.h, which says how and which the launcher calls. `costs`
    are the ten numbers of its ScanCosts, in their order. `tiles` lists the chains a CTA
    that there are kernels for, 1 or 2 or both; the map of a segment is `parts` times as
    wide as a state. Stands in the host function.

    ```mlir
    %count, %length = tile.choose_segments %chunks of %chains on %sms
        {parts = 2, tiles = array<i64: 1, 2>,
         costs = array<i64: 800, 110, 1000, 450, 680, 30, 850, 100, 2350, 7000>}
    ```
  }];
  let arguments = (ins Index:$chunks, Index:$chains, Index:$multiprocessors,
                       ConfinedAttr<I64Attr, [IntPositive]>:$parts,
                       DenseI64ArrayAttr:$tiles, DenseI64ArrayAttr:$costs);
  let results = (outs Index:$count, Index:$length);
  let assemblyFormat = "$chunks `of` $chains `on` $multiprocessors attr-dict";
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

def Tile_LoadOp : Tile_ValueOp<"load", [AttrSizedOperandSegments]> {
  let summary = "A box of a global array as a tile";
  let description = [{
    Tile axis a runs along axis `dims[a]` of `source`, from `indices`; so the order of
    `dims` can transpose. Elements keep the dtype of the array. With `bound`, elements
    whose coordinate along tile axis `bound_axis` is `bound` or more are zero and are not
    read (V2).

    `steps = n` (vectors): element r is source element r / n where r % n = 0, and 0
    elsewhere; `bound` counts source elements.
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source, Variadic<Index>:$indices,
      Optional<Index>:$bound, DenseI64ArrayAttr:$dims,
      DefaultValuedAttr<I64Attr, "0">:$bound_axis, Tile_Steps:$steps);
  let results = (outs Tile_Tile:$tile);
  let assemblyFormat = [{
    $source `[` $indices `]` (`bound` `(` $bound^ `)`)? attr-dict
    `:` type($source) `->` type($tile)
  }];
}

def Tile_StoreOp : Tile_ValueOp<"store", [AttrSizedOperandSegments]> {
  let summary = "A tile into a box of a global array";
  let description = [{
    As `tile.load`. The tile has the dtype of the array (V1). Elements from `bound` on are
    not written.
  }];
  let arguments = (ins Tile_Tile:$tile, Arg<AnyMemRef, "", [MemWrite]>:$dest,
      Variadic<Index>:$indices, Optional<Index>:$bound, DenseI64ArrayAttr:$dims,
      DefaultValuedAttr<I64Attr, "0">:$bound_axis);
  let assemblyFormat = [{
    $tile `,` $dest `[` $indices `]` (`bound` `(` $bound^ `)`)? attr-dict
    `:` type($tile) `,` type($dest)
  }];
}

def Tile_LoadIndexOp : Tile_ValueOp<"load_index"> {
  let summary = "One element of a global vector of counts, as an index";
  let description = [{
    All threads of the CTA get the value. Elements are i64 and not negative (V7).

    ```mlir
    %cached = tile.load_index %lengths[%b] : memref<?xi64>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source, Index:$position);
  let results = (outs Index:$value);
  let assemblyFormat = "$source `[` $position `]` attr-dict `:` type($source)";
}

//===----------------------------------------------------------------------===//
// Products and reductions
//===----------------------------------------------------------------------===//

def Tile_DotOp : Tile_ValueOp<"dot", Tile_PureUnlessShared # [
    OptionalTypesMatchWith<"accumulator and result have one type", "d", "acc", "$_self">]> {
  let summary = "Product contracting one axis of each operand, plus an accumulator";
  let description = [{
    `contract = [i, j]`: `d[m, n] = acc[m, n] + sum_k a b`, k running along axis i of
    `a` and axis j of `b`. Operands are 16-bit (or f32, value form on the CPU only),
    the accumulator is f32. `b_part` (with its steps) promises which part of `b`, as
    stored, may differ from 0; blocks outside this part may be skipped.

    Value form: `a` and `b` are tensors. Final form: `a` is a register tile, `b` a
    shared memref, `instr` is set (F2).
  }];
  let arguments = (ins AnyType:$a, AnyType:$b, Optional<Tile_Tile>:$acc,
      DenseI64ArrayAttr:$contract, DefaultValuedAttr<Tile_Part, "::delta::tile::Part::Full">:$b_part,
      Tile_Steps:$b_row_steps, Tile_Steps:$b_col_steps, OptionalAttr<Tile_Instr>:$instr);
  let results = (outs Tile_Tile:$d);
  let assemblyFormat = [{
    (`instr` `(` $instr^ `)`)? $a `,` $b (`acc` `(` $acc^ `)`)? (`b_part` `(` $b_part^ `)`)?
    attr-dict `:` type($a) `,` type($b) `->` type($d)
  }];
}

def Tile_ReduceOp : Tile_ValueOp<"reduce", [Pure]> {
  let summary = "Reduce one axis of a matrix";
  let arguments = (ins Tile_Tile:$input, Tile_Combine:$kind, Tile_Axis:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$kind $input attr-dict `:` type($input) `->` type($result)";
}

def Tile_DiagonalOp : Tile_ValueOp<"diagonal", [Pure]> {
  let summary = "The elements (i, i) of a square matrix, as a vector of its rows";
  let description = [{
    No other element is read, so a NaN outside the diagonal has no effect.

    ```mlir
    %own = tile.diagonal %scores : tensor<64x64xf32> -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$input);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Tile_ScanOp : Tile_ValueOp<"scan", Tile_PureUnlessShared # [
    AllTypesMatch<["input", "result"]>]> {
  let summary = "Inclusive prefix sum of a vector";
  let description = [{
    In the final form `scratch` names shared memory for the partial sums of warps.
  }];
  let arguments = (ins Tile_Tile:$input, Optional<AnyMemRef>:$scratch);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $input (`scratch` `(` $scratch^ `:` type($scratch) `)`)? attr-dict `:` type($input)
  }];
}

def Tile_SpreadOp : Tile_ValueOp<"spread", [Pure]> {
  let summary = "A vector repeated along the other axis of a matrix";
  let description = [{
    axis 0: the vector indexes rows (`r_ij = v_i`); axis 1: columns (`r_ij = v_j`).
  }];
  let arguments = (ins Tile_Tile:$input, Tile_Axis:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Tile_MaskOp : Tile_ValueOp<"mask", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "Keep a part of a matrix, `fill` (0) elsewhere";
  let description = [{
    With `columns`, columns from that index on are dropped too. Dropped elements may be
    NaN or Inf; they become `fill`.
  }];
  let arguments = (ins Tile_Tile:$input, Optional<Index>:$columns, Tile_Part:$part,
      Tile_Steps:$row_steps, Tile_Steps:$col_steps,
      DefaultValuedAttr<F32Attr, "0.0f">:$fill);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$part $input (`columns` `(` $columns^ `)`)? attr-dict `:` type($input)";
}

def Tile_IdentityOp : Tile_ValueOp<"identity", [Pure]> {
  let summary = "1 on one diagonal of a matrix, 0 elsewhere";
  let description = [{
    `r_ij = 1` where `j - i = diagonal`, in f32. A diagonal that misses the matrix gives
    zeros.

    ```mlir
    %I = tile.identity %first : tensor<64x128xf32>
    ```
  }];
  let arguments = (ins Index:$diagonal);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$diagonal attr-dict `:` type($result)";
}

def Tile_TransposeOp : Tile_ValueOp<"transpose", [Pure]> {
  let summary = "Exchange the two axes of a matrix";
  let arguments = (ins Tile_Tile:$input);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Tile_TriInverseOp : Tile_ValueOp<"tri_inverse", Tile_PureUnlessShared # [
    AllTypesMatch<["input", "result"]>]> {
  let summary = "(I + A)^-1 of a strictly lower triangular A, in f32";
  let description = [{
    `substitute16_merge`: 16 x 16 diagonal blocks by forward substitution, then block
    merges; safe for any input. `doubling` is admissible (V4) only with
    `row_stochastic`, or for matrices of at most 4 rows (8 with entry_bound <= 1).
    `precision` is the lowest precision that suffices; the CPU always computes in f32.
    `tf32` is possible with `substitute16_merge` alone, whose products then take operands
    of 11 bits (V4). With `transposed` the result is the transpose of the inverse. That is
    the order in which a warp holds the column of blocks that it computes, so it suits a
    result that is only stored. In the final form `scratch` is shared memory for one
    matrix.

    ```mlir
    %M = tile.tri_inverse precision(tf32) %A {entry_bound = 1.0 : f32} : tensor<64x64xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$input, Optional<AnyMemRef>:$scratch,
      DefaultValuedAttr<Tile_InverseMethod, "::delta::tile::InverseMethod::Substitute16Merge">:$method,
      DefaultValuedAttr<Tile_InversePrecision, "::delta::tile::InversePrecision::F32">:$precision,
      OptionalAttr<F32Attr>:$entry_bound, UnitAttr:$row_stochastic, UnitAttr:$transposed);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    (`method` `(` $method^ `)`)? (`precision` `(` $precision^ `)`)? $input
    (`scratch` `(` $scratch^ `:` type($scratch) `)`)? attr-dict `:` type($input)
  }];
}

def Tile_TriSolveOp : Tile_ValueOp<"tri_solve", Tile_PureUnlessShared # [
    AllTypesMatch<["input", "result"]>]> {
  let summary = "(I + P diag(f))^-1 P of a strictly lower triangular P, in f32";
  let description = [{
    A query block in the attention form solves u = v - f o (a + P u) for its rows. With G
    = (I + P diag(f))^-1 P this needs one product: a + P u = a + G (v - f o a). No bound
    on P or f is needed, and the identity is never rounded. P must be 0 on and above its
    diagonal. (DeltaFormer, 2505.19488, section 3.3, solved for the values that rows
    read.)

    Value form: `factors` is a vector as long as P has rows. Final form: `factors` is a
    shared vector, and `scratch` is shared memory for one or two 16-bit matrices of P's
    shape. With one matrix, products inside round their operands to its element type; with
    two, each operand is a high part and its residual.

    ```mlir
    %G = tile.tri_solve %P, %beta : tensor<128x128xf32>, tensor<128xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$input, AnyType:$factors, Optional<AnyMemRef>:$scratch);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $input `,` $factors (`scratch` `(` $scratch^ `:` type($scratch) `)`)? attr-dict
    `:` type($input) `,` type($factors)
  }];
}

def Tile_ConvertOp : Tile_Op<"convert", [Pure]> {
  let summary = "The same tile in another register layout";
  let description = [{
    Free between equal maps. Otherwise the elements pass through shared memory:
    `tile-lower-converts` replaces the op by `write`, `barrier`, `read`. Folds if the
    types are equal, also across a chain of conversions.
  }];
  let extraClassDeclaration = [{
    /// Whether both layouts are the same map (`LinearLayout`), so that nothing moves.
    bool isFree();
  }];
  let arguments = (ins Tile_Tile:$input);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Between CTAs
//===----------------------------------------------------------------------===//

def Tile_TicketOp : Tile_ValueOp<"ticket"> {
  let summary = "Draw the next item of a work queue";
  let description = [{
    Draws a ticket from a work queue: increments `counter[0]` atomically and returns its
    old value. The n-th CTA that draws gets n, whatever its place in the grid. In the
    final form `scratch` is shared memory for one element, through which all threads of
    the CTA get the ticket.
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead, MemWrite]>:$counter,
      Optional<AnyMemRef>:$scratch);
  let results = (outs Index:$item);
  let assemblyFormat = [{
    $counter (`scratch` `(` $scratch^ `:` type($scratch) `)`)? attr-dict
    `:` type($counter)
  }];
}

def Tile_ClearOp : Tile_ValueOp<"clear"> {
  let summary = "Zero every element of a workspace, before the launches that follow";
  let description = [{
    Stands in the host function. Each run of the host program clears the array again, so
    that a captured graph can be replayed. Counters and flags (i32) start at 0 this way.

    ```mlir
    tile.clear %progress : memref<?xi32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemWrite]>:$array);
  let assemblyFormat = "$array attr-dict `:` type($array)";
}

def Tile_SignalOp : Tile_ValueOp<"signal"> {
  let summary = "Publish earlier stores of this CTA through a flag";
  let description = [{
    Stores `epoch` into `flags[indices]` with release order: a CTA that acquires the flag
    observes all earlier stores of this CTA.
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemWrite]>:$flags, Variadic<Index>:$indices,
      I32:$epoch);
  let assemblyFormat = "$flags `[` $indices `]` `,` $epoch attr-dict `:` type($flags)";
}

def Tile_ExpectOp : Tile_ValueOp<"expect"> {
  let summary = "Wait until a flag holds at least `epoch`";
  let description = [{
    Has acquire order. It is declared as a write too, so that no load moves across it and
    it is never dead. Flags are never negative, so an expectation of epoch 0 never waits.
    On the CPU, where CTAs run one after another in ticket order, the op is an assertion:
    a wait that would block means a wrong order.
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead, MemWrite]>:$flags, Variadic<Index>:$indices,
      I32:$epoch);
  let assemblyFormat = "$flags `[` $indices `]` `,` $epoch attr-dict `:` type($flags)";
}

#endif // TILE_OPS_TD
