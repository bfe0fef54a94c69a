// Causal attention without softmax inside chunks of 64 tokens, o_t = sum_s (q_t . k_s) v_s over
// the tokens s <= t of t's chunk: two kernels in the exit dialect, written by hand, and the host
// function of the tile phase that launches them.

func.func @local(%q: memref<?x?x4x64xbf16> {delta.name = "q"}, %k: memref<?x?x4x64xbf16> {delta.name = "k"},
                 %v: memref<?x?x4x64xbf16> {delta.name = "v"}, %o: memref<?x?x4x64xbf16> {delta.name = "o", delta.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %B = memref.dim %q, %c0 : memref<?x?x4x64xbf16>
  %T = memref.dim %q, %c1 : memref<?x?x4x64xbf16>
  %nc = arith.ceildivui %T, %c64 : index
  %P = memref.alloc(%B, %nc) {delta.name = "P"} : memref<?x?x4x64x64xbf16>
  tile.launch @local_prepare grid(%c4, %nc, %B) args(%q, %k, %P, %T : memref<?x?x4x64xbf16>, memref<?x?x4x64xbf16>, memref<?x?x4x64x64xbf16>, index)
  tile.launch @local_apply grid(%c4, %nc, %B) args(%P, %v, %o, %T : memref<?x?x4x64x64xbf16>, memref<?x?x4x64xbf16>, memref<?x?x4x64xbf16>, index)
  return
}

cuda.kernel @local_prepare(%q: !cuda.pointer<bf16, const> {cuda.name = "q"}, %q_batch_stride: index {cuda.name = "q_batch_stride"}, %k: !cuda.pointer<bf16, const> {cuda.name = "k"}, %k_batch_stride: index {cuda.name = "k_batch_stride"}, %P: !cuda.pointer<bf16> {cuda.name = "P"}, %P_batch_stride: index {cuda.name = "P_batch_stride"}, %T: index {cuda.name = "T"}, %chunks: index {cuda.name = "chunks"})
    attributes {threads = 128 : i64, shared_bytes = 24576 : i64, grid = array<i64: 4, -1, -1>,
      includes = ["delta/Device/Copy.cuh", "delta/Device/Global.cuh", "delta/Device/Mma.cuh", "delta/Device/SharedAccess.cuh"],
      doc = "Grid: head, chunk, batch. P = lower(Q K^T) of a chunk and head."} {
  %x = cuda.builtin "blockIdx.x" : ui32
  %block = cuda.cast %x {name = "block"} : ui32 to index
  %c4 = cuda.literal 4 : index
  %c64 = cuda.literal 64 : index
  %c256 = cuda.literal 256 : index
  %c4096 = cuda.literal 4096 : index
  %h = cuda.binary rem %block, %c4 {name = "h"} : index, index -> index
  %rest = cuda.binary div %block, %c4 : index, index -> index
  %c = cuda.binary rem %rest, %chunks {name = "c"} : index, index -> index
  %rest1 = cuda.binary div %block, %c4 : index, index -> index
  %b = cuda.binary div %rest1, %chunks {name = "b"} : index, index -> index
  %t0 = cuda.binary mul %c, %c64 {name = "t0"} : index, index -> index
  %left = cuda.binary sub %T, %t0 {name = "left"} : index, index -> index
  %base = cuda.call "shared_base"() {name = "base"} : () -> !cuda.opaque<"SharedBase">
  %q0 = cuda.binary mul %b, %q_batch_stride : index, index -> index
  %q1 = cuda.binary mul %t0, %c256 : index, index -> index
  %q2 = cuda.binary mul %h, %c64 : index, index -> index
  %q3 = cuda.binary add %q0, %q1 : index, index -> index
  %q4 = cuda.binary add %q3, %q2 : index, index -> index
  %q_rows = cuda.binary add %q, %q4 {name = "q_rows"} : !cuda.pointer<bf16, const>, index -> !cuda.pointer<bf16, const>
  %k0 = cuda.binary mul %b, %k_batch_stride : index, index -> index
  %k1 = cuda.binary mul %t0, %c256 : index, index -> index
  %k2 = cuda.binary mul %h, %c64 : index, index -> index
  %k3 = cuda.binary add %k0, %k1 : index, index -> index
  %k4 = cuda.binary add %k3, %k2 : index, index -> index
  %k_rows = cuda.binary add %k, %k4 {name = "k_rows"} : !cuda.pointer<bf16, const>, index -> !cuda.pointer<bf16, const>
  %P0 = cuda.binary mul %b, %P_batch_stride : index, index -> index
  %P1 = cuda.binary mul %c, %c4 : index, index -> index
  %P2 = cuda.binary add %P1, %h : index, index -> index
  %P3 = cuda.binary mul %P2, %c4096 : index, index -> index
  %P4 = cuda.binary add %P0, %P3 : index, index -> index
  %P_tile = cuda.binary add %P, %P4 {name = "P_tile"} : !cuda.pointer<bf16>, index -> !cuda.pointer<bf16>
  %Q_offset = cuda.literal {name = "Q_offset"} 0 : ui32
  %Q_shared = cuda.call "SharedTile"<[bf16, 64, 64]>(%base, %Q_offset) {name = "Q_shared"} : (!cuda.opaque<"SharedBase">, ui32) -> !cuda.opaque<"SharedTile<bf16, 64, 64>">
  %K_offset = cuda.literal {name = "K_offset"} 8192 : ui32
  %K_shared = cuda.call "SharedTile"<[bf16, 64, 64]>(%base, %K_offset) {name = "K_shared"} : (!cuda.opaque<"SharedBase">, ui32) -> !cuda.opaque<"SharedTile<bf16, 64, 64>">
  %P_offset = cuda.literal {name = "P_offset"} 16384 : ui32
  %P_shared = cuda.call "SharedTile"<[bf16, 64, 64]>(%base, %P_offset) {name = "P_shared"} : (!cuda.opaque<"SharedBase">, ui32) -> !cuda.opaque<"SharedTile<bf16, 64, 64>">
  cuda.comment "Rows past the end are zero."
  cuda.call "copy_async"<[128]>(%Q_shared, %q_rows, %c256, %left) : (!cuda.opaque<"SharedTile<bf16, 64, 64>">, !cuda.pointer<bf16, const>, index, index) -> ()
  cuda.call "copy_async"<[128]>(%K_shared, %k_rows, %c256, %left) : (!cuda.opaque<"SharedTile<bf16, 64, 64>">, !cuda.pointer<bf16, const>, index, index) -> ()
  cuda.call "copy_commit"() : () -> ()
  cuda.call "copy_wait"<[0]>() : () -> ()
  cuda.call "cta_sync"() : () -> ()
  %zero = cuda.literal 0.0 : f32
  %none = cuda.call "fill"<[!cuda.opaque<"Fragment<float, 64, 64, 4>">]>(%zero) {name = "zero"} : (f32) -> !cuda.opaque<"Fragment<float, 64, 64, 4>">
  cuda.comment "P = lower(Q K^T)"
  %Q = cuda.call "read"<[!cuda.opaque<"Fragment<bf16, 64, 64, 4>">]>(%Q_shared) {name = "Q"} : (!cuda.opaque<"SharedTile<bf16, 64, 64>">) -> !cuda.opaque<"Fragment<bf16, 64, 64, 4>">
  %QK = cuda.call "dot_nt"(%Q, %K_shared, %none) {name = "QK"} : (!cuda.opaque<"Fragment<bf16, 64, 64, 4>">, !cuda.opaque<"SharedTile<bf16, 64, 64>">, !cuda.opaque<"Fragment<float, 64, 64, 4>">) -> !cuda.opaque<"Fragment<float, 64, 64, 4>">
  %lower = cuda.call "mask"<["Part::Lower", 1, 1]>(%QK) {name = "P_f32"} : (!cuda.opaque<"Fragment<float, 64, 64, 4>">) -> !cuda.opaque<"Fragment<float, 64, 64, 4>">
  %P16 = cuda.call "convert"<[bf16]>(%lower) {name = "P_bf16"} : (!cuda.opaque<"Fragment<float, 64, 64, 4>">) -> !cuda.opaque<"Fragment<bf16, 64, 64, 4>">
  cuda.call "write"(%P16, %P_shared) : (!cuda.opaque<"Fragment<bf16, 64, 64, 4>">, !cuda.opaque<"SharedTile<bf16, 64, 64>">) -> ()
  cuda.call "cta_sync"() : () -> ()
  cuda.call "store_tile"<[128]>(%P_shared, %P_tile, %c64, %c64) : (!cuda.opaque<"SharedTile<bf16, 64, 64>">, !cuda.pointer<bf16>, index, index) -> ()
}

cuda.kernel @local_apply(%P: !cuda.pointer<bf16, const> {cuda.name = "P"}, %P_batch_stride: index {cuda.name = "P_batch_stride"}, %v: !cuda.pointer<bf16, const> {cuda.name = "v"}, %v_batch_stride: index {cuda.name = "v_batch_stride"}, %o: !cuda.pointer<bf16> {cuda.name = "o"}, %o_batch_stride: index {cuda.name = "o_batch_stride"}, %T: index {cuda.name = "T"}, %chunks: index {cuda.name = "chunks"})
    attributes {threads = 128 : i64, shared_bytes = 65536 : i64, grid = array<i64: 4, -1, -1>,
      includes = ["delta/Device/Copy.cuh", "delta/Device/Global.cuh", "delta/Device/Mma.cuh", "delta/Device/SharedAccess.cuh"],
      doc = "Grid: head, chunk, batch. O = P V of a chunk and head."} {
  %x = cuda.builtin "blockIdx.x" : ui32
  %block = cuda.cast %x {name = "block"} : ui32 to index
  %c4 = cuda.literal 4 : index
  %c64 = cuda.literal 64 : index
  %c256 = cuda.literal 256 : index
  %c4096 = cuda.literal 4096 : index
  %h = cuda.binary rem %block, %c4 {name = "h"} : index, index -> index
  %rest = cuda.binary div %block, %c4 : index, index -> index
  %c = cuda.binary rem %rest, %chunks {name = "c"} : index, index -> index
  %rest1 = cuda.binary div %block, %c4 : index, index -> index
  %b = cuda.binary div %rest1, %chunks {name = "b"} : index, index -> index
  %t0 = cuda.binary mul %c, %c64 {name = "t0"} : index, index -> index
  %left = cuda.binary sub %T, %t0 {name = "left"} : index, index -> index
  %base = cuda.call "shared_base"() {name = "base"} : () -> !cuda.opaque<"SharedBase">
  %v0 = cuda.binary mul %b, %v_batch_stride : index, index -> index
  %v1 = cuda.binary mul %t0, %c256 : index, index -> index
  %v2 = cuda.binary mul %h, %c64 : index, index -> index
  %v3 = cuda.binary add %v0, %v1 : index, index -> index
  %v4 = cuda.binary add %v3, %v2 : index, index -> index
  %v_rows = cuda.binary add %v, %v4 {name = "v_rows"} : !cuda.pointer<bf16, const>, index -> !cuda.pointer<bf16, const>
  %o0 = cuda.binary mul %b, %o_batch_stride : index, index -> index
  %o1 = cuda.binary mul %t0, %c256 : index, index -> index
  %o2 = cuda.binary mul %h, %c64 : index, index -> index
  %o3 = cuda.binary add %o0, %o1 : index, index -> index
  %o4 = cuda.binary add %o3, %o2 : index, index -> index
  %o_rows = cuda.binary add %o, %o4 {name = "o_rows"} : !cuda.pointer<bf16>, index -> !cuda.pointer<bf16>
  %P0 = cuda.binary mul %b, %P_batch_stride : index, index -> index
  %P1 = cuda.binary mul %c, %c4 : index, index -> index
  %P2 = cuda.binary add %P1, %h : index, index -> index
  %P3 = cuda.binary mul %P2, %c4096 : index, index -> index
  %P4 = cuda.binary add %P0, %P3 : index, index -> index
  %P_tile = cuda.binary add %P, %P4 {name = "P_tile"} : !cuda.pointer<bf16, const>, index -> !cuda.pointer<bf16, const>
  %P_offset = cuda.literal {name = "P_offset"} 0 : ui32
  %P_shared = cuda.call "SharedTile"<[bf16, 64, 64]>(%base, %P_offset) {name = "P_shared"} : (!cuda.opaque<"SharedBase">, ui32) -> !cuda.opaque<"SharedTile<bf16, 64, 64>">
  %V_offset = cuda.literal {name = "V_offset"} 8192 : ui32
  %V_shared = cuda.call "SharedTile"<[bf16, 64, 64]>(%base, %V_offset) {name = "V_shared"} : (!cuda.opaque<"SharedBase">, ui32) -> !cuda.opaque<"SharedTile<bf16, 64, 64>">
  %O_offset = cuda.literal {name = "O_offset"} 16384 : ui32
  %O_shared = cuda.call "SharedTile"<[bf16, 64, 64]>(%base, %O_offset) {name = "O_shared"} : (!cuda.opaque<"SharedBase">, ui32) -> !cuda.opaque<"SharedTile<bf16, 64, 64>">
  cuda.call "copy_async"<[128]>(%P_shared, %P_tile, %c64, %c64) : (!cuda.opaque<"SharedTile<bf16, 64, 64>">, !cuda.pointer<bf16, const>, index, index) -> ()
  cuda.call "copy_async"<[128]>(%V_shared, %v_rows, %c256, %left) : (!cuda.opaque<"SharedTile<bf16, 64, 64>">, !cuda.pointer<bf16, const>, index, index) -> ()
  cuda.call "copy_commit"() : () -> ()
  cuda.call "copy_wait"<[0]>() : () -> ()
  cuda.call "cta_sync"() : () -> ()
  %zero = cuda.literal 0.0 : f32
  %none = cuda.call "fill"<[!cuda.opaque<"Fragment<float, 64, 64, 4>">]>(%zero) {name = "zero"} : (f32) -> !cuda.opaque<"Fragment<float, 64, 64, 4>">
  cuda.comment "O = P V"
  %P16 = cuda.call "read"<[!cuda.opaque<"Fragment<bf16, 64, 64, 4>">]>(%P_shared) {name = "P_bf16"} : (!cuda.opaque<"SharedTile<bf16, 64, 64>">) -> !cuda.opaque<"Fragment<bf16, 64, 64, 4>">
  %O = cuda.call "dot_nn"(%P16, %V_shared, %none) {name = "O"} : (!cuda.opaque<"Fragment<bf16, 64, 64, 4>">, !cuda.opaque<"SharedTile<bf16, 64, 64>">, !cuda.opaque<"Fragment<float, 64, 64, 4>">) -> !cuda.opaque<"Fragment<float, 64, 64, 4>">
  %O16 = cuda.call "convert"<[bf16]>(%O) {name = "O_bf16"} : (!cuda.opaque<"Fragment<float, 64, 64, 4>">) -> !cuda.opaque<"Fragment<bf16, 64, 64, 4>">
  cuda.call "write"(%O16, %O_shared) : (!cuda.opaque<"Fragment<bf16, 64, 64, 4>">, !cuda.opaque<"SharedTile<bf16, 64, 64>">) -> ()
  cuda.call "cta_sync"() : () -> ()
  cuda.call "store_tile"<[128]>(%O_shared, %o_rows, %c256, %left) : (!cuda.opaque<"SharedTile<bf16, 64, 64>">, !cuda.pointer<bf16>, index, index) -> ()
}
