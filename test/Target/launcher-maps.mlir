// RUN: delta-opt %s --emit=cuda -o %t
// RUN: FileCheck %s --input-file=%t/split.cu
// RUN: FileCheck %s --input-file=%t/split.json --check-prefix=JSON

// Tensor maps, launches that overlap, and what is launched under a condition.

func.func @split(%q: memref<?x?x4x64xbf16> {delta.name = "q"}, %o: memref<?x?x4x64xbf16> {delta.name = "o", delta.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %B = memref.dim %q, %c0 : memref<?x?x4x64xbf16>
  %T = memref.dim %q, %c1 : memref<?x?x4x64xbf16>
  %few = arith.cmpi ult, %B, %c8 : index loc("few")
  %parts = scf.if %few -> index {
    scf.yield %c2 : index
  } else {
    scf.yield %c1 : index
  } loc("parts")
  scf.if %few {
    %W = memref.alloc(%B, %parts) {delta.name = "W"} : memref<?x?x64x64xbf16>
    tile.launch @split_make grid(%parts, %B) args(%q, %W : memref<?x?x4x64xbf16>, memref<?x?x64x64xbf16>)
    tile.launch @split_use grid(%B) args(%q, %W, %o, %T : memref<?x?x4x64xbf16>, memref<?x?x64x64xbf16>, memref<?x?x4x64xbf16>, index) {overlap}
  } else {
    tile.launch @split_plain grid(%B) args(%q, %o : memref<?x?x4x64xbf16>, memref<?x?x4x64xbf16>)
  }
  return
}

// A map behind the pointer, and in its place.
// CHECK: split_make(const bf16 *q, int64_t q_batch_stride, const __grid_constant__ CUtensorMap q_map,
// CHECK-NEXT: bf16 *W, int64_t W_batch_stride, int64_t parts_count)
cuda.kernel @split_make(%q: !cuda.pointer<bf16, const> {cuda.name = "q"}, %qs: index {cuda.name = "q_batch_stride"},
    %qm: !cuda.opaque<"CUtensorMap"> {cuda.name = "q_map", cuda.tensor_map = #cuda.tensor_map<input = 0, box = [64, 1, 64, 1]>},
    %W: !cuda.pointer<bf16> {cuda.name = "W"}, %Ws: index {cuda.name = "W_batch_stride"}, %n: index {cuda.name = "parts_count"})
    attributes {threads = 192 : i64, capability = 90 : i64, grid = array<i64: -1, -1>, includes = ["delta/Device/Sm90a.cuh"]} {
}
// CHECK: split_use(const __grid_constant__ CUtensorMap q_map,
// CHECK-SAME: const __grid_constant__ CUtensorMap W_map,
cuda.kernel @split_use(%qm: !cuda.opaque<"CUtensorMap"> {cuda.name = "q_map", cuda.tensor_map = #cuda.tensor_map<input = 0, box = [64, 1, 64, 1]>},
    %Wm: !cuda.opaque<"CUtensorMap"> {cuda.name = "W_map", cuda.tensor_map = #cuda.tensor_map<input = 1, box = [64, 64, 1, 1]>},
    %o: !cuda.pointer<bf16> {cuda.name = "o"}, %os: index {cuda.name = "o_batch_stride"}, %T: index {cuda.name = "T"})
    attributes {threads = 192 : i64, capability = 90 : i64, grid = array<i64: -1>, includes = ["delta/Device/Sm90a.cuh"]} {
}
cuda.kernel @split_plain(%q: !cuda.pointer<bf16, const> {cuda.name = "q"}, %qs: index {cuda.name = "q_batch_stride"},
    %o: !cuda.pointer<bf16> {cuda.name = "o"}, %os: index {cuda.name = "o_batch_stride"})
    attributes {threads = 128 : i64, grid = array<i64: -1>, includes = ["delta/Device/Sm80.cuh"]} {
}

// Sizes are computed without branches; what is not reached takes no bytes and has no block.
// CHECK-LABEL: size_t split_workspace_size(
// CHECK: const bool few = batch < 8;
// CHECK-NEXT: const int64_t parts = few ? 2 : 1;
// CHECK-NEXT: const int64_t W_bytes = few ? batch * parts * 8192 : 0;
// CHECK-LABEL: int split_launch(
// CHECK: const int64_t make_blocks = few ? parts * batch : 0;
// CHECK: const int64_t plain_blocks = few ? 0 : batch;

// One map for each array and box, innermost axis first.
// CHECK: int64_t q_extents[4] = {64, 4, length, batch};
// CHECK-NEXT: int64_t q_steps[4] = {1, 64, 256, length * 256};
// CHECK-NEXT: CUtensorMap q_map = {};
// CHECK-NEXT: const cudaError_t q_map_error = make_tensor_map(&q_map, q, q_extents, q_steps, 64, 64, 2);
// CHECK-NEXT: if (q_map_error != cudaSuccess)
// CHECK-NEXT: return cuda_status(q_map_error);
// CHECK-NOT: &q_map,
// CHECK: make_tensor_map(&W_map, W, W_extents, W_steps, 64, 64, 1);

// A launch overlaps the one before it in this call, not what was there before.
// CHECK: bool launched = false;
// CHECK: cudaLaunchKernelEx(&make_config, split_make, q, length * 256,
// CHECK-NEXT: q_map, W, parts * 4096, parts);
// CHECK: launched = true;
// CHECK: cudaLaunchAttribute use_overlap = overlap_attribute();
// CHECK-NEXT: cudaLaunchConfig_t use_config =
// CHECK-NEXT: stream, &use_overlap, uint32_t(launched)};
// CHECK: cudaLaunchKernelEx(&use_config, split_use, q_map, W_map, o, length * 256, length);
// CHECK-NOT: launched = true;

// What has a name in the program has it in the manifest, and is defined there.
// JSON:      "definitions": [
// JSON-NEXT:   {
// JSON-NEXT:     "name": "few",
// JSON-NEXT:     "value": "(batch < 8)"
// JSON-NEXT:   }
// JSON-NEXT: ],
// JSON:      "launches": [
// JSON:        "kernel": "split_make",
// JSON-NEXT:   "grid": [
// JSON-NEXT:     "select(few, 2, 1) * batch",
// JSON:        "condition": "few",
// JSON-NEXT:   "overlap": false
// JSON:        "kernel": "split_use",
// JSON:        "overlap": true
// JSON:        "kernel": "split_plain",
// JSON:        "condition": "not few",
