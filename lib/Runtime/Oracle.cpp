//===- Oracle.cpp - float64 reference of every recurrence -------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One loop over tokens per family, in the form of the equations in Oracle.h.
/// Vectors run over the last axis so that the compiler can vectorise without
/// reordering a sum.
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/Oracle.h"

#include "Parallel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

namespace delta::runtime {

namespace {

/// Adds up the progress of the threads and reports the sum.
class SharedProgress {
public:
  SharedProgress(const OracleProgress &report, int64_t total)
      : report(report), total(total) {}

  void add(int64_t rows) {
    if (!report)
      return;
    std::lock_guard<std::mutex> lock(mutex);
    done += rows;
    report(done, total);
  }

private:
  const OracleProgress &report;
  int64_t total;
  int64_t done = 0;
  std::mutex mutex;
};

/// Counts one thread's rows and tells SharedProgress after every few thousand
/// units of work.
class RowCounter {
public:
  explicit RowCounter(SharedProgress &progress) : progress(progress) {}
  ~RowCounter() { flush(); }

  void row(int64_t cost) {
    ++rows;
    work += cost;
    if (work >= 1 << 22)
      flush();
  }

private:
  void flush() {
    if (rows)
      progress.add(rows);
    rows = work = 0;
  }

  SharedProgress &progress;
  int64_t rows = 0, work = 0;
};

/// The inputs and results of evaluating one family.
struct Evaluation {
  const RecurrenceSpec &spec;
  const RecurrenceOperands &operands;
  const RecurrenceDims &dims;
  OracleResults &results;
  SharedProgress &progress;
};

using Vector = std::vector<double>;

} // namespace

/// y += a * x over n elements.
static void axpy(int64_t n, double a, const double *x, double *y) {
  for (int64_t i = 0; i < n; ++i)
    y[i] += a * x[i];
}

/// out = x S for S of rows x cols, row-major.
static void multiplyRow(const double *x, const Vector &S, int64_t rows,
                        int64_t cols, double *out) {
  std::fill_n(out, cols, 0.0);
  for (int64_t d = 0; d < rows; ++d)
    axpy(cols, x[d], &S[d * cols], out);
}

/// Index of the first element of row (b, t, j, head) in a tensor
/// [B, T, n, heads, width].
static int64_t rowIndex(const RecurrenceDims &d, int64_t b, int64_t t,
                        int64_t j, int64_t steps, int64_t head, int64_t heads,
                        int64_t width) {
  return (((b * d.tokens + t) * steps + j) * heads + head) * width;
}

/// S <- Diag(exp(g_t)) S.
static void decayState(const HostTensor &decay, const RecurrenceDims &d,
                       int64_t b, int64_t t, int64_t hv, Vector &S) {
  const bool perChannel = decay.rank() == 4;
  const int64_t width = perChannel ? d.keyDim : 1;
  const int64_t first = rowIndex(d, b, t, 0, 1, hv, d.valueHeads, width);
  for (int64_t c = 0; c < d.keyDim; ++c) {
    const double factor = std::exp(decay.get(perChannel ? first + c : first));
    double *row = &S[c * d.valueDim];
    for (int64_t i = 0; i < d.valueDim; ++i)
      row[i] *= factor;
  }
}

/// The transpose of a rows x cols matrix.
static Vector transpose(const Vector &matrix, int64_t rows, int64_t cols) {
  Vector flipped(matrix.size());
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c)
      flipped[c * rows + r] = matrix[r * cols + c];
  return flipped;
}

