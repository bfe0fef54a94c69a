//===- Recurrence.h - one recurrence and its operands -----------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A plain description of a delta-rule recurrence: its family, the number of
/// Householder steps, its tensors. This file describes the computation and
/// checks the operands; Oracle.h evaluates it. Prologues (l2 norm, sigmoid) are
/// not part of the description: they run first.
///
/// Letters: B sequences in a dense batch, T tokens, n Householder micro-steps
/// per token, H query/key heads, HV value heads (a multiple of H: value head
/// hv uses query and key head hv / (HV/H)), K key dim, V value dim.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_RUNTIME_RECURRENCE_H
#define DELTA_RUNTIME_RECURRENCE_H

#include "delta/Runtime/Tensor.h"

namespace delta::runtime {

/// The kind of memory that the recurrence keeps.
enum class KernelFamily {
  /// A K x V state: DeltaNet (2406.06484), Gated DeltaNet (2412.06464),
  /// DeltaProduct (2502.10297), KDA (2510.26692).
  Linear,
  /// The attention form: features of a kernel function, which are never
  /// computed. The memory consists of all keys and written values so far.
  /// DeltaFormer (2505.19488).
  Implicit,
};

/// kappa(x, y) of the implicit family as a function of s = scale * x.y.
enum class FeatureKernel {
  Softmax, ///< exp(s) divided by its sum over the row
  Exp,     ///< exp(s)
  Relu,    ///< max(s, 0)
  Round,   ///< s rounded to an integer, ties to even
  Linear,  ///< s
};

/// Axis order of the initial and the final state.
enum class StateLayout {
  KV, ///< [N, HV, K, V]
  VK, ///< [N, HV, V, K]
};

/// The spelling in specs: "softmax", "exp", "relu", "round", "linear".
const char *featureKernelName(FeatureKernel kernel);

/// The attributes of a recurrence.
struct RecurrenceSpec {
  KernelFamily family = KernelFamily::Linear;

  /// Linear family: delta steps per token. 1 means that k, v and beta have no
  /// step axis. The implicit family has 1.
  int64_t steps = 1;

  /// Linear family: a factor on q. Implicit family: the factor on both w.k and
  /// q.k.
  double scale = 1.0;

  /// Linear family: the layout of states in memory.
  StateLayout stateLayout = StateLayout::KV;

  /// Implicit family only: kappa1 of the write and kappa2 of the read
  /// (2505.19488 eqs. 8, 9).
  FeatureKernel writeKernel = FeatureKernel::Softmax;
  FeatureKernel readKernel = FeatureKernel::Softmax;
};

/// The operands; none is owned, and absent optional ones are null. Float
/// operands may have any float type and need not agree; their values are used
/// unchanged.
struct RecurrenceOperands {
  const HostTensor *query = nullptr; ///< [B, T, H, K]
  const HostTensor *key = nullptr;   ///< [B, T, n, H, K], n = 1: [B, T, H, K]
  const HostTensor *value = nullptr; ///< [B, T, n, HV, V], n = 1: [B, T, HV, V]
  const HostTensor *beta = nullptr;  ///< [B, T, n, HV], n = 1: [B, T, HV]

  /// Linear family: natural-log decay, applied once per token before its first
  /// step. [B, T, HV], or [B, T, HV, K] for a decay per channel.
  const HostTensor *decay = nullptr;

  /// Linear family: the state before the first token; zero if absent. [N, HV,
  /// K, V] for N sequences (N = B for a dense batch), or as stateLayout says.
  const HostTensor *initial = nullptr;

  /// Implicit family: the write query w, [B, T, H, K]; q if absent (tied).
  const HostTensor *write = nullptr;

  /// Implicit family: the factor on v, [B, T, HV]; 1 if absent.
  const HostTensor *alpha = nullptr;

  /// Packed sequences: N + 1 token offsets (i32 or i64) from 0 to T, not
  /// decreasing; B must be 1. Absent: a dense batch of B sequences.
  const HostTensor *lengths = nullptr;

  /// Implicit family: keys [B, C, H, K] and u [B, C, HV, V] of tokens before
  /// those of the other operands, and their number in each sequence, [B], i32
  /// or i64 in 0 to C. All three or none, and not with lengths.
  const HostTensor *keyCache = nullptr;
  const HostTensor *uCache = nullptr;
  const HostTensor *cached = nullptr;
};

/// The sizes of a recurrence, read off checked operands.
struct RecurrenceDims {
  int64_t batch, tokens, steps, keyHeads, valueHeads, keyDim, valueDim;
  /// Sequences: batch for a dense batch, N for a packed one.
  int64_t sequences;

  /// The shape of the initial and the final state.
  std::vector<int64_t> stateShape(StateLayout layout) const;

  /// The query and key head that value head \p hv uses.
  int64_t keyHeadOf(int64_t hv) const { return hv / (valueHeads / keyHeads); }
};

/// A run of tokens with its own memory: tokens [begin, end) of batch entry
/// `batch`.
struct Sequence {
  int64_t batch, begin, end;
};

/// Checks every operand against the spec; the first misfit is the error.
Result<RecurrenceDims> checkRecurrence(const RecurrenceSpec &spec,
                                       const RecurrenceOperands &operands);

/// The sequences of checked operands, in order.
std::vector<Sequence> listSequences(const RecurrenceDims &dims,
                                    const RecurrenceOperands &operands);

} // namespace delta::runtime

#endif // DELTA_RUNTIME_RECURRENCE_H
