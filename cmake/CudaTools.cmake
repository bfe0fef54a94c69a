# Finds CUDA 13's compiler and disassemblers. All are optional: emitted CUDA
# text is tested without them.
#
#   DELTA_NVCC, DELTA_NVDISASM, DELTA_CUOBJDUMP
#
# scripts/install-deps puts the ones that a machine lacks into .venv, where
# NVIDIA's Python packages share the folder nvidia/cu13. Those come first: they
# are there because the machine's own are absent or of another version.
file(GLOB cuda_wheels "${CMAKE_CURRENT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu13/bin")
set(cuda_bin_hints ${cuda_wheels} "$ENV{CUDA_HOME}/bin" /usr/local/cuda/bin)

find_program(DELTA_NVCC nvcc HINTS ${cuda_bin_hints} DOC "CUDA 13's compiler")
find_program(DELTA_NVDISASM nvdisasm HINTS ${cuda_bin_hints} DOC "CUDA 13's cubin disassembler")
find_program(DELTA_CUOBJDUMP cuobjdump HINTS ${cuda_bin_hints} DOC "CUDA 13's object file dumper")
