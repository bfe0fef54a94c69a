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
    flashinfer_cute
                the sources of its later kernels, and the CuTe compiler: two archives,
                for one alone would be more than is carried at once. Kernels are
                compiled at first use, a quarter of a minute each.
    flash_qla   a wheel of TileLang sources, and TileLang without what it needs for
                other chips and for being built: an archive of half its size.
                Kernels are compiled at first use, half a minute each.
"""

import concurrent.futures
import itertools
import lzma
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
FLASHINFER_CUTE = "0.7.4"
FFI = "apache-tvm-ffi==0.1.12"
FLA = ["fla-core==0.6.0", "flash-linear-attention==0.6.0", "einops==0.8.1"]
# The call of FlashInfer's kernel normalises with fla's kernel.
WHEELS = {
    "fla": FLA,
    "flashinfer": [FFI, *FLA],
    "flashinfer_cute": [FFI, *FLA, "nvidia-cutlass-dsl==4.8.1", "nvidia-ml-py==13.615.71",
                        "tqdm==4.70.1", "packaging==26.4"],
    "flash_qla": [FFI, *FLA, "flash-qla==0.1.3", "cloudpickle==3.1.3"],
}
# These go into one archive, without the paths below. tilelang/3rdparty/tvm/include stays:
# TVM's Python part takes the folder that holds `include` for its sources, and fails
# without one.
TILELANG = ["tilelang==0.1.15", "z3-solver==4.15.4.0"]
UNUSED = ["tilelang/3rdparty/tvm/src", "tilelang/src/ascend", "tilelang/src/rocm",
          "tilelang/src/metal", "tilelang/src/op", "tilelang/src/transform", "z3/include",
          "z3/lib/libz3.so.4.15", "z3_solver-4.15.4.0.data"]

# The CuTe compiler for CUDA 13. Together in archives, of which the large library is one.
CUTE = [f"nvidia-cutlass-dsl-libs-{part}==4.8.1" for part in ("core", "base", "cu13")]
CUTE_LIBRARY = "nvidia_cutlass_dsl/dsl_packages/cutlass/_mlir/_mlir_libs"
# What the kernels for sm_90a import; their packages import the whole library.
FLASHINFER_FILES = [
    "utils.py", "api_logging.py", "compilation_context.py", "version.py",
    "_build_meta.py", "jit/core.py", "jit/cpp_ext.py", "jit/env.py", "jit/spdlog.py",
    "jit/utils.py", "jit/_cuda_architecture.py", "gdn_kernels/delta_rule_dsl"]
FLASHINFER_PACKAGES = ["", "jit", "gdn_kernels"]

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


def compile_flashinfer(folder, nvcc, jobs):
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

        def compile_one(source):
            target = scratch / f"{source.stem}.o"
            subprocess.run([nvcc, *flags, "-c", source, "-o", target], check=True)
            return target

        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            objects = list(pool.map(compile_one, sources))
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([nvcc, "-shared", "-Xlinker=-z,lazy", *objects, "-lcuda", "-o",
                        folder / "gdn_prefill_sm90.so"], check=True)
    (folder / "gdn_prefill_sm90.version").write_text(f"{FLASHINFER}\n")


def pack(site, names, archive):
    """A .tar.xz of what is under these names in a folder."""
    filters = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 9}]
    with lzma.open(archive, "wb", filters=filters) as stream:
        with tarfile.open(fileobj=stream, mode="w") as file:
            for name in names:
                file.add(site / name, name)


def pack_flashinfer_cute(folder):
    """folder/flashinfer_cute.tar.xz and cute_compiler.tar.xz."""
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        download([f"flashinfer-python=={FLASHINFER_CUTE}", *CUTE], scratch / "wheels")
        wheels, site = scratch / "unpacked", scratch / "site"
        unzip((scratch / "wheels").glob("*.whl"), wheels)
        for name in FLASHINFER_FILES:
            source, target = wheels / "flashinfer" / name, site / "flashinfer" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
        for name in FLASHINFER_PACKAGES:
            (site / "flashinfer" / name / "__init__.py").touch()
        compiler = "nvidia_cutlass_dsl"
        for name in ("dsl_packages/cutlass", "cu13/lib"):
            shutil.copytree(wheels / compiler / name, site / compiler / name)
        large = [path.relative_to(site) for path in (site / CUTE_LIBRARY).glob("*.so")]
        pack(site, large, folder / "cute_compiler.tar.xz")
        for path in large:
            (site / path).unlink()
        pack(site, [path.name for path in site.iterdir()], folder / "flashinfer_cute.tar.xz")


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
        pack(site, [path.name for path in site.iterdir()], folder / "tilelang.tar.xz")


def gather(names, folder, nvcc, jobs):
    """Puts the files of `names` into a folder; an existing kernel is kept."""
    for name in names:
        download(WHEELS[name], folder)
    if "flash_qla" in names and not (folder / "tilelang.tar.xz").exists():
        pack_tilelang(folder)
    if "flashinfer_cute" in names and not (folder / "flashinfer_cute.tar.xz").exists():
        pack_flashinfer_cute(folder)
    if "flashinfer" in names and not (folder / "gdn_prefill_sm90.version").exists():
        compile_flashinfer(folder, nvcc, jobs)
