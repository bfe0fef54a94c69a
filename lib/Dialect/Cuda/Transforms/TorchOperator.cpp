//===- TorchOperator.cpp - a PyTorch operator around the C ABI --*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// NAME_torch.cpp: checks tensors, allocates results and workspace, launches on
/// PyTorch's stream. There is no backward pass, and asking for one is an error.
/// The user's own build compiles it; delta needs no PyTorch.
///
//===----------------------------------------------------------------------===//

#include "Launcher.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace delta;
using namespace delta::cuda;

namespace {

class TorchBuilder {
public:
  TorchBuilder(HostProgram &program, OpBuilder &builder)
      : program(program), name(program.function.getName()),
        code(builder, program.function.getLoc()), index(builder.getIndexType()),
        tensor(code.opaque("at::Tensor")),
        tensorRef(code.opaque("const at::Tensor &")),
        dtype(code.opaque("at::ScalarType")),
        options(code.opaque("at::TensorOptions")) {
    auto count = llvm::count_if(
        program.arrays, [](HostArray &array) { return array.isResult; });
    std::string tensors = "at::Tensor";
    for (auto i = 1; i < count; ++i)
      tensors += ", at::Tensor";
    resultType = count == 1 ? tensors : "std::tuple<" + tensors + ">";
  }

  void buildCheck();
  void buildOperator();
  void buildMeta();
  void buildRegistration();

private:
  /// The parameters of the operator: all arrays that are no results.
  SmallVector<std::pair<Type, StringRef>> getParameters();
  /// Reads batch and length off the arguments.
  void readSizes(ValueRange arguments);
  /// `int64_t x_sizes[] = {...};`
  Value declareSizes(const HostArray &array);
  Value getDtype(const HostArray &array);
  Value makeResult(const HostArray &array, Value like);
  void returnResults(ArrayRef<Value> results);

  HostProgram &program;
  StringRef name;
  CodeBuilder code;
  Type index, tensor, tensorRef, dtype, options;
  std::string resultType;
  Value batch, length;
};

} // namespace

/// `name` of an operator or an argument, as a schema may have it: words of the
/// language that schemas are written in (`TC_FORALL_TOKEN_KINDS` of PyTorch's
/// torch/csrc/jit/frontend/lexer.h, 2.11, less those that C takes) get an
/// underscore, with which no other name ends.
static std::string spellInSchema(StringRef name) {
  static const llvm::StringSet<> words = {
      "Ellipsis", "False", "None",  "NoneType", "True",   "as",
      "def",      "del",   "elif",  "global",   "import", "in",
      "is",       "pass",  "raise", "with"};
  return words.contains(name) ? (name + "_").str() : name.str();
}

SmallVector<std::pair<Type, StringRef>> TorchBuilder::getParameters() {
  SmallVector<std::pair<Type, StringRef>> parameters;
  for (HostArray &array : program.arrays)
    if (!array.isResult)
      parameters.push_back({tensorRef, array.field});
  return parameters;
}

void TorchBuilder::readSizes(ValueRange arguments) {
  auto read = [&](int64_t axis, std::optional<int64_t> fixed,
                  StringRef variable) {
    if (fixed)
      return code.index(*fixed);
    unsigned i = 0;
    for (HostArray &array : program.arrays) {
      if (array.isResult)
        continue;
      if (array.type.getRank() > axis && array.type.isDynamicDim(axis)) {
        // Before the size is asked for: a scalar has none.
        Value rank = code.method(arguments[i], "dim", {}, index);
        code.callStatement("TORCH_CHECK",
                           {code.binary(BinaryKind::Gt, rank, code.index(axis)),
                            code.text(array.field + ": too few dimensions")});
        return code.method(arguments[i], "size", code.index(axis), index,
                           variable);
      }
      ++i;
    }
    return code.index(0);
  };
  batch = read(BatchAxis, program.batch, "batch");
  length = read(LengthAxis, program.length, "length");
}

Value TorchBuilder::declareSizes(const HostArray &array) {
  SmallVector<Value> extents;
  for (int64_t axis = 0; axis < array.type.getRank(); ++axis)
    if (array.type.isDynamicDim(axis))
      extents.push_back(axis == BatchAxis ? batch : length);
    else
      extents.push_back(code.index(array.type.getDimSize(axis)));
  return code.declare(code.arrayOf(array.type.getRank(), index), extents,
                      array.field + "_sizes");
}

Value TorchBuilder::getDtype(const HostArray &array) {
  Type element = array.type.getElementType();
  return code.builtin(element.isF32()         ? "at::kFloat"
                      : element.isBF16()      ? "at::kBFloat16"
                      : element.isInteger(64) ? "at::kLong"
                                              : "at::kHalf",
                      dtype);
}