/// The linear family on one sequence and value head.
static void evaluateLinear(const Evaluation &e, const Sequence &sequence,
                           int64_t index, int64_t hv) {
  const RecurrenceDims &d = e.dims;
  const RecurrenceOperands &in = e.operands;
  const int64_t b = sequence.batch, K = d.keyDim, V = d.valueDim;
  const int64_t h = d.keyHeadOf(hv);
  const int64_t stateBegin = (index * d.valueHeads + hv) * K * V;
  Vector S(K * V, 0.0), q(K), k(K), v(V), row(V);
  const bool transposed = e.spec.stateLayout == StateLayout::VK;
  RowCounter counter(e.progress);

  if (in.initial) {
    in.initial->read(stateBegin, K * V, S.data());
    if (transposed)
      S = transpose(S, V, K);
  }
  for (int64_t t = sequence.begin; t < sequence.end; ++t) {
    if (in.decay)
      decayState(*in.decay, d, b, t, hv, S);
    for (int64_t j = 0; j < d.steps; ++j) {
      in.key->read(rowIndex(d, b, t, j, d.steps, h, d.keyHeads, K), K,
                   k.data());
      in.value->read(rowIndex(d, b, t, j, d.steps, hv, d.valueHeads, V), V,
                     v.data());
      const double beta =
          in.beta->get(rowIndex(d, b, t, j, d.steps, hv, d.valueHeads, 1));
      multiplyRow(k.data(), S, K, V, row.data());
      for (int64_t i = 0; i < V; ++i)
        row[i] = beta * (v[i] - row[i]);
      for (int64_t c = 0; c < K; ++c)
        axpy(V, k[c], row.data(), &S[c * V]);
    }
    in.query->read(rowIndex(d, b, t, 0, 1, h, d.keyHeads, K), K, q.data());
    multiplyRow(q.data(), S, K, V, row.data());
    for (int64_t i = 0; i < V; ++i)
      row[i] *= e.spec.scale;
    e.results.output.write(rowIndex(d, b, t, 0, 1, hv, d.valueHeads, V), V,
                           row.data());
    counter.row((2 * d.steps + 1) * K * V);
  }
  if (transposed)
    S = transpose(S, K, V);
  e.results.state.write(stateBegin, K * V, S.data());
}

/// Turns scores s_0 ... s_{n-1} into a row of P or R. Returns the logarithm of
/// the sum by which a softmax divides; -inf if there is none.
static double applyKernel(FeatureKernel kernel, Vector &s, int64_t n) {
  constexpr double none = -std::numeric_limits<double>::infinity();
  switch (kernel) {
  case FeatureKernel::Linear:
    return none;
  case FeatureKernel::Relu:
    // Written in this form so that a NaN stays a NaN.
    for (int64_t i = 0; i < n; ++i)
      s[i] = s[i] < 0.0 ? 0.0 : s[i];
    return none;
  case FeatureKernel::Round:
    for (int64_t i = 0; i < n; ++i)
      s[i] = std::nearbyint(s[i]);
    return none;
  case FeatureKernel::Exp:
    for (int64_t i = 0; i < n; ++i)
      s[i] = std::exp(s[i]);
    return none;
  case FeatureKernel::Softmax:
    break;
  }
  if (n == 0)
    return none; // the empty first row of P has no normaliser
  const double maximum = *std::max_element(s.begin(), s.begin() + n);
  double sum = 0.0;
  for (int64_t i = 0; i < n; ++i) {
    s[i] = std::exp(s[i] - maximum);
    sum += s[i];
  }
  for (int64_t i = 0; i < n; ++i)
    s[i] /= sum;
  return maximum + std::log(sum);
}

