//===- ExactTasksTest.cpp - the oracle on tasks with exact answers -*- C++
//-*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs the scripts of examples/tasks and compares the oracle with their
/// answers, bit for bit. Skipped if Python has no numpy.
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/Oracle.h"
#include "delta/Runtime/Prologue.h"
#include "delta/Runtime/Safetensors.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

using namespace delta::runtime;

namespace {

struct Task {
  const char *name;
  const char *script; ///< with its arguments
};

const Task tasks[] = {
    {"S5Plain", "make_s5.py --variant plain --heads 2"},
    {"S5Doubled", "make_s5.py --variant doubled --batch 2 --decay channel"},
    {"Parity", "make_tasks.py parity --decay head"},
    {"Rotations", "make_tasks.py rotations --heads 3 --value-dim 7"},
    {"Memory", "make_tasks.py memory --batch 2 --key-dim 16"},
    {"Swaps", "make_deltaformer.py swaps --batch 2 --items 40 --key-dim 128"},
    {"TiedSwaps", "make_deltaformer.py swaps --tied --heads 2 --items 8 "
                  "--key-dim 16 --value-dim 5"},
    {"Reachable", "make_deltaformer.py reachable --key-dim 300"},
    {"ReachableSoftmax",
     "make_deltaformer.py reachable --kernel softmax --key-dim 300 --heads 3"},
};

FeatureKernel kernelNamed(const std::string &name) {
  for (FeatureKernel kernel : {FeatureKernel::Softmax, FeatureKernel::Round})
    if (name == featureKernelName(kernel))
      return kernel;
  EXPECT_EQ(name, "linear");
  return FeatureKernel::Linear;
}

class ExactTasks : public ::testing::TestWithParam<Task> {
protected:
  void SetUp() override {
    const std::string path = ::testing::TempDir() + "exact-task-" +
                             GetParam().name + std::to_string(::getpid()) +
                             ".safetensors";
    const std::string command =
        std::string(DELTA_PYTHON " " DELTA_TASKS_DIR "/") + GetParam().script +
        " --length 300 --seed 3 --self-check " + path;
    if (std::system(command.c_str()) != 0) {
      if (std::system(DELTA_PYTHON " -c 'import numpy'") != 0)
        GTEST_SKIP() << DELTA_PYTHON " has no numpy";
      FAIL() << command;
    }
    Result<TensorFile> read = readSafetensors(path);
    std::remove(path.c_str());
    ASSERT_TRUE(read) << read.error();
    file = std::move(*read);
  }

  const HostTensor *find(const char *name) {
    auto it = file.tensors.find(name);
    return it == file.tensors.end() ? nullptr : &it->second;
  }

  OracleResults evaluate() {
    RecurrenceSpec spec;
    spec.steps = find("k")->rank() == 5 ? find("k")->dim(2) : 1;
    HostTensor q = find("q")->clone(), k = find("k")->clone();
    if (file.metadata["l2norm"] == "true") {
      q = l2norm(q, 1e-6, DType::BF16);
      k = l2norm(k, 1e-6, DType::BF16);
    }
    if (file.metadata.count("write")) {
      spec.family = KernelFamily::Implicit;
      spec.writeKernel = kernelNamed(file.metadata["write"]);
      spec.readKernel = kernelNamed(file.metadata["read"]);
    }
    RecurrenceOperands in;
    in.query = &q;
    in.key = &k;
    in.value = find("v");
    in.beta = find("beta");
    in.decay = find("g");
    in.initial = find("s0");
    in.write = find("w");
    Result<OracleResults> results = evaluateOracle(spec, in);
    if (!results) {
      ADD_FAILURE() << results.error();
      return {};
    }
    return std::move(*results);
  }

  TensorFile file;
};
INSTANTIATE_TEST_SUITE_P(All, ExactTasks, ::testing::ValuesIn(tasks),
                         [](const auto &info) { return info.param.name; });

/// Rounded to the dtype of the answers: the distant scores of a softmax have
/// weights that f64 still sees.
int64_t countDifferences(const HostTensor &expected, const HostTensor &got) {
  EXPECT_EQ(expected.shape(), got.shape());
  int64_t wrong = 0;
  for (int64_t i = 0; i < expected.size(); ++i)
    wrong += expected.get(i) != roundTo(expected.dtype(), got.get(i));
  return wrong;
}

int64_t countNonZero(const HostTensor &tensor) {
  int64_t count = 0;
  for (int64_t i = 0; i < tensor.size(); ++i)
    count += tensor.get(i) != 0.0;
  return count;
}

TEST_P(ExactTasks, OracleGivesTheAnswers) {
  OracleResults got = evaluate();
  EXPECT_EQ(countDifferences(*find("expected.o"), got.output), 0);
  if (find("expected.s"))
    EXPECT_EQ(countDifferences(*find("expected.s"), got.state), 0);
  if (find("expected.u"))
    EXPECT_EQ(countDifferences(*find("expected.u"), got.u), 0);

  // The answers depend on the steps: with half of each, most are wrong. (Where
  // the answer is 0 a wrong path may still lead to it.)
  HostTensor &beta = file.tensors["beta"];
  for (int64_t i = 0; i < beta.size(); ++i)
    beta.set(i, 0.5 * beta.get(i));
  got = evaluate();
  EXPECT_GT(countDifferences(*find("expected.o"), got.output),
            countNonZero(*find("expected.o")) / 2);
}

} // namespace
