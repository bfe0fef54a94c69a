//===- TileTypes.td - products in flight, rings ----------- -*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TYPES_TD
#define TILE_TYPES_TD

include "Tile/TileAttrs.td"

class Tile_Type<string name, string typeMnemonic> : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_AsyncType : Tile_Type<"Async", "async"> {
  let summary = "A value in flight; only `tile.await` gives the value";
  let description = [{
    `!tile.async<tensor<64x64xf32, #tile.frag<warps = 4>>>` is a product that was issued;
    `!tile.async<none>` is a copy. The type makes a use before the wait impossible.
  }];
  let parameters = (ins "::mlir::Type":$value);
  let assemblyFormat = "`<` $value `>`";
  let genVerifyDecl = 1;
}

// A copy in flight: it carries no value.
def Tile_AsyncCopyType : Type<
    CPred<"::llvm::isa<::delta::tile::AsyncType>($_self) && ::llvm::isa<::mlir::NoneType>("
          "::llvm::cast<::delta::tile::AsyncType>($_self).getValue())">,
    "a copy in flight">, BuildableType<
    "::delta::tile::AsyncType::get($_builder.getContext(), $_builder.getNoneType())">;

def Tile_RingType : Tile_Type<"Ring", "ring"> {
  let summary = "A bounded queue of slots of shared buffers between two roles";
  let parameters = (ins "int64_t":$stages, ArrayRefParameter<"::mlir::MemRefType">:$buffers);
  let assemblyFormat = "`<` $stages `,` `[` $buffers `]` `>`";
  let genVerifyDecl = 1;
}

def Tile_SlotType : Tile_Type<"Slot", "slot"> {
  let summary = "One slot of a ring, between acquire and commit or peek and release";
}

#endif // TILE_TYPES_TD