Value TorchBuilder::makeResult(const HostArray &array, Value like) {
  Value sizes = declareSizes(array);
  Value wanted = code.method(code.method(like, "options", {}, options), "dtype",
                             getDtype(array), options);
  return code.call("at::empty", {code.read(sizes), wanted}, tensor,
                   array.field);
}

void TorchBuilder::returnResults(ArrayRef<Value> results) {
  if (results.size() == 1)
    return code.ret(results.front());
  code.ret(code.call("std::make_tuple", results, code.opaque(resultType), "",
                     /*pure=*/true));
}

void TorchBuilder::buildCheck() {
  Type text = code.pointerTo("char", /*isConst=*/true);
  auto function = buildFunction(
      code, "check",
      {{tensorRef, "x"},
       {text, "name"},
       {dtype, "dtype"},
       {code.opaque("at::IntArrayRef"), "sizes"},
       {code.opaque("at::Device"), "device"}},
      Type(),
      "Refuses a tensor that the kernels were not "
      "compiled for.",
      [&](ValueRange arguments) {
        Value x = arguments[0], name = arguments[1];
        auto check = [&](Value wanted, StringRef method) {
          Value got = code.method(x, method, {}, wanted.getType());
          code.callStatement("TORCH_CHECK",
                             {code.binary(BinaryKind::Eq, got, wanted), name,
                              code.text(": expected "), wanted,
                              code.text(", got "),
                              code.method(x, method, {}, wanted.getType())});
        };
        check(arguments[2], "scalar_type");
        check(arguments[3], "sizes");
        check(arguments[4], "device");
      });
  function.setInternal(true);
}

void TorchBuilder::buildOperator() {
  auto build = [&](ValueRange arguments) {
    Value device = code.method(arguments[0], "device", {},
                               code.opaque("at::Device"), "device");
    code.declare(code.opaque("c10::cuda::CUDAGuard"),
                 code.call("c10::cuda::CUDAGuard", device,
                           code.opaque("c10::cuda::CUDAGuard"), "",
                           /*pure=*/true),
                 "guard");
    readSizes(arguments);

    code.comment("Arguments: checked, and copied where they are not "
                 "contiguous.");
    SmallVector<Value> packed, results;
    unsigned next = 0;
    for (HostArray &array : program.arrays) {
      if (array.isResult)
        continue;
      Value x = arguments[next++];
      Value sizes = declareSizes(array);
      code.callStatement("check", {x, code.text(array.name), getDtype(array),
                                   code.read(sizes), device});
      if (array.isUpdated) {
        // A copy would take the update.
        code.callStatement(
            "TORCH_CHECK",
            {code.method(x, "is_contiguous", {}, code.opaque("bool")),
             code.text(array.name + ": is updated in place and must be "
                                    "contiguous")});
        packed.push_back(x);
        continue;
      }
      packed.push_back(
          code.method(x, "contiguous", {}, tensor, array.field + "_packed"));
    }
    code.comment("Results and workspace: from PyTorch's allocator, on its "
                 "stream.");
    for (HostArray &array : program.arrays)
      if (array.isResult)
        results.push_back(makeResult(array, arguments[0]));

    Type structType = code.opaque((name + "_args").str());
    Type word = code.builder.getIntegerType(32, /*isSigned=*/false);
    SmallVector<Value> fields = {
        code.builtin(("sizeof(" + name + "_args)").str(), word),
        code.builtin((name + "_args_version").str(), word), batch, length};
    unsigned nextPacked = 0, nextResult = 0;
    for (HostArray &array : program.arrays) {
      Value x = array.isResult ? results[nextResult++] : packed[nextPacked++];
      fields.push_back(code.method(x, "data_ptr", {}, code.pointerTo("void")));
      // All strides 0.
      if (array.type.getRank())
        fields.push_back(code.builtin("{}", index));
    }
    Value args = code.declare(structType, fields, "args");
    Value bytes = code.cast(code.call((name + "_workspace_size").str(),
                                      code.addressOf(args),
                                      code.opaque("size_t"), "", /*pure=*/true),
                            index, "workspace_bytes");
    Value byteOptions =
        code.method(code.method(arguments[0], "options", {}, options), "dtype",
                    code.builtin("at::kByte", dtype), options);
    Value workspace =
        code.call("at::empty", {bytes, byteOptions}, tensor, "workspace");
    Value stream = code.call("c10::cuda::getCurrentCUDAStream", {},
                             code.opaque("c10::cuda::CUDAStream"), "",
                             /*pure=*/true);
    Value status = code.call(
        (name + "_launch").str(),
        {code.addressOf(args),
         code.method(workspace, "data_ptr", {}, code.pointerTo("void")),
         stream},
        code.opaque("int"), "status");
    code.callStatement(
        "TORCH_CHECK",
        {code.binary(BinaryKind::Eq, status,
                     code.builtin(getEnumerator(name, Status::Success),
                                  code.opaque("int"))),
         code.text((name + ": ").str()),
         code.call((name + "_status_string").str(), status,
                   code.pointerTo("char", /*isConst=*/true), "",
                   /*pure=*/true)});
    returnResults(results);
  };
  buildFunction(code, "run", getParameters(), code.opaque(resultType),
                "The operator on CUDA tensors.", build)
      .setInternal(true);
}

