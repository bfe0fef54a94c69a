//===- TileAttrs.td - layouts, spaces, instructions ------- -*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_ATTRS_TD
#define TILE_ATTRS_TD

include "Tile/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Tile_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Register layouts
//===----------------------------------------------------------------------===//

def Tile_LayoutInterface : AttrInterface<"LayoutInterface"> {
  let cppNamespace = "::delta::tile";
  let description = [{
    The places of a register tile's elements: a map from (register, lane, warp) to
    coordinates that is linear over GF(2). Two layouts are equal if their maps are equal,
    whatever attributes describe them; a `tile.convert` between equal maps is free.
  }];
  let methods = [
    InterfaceMethod<"The map for a tile of this shape. Fails if the layout cannot "
                    "hold the shape, with a diagnostic unless `emitError` is null.",
      "::mlir::FailureOr<::delta::tile::LinearLayout>", "toLinearLayout",
      (ins "::llvm::ArrayRef<int64_t>":$shape,
           "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>,
    InterfaceMethod<"32-bit registers that a thread needs for a tile of this type: two "
                    "16-bit elements share one. 0 if the layout cannot hold the tile.",
      "int64_t", "getRegisters", (ins "::mlir::RankedTensorType":$type)>,
    InterfaceMethod<"Warps that hold the tile together.",
      "int64_t", "getWarpCount", (ins), [{ return $_attr.getWarps(); }]>
  ];
}

def Tile_FragAttr : Tile_Attr<"Frag", "frag",
    [DeclareAttrInterfaceMethods<Tile_LayoutInterface>]> {
  let summary = "Fragment of m16n8 accumulators; also the 16-bit A operand";
  let description = [{
    Warp w of `warps` holds rows 16 w to 16 w + 15 of a tile with 16 * warps rows. In
    each 16 x 8 block lane 4 g + t holds (g, 2t), (g, 2t + 1), (g + 8, 2t),
    (g + 8, 2t + 1): the f32 accumulator of mma.m16n8k16 and of wgmma, and, with two
    elements in each register, its 16-bit A operand. Since the map is the same, a rounded
    accumulator is an A operand without any move.
  }];
  let parameters = (ins "int64_t":$warps);
  let assemblyFormat = "`<` `warps` `=` $warps `>`";
  let genVerifyDecl = 1;
}

def Tile_SliceAttr : Tile_Attr<"Slice", "slice",
    [DeclareAttrInterfaceMethods<Tile_LayoutInterface>]> {
  let summary = "A vector along one axis of a parent layout";
  let description = [{
    `#tile.slice<axis = 0, parent>`: one value per row, held by every thread that
    holds an element of the row; axis 1: one value per column.
  }];
  let parameters = (ins "int64_t":$axis, "::delta::tile::FragAttr":$parent);
  let extraClassDeclaration = [{
    int64_t getWarps() const { return getParent().getWarps(); }
  }];
  let assemblyFormat = "`<` `axis` `=` $axis `,` $parent `>`";
  let genVerifyDecl = 1;
}

def Tile_FlatAttr : Tile_Attr<"Flat", "flat",
    [DeclareAttrInterfaceMethods<Tile_LayoutInterface>]> {
  let summary = "A vector, one element a thread";
  let description = [{
    Thread i of the CTA holds element i; the length is at most 32 * warps.
  }];
  let parameters = (ins "int64_t":$warps);
  let assemblyFormat = "`<` `warps` `=` $warps `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

def Tile_SmemAttr : Tile_Attr<"Smem", "smem"> {
  let summary = "Shared memory, with a swizzle";
  let description = [{
    A 16-bit tile is kept in panels of 64 columns (32, 16) whose rows are `swizzle` =
    128 (64, 32) bytes, the 16-byte units of a row permuted by the row index as TMA
    does; one swizzle serves K-major and MN-major readers. `swizzle = 0`: f32 vectors
    and scratch, row-major (with a gap of 8 elements after each row of a matrix).
  }];
  let parameters = (ins "int64_t":$swizzle);
  let assemblyFormat = "`<` $swizzle `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Choices on ops
//===----------------------------------------------------------------------===//

// The part of a matrix that may differ from 0. With row_steps = m and col_steps = n:
// lower keeps (i, j) where i / m >= j / n, upper where i / m <= j / n.
def Tile_Part : I32EnumAttr<"Part", "the part of a matrix that may differ from 0", [
      I32EnumAttrCase<"Full", 0, "full">,
      I32EnumAttrCase<"Lower", 1, "lower">,
      I32EnumAttrCase<"StrictLower", 2, "strict_lower">,
      I32EnumAttrCase<"Upper", 3, "upper">,
      I32EnumAttrCase<"StrictUpper", 4, "strict_upper">]> {
  let cppNamespace = "::delta::tile";
}

def Tile_Combine : I32EnumAttr<"Combine", "a reduction", [
      I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">]> {
  let cppNamespace = "::delta::tile";
}

def Tile_InverseMethod : I32EnumAttr<"InverseMethod",
    "how a unit lower triangle is inverted", [
      I32EnumAttrCase<"Substitute16Merge", 0, "substitute16_merge">,
      I32EnumAttrCase<"Doubling", 1, "doubling">]> {
  let cppNamespace = "::delta::tile";
}

// Relative errors: f32, about 2^-20; tf32, operands of 11 bits, about 2^-12.
def Tile_InversePrecision : I32EnumAttr<"InversePrecision",
    "the precision of the products inside an inverse", [
      I32EnumAttrCase<"F32", 0, "f32">,
      I32EnumAttrCase<"TF32", 1, "tf32">]> {
  let cppNamespace = "::delta::tile";
}

// wgmma_rs: A from registers; wgmma_ss: A from shared memory.
def Tile_Instr : I32EnumAttr<"Instr", "the instruction of a product", [
      I32EnumAttrCase<"MmaSync", 0, "mma_m16n8k16">,
      I32EnumAttrCase<"WgmmaRS", 1, "wgmma_rs">,
      I32EnumAttrCase<"WgmmaSS", 2, "wgmma_ss">]> {
  let cppNamespace = "::delta::tile";
}

// simt: ordinary loads and stores of all threads; they need no wait.
def Tile_Engine : I32EnumAttr<"Engine", "the engine that moves a copy", [
      I32EnumAttrCase<"CpAsync", 0, "cp_async">,
      I32EnumAttrCase<"Bulk", 1, "bulk">,
      I32EnumAttrCase<"Tma", 2, "tma">,
      I32EnumAttrCase<"Simt", 3, "simt">]> {
  let cppNamespace = "::delta::tile";
}

// How the two ends of a ring synchronise: groups of cp.async and a CTA barrier if one
// role is at both ends, mbarriers between two roles.
def Tile_Protocol : I32EnumAttr<"Protocol", "how the two ends of a ring meet", [
      I32EnumAttrCase<"CpAsyncGroup", 0, "cp_async_group">,
      I32EnumAttrCase<"Mbarrier", 1, "mbarrier">]> {
  let cppNamespace = "::delta::tile";
}

def Tile_RoleAttr : Tile_Attr<"Role", "role"> {
  let summary = "A set of warps that runs one region of a kernel";
  let description = [{
    `warps` counts the warps of all instances; roles take their warps in order.
    `registers` is the cap per thread (a multiple of 8, one value per warpgroup);
    `instances` copies of the role run with an index of their own.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$warps,
      "int64_t":$registers, DefaultValuedParameter<"int64_t", "1">:$instances);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
def Tile_RoleArrayAttr : TypedArrayAttrBase<Tile_RoleAttr, "roles">;

#endif // TILE_ATTRS_TD
