//===- PrintCuda.cpp - exit dialect to text ---------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One op, one statement. Layout is fixed: two columns per level, an empty line
/// between declarations of a file and before a comment that starts a paragraph,
/// no braces around a single line.
///
//===----------------------------------------------------------------------===//

#include "delta/Target/Cuda/PrintCuda.h"

#include "Expressions.h"
#include "Layout.h"
#include "llvm/ADT/TypeSwitch.h"
#include <fmt/format.h>

using namespace mlir;
using namespace delta;
using namespace delta::cuda;

namespace {

class FilePrinter {
public:
  LogicalResult print(FileOp file) {
    printDeclarations(file.getBody().front());
    return success(!failed);
  }

  StringRef getText() const { return text; }

private:
  /// One line, or several if it is too long.
  void line(const std::string &statement) { text += layOut(statement, indent); }
  /// A preprocessor directive, which is not indented or broken.
  void rawLine(StringRef directive) { text += (directive + "\n").str(); }
  void comment(std::optional<StringRef> words, StringRef prefix) {
    if (words)
      text += layOutComment(*words, prefix, indent);
  }
  void nested(llvm::function_ref<void()> body) {
    indent += 2;
    body();
    indent -= 2;
  }
  std::string type(Operation *op, Type type);
  std::string declarator(Operation *op, Type declared, StringRef name,
                         StringRef qualifier = "");

  void printDeclarations(Block &block);
  void printDeclaration(Operation *op);
  void printMembers(Operation *op, StringRef keyword, StringRef name,
                    std::optional<StringRef> doc, Block &members);
  void printFunction(FunctionOpInterface function, const std::string &prefix,
                     std::optional<StringRef> doc);

  void printBlock(Block &block);
  void printStatement(Operation *op);
  void printExpression(ExpressionOpInterface op);
  void printFor(ForOp op);
  void printIf(IfOp op);
  void printBodies(ArrayRef<std::pair<std::string, Block *>> bodies);

  std::string text;
  unsigned indent = 0;
  bool failed = false;
};

} // namespace

std::string FilePrinter::type(Operation *op, Type type) {
  std::string spelling = spellType(type);
  if (spelling.empty() && !failed) {
    failed = true;
    op->emitError() << "type has no spelling in C++: " << type;
  }
  return spelling;
}

std::string FilePrinter::declarator(Operation *op, Type declared,
                                    StringRef name, StringRef qualifier) {
  auto array = dyn_cast<cuda::ArrayType>(declared);
  type(op, array ? array.getElement() : declared);
  if (name.empty() && !failed) {
    failed = true;
    op->emitError("a variable without a name cannot be printed");
  }
  return spellDeclarator(declared, name, qualifier);
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

void FilePrinter::printDeclarations(Block &block) {
  Operation *previous = nullptr;
  for (Operation &op : block) {
    // Consecutive includes are grouped, and so are consecutive typedefs.
    bool together = previous && previous->getName() == op.getName() &&
                    isa<IncludeOp, TypedefOp>(op);
    if (previous && !together)
      text += '\n';
    printDeclaration(&op);
    previous = &op;
  }
}

void FilePrinter::printMembers(Operation *op, StringRef keyword, StringRef name,
                               std::optional<StringRef> doc, Block &members) {
  comment(doc, "/// ");
  line(fmt::format("typedef {} {} {{", keyword.str(), name.str()));
  nested([&] {
    for (Operation &member : members) {
      if (auto field = dyn_cast<FieldOp>(member)) {
        comment(field.getDoc(), "/// ");
        line(declarator(field, field.getType(), field.getName()) + ";");
      } else if (auto enumerator = dyn_cast<EnumeratorOp>(member)) {
        comment(enumerator.getDoc(), "/// ");
        line(fmt::format("{} = {},", enumerator.getName().str(),
                         static_cast<int32_t>(enumerator.getValue())));
      }
    }
  });
  line(fmt::format("}} {};", name.str()));
}

void FilePrinter::printFunction(FunctionOpInterface function,
                                const std::string &prefix,
                                std::optional<StringRef> doc) {
  comment(doc, "/// ");
  std::string signature = prefix + function.getName().str() + "(";
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (i)
      signature += std::string(",") + breakable;
    auto name = function.getArgAttrOfType<StringAttr>(
        i, CudaDialect::getNameAttrName());
    bool restrict =
        bool(function.getArgAttr(i, CudaDialect::getRestrictAttrName()));
    // The copy engine reads a tensor map from the kernel's parameters.
    if (function.getArgAttr(i, CudaDialect::getTensorMapAttrName()))
      signature += "const __grid_constant__ ";
    signature +=
        declarator(function, function.getArgumentTypes()[i],
                   name ? name.getValue() : "", restrict ? "__restrict__" : "");
  }
  if (function.isExternal())
    return line(signature + ");");
  line(signature + ") {");
  nested([&] { printBlock(function.getFunctionBody().front()); });
  line("}");
}

