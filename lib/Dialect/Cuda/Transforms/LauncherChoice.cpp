//===- LauncherChoice.cpp - one launcher for several GPUs -------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions of NAME.cpp, which stand before those of the kernel sets.
/// Checks nothing itself: the launcher that is called checks its arguments and
/// its device.
///
//===----------------------------------------------------------------------===//

#include "Launcher.h"

using namespace mlir;
using namespace delta;
using namespace delta::cuda;

namespace {

/// A kernel set, and the target of least capability that it is chosen for.
struct Choice {
  const HostProgram *program;
  const Target *target;
};

class ChoiceBuilder {
public:
  ChoiceBuilder(ArrayRef<HostProgram> programs, OpBuilder &builder)
      : programs(programs), first(programs.front().function),
        code(builder, first.getLoc()), sizeType(code.opaque("size_t")),
        statusType(code.opaque("int")),
        parameters{
            {code.pointerTo((first.getName() + "_args").str(), true), "args"},
            {code.pointerTo("void"), "workspace"},
            {code.opaque("cudaStream_t"), "stream"}} {}

  void declareFunctions();
  void buildWorkspaceSize();
  void buildLaunch();

private:
  using Parameter = std::pair<Type, StringRef>;

  void declare(StringRef function, ArrayRef<Parameter> parameters, Type result);
  SmallVector<Choice> getChoices();

  ArrayRef<HostProgram> programs;
  func::FuncOp first;
  CodeBuilder code;
  Type sizeType, statusType;
  /// Of a launch; the first one is that of workspace_size.
  SmallVector<Parameter> parameters;
};

} // namespace

void ChoiceBuilder::declare(StringRef function, ArrayRef<Parameter> parameters,
                            Type result) {
  FunctionOp::create(
      code.builder, code.loc, function,
      code.builder.getFunctionType(
          llvm::to_vector(llvm::make_first_range(parameters)), result),
      llvm::to_vector(llvm::make_second_range(parameters)),
      /*withBody=*/false);
}

void ChoiceBuilder::declareFunctions() {
  for (const HostProgram &program : programs) {
    declare(getFunctionName(program, "workspace_size"), parameters[0],
            sizeType);
    declare(getFunctionName(program, "launch"), parameters, statusType);
  }
}

/// A workspace serves whichever set is launched.
void ChoiceBuilder::buildWorkspaceSize() {
  auto function = buildFunction(
      code, (first.getName() + "_workspace_size").str(), parameters[0],
      sizeType, "", [&](ValueRange arguments) {
        Value most;
        for (const HostProgram &program : programs) {
          Value bytes = code.call(getFunctionName(program, "workspace_size"),
                                  arguments, sizeType, "", /*pure=*/true);
          most = most ? code.call("std::max", {most, bytes}, sizeType, "",
                                  /*pure=*/true)
                      : bytes;
        }
        code.ret(most);
      });
  function.setExternC(true);
}

/// The sets in descending order of capability, neighbours that are one set as
/// one choice. A device gets the first set whose least capability it has.
SmallVector<Choice> ChoiceBuilder::getChoices() {
  SmallVector<Choice> all;
  for (const HostProgram &program : programs)
    for (plan::MachineAttr target : program.targets)
      all.push_back({&program, &target.getTarget()});
  llvm::sort(all, [](const Choice &a, const Choice &b) {
    auto rank = [](const Choice &choice) {
      return std::pair(choice.target->capability, choice.target->isExact());
    };
    return rank(a) > rank(b);
  });
  SmallVector<Choice> choices;
  for (const Choice &choice : all)
    if (!choices.empty() && choices.back().program == choice.program &&
        !choice.target->isExact())
      choices.back() = choice;
    else
      choices.push_back(choice);
  return choices;
}

void ChoiceBuilder::buildLaunch() {
  auto function = buildFunction(
      code, (first.getName() + "_launch").str(), parameters, statusType, "",
      [&](ValueRange arguments) {
        auto launch = [&](const Choice &choice) {
          code.ret(code.call(getFunctionName(*choice.program, "launch"),
                             arguments, statusType));
        };
        SmallVector<Choice> choices = getChoices();
        Value capability = code.call("compute_capability", {}, statusType,
                                     "capability", /*pure=*/true);
        for (const Choice &choice : ArrayRef(choices).drop_back())
          code.when(code.binary(choice.target->isExact() ? BinaryKind::Eq
                                                         : BinaryKind::Ge,
                                capability,
                                code.integer(choice.target->capability)),
                    [&] { launch(choice); });
        code.comment("Refuses a device that the library has no code for, as "
                     "every launcher does.");
        launch(choices.back());
      });
  function.setExternC(true);
}

void cuda::buildChoice(ArrayRef<HostProgram> programs, OpBuilder &builder) {
  ChoiceBuilder choice(programs, builder);
  choice.declareFunctions();
  choice.buildWorkspaceSize();
  choice.buildLaunch();
}
