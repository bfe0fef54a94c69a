//===- TileFinalOps.td - ops of the final form alone ------ -*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Placement, movement, roles, rings, products in flight. All of these ops declare effects
// on one resource (the schedule), so that no generic pass reorders them: in this form the
// order of ops has a meaning.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_FINAL_OPS_TD
#define TILE_FINAL_OPS_TD

include "Tile/TileOps.td"

def Tile_ScheduleResource : Resource<"::delta::tile::ScheduleResource">;

class Tile_FinalOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, traits # [
        MemoryEffects<[MemRead<Tile_ScheduleResource>, MemWrite<Tile_ScheduleResource>]>]> {
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

def Tile_AllocOp : Tile_FinalOp<"alloc"> {
  let summary = "A buffer in shared memory, for the whole kernel";
  let description = [{ `offset` (bytes) is set by `tile-plan-shared`. }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs AnyMemRef:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
}

def Tile_CopyOp : Tile_FinalOp<"copy", [AttrSizedOperandSegments]> {
  let summary = "Global memory to or from a shared buffer, asynchronously";
  let description = [{
    Axis a of the shared buffer runs along axis `dims[a]` of the global array, from
    `indices`. Rows (buffer axis 0) from `bound` on become zero without being read (into
    shared memory) or are dropped (out of it). The engine `tma` has no `bound`: its tensor
    map ends where the array ends. With `rows` only the first `rows` rows are copied;
    other rows of the destination keep their contents. `cp_async` copies into shared
    memory only. `multicast` (`tma`, into shared memory) fills the same buffer of every
    CTA of the cluster.

    ```mlir
    %f = tile.copy tma %k[%b, %t0, %h, %c0], %Ks {dims = array<i64: 1, 3>}
        : memref<?x?x16x128xbf16>, memref<64x128xbf16, #tile.smem<128>>
    ```
  }];
  let arguments = (ins AnyMemRef:$global, AnyMemRef:$shared, Variadic<Index>:$indices,
      Optional<Index>:$bound, DenseI64ArrayAttr:$dims, Tile_Engine:$engine,
      UnitAttr:$to_global, UnitAttr:$multicast,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$rows);
  let results = (outs Tile_AsyncCopyType:$inflight);
  let extraClassDeclaration = [{
    /// Rows (elements of a vector) that the copy moves if none is past the end.
    int64_t getCopiedRows();
  }];
  let assemblyFormat = [{
    $engine $global `[` $indices `]` `,` $shared (`bound` `(` $bound^ `)`)? attr-dict
    `:` type($global) `,` type($shared)
  }];
}

def Tile_ReadOp : Tile_FinalOp<"read"> {
  let summary = "Shared buffer to registers";
  let description = [{
    16-bit tiles by ldmatrix, vectors by ld.shared. `transpose` exchanges the axes.
  }];
  let arguments = (ins AnyMemRef:$buffer, UnitAttr:$transpose);
  let results = (outs Tile_Tile:$tile);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `->` type($tile)";
}

def Tile_WriteOp : Tile_FinalOp<"write"> {
  let summary = "Registers to a shared buffer";
  let arguments = (ins Tile_Tile:$tile, AnyMemRef:$buffer, UnitAttr:$transpose);
  let assemblyFormat = "$tile `,` $buffer attr-dict `:` type($tile) `,` type($buffer)";
}

def Tile_BarrierOp : Tile_FinalOp<"barrier"> {
  let summary = "All warps of the role (of the CTA, outside roles) meet";
  let description = [{
    Orders accesses to `alloc` buffers. `id` is a literal (F10): 0 is the barrier of the
    whole CTA; instance i of a role meets at `id + i`.
  }];
  let arguments = (ins DefaultValuedAttr<I64Attr, "0">:$id);
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// In flight
//===----------------------------------------------------------------------===//

def Tile_DotStartOp : Tile_FinalOp<"dot_start"> {
  let summary = "Issue a product";
  let description = [{
    As `tile.dot`. The accumulator may itself be in flight from the same instruction
    family; the products then run in order. `k` restricts the contraction to [k0, k1).

    ```mlir
    %p = tile.dot_start wgmma_rs %Sa, %Ks {contract = array<i64: 1, 1>}
        : tensor<64x128xbf16, #tile.frag<warps = 4>>, memref<64x128xbf16, #tile.smem<128>>
        -> !tile.async<tensor<64x64xf32, #tile.frag<warps = 4>>>
    ```
  }];
  let arguments = (ins AnyType:$a, AnyMemRef:$b, Optional<AnyType>:$acc,
      DenseI64ArrayAttr:$contract, OptionalAttr<DenseI64ArrayAttr>:$k,
      DefaultValuedAttr<Tile_Part, "::delta::tile::Part::Full">:$b_part,
      Tile_Steps:$b_row_steps, Tile_Steps:$b_col_steps, Tile_Instr:$instr);
  let results = (outs Tile_AsyncType:$inflight);
  let assemblyFormat = [{
    $instr $a `,` $b (`acc` `(` $acc^ `:` type($acc) `)`)? (`b_part` `(` $b_part^ `)`)?
    attr-dict `:` type($a) `,` type($b) `->` type($inflight)
  }];
}

def Tile_AwaitOp : Tile_FinalOp<"await"> {
  let summary = "Obtain values in flight";
  let description = [{
    One result per operand that carries a value. `pending` is the number of groups issued
    later that may stay open; `tile-place-waits` derives it, and it is never written by
    hand.
  }];
  let arguments = (ins Variadic<Tile_AsyncType>:$inflight, OptionalAttr<I64Attr>:$pending);
  let results = (outs Variadic<Tile_Tile>:$values);
  let assemblyFormat = [{
    $inflight attr-dict `:` type($inflight) (`->` type($values)^)?
  }];
}

//===----------------------------------------------------------------------===//
// Roles and rings
//===----------------------------------------------------------------------===//

def Tile_RolesOp : Tile_FinalOp<"roles", [NoTerminator, SingleBlock]> {
  let summary = "Split the warps of a CTA: one region a role";
  let description = [{
    Region i runs on the warps of role i; its block argument is the instance index. Roles
    exchange data only through rings (F7), so any interleaving gives the same result.
  }];
  let arguments = (ins Tile_RoleArrayAttr:$roles);
  let regions = (region VariadicRegion<SizedRegion<1>>:$bodies);
  let assemblyFormat = "$roles $bodies attr-dict";
}

def Tile_RingCreateOp : Tile_FinalOp<"ring_create"> {
  let summary = "Create an empty ring";
  let description = [{
    `consumers` counts the instances that release each slot. If the role of the producer
    has several instances, the role of the consumer has as many, and each pair has its own
    ring (F7). `offset` (bytes) is the offset of slot 0. The slots follow each other, all
    slots of one pair before those of the next; then follow the mbarriers
    (`SharedMemory.h`), unless these lie apart, at `barriers`. `zeroed` slots hold zeros
    until they are first filled, for copies of fewer `rows` than a slot has.
  }];
  let arguments = (ins StrAttr:$name, Tile_Protocol:$protocol,
      DefaultValuedAttr<I64Attr, "1">:$consumers, OptionalAttr<I64Attr>:$offset,
      UnitAttr:$zeroed, OptionalAttr<I64Attr>:$barriers);
  let results = (outs Tile_RingType:$ring);
  let assemblyFormat = "$name $protocol attr-dict `:` type($ring)";
}

class Tile_SlotOp<string mnemonic> : Tile_FinalOp<mnemonic> {
  let arguments = (ins Tile_RingType:$ring, Index:$index);
  let results = (outs Tile_SlotType:$slot, Variadic<AnyMemRef>:$buffers);
  let assemblyFormat = "$ring `[` $index `]` attr-dict `:` type($ring) `->` type($buffers)";
}

def Tile_AcquireOp : Tile_SlotOp<"acquire"> {
  let summary = "Producer: wait until the slot of `index` is free";
}
def Tile_PeekOp : Tile_SlotOp<"peek"> {
  let summary = "Consumer: wait until the slot of `index` is full";
}

def Tile_CommitOp : Tile_FinalOp<"commit"> {
  let hasVerifier = 0;
  let summary = "Producer: the slot is full once `copies` have landed";
  let arguments = (ins Tile_SlotType:$slot, Variadic<Tile_AsyncCopyType>:$copies);
  let assemblyFormat = "$slot (`,` $copies^)? attr-dict";
}

def Tile_ReleaseOp : Tile_FinalOp<"release"> {
  let hasVerifier = 0;
  let summary = "Consumer: the slot is free once `copies`, which read it, are done";
  let arguments = (ins Tile_SlotType:$slot, Variadic<Tile_AsyncCopyType>:$copies);
  let assemblyFormat = "$slot (`,` $copies^)? attr-dict";
}

//===----------------------------------------------------------------------===//
// Between launches
//===----------------------------------------------------------------------===//

def Tile_WaitLaunchesOp : Tile_FinalOp<"wait_launches"> {
  let hasVerifier = 0;
  let summary = "Wait until earlier launches are done and their stores are visible";
  let description = [{
    Waits in a kernel whose launch may `overlap`; in other kernels it has no effect. Every
    warp that runs it waits.
  }];
  let assemblyFormat = "attr-dict";
}

#endif // TILE_FINAL_OPS_TD
