//===- Safetensors.cpp - named tensors in a file ----------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The header is parsed and checked as a whole before any tensor is allocated;
/// from then on the sizes are known to fit the file. Works on little-endian
/// hosts only; the format is little-endian, and so is every CUDA host.
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/Safetensors.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "tensors are read and written as they lie in memory");

namespace delta::runtime {

using nlohmann::json;

/// The limit of the reference implementation: no valid header is this large.
static constexpr uint64_t maxHeaderBytes = 100'000'000;
static constexpr const char *metadataKey = "__metadata__";

static const std::pair<const char *, DType> dtypeNames[] = {
    {"F64", DType::F64}, {"F32", DType::F32}, {"BF16", DType::BF16},
    {"F16", DType::F16}, {"I64", DType::I64}, {"I32", DType::I32}};

namespace {

/// A file descriptor that closes itself.
class Descriptor {
public:
  explicit Descriptor(int fd) : fd(fd) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() {
    if (fd >= 0)
      ::close(fd);
  }

  explicit operator bool() const { return fd >= 0; }
  int get() const { return fd; }

  /// Closes the file now and returns whether that succeeded.
  bool close() { return ::close(std::exchange(fd, -1)) == 0; }

private:
  int fd;
};

/// The entry of one tensor in the header. Offsets count from the end of the
/// header.
struct Entry {
  std::string name;
  DType dtype;
  std::vector<int64_t> shape;
  uint64_t begin, end;
};

} // namespace

static bool readAll(int fd, void *memory, uint64_t size) {
  auto *to = static_cast<char *>(memory);
  while (size > 0) {
    const ssize_t n = ::read(fd, to, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    to += n;
    size -= static_cast<uint64_t>(n);
  }
  return true;
}

static bool writeAll(int fd, const void *memory, uint64_t size) {
  auto *from = static_cast<const char *>(memory);
  while (size > 0) {
    const ssize_t n = ::write(fd, from, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return false;
    from += n;
    size -= static_cast<uint64_t>(n);
  }
  return true;
}

/// Parses the header. Names that occur twice are an error here; the JSON parser
/// itself would silently keep one.
static Result<json> parseHeader(const std::string &text) {
  std::optional<std::string> twice;
  std::vector<std::set<std::string>> names;
  auto watch = [&](int, json::parse_event_t event, json &parsed) {
    if (event == json::parse_event_t::object_start)
      names.emplace_back();
    else if (event == json::parse_event_t::object_end && !names.empty())
      names.pop_back();
    else if (event == json::parse_event_t::key && !names.empty()) {
      auto &name = parsed.get_ref<const std::string &>();
      if (!names.back().insert(name).second && !twice)
        twice = name;
    }
    return true;
  };
  json header = json::parse(text, watch, /*allow_exceptions=*/false);
  if (header.is_discarded())
    return Error{"header is not valid JSON"};
  if (!header.is_object())
    return Error{"header is not a JSON object"};
  if (twice)
    return Error{fmt::format("header has the name '{}' twice", *twice)};
  return header;
}

static Result<DType> parseDType(const json &value) {
  if (!value.is_string())
    return Error{"'dtype' must be a string"};
  const auto &spelling = value.get_ref<const std::string &>();
  for (auto [name, dtype] : dtypeNames)
    if (spelling == name)
      return dtype;
  return Error{fmt::format("dtype must be F64, F32, BF16, F16, I64 or I32, "
                           "got '{}'",
                           spelling)};
}

/// A JSON number that is an integer in [0, 2^63).
static std::optional<uint64_t> parseSize(const json &value) {
  if (!value.is_number_unsigned())
    return std::nullopt;
  const auto size = value.get<uint64_t>();
  if (size > static_cast<uint64_t>(INT64_MAX))
    return std::nullopt;
  return size;
}

/// One tensor's entry, checked against itself and the file's size.
static Result<Entry> parseEntry(const std::string &name, const json &value,
                                uint64_t dataBytes) {
  auto fail = [&](const std::string &what) {
    return Error{fmt::format("tensor '{}': {}", name, what)};
  };
  if (!value.is_object())
    return fail("entry is not a JSON object");
  for (const auto &item : value.items())
    if (item.key() != "dtype" && item.key() != "shape" &&
        item.key() != "data_offsets")
      return fail(fmt::format("unknown field '{}'", item.key()));
  auto dtype = value.find("dtype"), shape = value.find("shape"),
       offsets = value.find("data_offsets");
  if (dtype == value.end() || shape == value.end() || offsets == value.end())
    return fail("expected 'dtype', 'shape' and 'data_offsets'");

  Entry entry{name, DType::F64, {}, 0, 0};
  Result<DType> parsed = parseDType(*dtype);
  if (!parsed)
    return fail(parsed.error());
  entry.dtype = *parsed;

  if (!shape->is_array())
    return fail("'shape' must be an array");
  for (const json &dim : *shape) {
    std::optional<uint64_t> size = parseSize(dim);
    if (!size)
      return fail("'shape' must hold integers from 0 to 2^63 - 1");
    entry.shape.push_back(static_cast<int64_t>(*size));
  }
  Result<int64_t> count = countElements(entry.shape, entry.dtype);
  if (!count)
    return fail(count.error());

  if (!offsets->is_array() || offsets->size() != 2)
    return fail("'data_offsets' must hold two integers");
  std::optional<uint64_t> begin = parseSize((*offsets)[0]);
  std::optional<uint64_t> end = parseSize((*offsets)[1]);
  if (!begin || !end)
    return fail("'data_offsets' must hold integers from 0 to 2^63 - 1");
  if (*begin > *end || *end > dataBytes)
    return fail(fmt::format("data_offsets [{}, {}] are outside the file's {} "
                            "bytes of data",
                            *begin, *end, dataBytes));
  const auto expected = static_cast<uint64_t>(*count * byteWidth(entry.dtype));
  if (*end - *begin != expected)
    return fail(fmt::format("shape {} of {} needs {} bytes, data_offsets [{}, "
                            "{}] give {}",
                            shapeString(entry.shape), dtypeName(entry.dtype),
                            expected, *begin, *end, *end - *begin));
  entry.begin = *begin;
  entry.end = *end;
  return entry;
}

/// Sorts the entries by place and checks that they cover the data exactly.
static MaybeError checkCoverage(std::vector<Entry> &entries,
                                uint64_t dataBytes) {
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  uint64_t covered = 0;
  for (const Entry &entry : entries) {
    if (entry.begin < covered)
      return Error{fmt::format("tensor '{}': data_offsets [{}, {}] overlap "
                               "another tensor's",
                               entry.name, entry.begin, entry.end)};
    if (entry.begin > covered)
      return Error{fmt::format("bytes {} to {} of the data belong to no tensor",
                               covered, entry.begin)};
    covered = entry.end;
  }
  if (covered != dataBytes)
    return Error{fmt::format("bytes {} to {} of the data belong to no tensor",
                             covered, dataBytes)};
  return std::nullopt;
}

static MaybeError parseMetadata(const json &value, TensorFile &file) {
  if (!value.is_object())
    return Error{"'__metadata__' is not a JSON object"};
  for (const auto &item : value.items()) {
    if (!item.value().is_string())
      return Error{
          fmt::format("'__metadata__' entry '{}' is not a string", item.key())};
    file.metadata[item.key()] = item.value().get_ref<const std::string &>();
  }
  return std::nullopt;
}

/// Reads an open file of known size.
static Result<TensorFile> readOpenFile(int fd, uint64_t fileBytes) {
  uint64_t headerBytes;
  if (fileBytes < sizeof(headerBytes) ||
      !readAll(fd, &headerBytes, sizeof(headerBytes)))
    return Error{fmt::format("expected a header length of 8 bytes, got a file "
                             "of {} bytes",
                             fileBytes)};
  const uint64_t rest = fileBytes - sizeof(headerBytes);
  if (headerBytes > rest || headerBytes > maxHeaderBytes)
    return Error{fmt::format("header of {} bytes does not fit, {} bytes follow "
                             "and {} are the limit",
                             headerBytes, rest, maxHeaderBytes)};
  std::string text(headerBytes, '\0');
  if (!readAll(fd, text.data(), headerBytes))
    return Error{
        fmt::format("cannot read the header: {}", std::strerror(errno))};
  Result<json> header = parseHeader(text);
  if (!header)
    return Error{header.error()};

  const uint64_t dataBytes = rest - headerBytes;
  TensorFile file;
  std::vector<Entry> entries;
  for (const auto &item : header->items()) {
    if (item.key() == metadataKey) {
      if (auto error = parseMetadata(item.value(), file))
        return *error;
      continue;
    }
    Result<Entry> entry = parseEntry(item.key(), item.value(), dataBytes);
    if (!entry)
      return Error{entry.error()};
    entries.push_back(std::move(*entry));
  }
  if (auto error = checkCoverage(entries, dataBytes))
    return *error;

  for (Entry &entry : entries) {
    HostTensor tensor(entry.dtype, std::move(entry.shape));
    if (!readAll(fd, tensor.data(), entry.end - entry.begin))
      return Error{
          fmt::format("tensor '{}': cannot read its data", entry.name)};
    file.tensors.emplace(std::move(entry.name), std::move(tensor));
  }
  return file;
}

Result<TensorFile> readSafetensors(const std::string &path) {
  Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status;
  if (!fd || ::fstat(fd.get(), &status) != 0)
    return Error{
        fmt::format("cannot open '{}': {}", path, std::strerror(errno))};
  if (!S_ISREG(status.st_mode))
    return Error{fmt::format("'{}' is not a regular file", path)};
  Result<TensorFile> file =
      readOpenFile(fd.get(), static_cast<uint64_t>(status.st_size));
  if (!file)
    return Error{fmt::format("cannot read '{}': {}", path, file.error())};
  return file;
}

/// JSON text is UTF-8; on other text the JSON library would stop the program.
static bool isUTF8(const std::string &text) {
  const json quoted = json::parse(
      json(text).dump(-1, ' ', false, json::error_handler_t::replace), nullptr,
      /*allow_exceptions=*/false);
  return quoted.is_string() && quoted.get_ref<const std::string &>() == text;
}

static MaybeError checkNames(const TensorFile &file) {
  for (const auto &[name, tensor] : file.tensors)
    if (name == metadataKey || !isUTF8(name))
      return Error{fmt::format("'{}' cannot be a tensor's name", name)};
  for (const auto &[key, text] : file.metadata)
    if (!isUTF8(key) || !isUTF8(text))
      return Error{fmt::format("metadata '{}' is not UTF-8", key)};
  return std::nullopt;
}

static json sizeJson(int64_t size) { return static_cast<uint64_t>(size); }

/// The header for tensors that follow in the given order, padded so that the
/// data begins at a multiple of 8.
static std::string
makeHeader(const TensorFile &file,
           const std::vector<decltype(file.tensors)::const_iterator> &order) {
  json header = json::object();
  if (!file.metadata.empty())
    header[metadataKey] = file.metadata;
  int64_t offset = 0;
  for (auto it : order) {
    const HostTensor &tensor = it->second;
    json &entry = header[it->first];
    for (auto [name, dtype] : dtypeNames)
      if (dtype == tensor.dtype())
        entry["dtype"] = name;
    entry["shape"] = json::array();
    for (int64_t dim : tensor.shape())
      entry["shape"].push_back(sizeJson(dim));
    const int64_t end = offset + tensor.sizeInBytes();
    entry["data_offsets"] = json::array({sizeJson(offset), sizeJson(end)});
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

/// Writes to a new file at \p path.
static MaybeError writeNewFile(const std::string &path,
                               const TensorFile &file) {
  // Wide types first, so that every tensor is aligned without padding.
  std::vector<decltype(file.tensors)::const_iterator> order;
  for (auto it = file.tensors.begin(); it != file.tensors.end(); ++it)
    order.push_back(it);
  std::sort(order.begin(), order.end(), [](auto a, auto b) {
    const int64_t wide = byteWidth(a->second.dtype());
    const int64_t other = byteWidth(b->second.dtype());
    return wide != other ? wide > other : a->first < b->first;
  });
  const std::string header = makeHeader(file, order);
  const uint64_t headerBytes = header.size();

  Descriptor fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  bool good = static_cast<bool>(fd) &&
              writeAll(fd.get(), &headerBytes, sizeof(headerBytes)) &&
              writeAll(fd.get(), header.data(), headerBytes);
  for (auto it : order)
    good = good && writeAll(fd.get(), it->second.data(),
                            static_cast<uint64_t>(it->second.sizeInBytes()));
  good = good && ::fsync(fd.get()) == 0 && fd.close();
  if (!good)
    return Error{std::strerror(errno)};
  return std::nullopt;
}

MaybeError writeSafetensors(const std::string &path, const TensorFile &file) {
  if (auto error = checkNames(file))
    return Error{fmt::format("cannot write '{}': {}", path, error->message)};
  // Follows links to the file that they name, and never replaces a device.
  std::error_code ignored;
  std::filesystem::path target =
      std::filesystem::weakly_canonical(path, ignored);
  if (ignored)
    target = path;
  if (std::filesystem::exists(target, ignored) &&
      !std::filesystem::is_regular_file(target, ignored))
    return Error{fmt::format("cannot write '{}': not a regular file", path)};
  const std::string temporary =
      fmt::format("{}.tmp.{}", target.string(), ::getpid());
  MaybeError error = writeNewFile(temporary, file);
  if (!error && std::rename(temporary.c_str(), target.c_str()) != 0)
    error = Error{std::strerror(errno)};
  if (!error)
    return std::nullopt;
  ::unlink(temporary.c_str());
  return Error{fmt::format("cannot write '{}': {}", path, error->message)};
}

} // namespace delta::runtime