void FilePrinter::printDeclaration(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](IncludeOp op) {
        std::string path = op.getPath().str();
        rawLine(op.getSystem() ? "#include <" + path + ">"
                               : "#include \"" + path + "\"");
      })
      .Case([&](DirectiveOp op) { rawLine(("#" + op.getText()).str()); })
      .Case([&](CommentOp op) { comment(op.getText(), "// "); })
      .Case([&](TypedefOp op) {
        line("typedef " + declarator(op, op.getType(), op.getName()) + ";");
      })
      .Case([&](NamespaceOp op) {
        line(fmt::format("namespace {} {{", op.getName().str()));
        text += '\n';
        printDeclarations(op.getBody().front());
        text += '\n';
        line(fmt::format("}} // namespace {}", op.getName().str()));
      })
      .Case([&](ExternCOp op) {
        rawLine("#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
        printDeclarations(op.getBody().front());
        rawLine("\n#ifdef __cplusplus\n} // extern \"C\"\n#endif");
      })
      .Case([&](MacroBlockOp op) {
        line(op.getHead().str() + " {");
        nested([&] { printBlock(op.getBody().front()); });
        line("}");
      })
      .Case([&](StructOp op) {
        printMembers(op, "struct", op.getName(), op.getDoc(),
                     op.getBody().front());
      })
      .Case([&](EnumOp op) {
        printMembers(op, "enum", op.getName(), op.getDoc(),
                     op.getBody().front());
      })
      .Case([&](KernelOp op) {
        printFunction(
            op,
            fmt::format(
                "extern \"C\" __global__ void __launch_bounds__({}, {}){}",
                op.getThreads(), op.getMinBlocks(), breakable),
            op.getDoc());
      })
      .Case([&](FunctionOp op) {
        std::string prefix = op.getExternC() ? "extern \"C\" " : "";
        if (op.getInternal())
          prefix += "static ";
        prefix += op.getResultTypes().empty()
                      ? "void"
                      : type(op, op.getResultTypes().front());
        if (!StringRef(prefix).ends_with("*"))
          prefix += ' ';
        printFunction(op, prefix, op.getDoc());
      })
      .Default([&](Operation *op) {
        failed = true;
        op->emitError("is no declaration and cannot be printed in a file");
      });
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void FilePrinter::printBlock(Block &block) {
  bool first = true;
  for (Operation &op : block) {
    if (auto expression = dyn_cast<ExpressionOpInterface>(op))
      if (expression.getInlined())
        continue;
    if (isa<CommentOp>(op) && !first)
      text += '\n';
    printStatement(&op);
    first = false;
  }
}

/// Prints blocks, each with its head (`if (x)`, `else`); without braces if all
/// heads and blocks are one line each.
void FilePrinter::printBodies(
    ArrayRef<std::pair<std::string, Block *>> bodies) {
  // Printed separately first, because their length decides about the braces.
  SmallVector<std::string> texts;
  bool braces = false;
  for (const auto &body : bodies) {
    Block *block = body.second;
    std::string outside;
    std::swap(text, outside);
    nested([&] { printBlock(*block); });
    std::swap(text, outside);
    bool isSimple = !block->empty() &&
                    !isa<CommentOp, ForOp, IfOp>(block->back()) &&
                    StringRef(outside).count('\n') == 1 &&
                    StringRef(layOut(body.first, indent)).count('\n') == 1;
    braces |= !isSimple;
    texts.push_back(outside);
  }
  for (auto [i, body] : llvm::enumerate(bodies)) {
    line((braces && i ? "} " : "") + body.first + (braces ? " {" : ""));
    text += texts[i];
  }
  if (braces)
    line("}");
}

void FilePrinter::printIf(IfOp op) {
  SmallVector<std::pair<std::string, Block *>> bodies;
  std::string start;
  auto isInlined = [](Operation &op) {
    auto expression = dyn_cast<ExpressionOpInterface>(op);
    return expression && expression.getInlined();
  };
  for (;;) {
    bodies.push_back({start + "if (" + spellOperand(op.getCondition()) + ")",
                      &op.getThenBody().front()});
    if (op.getElseBody().empty())
      break;
    // `else if` if only an inlined condition precedes the if.
    Block &otherwise = op.getElseBody().front();
    if (otherwise.empty() || !isa<IfOp>(otherwise.back()) ||
        !llvm::all_of(llvm::drop_end(otherwise), isInlined)) {
      bodies.push_back({"else", &otherwise});
      break;
    }
    op = cast<IfOp>(otherwise.back());
    start = "else ";
  }
  printBodies(bodies);
}

void FilePrinter::printFor(ForOp op) {
  if (std::optional<uint64_t> factor = op.getUnroll())
    line(*factor ? fmt::format("#pragma unroll {}", *factor)
                 : "#pragma unroll");
  std::string name = op.getName().value_or("").str();
  auto step = op.getStep().getDefiningOp<LiteralOp>();
  bool byOne = step && step.getInlined() &&
               cast<IntegerAttr>(step.getValue()).getInt() == 1;
  std::string advance =
      byOne ? "++" + name : name + " += " + spellOperand(op.getStep());
  printBodies({{fmt::format("for ({} = {}; {} < {}; {})",
                            declarator(op, op.getCounter().getType(), name),
                            spellOperand(op.getLower()), name,
                            spellOperand(op.getUpper()), advance),
                &op.getBody().front()}});
}

void FilePrinter::printExpression(ExpressionOpInterface op) {
  std::string value = spellInitializer(op);
  bool used = op->getNumResults() == 1 && !op->use_empty();
  if (!used && op.getEvaluation() == Evaluation::Effect)
    return line(value + ";");
  Type result = op->getResult(0).getType();
  StringRef name = op.getName().value_or("");
  std::string declaration = declarator(op, result, name);
  if (isa<LiteralOp>(*op))
    declaration = "constexpr " + declaration;
  else if (auto opaque = dyn_cast<cuda::OpaqueType>(result);
           opaque && opaque.getSpelling().contains('<'))
    // The initializer shows the type.
    declaration = "const auto " + name.str();
  else if (!isa<cuda::PointerType>(result))
    declaration = "const " + declaration;
  line(declaration + " =" + breakable + value + ";");
}

void FilePrinter::printStatement(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](ExpressionOpInterface op) { printExpression(op); })
      .Case([&](CommentOp op) { comment(op.getText(), "// "); })
      .Case([&](DeclareOp op) {
        std::string value;
        bool isArray =
            isa<cuda::ArrayType>(op.getVariable().getType().getValue());
        if (op.getInit().size() == 1 && !isArray) {
          value = spellOperand(op.getInit().front());
        } else {
          value = "{";
          for (auto [i, operand] : llvm::enumerate(op.getInit())) {
            if (i)
              value += std::string(",") + breakable;
            value += spellOperand(operand);
          }
          value += "}";
        }
        line(declarator(op, op.getVariable().getType().getValue(),
                        op.getName().value_or("")) +
             " =" + breakable + value + ";");
      })
      .Case([&](AssignOp op) {
        line(getVariableName(op.getVariable()).str() + " =" + breakable +
             spellOperand(op.getValue()) + ";");
      })
      .Case([&](ForOp op) { printFor(op); })
      .Case([&](IfOp op) { printIf(op); })
      .Case([&](ReturnOp op) {
        line(op.getValue() ? "return " + spellOperand(op.getValue()) + ";"
                           : "return;");
      })
      .Default([&](Operation *op) {
        failed = true;
        op->emitError("is no statement and cannot be printed in a function");
      });
}

LogicalResult delta::cuda::printFile(FileOp file, llvm::raw_ostream &os) {
  FilePrinter printer;
  if (failed(printer.print(file)))
    return failure();
  os << printer.getText();
  return success();
}
