//===- SafetensorsTest.cpp - tensor files, good and bad ---------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Round trips, files of the format's own Python package in both directions,
/// and one case for everything that the reader refuses.
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/Safetensors.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace delta::runtime;

namespace {

/// A path that no other test uses; removed at the end.
class TemporaryPath {
public:
  TemporaryPath()
      : path(::testing::TempDir() + "delta-" + std::to_string(::getpid()) +
             ".safetensors") {}
  ~TemporaryPath() { std::remove(path.c_str()); }
  operator const std::string &() const { return path; }

private:
  std::string path;
};

void writeBytes(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string readBytes(const std::string &path) {
  std::stringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

/// A file with this header and this many bytes of data.
std::string fileWith(const std::string &header, size_t dataBytes) {
  const uint64_t length = header.size();
  std::string bytes(reinterpret_cast<const char *>(&length), sizeof(length));
  return bytes + header + std::string(dataBytes, 'x');
}

HostTensor counting(DType dtype, std::vector<int64_t> shape) {
  HostTensor x(dtype, std::move(shape));
  for (int64_t i = 0; i < x.size(); ++i)
    x.set(i, i - 2.5);
  return x;
}

/// One tensor of every type, and the odd shapes.
TensorFile makeFile() {
  TensorFile file;
  file.tensors["a.bf16"] = counting(DType::BF16, {3, 1});
  file.tensors["b.f64"] = counting(DType::F64, {2, 3});
  file.tensors["c.i32"] = counting(DType::I32, {5});
  file.tensors["d.f16"] = counting(DType::F16, {1, 1, 7});
  file.tensors["e.i64"] = counting(DType::I64, {2});
  file.tensors["f.f32"] = counting(DType::F32, {4, 2});
  file.tensors["scalar"] = counting(DType::F32, {});
  file.tensors["empty"] = counting(DType::F32, {3, 0, 2});
  file.metadata["note"] = "quoted \"text\", \xc3\xa9";
  return file;
}

void expectSame(const TensorFile &expected, const TensorFile &got) {
  EXPECT_EQ(expected.metadata, got.metadata);
  ASSERT_EQ(expected.tensors.size(), got.tensors.size());
  for (const auto &[name, x] : expected.tensors) {
    auto it = got.tensors.find(name);
    ASSERT_NE(it, got.tensors.end()) << name;
    EXPECT_EQ(x.dtype(), it->second.dtype()) << name;
    ASSERT_EQ(x.shape(), it->second.shape()) << name;
    EXPECT_EQ(std::memcmp(x.data(), it->second.data(), x.sizeInBytes()), 0)
        << name;
  }
}

TEST(Safetensors, RoundTrip) {
  const TemporaryPath temporary;
  const std::string &path = temporary;
  const TensorFile file = makeFile();
  ASSERT_FALSE(writeSafetensors(path, file));
  Result<TensorFile> read = readSafetensors(path);
  ASSERT_TRUE(read) << read.error();
  expectSame(file, *read);
}

TEST(Safetensors, NothingIsAFileToo) {
  const TemporaryPath temporary;
  const std::string &path = temporary;
  ASSERT_FALSE(writeSafetensors(path, {}));
  Result<TensorFile> read = readSafetensors(path);
  ASSERT_TRUE(read) << read.error();
  EXPECT_TRUE(read->tensors.empty());
}

TEST(Safetensors, TheFormatsOwnPackageAgrees) {
  const std::string script =
      DELTA_PYTHON " " DELTA_UNIT_RUNTIME_DIR "/safetensors_package.py ";
  if (std::system((script + "present 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << DELTA_PYTHON " has no numpy or no safetensors";
  const TemporaryPath temporary;
  const std::string &path = temporary;
  ASSERT_FALSE(writeSafetensors(path, makeFile()));
  EXPECT_EQ(std::system((script + "check " + path).c_str()), 0);

  ASSERT_EQ(std::system((script + "write " + path).c_str()), 0);
  Result<TensorFile> read = readSafetensors(path);
  ASSERT_TRUE(read) << read.error();
  TensorFile expected = makeFile();
  expected.tensors.erase("a.bf16"); // numpy has no bf16
  expectSame(expected, *read);
}

TEST(Safetensors, AFailedWriteLeavesNothing) {
  // A folder has the name: the temporary file is written, and the rename fails.
  const TemporaryPath way;
  const std::string &folder = way;
  ::mkdir(folder.c_str(), 0777);
  MaybeError error = writeSafetensors(folder, makeFile());
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message.find("cannot write '" + folder + "': "), 0u);
  const std::string temporary = folder + ".tmp." + std::to_string(::getpid());
  EXPECT_NE(::access(temporary.c_str(), F_OK), 0);

  EXPECT_TRUE(writeSafetensors(folder + "/no/such/folder", makeFile()));
}

TEST(Safetensors, AnOldFileIsReplacedAsAWhole) {
  const TemporaryPath temporary;
  const std::string &path = temporary;
  writeBytes(path, std::string(100000, 'x'));
  ASSERT_FALSE(writeSafetensors(path, makeFile()));
  EXPECT_TRUE(readSafetensors(path));
}

TEST(Safetensors, NamesMustBeText) {
  TensorFile file;
  file.tensors["__metadata__"] = HostTensor(DType::F32, {1});
  const TemporaryPath temporary;
  const std::string &path = temporary;
  ASSERT_TRUE(writeSafetensors(path, file));
  EXPECT_EQ(writeSafetensors(path, file)->message,
            "cannot write '" + path +
                "': '__metadata__' cannot be a tensor's name");
  TensorFile bytes;
  bytes.tensors["\xff"] = HostTensor(DType::F32, {1});
  EXPECT_TRUE(writeSafetensors(path, bytes));
  TensorFile metadata;
  metadata.metadata["a"] = "\xc3";
  EXPECT_TRUE(writeSafetensors(path, metadata));
}

TEST(Safetensors, DataIsAligned) {
  const TemporaryPath temporary;
  const std::string &path = temporary;
  ASSERT_FALSE(writeSafetensors(path, makeFile()));
  const std::string bytes = readBytes(path);
  uint64_t length;
  std::memcpy(&length, bytes.data(), sizeof(length));
  EXPECT_EQ(length % 8, 0u);
  // f64 and i64 first, then the 4-byte types, then the 2-byte ones.
  const std::string header = bytes.substr(8, length);
  EXPECT_NE(header.find("\"b.f64\":{\"data_offsets\":[0,48]"),
            std::string::npos)
      << header;
}

/// A small good file: two tensors and metadata.
std::string smallFile(const std::string &path) {
  TensorFile file;
  file.tensors["a"] = counting(DType::BF16, {3, 1});
  file.tensors["b"] = counting(DType::F64, {2});
  file.metadata["c"] = "d";
  EXPECT_FALSE(writeSafetensors(path, file));
  return readBytes(path);
}

/// Every prefix of a good file is refused, and none crashes the reader.
TEST(Safetensors, EveryTruncationIsRefused) {
  const TemporaryPath temporary;
  const std::string &path = temporary;
  for (size_t size = smallFile(path).size(); size-- > 0;) {
    ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(size)), 0);
    ASSERT_FALSE(readSafetensors(path)) << size;
  }
}

/// No single changed byte before the data crashes the reader.
TEST(Safetensors, DamagedHeadersDoNotCrash) {
  const TemporaryPath temporary;
  const std::string &path = temporary;
  const std::string bytes = smallFile(path);
  uint64_t length;
  std::memcpy(&length, bytes.data(), sizeof(length));
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  auto put = [&](size_t place, char byte) {
    file.seekp(static_cast<std::streamoff>(place));
    file.put(byte).flush();
  };
  size_t refused = 0;
  for (size_t i = 0; i < 8 + length; ++i) {
    for (char damage : {'\0', '9', '"', '}', '\xff'}) {
      put(i, damage);
      refused += !readSafetensors(path);
    }
    put(i, bytes[i]);
  }
  EXPECT_GT(refused, length);
  EXPECT_TRUE(readSafetensors(path)) << "the damage was not undone";
}

struct Malformed {
  const char *name;
  std::string bytes;
  const char *message;
};

const Malformed malformed[] = {
    {"Empty", "", "expected a header length of 8 bytes, got a file of 0 bytes"},
    {"Short", "1234567",
     "expected a header length of 8 bytes, got a file of 7 bytes"},
    {"HeaderBeyondTheFile", fileWith("{}", 0).replace(0, 1, "\x03"),
     "header of 3 bytes does not fit, 2 bytes follow and 100000000 are the "
     "limit"},
    {"HeaderLengthOverflow", std::string(8, '\xff') + "{}",
     "header of 18446744073709551615 bytes does not fit, 2 bytes follow and "
     "100000000 are the limit"},
    {"NoHeader", fileWith("", 0), "header is not valid JSON"},
    {"BadJSON", fileWith("{\"a\":", 0), "header is not valid JSON"},
    {"TwoValues", fileWith("{}{}", 0), "header is not valid JSON"},
    {"BadUTF8", fileWith("{\"\xff\":1}", 0), "header is not valid JSON"},
    {"Array", fileWith("[]", 0), "header is not a JSON object"},
    {"Twice",
     fileWith(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
              R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
              4),
     "header has the name 'a' twice"},
    {"TwiceInside",
     fileWith(R"({"a":{"dtype":"F32","shape":[1],"shape":[1],)"
              R"("data_offsets":[0,4]}})",
              4),
     "header has the name 'shape' twice"},
    {"MetadataKind", fileWith(R"({"__metadata__":[]})", 0),
     "'__metadata__' is not a JSON object"},
    {"MetadataValue", fileWith(R"({"__metadata__":{"n":1}})", 0),
     "'__metadata__' entry 'n' is not a string"},
    {"EntryKind", fileWith(R"({"a":1})", 0),
     "tensor 'a': entry is not a JSON object"},
    {"UnknownField",
     fileWith(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],)"
              R"("strides":[1]}})",
              4),
     "tensor 'a': unknown field 'strides'"},
    {"MissingField", fileWith(R"({"a":{"dtype":"F32","shape":[1]}})", 4),
     "tensor 'a': expected 'dtype', 'shape' and 'data_offsets'"},
    {"DTypeKind",
     fileWith(R"({"a":{"dtype":1,"shape":[1],"data_offsets":[0,4]}})", 4),
     "tensor 'a': 'dtype' must be a string"},
    {"DType",
     fileWith(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", 4),
     "tensor 'a': dtype must be F64, F32, BF16, F16, I64 or I32, got 'U8'"},
    {"ShapeKind",
     fileWith(R"({"a":{"dtype":"F32","shape":4,"data_offsets":[0,4]}})", 4),
     "tensor 'a': 'shape' must be an array"},
    {"NegativeDimension",
     fileWith(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4),
     "tensor 'a': 'shape' must hold integers from 0 to 2^63 - 1"},
    {"FractionalDimension",
     fileWith(R"({"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})", 4),
     "tensor 'a': 'shape' must hold integers from 0 to 2^63 - 1"},
    {"HugeDimension",
     fileWith(R"({"a":{"dtype":"F32","shape":[18446744073709551615],)"
              R"("data_offsets":[0,4]}})",
              4),
     "tensor 'a': 'shape' must hold integers from 0 to 2^63 - 1"},
    {"ShapeOverflow",
     fileWith(R"({"a":{"dtype":"F32","shape":[4611686018427387905,4],)"
              R"("data_offsets":[0,4]}})",
              4),
     "tensor 'a': shape [4611686018427387905, 4] is too large"},
    {"ByteOverflow",
     fileWith(R"({"a":{"dtype":"F32","shape":[4611686018427387905],)"
              R"("data_offsets":[0,4]}})",
              4),
     "tensor 'a': shape [4611686018427387905] is too large"},
    {"OffsetsKind",
     fileWith(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", 4),
     "tensor 'a': 'data_offsets' must hold two integers"},
    {"NegativeOffset",
     fileWith(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}})", 4),
     "tensor 'a': 'data_offsets' must hold integers from 0 to 2^63 - 1"},
    {"OffsetBeyondTheData",
     fileWith(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 4),
     "tensor 'a': data_offsets [0, 8] are outside the file's 4 bytes of data"},
    {"OffsetsReversed",
     fileWith(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4),
     "tensor 'a': data_offsets [4, 0] are outside the file's 4 bytes of data"},
    {"SizeMismatch",
     fileWith(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4),
     "tensor 'a': shape [2] of f32 needs 8 bytes, data_offsets [0, 4] give 4"},
    {"Overlap",
     fileWith(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
              R"("b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})",
              6),
     "tensor 'b': data_offsets [2, 6] overlap another tensor's"},
    {"Hole",
     fileWith(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
              R"("b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})",
              12),
     "bytes 4 to 8 of the data belong to no tensor"},
    {"BytesAtTheEnd",
     fileWith(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 5),
     "bytes 4 to 5 of the data belong to no tensor"},
};

class SafetensorsMalformed : public ::testing::TestWithParam<Malformed> {};
INSTANTIATE_TEST_SUITE_P(All, SafetensorsMalformed,
                         ::testing::ValuesIn(malformed),
                         [](const auto &info) { return info.param.name; });

TEST_P(SafetensorsMalformed, IsRefused) {
  const TemporaryPath temporary;
  const std::string &path = temporary;
  writeBytes(path, GetParam().bytes);
  Result<TensorFile> read = readSafetensors(path);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error(), "cannot read '" + path + "': " + GetParam().message);
}

TEST(Safetensors, NotAFile) {
  Result<TensorFile> missing = readSafetensors("/no/such/file");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error(),
            "cannot open '/no/such/file': No such file or directory");
  Result<TensorFile> folder = readSafetensors("/");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error(), "'/' is not a regular file");
}

} // namespace
