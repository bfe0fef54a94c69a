#!/usr/bin/env bash
# Builds and runs every program of this folder with nvcc alone; for machines
# that have a GPU and no LLVM. Usage: run.sh [sm_80|sm_90a|..] [program ..]
# The architecture defaults to that of the first GPU. Exits non-zero if any
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

echo "building ${#programs[@]} programs for $arch"
printf '%s\n' "${programs[@]}" | xargs -P "${JOBS:-$(nproc)}" -I {} \
  "$nvcc" -std=c++17 -arch="$arch" -I "$include" "$here/{}.cu" -o "$build/{}"

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