/// The implicit family on one sequence and value head.
static void evaluateImplicit(const Evaluation &e, const Sequence &sequence,
                             int64_t hv) {
  const RecurrenceDims &d = e.dims;
  const RecurrenceOperands &in = e.operands;
  const int64_t b = sequence.batch, K = d.keyDim, V = d.valueDim;
  const int64_t h = d.keyHeadOf(hv), T = sequence.end - sequence.begin;
  const int64_t P = in.cached ? static_cast<int64_t>(in.cached->get(b)) : 0;
  const int64_t all = P + T, capacity = in.keyCache ? in.keyCache->dim(1) : 0;
  // Keys are stored channel by channel, so that a row of scores is K axpys.
  Vector keys(K * all), u(all * V), x(K), v(V), scores(all), row(V);
  RowCounter counter(e.progress);

  auto tokenRow = [&](int64_t t, int64_t head, int64_t heads, int64_t width) {
    return rowIndex(d, b, sequence.begin + t, 0, 1, head, heads, width);
  };
  auto cacheRow = [&](int64_t i, int64_t head, int64_t heads, int64_t width) {
    return ((b * capacity + i) * heads + head) * width;
  };
  // row = sum_{i<n} kappa(x, k_i) u_i; returns the result of applyKernel.
  auto readMemory = [&](FeatureKernel kernel, const HostTensor &queries,
                        int64_t t, int64_t n) {
    queries.read(tokenRow(t, h, d.keyHeads, K), K, x.data());
    std::fill_n(scores.begin(), n, 0.0);
    for (int64_t c = 0; c < K; ++c)
      axpy(n, x[c], &keys[c * all], scores.data());
    for (int64_t i = 0; i < n; ++i)
      scores[i] *= e.spec.scale;
    const double lse = applyKernel(kernel, scores, n);
    std::fill(row.begin(), row.end(), 0.0);
    for (int64_t i = 0; i < n; ++i)
      axpy(V, scores[i], &u[i * V], row.data());
    return lse;
  };

  for (int64_t i = 0; i < all; ++i) {
    if (i < P) {
      in.keyCache->read(cacheRow(i, h, d.keyHeads, K), K, x.data());
      in.uCache->read(cacheRow(i, hv, d.valueHeads, V), V, &u[i * V]);
    } else {
      in.key->read(tokenRow(i - P, h, d.keyHeads, K), K, x.data());
    }
    for (int64_t c = 0; c < K; ++c)
      keys[c * all + i] = x[c];
    // Value heads of a group share one row of keys.
    if (i >= P && i < capacity && hv % (d.valueHeads / d.keyHeads) == 0)
      e.results.keyCache.write(cacheRow(i, h, d.keyHeads, K), K, x.data());
  }
  for (int64_t t = 0; t < T; ++t) {
    const int64_t scalar = tokenRow(t, hv, d.valueHeads, 1);
    const int64_t vector = tokenRow(t, hv, d.valueHeads, V);
    const double beta = in.beta->get(scalar);
    const double alpha = in.alpha ? in.alpha->get(scalar) : 1.0;

    double *written = &u[(P + t) * V];

    double lse = readMemory(e.spec.writeKernel,
                            in.write ? *in.write : *in.query, t, P + t);
    e.results.writeLse.set(scalar, lse);
    e.results.ubar.write(vector, V, row.data());
    in.value->read(vector, V, v.data());
    for (int64_t i = 0; i < V; ++i)
      written[i] = alpha * v[i] - beta * row[i];
    e.results.u.write(vector, V, written);
    if (P + t < capacity)
      e.results.uCache.write(cacheRow(P + t, hv, d.valueHeads, V), V, written);

    lse = readMemory(e.spec.readKernel, *in.query, t, P + t + 1);
    e.results.readLse.set(scalar, lse);
    e.results.output.write(vector, V, row.data());
    counter.row(2 * (P + t + 1) * (K + V));
  }
}

Result<OracleResults> evaluateOracle(const RecurrenceSpec &spec,
                                     const RecurrenceOperands &operands,
                                     const OracleProgress &progress) {
  Result<RecurrenceDims> checked = checkRecurrence(spec, operands);
  if (!checked)
    return Error{checked.error()};
  const RecurrenceDims &d = *checked;
  const std::vector<int64_t> rows = {d.batch, d.tokens, d.valueHeads,
                                     d.valueDim};
  const std::vector<Sequence> sequences = listSequences(d, operands);
  const bool linear = spec.family == KernelFamily::Linear;

  OracleResults results;
  results.output = HostTensor(DType::F64, rows);
  if (linear) {
    results.state = HostTensor(DType::F64, d.stateShape(spec.stateLayout));
  } else {
    results.u = HostTensor(DType::F64, rows);
    results.ubar = HostTensor(DType::F64, rows);
    const std::vector<int64_t> scalars = {d.batch, d.tokens, d.valueHeads};
    results.writeLse = HostTensor(DType::F64, scalars);
    results.readLse = HostTensor(DType::F64, scalars);
    if (operands.keyCache) {
      results.keyCache = operands.keyCache->convertTo(DType::F64);
      results.uCache = operands.uCache->convertTo(DType::F64);
    }
  }

  SharedProgress shared(progress, d.batch * d.tokens * d.valueHeads);
  const Evaluation evaluation{spec, operands, d, results, shared};
  parallelFor(d.sequences * d.valueHeads, [&](int64_t job) {
    const int64_t index = job / d.valueHeads, hv = job % d.valueHeads;
    if (linear)
      evaluateLinear(evaluation, sequences[index], index, hv);
    else
      evaluateImplicit(evaluation, sequences[index], hv);
  });
  return results;
}

} // namespace delta::runtime
