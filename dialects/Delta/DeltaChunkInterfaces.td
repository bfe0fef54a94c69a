//===- DeltaChunkInterfaces.td - what named ops are --------*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What passes ask of the named ops on one chunk: each interface states an
// equation that its ops fulfil, and which operands stand for its letters. x_i is
// row i of a tile, x[:, j] its column j.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_CHUNK_INTERFACES_TD
#define DELTA_CHUNK_INTERFACES_TD

include "mlir/IR/OpBase.td"

def ProductOpInterface : OpInterface<"ProductOpInterface"> {
  let cppNamespace = "::delta";
  let description = [{
    An op that multiplies tiles,

    ```
    d_mn = acc_mn + sum_k a_mk b_kn
    ```
    or makes the diagonal of such a product alone. Its factors are the tiles among a and b that are
    operands. With a `prec`, r(x) being x rounded to that type, a lowering may take
    r(a) and r(b); it takes a factor that is split as r(x) + r(x - r(x)). It rounds
    nothing else: neither acc nor what the product is scaled by.
  }];
  let methods = [
    InterfaceMethod<"The operands that the op multiplies.",
      "::llvm::SmallVector<::delta::ProductFactor, 2>", "getFactors">,
    InterfaceMethod<"The rounding of the factors; null where they are not rounded.",
      "::delta::PrecAttr", "getPrecAttr">];
}

def StateUpdateOpInterface : OpInterface<"StateUpdateOpInterface", [ProductOpInterface]> {
  let cppNamespace = "::delta";
  let description = [{
    An op that makes the next state of a recurrence from this one and the rows of a chunk.
    The state [K, V] is what a loop over chunks carries.
  }];
  let methods = [InterfaceMethod<"This chunk's state.",
    "::mlir::TypedValue<::mlir::RankedTensorType>", "getState">];
}

def ColumnLinearOpInterface : OpInterface<"ColumnLinearOpInterface"> {
  let cppNamespace = "::delta";
  let description = [{
    An op that maps columns of tiles x_1, x_2, ... to columns of a tile y, each column j by
    the same linear map:

    ```
    y[:, j] = sum_i A_i x_i[:, j]
    ```
    The A_i depend neither on j nor on any x_i; they are what the other operands give. So
    the columns of y and of all x_i are one axis, of which blocks may be computed apart:
    where an x_i is the state, the value axis. And y is linear in such a state.
  }];
  let methods = [
    InterfaceMethod<"The x_i; none where the op's attributes make it another map.",
      "::llvm::SmallVector<::mlir::Value, 2>", "getLinearOperands">,
    InterfaceMethod<"y.", "::mlir::Value", "getLinearResult", (ins), "",
      "return $_op->getResult(0);">];
}

def RowScaleOpInterface : OpInterface<"RowScaleOpInterface"> {
  let cppNamespace = "::delta";
  let description = [{
    An op through which a factor for each row of an operand x can move. For D = diag(f),
    one of these holds:

    ```
    op(D x)    = D op(x)       factors of the result's rows
    op(D x)    = op(x) D       factors of the result's columns
    op(D x, y) = op(x, D y)    factors of the rows of another operand
    ```
    Besides, the op multiplies by a number, `scale`.
  }];
  let methods = [
    InterfaceMethod<"Where factors of the rows of `x` may go; nothing where they may not move.",
      "::std::optional<::delta::RowFactorPlace>", "getRowFactorPlace",
      (ins "::mlir::OpOperand &":$x)>,
    InterfaceMethod<"Whether the result is `scale` times what it is with `scale` 1.",
      "bool", "scalesResult">,
    InterfaceMethod<"`scale`.", "::llvm::APFloat", "getScale">,
    InterfaceMethod<"Makes `scale` another number.", "void", "setScale",
      (ins "::llvm::APFloat":$scale)>];
}

def DecayOpInterface : OpInterface<"DecayOpInterface", [RowScaleOpInterface]> {
  let cppNamespace = "::delta";
  let description = [{
    An op that multiplies each row i of an operand x by the decay between that row and an
    end of its chunk. G is the inclusive prefix sum of the chunk's log decays, R its last
    row; the role says which end:

    ```
    read     exp(G_i)          from the start of the chunk
    write    exp(G_R - G_i)    to the end of the chunk
    ```
    An op that takes a state to the end of the chunk multiplies it by exp(G_R). Without
    `decay` all of these factors are 1.
  }];
  let methods = [
    InterfaceMethod<"G, or null.", "::mlir::Value", "getDecay">,
    InterfaceMethod<"The end of the chunk.", "::delta::ReadRole", "getRole">,
    InterfaceMethod<"x; factors of its rows may move.", "::mlir::OpOperand &", "getDecayedRows">,
    InterfaceMethod<"The state that is multiplied by exp(G_R); null where there is none.",
      "::mlir::OpOperand *", "getDecayedState">,
    InterfaceMethod<"Removes `decay`.", "void", "clearDecay">];
}

def PartReaderOpInterface : OpInterface<"PartReaderOpInterface"> {
  let cppNamespace = "::delta";
  let description = [{
    An op that does not look at all of an operand: where x = x' on a part of a matrix,
    op(x) = op(x'), whatever x and x' are elsewhere.
  }];
  let methods = [InterfaceMethod<[{
      Whether neither the op nor a user of its results sees what `x` holds outside of
      `part`, of `steps` columns a row.
    }],
    "bool", "ignoresOutside", (ins "::mlir::OpOperand &":$x, "::delta::Part":$part,
                                   "int64_t":$steps)>];
}

#endif // DELTA_CHUNK_INTERFACES_TD
