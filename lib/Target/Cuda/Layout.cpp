//===- Layout.cpp - line breaking of emitted text ---------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A greedy line breaker: among the places that still fit, it takes the last
/// one in the fewest brackets.
///
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;
using delta::cuda::breakable;
using delta::cuda::breakableOperator;
using delta::cuda::columnLimit;

namespace {

/// A place where the current line may end.
struct Break {
  size_t position; // in the text
  bool isOperator; // after an operator, not after a comma
  // The columns after the open brackets, which later brackets may have
  // replaced.
  SmallVector<unsigned> open;

  size_t depth() const { return open.size(); }
  /// The column at which the next line would start.
  unsigned column() const { return open.back(); }
};

} // namespace

static bool isBreakable(char c) {
  return c == breakable || c == breakableOperator;
}

/// The last break in the fewest brackets, after a comma if there is one. A
/// break after `=` is avoided if the following text would have to be broken
/// again, except `afterAssignment`.
static const Break *choose(ArrayRef<Break> breaks, StringRef text,
                           bool afterAssignment) {
  auto isAssignment = [&](const Break &candidate) {
    return candidate.depth() == 1 && candidate.position > 1 &&
           text.take_front(candidate.position).ends_with(" =");
  };
  auto isUseful = [&](const Break &candidate) {
    size_t rest = text.size() - candidate.position - 1;
    return !isAssignment(candidate) || candidate.column() + rest <= columnLimit;
  };
  auto rank = [](const Break &candidate) {
    return 2 * candidate.depth() + candidate.isOperator;
  };
  if (afterAssignment && isAssignment(breaks.front()))
    return &breaks.front();
  const Break *best = nullptr;
  for (const Break &candidate : breaks)
    if (isUseful(candidate) && (!best || rank(candidate) <= rank(*best)))
      best = &candidate;
  return best ? best : &breaks.front();
}

/// The same, `afterAssignment` with the first break after a `=`.
static std::string layOut(StringRef text, unsigned indent,
                          bool afterAssignment) {
  std::string result(indent, ' ');
  // The columns after the open brackets; the bottom entry is for no bracket.
  SmallVector<unsigned> open = {indent + 4};
  SmallVector<Break> breaks; // of the current line
  size_t lineStart = 0;
  unsigned column = indent;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i, ++column;
      else if (c == '"')
        inString = false;
      ++column;
    } else {
      if (isBreakable(c))
        breaks.push_back({i, c == breakableOperator, open});
      ++column;
      if (c == '"')
        inString = true;
      else if (c == '(' || c == '{' || c == '[')
        open.push_back(column);
      else if ((c == ')' || c == '}' || c == ']') && open.size() > 1)
        open.pop_back();
    }
    // A break at the limit itself leaves no trailing space.
    if (column <= columnLimit || isBreakable(c) || breaks.empty())
      continue;
    const Break *best = choose(breaks, text, afterAssignment);
    result += text.slice(lineStart, best->position);
    result += '\n';
    result.append(best->column(), ' ');
    // Start again after the break, with the brackets that are open there.
    lineStart = best->position + 1;
    column = best->column();
    open = best->open;
    i = best->position;
    inString = false;
    breaks.clear();
  }
  result += text.substr(lineStart);
  for (char &c : result)
    if (isBreakable(c))
      c = ' ';
  result += '\n';
  return result;
}

std::string delta::cuda::layOut(StringRef text, unsigned indent) {
  std::string aligned = ::layOut(text, indent, /*afterAssignment=*/false);
  std::string indented = ::layOut(text, indent, /*afterAssignment=*/true);
  auto countLines = [](StringRef lines) { return lines.count('\n'); };
  return countLines(indented) < countLines(aligned) ? indented : aligned;
}

std::string delta::cuda::layOutComment(StringRef text, StringRef prefix,
                                       unsigned indent) {
  std::string result, margin(indent, ' ');
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    std::string current = margin + prefix.str();
    size_t empty = current.size();
    SmallVector<StringRef> words;
    line.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    // Indentation inside the comment (lists, equations) is kept.
    current.append(line.take_while([](char c) { return c == ' '; }).size(),
                   ' ');
    size_t start = current.size();
    for (StringRef word : words) {
      if (current.size() > start &&
          current.size() + 1 + word.size() > columnLimit) {
        result += current + '\n';
        current = margin + prefix.str();
        current.append(start - empty, ' ');
      }
      if (current.size() > start)
        current += ' ';
      current += word;
    }
    result += StringRef(current).rtrim(' ').str() + '\n';
  }
  return result;
}
