#!/usr/bin/env python3
# ===- check_ptxas.py - what ptxas says of a CUDA file --------------------===//
#
# Part of the delta project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
#
# Compiles a CUDA file for one or more architectures and fails if any kernel
# spills or has a stack frame, if ptxas prints a C75xx advisory (serialised or
# delayed wgmma, ignored setmaxnreg), or if nvcc warns. Prints registers and
# shared memory of every kernel, and the log and the command of what failed.
#
# ===----------------------------------------------------------------------===//
"""Compile a CUDA file and hold its kernels to a resource budget."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include"


def find_nvcc():
    for candidate in (os.environ.get("DELTA_NVCC"), shutil.which("nvcc"),
                      "/usr/local/cuda/bin/nvcc"):
        if candidate and os.path.exists(candidate):
            return candidate
    sys.exit("check_ptxas: nvcc not found; name it with --nvcc or DELTA_NVCC")


def kernels_of(log):
    """Yields (kernel, stack frame, spill bytes, registers) from a ptxas log."""
    blocks = re.split(r"Compiling entry function '", log)[1:]
    for block in blocks:
        name = block.split("'", 1)[0]
        frame = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, "
                          r"(\d+) bytes spill loads", block)
        used = re.search(r"Used (\d+) registers", block)
        if not frame or not used:
            sys.exit(f"check_ptxas: cannot read ptxas's report on {name}:\n{log}")
        yield (name, int(frame[1]), int(frame[2]) + int(frame[3]), int(used[1]))


def faults_of(log, options):
    """Lists what is wrong, and prints one line a kernel."""
    faults = [line for line in log.splitlines()
              if re.search(r"\bC75\d\d\b|\bwarning\b", line)]
    kernels = list(kernels_of(log))
    if not kernels and not options.header:
        faults.append("no kernel was compiled")
    for name, frame, spilled, registers in kernels:
        print(f"  {name}: {registers} registers")
        if frame:
            faults.append(f"{name}: stack frame of {frame} bytes")
        if spilled:
            faults.append(f"{name}: {spilled} bytes spilled")
        if options.max_registers and registers > options.max_registers:
            faults.append(f"{name}: {registers} registers, expected at most "
                          f"{options.max_registers}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", help="a .cu file, or a header with --header")
    parser.add_argument("--arch", action="append", required=True,
                        help="sm_80, sm_90a, ..; may be repeated")
    parser.add_argument("--header", action="store_true",
                        help="compile FILE, a name below include/, alone")
    parser.add_argument("--max-registers", type=int, metavar="N")
    parser.add_argument("--nvcc", default=None)
    parser.add_argument("-I", dest="include", action="append", default=[])
    options = parser.parse_args()
    nvcc = options.nvcc or find_nvcc()

    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        source = options.file
        if options.header:
            source = os.path.join(scratch, "header.cu")
            pathlib.Path(source).write_text(f'#include "{options.file}"\n')
        for arch in options.arch:
            command = [nvcc, "-std=c++17", "-cubin", "-Xptxas", "-v",
                       "-gencode", f"arch={arch.replace('sm_', 'compute_')},"
                       f"code={arch}", "-o", os.path.join(scratch, "out.cubin")]
            for directory in options.include + [str(INCLUDE)]:
                command += ["-I", directory]
            command.append(source)
            print(f"{options.file} for {arch}")
            result = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, check=False)
            faults = faults_of(result.stdout, options)
            if result.returncode:
                faults = [f"nvcc exited with {result.returncode}"]
            if faults:
                failed = True
                print(result.stdout)
                print("command:", " ".join(command))
                for fault in faults:
                    print(f"fault: {fault}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
