//===- Oracle.h - float64 reference of every recurrence ---------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The reference for every other execution: the recurrence token by token, in
/// float64, as the papers write it. There are no chunks, no reordering and no
/// shortcut for a special case (a tied read is computed like any other), so
/// that an identity between two forms is tested and never assumed.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_RUNTIME_ORACLE_H
#define DELTA_RUNTIME_ORACLE_H

#include "delta/Runtime/Recurrence.h"

#include <functional>

namespace delta::runtime {

/// Called now and then with the number of token rows (tokens times value heads)
/// that are done and their total, never from two threads at once.
using OracleProgress = std::function<void(int64_t done, int64_t total)>;

/// Results in f64. Tensors that a family does not have are empty.
struct OracleResults {
  HostTensor output; ///< o, [B, T, HV, V]
  HostTensor state;  ///< linear family: the final state, in the spec's layout
  HostTensor u;      ///< implicit family: written values, [B, T, HV, V]
  HostTensor ubar;   ///< implicit family: sum_{i<t} P_ti u_i, [B, T, HV, V]
  /// Implicit family, softmax: the natural logarithm of the sum of exponentials
  /// by which a row of P (-inf if it is empty) or of R is divided, [B, T, HV].
  HostTensor writeLse, readLse;
  /// With a cache: the caches, with k and u of the new tokens appended. Tokens
  /// that do not fit are left out.
  HostTensor keyCache, uCache;
};

/// Evaluates a recurrence.
///
/// Linear family, per sequence and value head, S in R^{K x V}:
///     S <- Diag(exp(g_t)) S                         once per token
///     S <- S + k^T (beta (v - k S))                 for each of the n steps
///     o_t = scale * q_t S                           after the last step
/// (DeltaProduct 2502.10297 with the gate of 2412.06464, or of 2510.26692
/// eq. 1 where g has a channel axis.)
///
/// Implicit family (2505.19488 eqs. 8, 9), with P from kappa1 and R from
/// kappa2:
///     u_t = alpha_t v_t - beta_t sum_{i<t} P_ti u_i
///     o_t = sum_{i<=t} R_ti u_i
/// A softmax row of P is normalised over i < t, one of R over i <= t; the
/// first row of P is empty, so u_0 = alpha_0 v_0. With a cache, t starts after
/// the cached tokens, whose k_i and u_i are given.
///
/// Works on up to hardware_concurrency() threads, one sequence and value head
/// each; extra memory is O(T (K + V)) float64 per thread, where T includes
/// cached tokens. T = 0 gives an empty output and the initial state.
Result<OracleResults> evaluateOracle(const RecurrenceSpec &spec,
                                     const RecurrenceOperands &operands,
                                     const OracleProgress &progress = {});

} // namespace delta::runtime

#endif // DELTA_RUNTIME_ORACLE_H
