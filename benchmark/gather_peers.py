# ===- gather_peers.py - other libraries for a bundle ---------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Downloads the libraries that the benchmark compares with, for a machine that has
PyTorch, Triton and nvcc but reaches no registry.

    fla         a wheel of Triton sources
    flashinfer  one kernel, compiled here from the sources in the wheel with the
                flags of its own build: the wheel would need a dozen others and
                compile at first use. The launcher refers to 64 instances; only
                those that the benchmark runs are compiled, the others stay
                undefined symbols that are bound when they are called.
    flash_qla   a wheel of TileLang sources, and TileLang without what it needs for
                other chips and for being built: an archive of half its size.
                Kernels are compiled at first use, half a minute each.
"""

import itertools
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

# The machine that uses the wheels.
PLATFORM = ["--python-version", "3.12", "--implementation", "cp"]
for tag in ("2_28", "2_27", "2_24", "2_17"):
    PLATFORM += ["--platform", f"manylinux_{tag}_x86_64"]

FLASHINFER = "0.6.13"
FFI = "apache-tvm-ffi==0.1.12"
FLA = ["fla-core==0.6.0", "flash-linear-attention==0.6.0", "einops==0.8.1"]
# The call of FlashInfer's kernel normalises with fla's kernel.
WHEELS = {
    "fla": FLA,
    "flashinfer": [FFI, *FLA],
    "flash_qla": [FFI, *FLA, "flash-qla==0.1.3", "cloudpickle==3.1.3"],
}
# These go into one archive, without the paths below.
TILELANG = ["tilelang==0.1.15", "z3-solver==4.15.4.0"]
UNUSED = ["tilelang/3rdparty/tvm/src", "tilelang/3rdparty/tvm/include",
          "tilelang/src/ascend", "tilelang/src/rocm", "tilelang/src/metal",
          "tilelang/src/op", "tilelang/src/transform", "z3/include",
          "z3/lib/libz3.so.4.15", "z3_solver-4.15.4.0.data"]

FLASHINFER_FLAGS = [
    "-std=c++20", "-O3", "-DNDEBUG", "-use_fast_math", "--expt-relaxed-constexpr",
    "-Xfatbin=-compress-all", "-DFLASHINFER_ENABLE_F16", "-DFLASHINFER_ENABLE_BF16",
    "-DFLASHINFER_ENABLE_FP8_E4M3", "-DFLASHINFER_ENABLE_FP8_E5M2",
    "-static-global-template-stub=false", "--compiler-options=-fPIC",
    "-gencode=arch=compute_90a,code=sm_90a", "-DCUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED",
    "-DFLASHINFER_ENABLE_FP8_E8M0", "-DFLASHINFER_ENABLE_FP4_E2M1",
    "-DFLAT_SM90A_ENABLED",
]


def download(packages, folder):
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
         "--only-binary=:all:", *PLATFORM, "--dest", folder, *packages], check=True)


def unzip(wheels, folder):
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)


def instances(template):
    """{name: source} of the kernels for bf16 with beta and alpha, without initial
    states and checkpoints, for as many value heads as query heads and for more."""
    sources = {}
    for groups in ("false", "true"):
        values = {"dtype": "nv_bfloat16", "is_gva": groups, "needs_beta": "true",
                  "needs_alpha": "true", "init_state": "false",
                  "enable_checkpointing": "false"}
        text = template
        for name, value in values.items():
            text = text.replace("{{ %s }}" % name, value)
        sources[f"gdn_prefill_groups_{groups}.cu"] = text
    return sources


def compile_flashinfer(folder, nvcc):
    """folder/gdn_prefill_sm90.so and .version. Takes minutes."""
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        download([f"flashinfer-python=={FLASHINFER}", FFI], scratch)
        unzip(scratch.glob("*.whl"), scratch)
        data = scratch / "flashinfer" / "data"
        sources = [data / "csrc" / name for name in
                   ("gdn_prefill_launcher.cu", "prefill_kernel_delta_rule_sm90.cu")]
        template = (data / "csrc" / "gdn_prefill_sm90_kernel_inst.jinja").read_text()
        for name, text in instances(template).items():
            sources.append(scratch / name)
            sources[-1].write_text(text)
        ffi = scratch / "tvm_ffi"
        includes = [data / path for path in (
            "cccl/cub", "cccl/libcudacxx/include", "cccl/thrust", "include", "csrc",
            "cutlass/include", "cutlass/tools/util/include", "spdlog/include")]
        includes += [ffi / "include", ffi / "3rdparty" / "dlpack" / "include"]
        flags = FLASHINFER_FLAGS + list(
            itertools.chain.from_iterable(("-I", path) for path in includes))
        objects = []
        for source in sources:
            objects.append(scratch / f"{source.stem}.o")
            subprocess.run([nvcc, *flags, "-c", source, "-o", objects[-1]], check=True)
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([nvcc, "-shared", "-Xlinker=-z,lazy", *objects, "-lcuda", "-o",
                        folder / "gdn_prefill_sm90.so"], check=True)
    (folder / "gdn_prefill_sm90.version").write_text(f"{FLASHINFER}\n")


def pack_tilelang(folder):
    """folder/tilelang.tar.xz."""
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        download(TILELANG, scratch / "wheels")
        site = scratch / "site"
        unzip((scratch / "wheels").glob("*.whl"), site)
        cutlass = site / "tilelang" / "3rdparty" / "cutlass"
        unused = [path for path in cutlass.iterdir() if path.name != "include"]
        for path in [*unused, *(site / path for path in UNUSED)]:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        with tarfile.open(folder / "tilelang.tar.xz", "w:xz") as file:
            for path in site.iterdir():
                file.add(path, path.name)


def gather(names, folder, nvcc):
    """Puts the files of `names` into a folder; an existing kernel is kept."""
    for name in names:
        download(WHEELS[name], folder)
    if "flash_qla" in names and not (folder / "tilelang.tar.xz").exists():
        pack_tilelang(folder)
    if "flashinfer" in names and not (folder / "gdn_prefill_sm90.version").exists():
        compile_flashinfer(folder, nvcc)
