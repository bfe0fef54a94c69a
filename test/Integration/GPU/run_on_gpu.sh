#!/usr/bin/env bash
# ===- run_on_gpu.sh - tests and benchmark of a bundle --------------------===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===---------------------------------------------------------------------===#
#
# Lies in the folder that scripts/gpu-bundle wrote. Runs parts, in this order,
# writes logs and JSON into $OUT (./out), prints a table last, and exits with
# non-zero if a part failed. A part that fails does not stop the next one.
#
#   ./run_on_gpu.sh [PART ..] [GROUP ..]      all parts by default
#     device     names of the GPU, its driver and the compiler
#     tests      run_tests.py: numbers, isolation, launches
#     quick      in place of tests: the quick cases only
#     sanitize   sanitize.sh: compute-sanitizer on small launches
#     bench      the benchmark, beside the libraries that are in the bundle; the
#                groups of shapes.toml that are named, or all
#
# ===---------------------------------------------------------------------===#

set -uo pipefail
cd "$(dirname "$0")" || exit 2
out=${OUT:-out}
python=${PYTHON:-python3}
export PATH="$PATH:/usr/local/cuda/bin"
export PYTHONDONTWRITEBYTECODE=1

parts=()
groups=()
for word in "$@"; do
  case $word in
  device | tests | quick | sanitize | bench) parts+=("$word") ;;
  linear | long | deltaformer) groups+=("$word") ;;
  *)
    echo "run_on_gpu: error: unknown part '$word'," \
      "expected device, tests, quick, sanitize or bench, or a group of bench:" \
      "linear, long or deltaformer" >&2
    exit 2
    ;;
  esac
done
[[ ${#parts[@]} -gt 0 || ${#groups[@]} -eq 0 ]] || parts=(bench)
[[ ${#parts[@]} -gt 0 ]] || parts=(device tests sanitize bench)

part_device() {
  cat bundle.json
  nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,memory.total,power.limit \
    --format=csv || return
  nvcc --version | tail -n 2
  "$python" -c 'import torch; print("PyTorch", torch.__version__, "CUDA", torch.version.cuda)'
}

part_tests() { "$python" run_tests.py --json "$out/tests.json"; }
part_quick() { "$python" run_tests.py --quick --json "$out/tests.json"; }
part_sanitize() { ./sanitize.sh; }

part_bench() {
  "$python" benchmark/run.py "${groups[@]}" --json "$out/benchmark.json"
}

mkdir -p "$out"
status=0
table=()
for part in "${parts[@]}"; do
  echo "==== $part"
  begin=$SECONDS
  verdict=ok
  "part_$part" 2>&1 | tee "$out/$part.log" || {
    verdict=FAILED
    status=1
  }
  # The closing line of the tests and of the benchmark says how many passed.
  table+=("$(printf '%-9s %-7s %4d s  %s' "$part" "$verdict" $((SECONDS - begin)) \
    "$(tail -n 1 "$out/$part.log")")")
done
echo
printf '%s\n' "${table[@]}"
exit "$status"
