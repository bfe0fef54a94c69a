//===- Layout.cpp - line breaking of emitted text ---------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A greedy line breaker: of the places where a line may end and that still
/// fit, the last one in the fewest brackets.
///
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace {

/// A place where the current line may end.
struct Break {
  size_t position; // in the text
  size_t depth;    // brackets around it
  unsigned column; // of what would start the next line
};

} // namespace

std::string delta::cuda::layOut(StringRef text, unsigned indent) {
  std::string result(indent, ' ');
  // Columns behind the brackets that are open; the bottom is no bracket.
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
      if (c == breakable)
        breaks.push_back({i, open.size(), open.back()});
      ++column;
      if (c == '"')
        inString = true;
      else if (c == '(' || c == '{' || c == '[')
        open.push_back(column);
      else if ((c == ')' || c == '}' || c == ']') && open.size() > 1)
        open.pop_back();
    }
    // A break at the limit itself leaves no trailing space.
    if (column <= columnLimit || c == breakable || breaks.empty())
      continue;
    const Break *best = &breaks.front();
    for (const Break &candidate : breaks)
      if (candidate.depth <= best->depth)
        best = &candidate;
    result += text.slice(lineStart, best->position);
    result += '\n';
    result.append(best->column, ' ');
    // Start over behind the break, with the brackets that are open there.
    lineStart = best->position + 1;
    column = best->column;
    open.truncate(best->depth);
    i = best->position;
    inString = false;
    breaks.clear();
  }
  result += text.substr(lineStart);
  for (char &c : result)
    if (c == breakable)
      c = ' ';
  result += '\n';
  return result;
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
