//===- TileOps.td - ops of both forms --------------------- -*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels, launches and the ops of the value form. The same ops stand in the final
// form with encodings on their types. Rule labels (V1.., F1..) are docs/tile-dialect.md's.
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

// An op whose final form reads or writes shared memory while its value form is pure:
// its effects depend on the operands it has.
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
    The first `grid` (1 to 3) arguments are the CTA's indices (type index), the first
    one running fastest; the others are what `tile.launch` passes: memrefs of global
    memory, index values, and i32 values (epochs). `warps` (1 to 32) is the CTA's
    size. There are no results, and no other way into the kernel.

    `plan` says how the kernel uses its machine. Where a CTA holds several chains, grid
    index 0 counts chains in value form, and CTAs, of so many neighbouring chains, in the
    final form. `alternatives` are all plans of a kernel that is to exist once for each of
    them (`tile-expand-variants`); `plan` is then the first.

    In the final form passes record what the CTA takes: `shared_bytes` of shared memory,
    a prediction of `registers` a thread in tiles, and `min_blocks`, CTAs that an SM
    should hold.

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
    /// Whether warps have, or are to get, roles.
    bool hasRoles() { return getPlan() && getPlan()->hasRoles(); }
    /// Whether products are those of warpgroups: results come later, in order.
    bool usesWgmma() { return getPlan() && getPlan()->usesWgmma(); }
    /// Chains of a CTA, 1 without a plan.
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
    Stands in the host function. The CTAs may run in any order and together; two
    launches that touch one buffer are ordered as written. A grid with an extent of
    0 runs nothing. On the CPU the CTAs run one after another, the first grid index
    fastest.

    `overlap`: the CTAs may start while the launch in front still runs; the kernel
    itself waits (`tile.wait_launches`) before it touches what earlier launches write.
    `tile-overlap-launches` sets it.

    ```mlir
    tile.launch @chain grid(%H, %B) args(%k, %T : memref<?x?x16x128xbf16>, index)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Index>:$grid,
      Variadic<AnyType>:$inputs, UnitAttr:$overlap);
  let assemblyFormat = [{
    $kernel `grid` `(` $grid `)` `args` `(` ($inputs^ `:` type($inputs))? `)` attr-dict
  }];
}

def Tile_MultiprocessorsOp : Tile_ValueOp<"multiprocessors", [Pure]> {
  let summary = "How many multiprocessors the device has that launches run on";
  let description = [{
    Stands in the host function, for the choice among kernels. On the CPU it is 132, an
    H200's number, so that a choice by size is the same there.

    ```mlir
    %sms = tile.multiprocessors
    ```
  }];
  let results = (outs Index:$count);
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

def Tile_LoadOp : Tile_ValueOp<"load", [AttrSizedOperandSegments]> {
  let summary = "A box of a global array as a tile";
  let description = [{
    Tile axis a runs along axis `dims[a]` of `source`, from `indices`; so the order of
    `dims` transposes. Elements keep the array's dtype. With `bound`, coordinates from
    `bound` on along tile axis `bound_axis` are zero and are not read (V2).

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
    As `tile.load`; the tile's dtype is the array's (V1), elements from `bound` on are
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
    All threads of the CTA have it. Elements are i64 and not negative (V7).

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
    stored, may differ from 0: blocks outside may be skipped.

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
    Nothing beside them is read: a NaN there does not survive.

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
    `columns`, where given, also drops columns from that index on. What is dropped may
    be NaN or Inf; it becomes `fill`.
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
    `precision` is what suffices; the CPU has f32 whatever it says. `tf32` is a precision
    of `substitute16_merge`, whose products take operands of 11 bits (V4). With
    `transposed` the result is the inverse's transpose, which is how a column of blocks
    leaves the warp that computes it: of use to a result that is only stored.
    In the final form `scratch` is shared memory for one matrix.

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
    With G = (I + P diag(f))^-1 P the rows u = v - f o (a + P u) that a block of implicit
    features solves for need one product: a + P u = a + G (v - f o a). No bound on P or f is
    needed, and the identity is never rounded. What P holds on and above its diagonal
    must be 0. (DeltaFormer, 2505.19488, section 3.3, solved for what rows read.)

    Value form: `factors` is a vector of the extent of P. Final form: a shared vector;
    `scratch` is shared memory for one 16-bit matrix of P's shape, and products inside
    are of its elements; or for two, and their operands are rounded + rest.

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
    `tile-lower-converts` writes that out as `write`, `barrier`, `read`. Folds where
    the types are equal, also across a chain of conversions.
  }];
  let extraClassDeclaration = [{
    /// Whether both layouts are one map (`LinearLayout`), so that nothing moves.
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
  let summary = "The next work item, in launch order";
  let description = [{
    Atomically increments `counter[0]`, returns its old value: the n-th CTA that asks
    gets n, whatever its place in the grid. In the final form `scratch` is shared memory
    for one element, through which the CTA's threads learn the item.
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
  let summary = "Zero every element of a workspace, before the launches behind it";
  let description = [{
    Stands in the host function: each run of the host program clears the array anew, so
    that a captured graph can be replayed. Counters and flags (i32) start at 0 this way.

    ```mlir
    tile.clear %progress : memref<?xi32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemWrite]>:$array);
  let assemblyFormat = "$array attr-dict `:` type($array)";
}

def Tile_SignalOp : Tile_ValueOp<"signal"> {
  let summary = "Publish: earlier stores of this CTA are visible to who sees the flag";
  let description = [{ Stores `epoch` into `flags[indices]` with release order. }];
  let arguments = (ins Arg<AnyMemRef, "", [MemWrite]>:$flags, Variadic<Index>:$indices,
      I32:$epoch);
  let assemblyFormat = "$flags `[` $indices `]` `,` $epoch attr-dict `:` type($flags)";
}

def Tile_ExpectOp : Tile_ValueOp<"expect"> {
  let summary = "Wait until a flag holds at least `epoch`";
  let description = [{
    Acquire order; declared as a write too, so that no load moves across it and an
    expectation is never dead. Flags are never negative: nothing waits for epoch 0. On the CPU, where CTAs run one after another in ticket order, it
    is an assertion: a wait that would block is a wrong order.
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead, MemWrite]>:$flags, Variadic<Index>:$indices,
      I32:$epoch);
  let assemblyFormat = "$flags `[` $indices `]` `,` $epoch attr-dict `:` type($flags)";
}

#endif // TILE_OPS_TD
