#!/usr/bin/env bash
# ===- sanitize.sh - a bundle's kernels under compute-sanitizer -----------===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===---------------------------------------------------------------------===#
#
# Runs the launches of sanitize.plan under memcheck, racecheck, initcheck and
# synccheck. For racecheck the kernels are compiled again, with DELTA_RACECHECK
# (Barrier.cuh), and racecheck_control first checks the tool itself on rings: it
# must accept the correct order and find the wrong ones. Exits with 1 if a tool
# reports anything, or knows too little.
#
#   ./sanitize.sh       in the folder that scripts/gpu-bundle wrote
#
# Needs nvcc, compute-sanitizer and Python; NVCC, COMPUTE_SANITIZER and PYTHON may
# name them.
#
# ===---------------------------------------------------------------------===#

set -uo pipefail
cd "$(dirname "$0")" || exit 2
build=$(mktemp -d) || exit 2
trap 'rm -rf "$build"' EXIT
nvcc=${NVCC:-nvcc}
export build nvcc
# One option for each target, without blanks.
gencode=$("${PYTHON:-python3}" -c '
import json
for target in json.load(open("bundle.json"))["targets"]:
    print(f"-gencode=arch=compute_{target[3:]},code={target}")') || exit 2
export gencode

# The files of an artefact, each with an option for each of its targets.
list_sources() {
  "${PYTHON:-python3}" -c '
import json, sys
manifest = json.load(open(sys.argv[1]))
sources = {manifest["launcher"]: []}
sources |= {entry["source"]: entry["targets"] for entry in manifest["kernel_sets"]}
for source, targets in sources.items():
    print(source, *(f"-gencode=arch=compute_{target[3:]},code={target}" for target in targets))
' "$1"
}

# The library of a recurrence, for racecheck.
compile_for_racecheck() {
  local folder=artefacts/$1 source gencode objects=()
  mkdir -p "$build/$folder"
  while read -r source gencode; do
    # shellcheck disable=SC2086 # $gencode is several options
    "$nvcc" -std=c++17 -O3 -lineinfo -DDELTA_RACECHECK $gencode -c -Xcompiler -fPIC \
      "$folder/$source" -o "$build/$folder/$source.o" </dev/null || return
    objects+=("$build/$folder/$source.o")
  done < <(list_sources "$folder/$1.json")
  "$nvcc" -shared "${objects[@]}" -o "$build/$folder/lib$1.so"
}
export -f list_sources compile_for_racecheck

compile() {
  "$nvcc" -std=c++17 -x cu launch_plan.cpp -ldl -o "$build/launch_plan" &&
    awk '$1 == "case" { print $4 }' sanitize.plan | sort -u |
    xargs -P "$(nproc)" -I '{}' bash -c 'compile_for_racecheck "$0"' '{}'
}

tool() { "${COMPUTE_SANITIZER:-compute-sanitizer}" --tool "$1" --error-exitcode 99 "${@:2}"; }

# Rings are for sm_90 and later.
control_racecheck() {
  local fill order status good=0
  # shellcheck disable=SC2086
  "$nvcc" -std=c++17 -DDELTA_RACECHECK -I include $gencode racecheck_control.cu \
    -o "$build/racecheck_control" || return
  for fill in copies stores; do
    for order in right early_release late_peek; do
      tool racecheck "$build/racecheck_control" $order $fill >"$build/log" 2>&1
      status=$?
      if [[ $status != $([[ $order == right ]] && echo 0 || echo 99) ]]; then
        cat "$build/log"
        echo "racecheck_control $order $fill: racecheck exits with $status"
        good=1
      fi
    done
  done
  return "$good"
}

compile || exit
failed=0
if [[ $gencode == *sm_90a* ]]; then
  echo "== racecheck_control"
  control_racecheck || {
    echo "racecheck_control: FAILED"
    failed=1
  }
fi
for name in memcheck racecheck initcheck synccheck; do
  echo "== $name"
  artefacts=.
  [[ $name == racecheck ]] && artefacts=$build
  tool "$name" "$build/launch_plan" "$artefacts" sanitize.plan || {
    echo "$name: FAILED"
    failed=1
  }
done
exit "$failed"
