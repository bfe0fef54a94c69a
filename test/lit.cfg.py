# ===- lit.cfg.py - how lit runs every suite below test/ ------*- python -*-===#
#
# Part of the delta project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# One configuration for all suites. What a machine may lack is a feature; a test
# names what it needs with REQUIRES and is reported as unsupported elsewhere:
#
#   nvcc, nvdisasm, cuobjdump   CUDA 13's compiler and disassemblers
#   gpu                         a GPU that the driver answers for
#   sm_90a                      one of compute capability 9.0
#   numpy, safetensors, torch, jax   Python packages of the interpreter %python
#
# A new feature is added to `features` below, so that test/left_out.py names it.
#
# ===-----------------------------------------------------------------------===#

import os
import subprocess

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "delta"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".cu"]
config.excludes = ["Inputs", "Unit"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.delta_test_dir


def found(tool):
    """CMake's find_program writes NOTFOUND into what it did not find."""
    return bool(tool) and not tool.endswith("NOTFOUND")


def succeeds(*command):
    """Whether a probe runs and exits with 0; a missing program is a no."""
    try:
        return (
            subprocess.run(command, capture_output=True, timeout=60).returncode == 0
        )
    except (OSError, subprocess.TimeoutExpired):
        return False


def prints(text, *command):
    """Whether a probe runs, exits with 0 and prints the text."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return result.returncode == 0 and text in result.stdout


def has_package(name):
    # Looks the package up without importing it: torch takes seconds to import.
    probe = "import sys, importlib.util as u; sys.exit(u.find_spec('%s') is None)"
    return succeeds(config.python, "-c", probe % name)


features = {
    "nvcc": found(config.nvcc),
    "nvdisasm": found(config.nvdisasm),
    "cuobjdump": found(config.cuobjdump),
    # Exits with an error where there is a driver and no GPU.
    "gpu": succeeds("nvidia-smi", "--query-gpu=name", "--format=csv"),
    "sm_90a": prints("9.0", "nvidia-smi", "--query-gpu=compute_cap", "--format=csv"),
    "numpy": has_package("numpy"),
    "safetensors": has_package("safetensors"),
    "torch": has_package("torch"),
    "jax": has_package("jax"),
}
config.available_features.update(name for name, here in features.items() if here)

llvm_config.with_system_environment(["HOME", "TMPDIR", "CUDA_VISIBLE_DEVICES"])
# nvcc looks for a host compiler, tests for diff, cmp and the like.
llvm_config.with_environment("PATH", os.environ["PATH"], append_path=True)
# Tests must not write __pycache__ folders into the source tree.
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"

source = config.delta_source_dir
config.substitutions += [
    ("%python", config.python),
    ("%nvcc", config.nvcc),
    ("%nvdisasm", config.nvdisasm),
    ("%cuobjdump", config.cuobjdump),
    (
        "%ptxas_check",
        "%s %s" % (config.python, os.path.join(source, "test/Device/check_ptxas.py")),
    ),
    (
        "%sass_check",
        "%s %s --nvcc %s --cuobjdump %s"
        % (
            config.python,
            os.path.join(source, "test/Device/check_sass.py"),
            config.nvcc,
            config.cuobjdump,
        ),
    ),
    ("%device_include", os.path.join(source, "include")),
    ("%examples", os.path.join(source, "examples")),
    (
        "%mlir_runner_utils",
        os.path.join(config.llvm_tools_dir, "../lib/libmlir_runner_utils.so"),
    ),
]
llvm_config.add_tool_substitutions(
    [
        # A name captured in one function must not match in the next one.
        ToolSubst("FileCheck", extra_args=["-enable-var-scope"]),
        "count",
        "not",
        "mlir-runner",
        "split-file",
        # By full path: where one is not built, no other copy may stand in.
        ToolSubst("delta-opt", os.path.join(config.delta_tools_dir, "delta-opt")),
        ToolSubst("delta-run", os.path.join(config.delta_tools_dir, "delta-run")),
    ],
    [config.llvm_tools_dir],
)