void TorchBuilder::buildMeta() {
  buildFunction(code, "run_meta", getParameters(), code.opaque(resultType),
                "Shapes and dtypes of the results, for tensors without data.",
                [&](ValueRange arguments) {
                  readSizes(arguments);
                  SmallVector<Value> results;
                  for (HostArray &array : program.arrays)
                    if (array.isResult)
                      results.push_back(makeResult(array, arguments[0]));
                  returnResults(results);
                })
      .setInternal(true);
}

void TorchBuilder::buildRegistration() {
  OpBuilder &builder = code.builder;
  std::string schema = spellInSchema(name) + "(";
  unsigned results = 0, updated = 0;
  bool first = true;
  for (HostArray &array : program.arrays) {
    if (array.isResult) {
      ++results;
      continue;
    }
    // (a!) and so on name what is written.
    std::string alias;
    if (array.isUpdated)
      alias = {'(', static_cast<char>('a' + updated++), '!', ')'};
    schema += (first ? "Tensor" : ", Tensor") + alias + " " +
              spellInSchema(array.field);
    first = false;
  }
  schema += ") -> ";
  std::string tensors;
  for (unsigned i = 0; i < results; ++i)
    tensors += i ? ", Tensor" : "Tensor";
  schema += results == 1 ? tensors : "(" + tensors + ")";

  auto block = [&](const Twine &head, llvm::function_ref<void()> body) {
    auto op = MacroBlockOp::create(builder, code.loc, head.str());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&op.getBody().front());
    body();
  };
  block("TORCH_LIBRARY_FRAGMENT(delta, m)",
        [&] { code.callStatement("m.def", code.text(schema)); });
  auto implement = [&](StringRef key, const Twine &function,
                       StringRef comment = "") {
    block("TORCH_LIBRARY_IMPL(delta, " + key + ", m)", [&] {
      if (!comment.empty())
        code.comment(comment);
      code.callStatement("m.impl",
                         {code.text(spellInSchema(name)),
                          code.builtin(function.str(), code.opaque("auto"))});
    });
  };
  implement("CUDA", "TORCH_FN(" + getNamespace(name) + "::run)");
  implement("Meta", "TORCH_FN(" + getNamespace(name) + "::run_meta)");
  implement("Autograd", "torch::autograd::autogradNotImplementedFallback()",
            "Forward only: a gradient through the operator is an error.");
}

void cuda::buildTorchOperator(HostProgram &program, OpBuilder &builder) {
  // Without an argument there is nothing to read a device off.
  if (llvm::all_of(program.arrays,
                   [](HostArray &array) { return array.isResult; }))
    return;
  StringRef name = program.function.getName();
  Location loc = program.function.getLoc();
  auto file = FileOp::create(builder, loc, (name + "_torch.cpp").str());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&file.getBody().front());
  CommentOp::create(builder, loc,
                    (name + "_torch.cpp: " + name +
                     " as the PyTorch operator delta::" + spellInSchema(name) +
                     ".\nBuild it with the other files of " + name +
                     " against PyTorch's headers and libraries.")
                        .str());
  IncludeOp::create(builder, loc, (name + ".h").str(), /*system=*/false);
  for (StringRef path :
       {"ATen/ATen.h", "c10/cuda/CUDAGuard.h", "c10/cuda/CUDAStream.h",
        "torch/csrc/autograd/autograd_not_implemented_fallback.h",
        "torch/library.h", "tuple"})
    IncludeOp::create(builder, loc, path, /*system=*/true);
  auto scope = NamespaceOp::create(builder, loc, getNamespace(name));
  {
    OpBuilder::InsertionGuard inner(builder);
    builder.setInsertionPointToStart(&scope.getBody().front());
    TorchBuilder torch(program, builder);
    torch.buildCheck();
    torch.buildOperator();
    torch.buildMeta();
  }
  TorchBuilder(program, builder).buildRegistration();
}
