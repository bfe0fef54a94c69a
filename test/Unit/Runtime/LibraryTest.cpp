//===- LibraryTest.cpp - the C interface of artefacts -----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares the struct that the runtime builds with the one that a compiler
/// lays out from a generated header, in this program and in a library loaded by
/// dlopen (LocalArtefact.c).
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/Library.h"

// The header that delta emits for test/Target/Inputs/local.mlir.
#include "local.h.txt"

#include <cstring>
#include <gtest/gtest.h>

using namespace delta::runtime;

namespace {

void *address(uintptr_t value) { return reinterpret_cast<void *>(value); }

std::vector<std::byte> packLocal(int64_t batch) {
  return packArguments(batch, 1 << 20,
                       {{address(0x100), 4},
                        {address(0x200), 4},
                        {address(0x300), 4},
                        {address(0x400), 4}});
}

Library openLocal() {
  Result<Library> library = Library::open(DELTA_LOCAL_ARTEFACT, "local");
  EXPECT_TRUE(library) << (library ? "" : library.error());
  return *library;
}

TEST(LibraryTest, PacksTheGeneratedStruct) {
  local_args args = {};
  args.size = sizeof(local_args);
  args.version = local_args_version;
  args.batch = 3;
  args.length = 1 << 20;
  args.q = address(0x100);
  args.k = address(0x200);
  args.v = address(0x300);
  args.o = address(0x400);
  const std::vector<std::byte> bytes = packLocal(3);
  ASSERT_EQ(bytes.size(), sizeof(local_args));
  EXPECT_EQ(std::memcmp(bytes.data(), &args, sizeof(local_args)), 0);
}

TEST(LibraryTest, PacksRanksOneByOne) {
  struct Args {
    uint32_t size, version;
    int64_t batch, length;
    const void *a;
    int64_t a_strides[1];
    const void *b;
    void *c;
    int64_t c_strides[3];
  };
  Args args = {sizeof(Args),  kArgumentsVersion, 0, 7, address(0x10), {0},
               address(0x20), address(0x30),     {}};
  const std::vector<std::byte> bytes = packArguments(
      0, 7, {{address(0x10), 1}, {address(0x20), 0}, {address(0x30), 3}});
  ASSERT_EQ(bytes.size(), sizeof(Args));
  EXPECT_EQ(std::memcmp(bytes.data(), &args, sizeof(Args)), 0);
}

TEST(LibraryTest, PassesArgumentsOn) {
  const Library library = openLocal();
  EXPECT_EQ(library.workspaceSize(packLocal(3)), 3u * (1 << 20));
  EXPECT_FALSE(library.launch(packLocal(3), address(0x500), address(0x600)));
}

TEST(LibraryTest, SaysWhatAStatusMeans) {
  const MaybeError error =
      openLocal().launch(packLocal(-1), address(0x500), address(0x600));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "the launch of 'local' returned 3: a bad size");
}

TEST(LibraryTest, RefusesAnotherLibrary) {
  const Result<Library> absent = Library::open("./absent.so", "local");
  ASSERT_FALSE(absent);
  EXPECT_NE(absent.error().find("cannot load the library of 'local'"),
            std::string::npos);
  const Result<Library> other = Library::open(DELTA_LOCAL_ARTEFACT, "other");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error(),
            "the library of 'other' has no function 'other_workspace_size'");
}

} // namespace
