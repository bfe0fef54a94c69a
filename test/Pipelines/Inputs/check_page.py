#!/usr/bin/env python3
# ===- check_page.py - excerpts of a page against what tools print ---------===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# A page holds fenced blocks whose first line says what they are:
#
#   // NAME.mlir           a file, which other blocks use
#   // delta-opt ARGS      an excerpt of what this command prints; `$` for `//`
#                          where the text has no comments
#
# Lines of an excerpt stand in the output one after another. White space, line
# breaks too, stands for any white space. `..` stands for anything in one line; a
# line of `..` for any number of lines. Values of IR (`%S`) have names that the
# page chooses: one name is one value in a block, and two names are two.
#
# ===-----------------------------------------------------------------------===#
"""Check the excerpts of a page, and fail with the first line that is stale."""

import argparse
import pathlib
import re
import subprocess
import sys

VALUE = re.compile(r"%\w+")


def find_blocks(page):
    """Yields (line number of the second line, first line, other lines) of each
    fenced block. A first line that ends with a backslash has the next one too."""
    lines = None
    for number, line in enumerate(page.splitlines(), 1):
        if line.startswith("```"):
            if lines:
                first = lines.pop(0)
                while first.endswith("\\"):
                    first = first[:-1] + lines.pop(0)
                yield number - len(lines), first, lines
            lines = [] if lines is None else None
        elif lines is not None:
            lines.append(line)


def make_pattern(lines):
    """A regular expression for the lines of an excerpt."""
    groups = {}

    def value(name):
        if name in groups:
            return "(?P=%s)\\b" % groups[name]
        others = "".join("(?!(?P=%s)\\b)" % group for group in groups.values())
        groups[name] = "v%d" % len(groups)
        return "%s(?P<%s>%%\\w+)\\b" % (others, groups[name])

    def words(text):
        return r"\s+".join(re.escape(word) for word in re.split(r"\s+", text))

    def spell(text):
        """Text without values; `..` is anything in the line."""
        return "[^\n]*?".join(words(piece) for piece in text.split(".."))

    pattern, between = r"^[^\S\n]*", ""
    for line in lines:
        line = line.strip()
        if line == "..":
            between = ("[^\\S\n]*\n" if between else "") + "(?:[^\n]*\n)*?[^\\S\n]*"
            continue
        pattern += between
        between = "\\s+"
        position = 0
        for match in VALUE.finditer(line):
            pattern += spell(line[position : match.start()]) + value(match.group())
            position = match.end()
        pattern += spell(line[position:])
    return pattern


def occurs(pattern, text):
    return re.search(pattern, text, re.MULTILINE) is not None


def find_stale(lines, text):
    """The first line up to which the excerpt is not in the text, or None."""
    for count in range(1, len(lines) + 1):
        if not occurs(make_pattern(lines[:count]), text):
            return count - 1
    # The last line is whole, too.
    whole = occurs(make_pattern(lines) + r"[^\S\n]*$", text)
    return None if whole else len(lines) - 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, help="for the page's files")
    parser.add_argument("tools", nargs="+", help="paths of the tools it names")
    options = parser.parse_args()
    tools = {pathlib.Path(tool).name: tool for tool in options.tools}
    options.folder.mkdir(parents=True, exist_ok=True)
    files, excerpts = 0, []
    for start, first, lines in find_blocks(options.page.read_text()):
        what = first.split()
        if len(what) < 2 or what[0] not in ("//", "$"):
            continue
        if len(what) == 2 and what[1].endswith(".mlir"):
            (options.folder / what[1]).write_text("\n".join(lines) + "\n")
            files += 1
        elif what[1] in tools:
            excerpts.append((start, first, lines))

    outputs = {}
    for start, first, lines in excerpts:
        what = first.split()
        command = [tools[what[1]], *what[2:]]
        # So that one name in the output is one value.
        if what[1] == "delta-opt" and not any("--emit" in word for word in what):
            command.append("--mlir-print-unique-ssa-ids")
        if first not in outputs:
            run = subprocess.run(
                command,
                cwd=options.folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            if run.returncode != 0:
                sys.exit("%s:%d: %s\n%s" % (options.page, start - 1, first, run.stdout))
            outputs[first] = run.stdout
        stale = find_stale(lines, outputs[first])
        if stale is not None:
            message = "%s:%d: not in the output of %s, after the lines before it: %s"
            sys.exit(message % (options.page, start + stale, first, lines[stale]))
    print("%d files, %d excerpts" % (files, len(excerpts)))


if __name__ == "__main__":
    main()
