# ===- make_names.py - specs with every name that is taken ----*- python -*-===#
#
# Part of the delta project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# make_names.py MACROS HEADERS: from the macros that nvcc lists with -dM and the
# files that it lists with -M, programs for delta-opt --verify-diagnostics: one
# for each macro as the name of an array and each header as that of a function.
#
# ===-----------------------------------------------------------------------===#

import os
import re
import sys

macros_path, headers_path = sys.argv[1:]

# Macros without parameters; those with underscores at an end or two in a row
# are no identifiers to begin with.
with open(macros_path) as file:
    macros = set(re.findall(r"^#define ([A-Za-z]\w*)(?= |$)", file.read(), re.M))
macros = sorted(m for m in macros if "__" not in m and not m.endswith("_"))
assert {"INFINITY", "M_PI", "stdin"} <= set(macros), macros

# What is found by its bare name, in a folder that is searched.
searched = ("include", "x86_64-linux-gnu", "aarch64-linux-gnu")
with open(headers_path) as file:
    paths = re.findall(r"[^\s\\]+\.h(?=\s|$)", file.read())
headers = set()
for path in paths:
    folder, name = os.path.split(os.path.normpath(path))
    stem = name.removesuffix(".h")
    if os.path.basename(folder) in searched and re.fullmatch(r"\w+", stem):
        headers.add(stem)
headers = sorted(h for h in headers if not h.startswith("_"))
assert {"math", "cuda_runtime"} <= set(headers), headers

programs = [
    '// expected-error @+1 {{expected a string that is a C identifier, got "%s", which is}}\n'
    'func.func private @f(tensor<4xf32> {delta.name = "%s"})\n' % (name, name)
    for name in macros
] + [
    "// expected-error @+1 {{got '%s', which would name a header}}\n"
    "func.func @%s(%%q: tensor<4xf32>) {\n  return\n}\n" % (name, name)
    for name in headers
]
print("\n// -----\n\n".join(programs))
