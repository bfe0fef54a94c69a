//===- Jit.cpp - run lowered functions in this process ----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// MLIR's C interface passes each memref as a pointer to its descriptor; the
/// engine's packed entry takes an array of pointers to arguments. So a call
/// passes an array of pointers to pointers to descriptors. All of them live on
/// the stack during the call.
///
//===----------------------------------------------------------------------===//

#include "delta/Execution/Jit.h"

#include "delta/Pipelines/Cpu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace delta;
using runtime::DType;
using runtime::HostTensor;

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static bool hasElementType(const HostTensor &tensor, Type type) {
  switch (tensor.dtype()) {
  case DType::F32:
    return type.isF32();
  case DType::BF16:
    return type.isBF16();
  case DType::F16:
    return type.isF16();
  case DType::I64:
    return type.isInteger(64);
  case DType::F64:
  case DType::I32:
    return false;
  }
  llvm_unreachable("unknown dtype");
}

/// The parameter types of a function that obeys the ABI.
static FailureOr<std::vector<MemRefType>> getParameters(func::FuncOp function) {
  if (function.getNumResults() != 0)
    return function.emitError("cannot be called: expected no results, got ")
           << function.getNumResults();
  std::vector<MemRefType> parameters;
  for (Type type : function.getArgumentTypes()) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || !memref.getLayout().isIdentity() ||
        memref.getMemorySpace() ||
        !(memref.getElementType().isF32() || memref.getElementType().isBF16() ||
          memref.getElementType().isF16() ||
          memref.getElementType().isInteger(64)))
      return function.emitError("cannot be called: expected contiguous memrefs "
                                "of f32, bf16, f16 or i64, got ")
             << type;
    parameters.push_back(memref);
  }
  return parameters;
}

/// This machine's code generator, or an error.
static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createHostMachine(llvm::CodeGenOptLevel level) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(level);
  return builder->createTargetMachine();
}

FailureOr<Jit> Jit::compile(OwningOpRef<ModuleOp> module, StringRef name,
                            unsigned optLevel) {
  Location loc = module->getLoc();
  auto function = module->lookupSymbol<func::FuncOp>(name);
  if (!function)
    return emitError(loc) << "cannot be called: no function '" << name << "'";
  FailureOr<std::vector<MemRefType>> parameters = getParameters(function);
  if (failed(parameters))
    return failure();

  MLIRContext *context = module->getContext();
  registerBuiltinDialectTranslation(*context);
  registerLLVMDialectTranslation(*context);
  // LLVM has no use for the names of arrays, and its translation would warn
  // about each.
  function.setAllArgAttrs(SmallVector<DictionaryAttr>(
      function.getNumArguments(), DictionaryAttr::get(context)));
  PassManager pipeline(context);
  buildCpuPipeline(pipeline);
  if (failed(pipeline.run(*module)))
    return failure();

  const auto level = static_cast<llvm::CodeGenOptLevel>(optLevel);
  auto machine = createHostMachine(level);
  if (!machine)
    return emitError(loc) << "no code generator for this machine: "
                          << llvm::toString(machine.takeError());
  // The transformer runs inside create(), while the machine is still alive.
  auto optimize =
      makeOptimizingTransformer(optLevel, /*sizeLevel=*/0, machine->get());
  ExecutionEngineOptions options;
  options.transformer = optimize;
  options.jitCodeGenOptLevel = level;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  auto engine = ExecutionEngine::create(*module, options, std::move(*machine));
  if (!engine)
    return emitError(loc) << "cannot be compiled for this machine: "
                          << llvm::toString(engine.takeError());
  auto entry = (*engine)->lookupPacked(("_mlir_ciface_" + name).str());
  if (!entry)
    return emitError(loc) << "cannot be compiled for this machine: "
                          << llvm::toString(entry.takeError());
  return Jit(loc, std::move(*parameters), std::move(*engine), *entry);
}

Jit::Jit(Location loc, std::vector<MemRefType> parameters,
         std::unique_ptr<ExecutionEngine> engine, void (*entry)(void **))
    : loc(loc), parameters(std::move(parameters)), engine(std::move(engine)),
      entry(entry) {}

Jit::Jit(Jit &&) = default;
Jit &Jit::operator=(Jit &&) = default;
Jit::~Jit() = default;

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

LogicalResult Jit::checkArguments(ArrayRef<HostTensor *> arguments) const {
  if (arguments.size() != parameters.size())
    return emitError(loc) << "cannot be called: expected " << parameters.size()
                          << " arguments, got " << arguments.size();
  for (auto [index, pair] : llvm::enumerate(llvm::zip(arguments, parameters))) {
    auto [tensor, type] = pair;
    bool fits = hasElementType(*tensor, type.getElementType()) &&
                tensor->rank() == type.getRank();
    for (int64_t axis = 0; fits && axis < type.getRank(); ++axis)
      fits =
          type.isDynamicDim(axis) || type.getDimSize(axis) == tensor->dim(axis);
    if (!fits)
      return emitError(loc)
             << "cannot be called: argument " << index << " must be " << type
             << ", got " << runtime::dtypeName(tensor->dtype()) << " "
             << runtime::shapeString(tensor->shape());
  }
  return success();
}

/// The descriptor of a contiguous memref: allocated and aligned pointer,
/// offset, sizes, strides, all of one word.
static SmallVector<intptr_t> describeMemRef(HostTensor &tensor) {
  const auto address = reinterpret_cast<intptr_t>(tensor.data());
  SmallVector<intptr_t> words = {address, address, 0};
  words.append(tensor.shape().begin(), tensor.shape().end());
  SmallVector<intptr_t> strides(tensor.rank());
  intptr_t stride = 1;
  for (int64_t axis = tensor.rank() - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    stride *= tensor.dim(axis);
  }
  words.append(strides);
  return words;
}

LogicalResult Jit::call(ArrayRef<HostTensor *> arguments) {
  if (failed(checkArguments(arguments)))
    return failure();
  SmallVector<SmallVector<intptr_t>> descriptors;
  for (HostTensor *tensor : arguments)
    descriptors.push_back(describeMemRef(*tensor));
  SmallVector<void *> pointers;
  for (SmallVector<intptr_t> &descriptor : descriptors)
    pointers.push_back(descriptor.data());
  SmallVector<void *> packed;
  for (void *&pointer : pointers)
    packed.push_back(&pointer);
  entry(packed.data());
  return success();
}
