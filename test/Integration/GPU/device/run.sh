#!/usr/bin/env bash
# Builds and runs every program of this folder with nvcc alone; for machines
# that have a GPU and no LLVM. Usage: run.sh [sm_80|sm_90a|..] [program ..]
# The architecture defaults to that of the first GPU; programs that require
# sm_90a are built for it, or left out on another GPU. Exits non-zero if any
# check fails. NVCC names the compiler, JOBS the number of builds at a time.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
include=$(cd "$here/../../../../include" && pwd)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
arch=native
if [[ ${1:-} == sm_* ]]; then
  arch=$1
  shift
fi
programs=("$@")
if [[ ${#programs[@]} == 0 ]]; then
  for source in "$here"/*.cu; do programs+=("$(basename "$source" .cu)"); done
fi
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

# The options of a program's architecture; nothing if it cannot run.
architecture_of() {
  if ! grep -q '^// REQUIRES:.*sm_90a' "$here/$1.cu"; then
    echo "-arch=$arch"
  elif [[ $(nvidia-smi --query-gpu=compute_cap --format=csv,noheader) == 9.0* ]]; then
    echo "-gencode=arch=compute_90a,code=sm_90a"
  fi
}

runnable=()
for program in "${programs[@]}"; do
  if [[ -n $(architecture_of "$program") ]]; then
    runnable+=("$program")
  else
    echo "$program needs an sm_90a GPU: left out"
  fi
done
programs=("${runnable[@]}")

echo "building ${#programs[@]} programs for $arch"
for program in "${programs[@]}"; do
  printf '%s %s\n' "$program" "$(architecture_of "$program")"
done | xargs -P "${JOBS:-$(nproc)}" -L 1 bash -c \
  '"$0" -std=c++17 "$4" -I "$1" "$2/$3.cu" -o "'"$build"'/$3"' \
  "$nvcc" "$include" "$here"

failed=()
for program in "${programs[@]}"; do
  echo "== $program"
  "$build/$program" || failed+=("$program")
done
if [[ ${#failed[@]} != 0 ]]; then
  echo "failed: ${failed[*]}"
  exit 1
fi
echo "all ${#programs[@]} programs passed"
