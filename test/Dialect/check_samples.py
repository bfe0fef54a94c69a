#!/usr/bin/env python3
# ===- check_samples.py - the samples of the .td files ---------------------===//
#
# Part of the delta project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
#
# A fence in a description of a .td file is a sample. A line "// becomes" cuts a
# sample into parts. The rules:
#
#   1. Every op, attribute and type that a sample names with its dialect exists.
#   2. A part of a ```mlir sample without ".." is whole: it parses, and verifies.
#      A value that the part does not define has the type that its first use asks
#      for, as if it were an argument of the function around the part.
#   3. Where the sample of a pass starts with a whole part of functions or kernels,
#      the pass accepts and changes that part. Where the next part is whole too, the
#      result of the pass has that part's ops in that part's order.
#
# So ".." marks that something is left out, and a fence without "mlir" holds no
# MLIR.
#
# ===----------------------------------------------------------------------===//
"""Check that the samples in the dialects' descriptions are up to date."""

import argparse
import dataclasses
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.M | re.S)
DEFINITION = re.compile(r"^def (\w+)\s*:\s*(?:Pass<\"([\w-]+)\")?", re.M)
BECOMES = re.compile(r"^ *// becomes.*\n", re.M)
NAME = re.compile(r"(?<![\w\".%@])[#!]?(?:cuda|delta|plan|tile)\.[a-z]\w*")
# `delta.name = "q"`, `delta.result}`: entries of a dictionary.
ENTRY = re.compile(r"(?<=[{,]) *(?:cuda|delta|plan|tile)\.\w+(?= *[=,}])")
# Ops that stand in a module and not in a function.
TOP_LEVEL = re.compile(r"\s*(func\.func|tile\.kernel|cuda\.(file|kernel))\b")
ERROR = re.compile(r"^[^ :]+:(\d+):(\d+): error: (.*)$", re.M)
OP = re.compile(r"^ *(?:%[^=]*= )?\"?([a-z_]+\.[\w.]+)", re.M)
SEPARATOR = "// -----\n"


@dataclasses.dataclass
class Part:
    where: str
    text: str
    # Values that the part does not define, with their types as far as known.
    free: dict = dataclasses.field(default_factory=dict)

    def holds_functions(self):
        return TOP_LEVEL.match(self.text)

    def module(self):
        """The part as the text of a module. Its own text starts in line 2."""
        if self.text.lstrip().startswith(("#", "!")):
            return f"func.func private @sample() attributes {{sample =\n{self.text}}}\n"
        if self.holds_functions():
            return f"\n{self.text}"
        free = ", ".join(f"{name}: {kind}" for name, kind in self.free.items())
        return f"func.func @sample({free}) {{\n{self.text}return\n}}\n"

    def declare(self, row, column, message):
        """Whether an error of the parser says what to declare, which is done."""
        name = re.match(r"%\w+", self.module().split("\n")[row - 1][column - 1:])
        if message == "use of undeclared SSA value name" and name[0] not in self.free:
            self.free[name[0]] = "index"
            return True
        asked = re.search(r"expects different type than prior uses: '(.*)' vs ", message)
        if asked and self.free.get(name[0]) == "index":
            self.free[name[0]] = asked[1]
            return True
        return False


@dataclasses.dataclass
class Sample:
    where: str
    user: str  # the pass whose description holds the sample, or ""
    text: str
    parts: list  # those that are not whole are None


def find_samples(path):
    text = path.read_text()
    definitions = list(DEFINITION.finditer(text))
    for fence in FENCE.finditer(text):
        owner = [found for found in definitions if found.start() < fence.start()][-1]
        where = f"{path}:{text.count(chr(10), 0, fence.start()) + 1}: {owner[1]}"
        parts = [Part(where, part) if fence[1] == "mlir" and ".." not in part else None
                 for part in BECOMES.split(fence[2])]
        yield Sample(where, owner[2] or "", fence[2], parts)


def parse(delta_opt, texts, *options):
    """For each text its errors (row, column, message), and all that is printed."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(SEPARATOR.join(texts))
        file.flush()
        result = subprocess.run([delta_opt, file.name, "--split-input-file", *options],
                                capture_output=True, text=True, check=False)
    errors = [[] for _ in texts]
    for line, column, message in ERROR.findall(result.stderr):
        row, place = int(line), 0
        while row > texts[place].count("\n"):
            row -= texts[place].count("\n") + 1
            place += 1
        errors[place].append((row, int(column), message))
    if result.returncode and not any(errors):
        sys.exit(result.stderr)
    return errors, result.stdout


def check_names(delta_opt, samples):
    """Rule 1."""
    users = {}
    for sample in samples:
        for name in NAME.findall(ENTRY.sub("", sample.text)):
            users.setdefault(name, sample.where)
    texts = [f"func.func private @f() attributes {{sample = {name}}}\n" if name[0] in "#!"
             else f'"{name}"() : () -> ()\n' for name in users]
    for (name, where), errors in zip(users.items(), parse(delta_opt, texts)[0]):
        if any(re.match("unregistered|unknown", message) for *_, message in errors):
            yield f"{where}: '{name}' does not exist"


def check_parts(delta_opt, parts):
    """Rule 2. Finds the types of free values on the way."""
    while True:
        results, _ = parse(delta_opt, [part.module() for part in parts])
        declared = False
        failures = []
        for part, errors in zip(parts, results):
            known = [part.declare(*error) for error in errors]
            declared |= any(known)
            if errors and not all(known):
                failures.append(f"{part.where}: {errors[known.index(False)][2]}")
        if not declared:
            return failures


def check_pass(delta_opt, name, before, after=None):
    """Rule 3."""
    text = before.module()
    (errors,), printed = parse(delta_opt, [text], f"--{name}")
    if errors:
        return [f"{before.where}: {name} refuses it: {errors[0][2]}"]
    if printed == parse(delta_opt, [text])[1]:
        return [f"{before.where}: {name} leaves it as it is"]
    if after:
        ops = iter(OP.findall(printed))
        for op in OP.findall(parse(delta_opt, [after.module()])[1]):
            if op not in ops:
                return [f"{before.where}: {name} makes no {op} there:\n{printed}"]
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("delta_opt")
    parser.add_argument("dialects", type=pathlib.Path)
    arguments = parser.parse_args()
    samples = [sample for path in sorted(arguments.dialects.rglob("*.td"))
               for sample in find_samples(path)]
    parts = [part for sample in samples for part in sample.parts if part]
    failures = list(check_names(arguments.delta_opt, samples))
    failures += check_parts(arguments.delta_opt, parts)
    if not failures:
        for sample in samples:
            before, *after = sample.parts
            if sample.user and before and before.holds_functions():
                failures += check_pass(arguments.delta_opt, sample.user, before, *after[:1])
    print(f"{len(samples)} samples, {len(parts)} whole parts")
    sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
