//===- DeltaAttrs.td - attributes of the delta dialect -----*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_ATTRS_TD
#define DELTA_ATTRS_TD

include "Delta/DeltaDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Delta_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Delta_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

// An enum that ops carry by name: `#delta.part<lower>`, not a number.
class Delta_EnumInfo<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::delta";
  let genSpecializedAttr = 0;
}

class Delta_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<Delta_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// The recurrence
//===----------------------------------------------------------------------===//

def Delta_FeatureKernelInfo : Delta_EnumInfo<"FeatureKernel",
    "the function kappa of a scaled inner product", [
      I32EnumAttrCase<"Linear", 0, "linear">,
      I32EnumAttrCase<"Softmax", 1, "softmax">,
      I32EnumAttrCase<"Exp", 2, "exp">,
      I32EnumAttrCase<"Relu", 3, "relu">,
      I32EnumAttrCase<"Round", 4, "round">]>;
def Delta_FeatureKernel : Delta_EnumAttr<Delta_FeatureKernelInfo, "feature">;

def Delta_KernelAttr : Delta_Attr<"Kernel", "kernel"> {
  let summary = "How keys are compared with queries";
  let description = [{
    `#delta.kernel<linear>`: the linear kernel through a state of size K x V
    (DeltaNet, Gated DeltaNet, DeltaProduct).

    `#delta.kernel<write = softmax, read = softmax>`: implicit features, without
    a state (DeltaFormer, 2505.19488, eqs. 8 and 9). Each of the two is one of
    `softmax`, `exp`, `relu`, `round`, `linear`; the function is applied to
    `scale * <query, key>`, and `softmax` is normalised over the row. Constraint: C22.
  }];
  let parameters = (ins "bool":$implicit, "::delta::FeatureKernel":$write,
                        "::delta::FeatureKernel":$read);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// The linear kernel through a state.
    static KernelAttr getLinearState(::mlir::MLIRContext *context);
    bool hasState() const { return !getImplicit(); }
  }];
}

def Delta_StateLayoutInfo : Delta_EnumInfo<"StateLayout", "axis order of a state", [
      I32EnumAttrCase<"KV", 0, "kv">, I32EnumAttrCase<"VK", 1, "vk">]>;
def Delta_StateLayout : Delta_EnumAttr<Delta_StateLayoutInfo, "state_layout">;

// What a user writes without its type is an f64; the message says how to.
def Delta_F32Attr : FloatAttrBase<F32, "32-bit float, written with its type as in `0.125 : f32`">;

//===----------------------------------------------------------------------===//
// Chunked phase
//===----------------------------------------------------------------------===//

// With `steps = n`, columns count micro-steps and rows count tokens: `lower`
// keeps (i, j) where j / n <= i, `strict_lower` where j / n < i.
def Delta_PartInfo : Delta_EnumInfo<"Part", "the part of a matrix that may differ from 0", [
      I32EnumAttrCase<"Full", 0, "full">,
      I32EnumAttrCase<"Lower", 1, "lower">,
      I32EnumAttrCase<"StrictLower", 2, "strict_lower">]>;
def Delta_Part : Delta_EnumAttr<Delta_PartInfo, "part">;

// `read`: exp(G_i), from the chunk's start to row i. `write`: exp(G_R - G_i),
// from row i to the chunk's end.
def Delta_ReadRoleInfo : Delta_EnumInfo<"ReadRole", "which decay a row of a chunk carries", [
      I32EnumAttrCase<"Read", 0, "read">, I32EnumAttrCase<"Write", 1, "write">]>;
def Delta_ReadRole : Delta_EnumAttr<Delta_ReadRoleInfo, "read_role">;

def Delta_NestKindInfo : Delta_EnumInfo<"NestKind", "what a loop nest computes", [
      I32EnumAttrCase<"Scan", 0, "scan">,
      I32EnumAttrCase<"IntraChunk", 1, "intra_chunk">,
      I32EnumAttrCase<"SegmentFold", 2, "segment_fold">,
      I32EnumAttrCase<"Attention", 3, "attention">,
      I32EnumAttrCase<"Rows", 4, "rows">]>;

def Delta_CarriesInfo : Delta_EnumInfo<"Carries", "what the loop inside a nest carries", [
      I32EnumAttrCase<"Nothing", 0, "nothing">,
      I32EnumAttrCase<"State", 1, "state">,
      I32EnumAttrCase<"Sums", 2, "sums">]>;

def Delta_NestAttr : Delta_Attr<"Nest", "nest"> {
  let summary = "What a loop nest of the chunked phase computes";
  let description = [{
    The attribute `delta.nest` of each outermost `scf.forall`, which becomes one kernel.
    Whoever makes the loop nest writes it; no pass guesses it from the ops inside.

    `kind`:
    * `scan`: the inter-chunk scan. Passes a state of K x V through chunks, one after
      another.
    * `intra_chunk`: what the chunks of a sequence compute without the state, such as the
      WY form; chunks are independent.
    * `segment_fold`: passes a state of K x V through the maps of the segments of a split
      sequence, one after another.
    * `attention`: a query block, or the queries after a cache, sums over blocks of keys.
    * `rows`: each row by itself, such as a norm.

    `name` is what the kernel is called, after the function's name. `axes` names the
    nest's coordinates, one for each induction variable of the `scf.forall`. `carries` is
    what the sequential loop inside the nest passes from one iteration to the next: a
    `state`, or `sums` over keys. `publishes` names the array that blocks of the nest
    store for later blocks of the same nest; the blocks are then ordered, and a block may
    wait for an earlier one. Constraint: H8.

    ```mlir
    #delta.nest<kind = attention, name = "write", axes = ["batch", "head"], carries = sums, publishes = "u">
    ```
  }];
  let parameters = (ins EnumParameter<Delta_NestKindInfo>:$kind, "::mlir::StringAttr":$name,
      "::mlir::ArrayAttr":$axes,
      DefaultValuedParameter<"::delta::Carries", "::delta::Carries::Nothing">:$carries,
      OptionalParameter<"::mlir::StringAttr">:$publishes);
  let builders = [AttrBuilder<(ins "::delta::NestKind":$kind, "::llvm::StringRef":$name,
      "::llvm::ArrayRef<::llvm::StringRef>":$axes,
      CArg<"::delta::Carries", "::delta::Carries::Nothing">:$carries,
      CArg<"::llvm::StringRef", "{}">:$publishes)>];
  let extraClassDeclaration = [{
    /// Whether blocks of the nest read what earlier ones stored.
    bool isOrdered() const { return static_cast<bool>(getPublishes()); }
    /// The same nest with other coordinates.
    NestAttr withAxes(::llvm::ArrayRef<::llvm::StringRef> axes) const;
    /// The same nest as a kernel of another name.
    NestAttr withName(::llvm::StringRef name) const;
  }];
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Delta_PrecAttr : Delta_Attr<"Prec", "prec"> {
  let summary = "Permitted rounding of a product's operands";
  let description = [{
    A lowering may round both operands of the product to this type; it must
    accumulate in f32. Without the attribute the product stays in f32. The CPU run
    of the chunked phase never rounds. Constraint: C24.
  }];
  let parameters = (ins "::mlir::FloatType":$operands);
  let assemblyFormat = "`<` $operands `>`";
  let genVerifyDecl = 1;
}

#endif // DELTA_ATTRS_TD
