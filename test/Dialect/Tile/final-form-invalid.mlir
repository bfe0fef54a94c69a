// RUN: delta-opt %s --split-input-file --verify-diagnostics

// Violations that the verifier of one op, attribute or type of the final form reports.

func.func @alloc_space() {
  // expected-error @below {{'tile.alloc' op shared buffer: expected the space #tile.smem, got 'memref<64x64xbf16>'}}
  %b = tile.alloc : memref<64x64xbf16>
  return
}

// -----

func.func @alloc_dynamic() {
  // expected-error @below {{'tile.alloc' op shared buffer: expected a static shape of rank 1 to 3, got 'memref<?x64xbf16, #tile.smem<128>>'}}
  %b = tile.alloc : memref<?x64xbf16, #tile.smem<128>>
  return
}

// -----

func.func @alloc_swizzled_f32() {
  // expected-error @below {{'tile.alloc' op shared buffer: expected matrices of 16-bit elements with a swizzle, got}}
  %b = tile.alloc : memref<64x64xf32, #tile.smem<128>>
  return
}

// -----

func.func @alloc_rows() {
  // expected-error @below {{'tile.alloc' op shared buffer: expected rows of a multiple of 128 bytes, got}}
  %b = tile.alloc : memref<64x32xbf16, #tile.smem<128>>
  return
}

// -----

func.func @alloc_offset() {
  // expected-error @below {{'tile.alloc' op offset: expected a multiple of 1024 bytes, got 512}}
  %b = tile.alloc {offset = 512 : i64} : memref<64x64xbf16, #tile.smem<128>>
  return
}

// -----

func.func @copy_space(%x: memref<64x64xbf16>, %i: index) {
  // expected-error @below {{'tile.copy' op shared: expected a buffer in #tile.smem, got 'memref<64x64xbf16>'}}
  %f = tile.copy tma %x[%i, %i], %x {dims = array<i64: 0, 1>} : memref<64x64xbf16>, memref<64x64xbf16>
  return
}

// -----

func.func @copy_direction(%x: memref<64x64xbf16>, %i: index) {
  %b = tile.alloc : memref<64x64xbf16, #tile.smem<128>>
  // expected-error @below {{'tile.copy' op engine: expected bulk or tma to global memory, got cp_async}}
  %f = tile.copy cp_async %x[%i, %i], %b {dims = array<i64: 0, 1>, to_global} : memref<64x64xbf16>, memref<64x64xbf16, #tile.smem<128>>
  return
}

// -----

func.func @copy_multicast(%x: memref<64x64xbf16>, %i: index) {
  %b = tile.alloc : memref<64x64xbf16, #tile.smem<128>>
  // expected-error @below {{'tile.copy' op multicast: expected a tma copy into shared memory}}
  %f = tile.copy bulk %x[%i, %i], %b {dims = array<i64: 0, 1>, multicast} : memref<64x64xbf16>, memref<64x64xbf16, #tile.smem<128>>
  return
}

// -----

func.func @read_shape() {
  %b = tile.alloc : memref<32x64xbf16, #tile.smem<128>>
  // expected-error @below {{'tile.read' op tile: expected shape [64, 32], got [32, 64]}}
  %x = tile.read %b {transpose} : memref<32x64xbf16, #tile.smem<128>> -> tensor<32x64xbf16>
  return
}

// -----

func.func @write_rounds_nothing(%x: tensor<32x64xf32>) {
  %b = tile.alloc : memref<32x64xbf16, #tile.smem<128>>
  // expected-error @below {{'tile.write' op tile: expected elements of 'bf16', got 'f32'}}
  tile.write %x, %b : tensor<32x64xf32>, memref<32x64xbf16, #tile.smem<128>>
  return
}

// -----

func.func @barrier_id() {
  // expected-error @below {{'tile.barrier' op id: expected 0 to 15, got 16}}
  tile.barrier {id = 16 : i64}
  return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
func.func @dot_start_range(%a: !a, %b: !b) {
  // expected-error @below {{'tile.dot_start' op k: expected a range [k0, k1) within [0, 64), got [32, 96]}}
  %p = tile.dot_start wgmma_rs %a, %b {contract = array<i64: 1, 1>, k = array<i64: 32, 96>} : !a, !b -> <tensor<64x64xf32>>
  return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
func.func @dot_start_accumulator(%a: !a, %b: !b) {
  // expected-error @below {{'tile.dot_start' op acc: expected 'tensor<64x64xf32>', possibly in flight, got 'tensor<64x64xbf16, #tile.frag<warps = 4>>'}}
  %p = tile.dot_start wgmma_rs %a, %b acc(%a : !a) {contract = array<i64: 1, 1>} : !a, !b -> <tensor<64x64xf32>>
  return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
func.func @V1_dot_start_shape(%a: !a, %b: !b) {
  // expected-error @below {{'tile.dot_start' op result: expected shape [64, 64], got [64, 32]}}
  %p = tile.dot_start wgmma_rs %a, %b {contract = array<i64: 1, 1>} : !a, !b -> <tensor<64x32xf32>>
  return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
// A product may not be used before its wait: its type is not a tensor.
func.func @use_before_await(%a: !a, %b: !b) {
  %p = tile.dot_start wgmma_rs %a, %b {contract = array<i64: 1, 1>} : !a, !b -> <tensor<64x64xf32>>
  // expected-error @below {{'arith.addf' op operand #0 must be floating-point-like, but got '!tile.async<tensor<64x64xf32>>'}}
  %q = "arith.addf"(%p, %p) : (!tile.async<tensor<64x64xf32>>, !tile.async<tensor<64x64xf32>>) -> !tile.async<tensor<64x64xf32>>
  return
}

// -----

func.func @await_values(%p: !tile.async<tensor<64x64xf32>>, %c: !tile.async<none>) {
  // expected-error @below {{'tile.await' op values: expected 1, one for each operand that carries a value, got 0}}
  tile.await %p, %c : !tile.async<tensor<64x64xf32>>, !tile.async<none>
  return
}

// -----

func.func @await_pending(%c: !tile.async<none>) {
  // expected-error @below {{'tile.await' op pending: expected at least 0, got -1}}
  tile.await %c {pending = -1 : i64} : !tile.async<none>
  return
}

// -----

func.func @acquire_buffers(%r: !tile.ring<2, [memref<64xf32, #tile.smem<0>>]>, %i: index) {
  // expected-error @below {{'tile.acquire' op buffers: expected those of the ring, 'memref<64xf32, #tile.smem<0>>', got 'memref<32xf32, #tile.smem<0>>'}}
  %s, %b = tile.acquire %r[%i] : <2, [memref<64xf32, #tile.smem<0>>]> -> memref<32xf32, #tile.smem<0>>
  return
}

// -----

func.func @offset_sign() {
  // expected-error @below {{'tile.alloc' op offset: expected a multiple of 16 bytes, got -16}}
  %b = tile.alloc {offset = -16 : i64} : memref<64xf32, #tile.smem<0>>
  return
}

// -----

func.func @ring_consumers() {
  // expected-error @below {{'tile.ring_create' op consumers: expected at least 1, got 0}}
  %r = tile.ring_create "in" mbarrier {consumers = 0 : i64} : <2, [memref<64xf32, #tile.smem<0>>]>
  return
}

// -----

tile.kernel @roles_regions(%i: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{'tile.roles' op bodies: expected one region for each of the 2 roles, got 1}}
  tile.roles [#tile.role<name = "a", warps = 2, registers = 24>, #tile.role<name = "b", warps = 2, registers = 24>] {
  ^bb0(%k: index):
  }
  tile.return
}

// -----

tile.kernel @roles_names(%i: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{'tile.roles' op roles: expected different names, got "a" twice}}
  tile.roles [#tile.role<name = "a", warps = 2, registers = 24>, #tile.role<name = "a", warps = 2, registers = 24>] {
  ^bb0(%k: index):
  }, {
  ^bb0(%k: index):
  }
  tile.return
}

// -----

func.func @roles_place() {
  // expected-error @below {{'tile.roles' op expected directly in a tile.kernel}}
  tile.roles [#tile.role<name = "a", warps = 2, registers = 24>] {
  ^bb0(%k: index):
  }
  return
}

// -----

func.func @solve_scratch_space(%x: tensor<64x64xf32>, %f: tensor<64xf32>,
                               %s: memref<64x64xf32, #tile.smem<0>>) {
  // expected-error @below {{'tile.tri_solve' op scratch: expected a swizzled buffer in #tile.smem, got 'memref<64x64xf32, #tile.smem<0>>'}}
  %y = tile.tri_solve %x, %f scratch(%s : memref<64x64xf32, #tile.smem<0>>) : tensor<64x64xf32>, tensor<64xf32>
  return
}

// -----

func.func @solve_scratch_shape(%x: tensor<64x64xf32>, %f: tensor<64xf32>,
                               %s: memref<64x128xbf16, #tile.smem<128>>) {
  // expected-error @below {{'tile.tri_solve' op scratch: expected shape [64, 64], got [64, 128]}}
  %y = tile.tri_solve %x, %f scratch(%s : memref<64x128xbf16, #tile.smem<128>>) : tensor<64x64xf32>, tensor<64xf32>
  return
}

// -----

func.func @scratch_space(%x: tensor<64x64xf32>, %s: memref<64x64xf32>) {
  // expected-error @below {{'tile.tri_inverse' op scratch: expected a buffer in #tile.smem, got 'memref<64x64xf32>'}}
  %y = tile.tri_inverse %x scratch(%s : memref<64x64xf32>) : tensor<64x64xf32>
  return
}

// -----

// expected-error @below {{warps: expected a power of two from 1 to 32, got 3}}
func.func private @frag_warps() attributes {a = #tile.frag<warps = 3>}

// -----

// expected-error @below {{slice axis: expected 0 or 1, got 2}}
func.func private @slice_axis() attributes {a = #tile.slice<axis = 2, #tile.frag<warps = 4>>}

// -----

// expected-error @below {{swizzle: expected 0, 32, 64 or 128 bytes, got 256}}
func.func private @smem_swizzle() attributes {a = #tile.smem<256>}

// -----

// expected-error @below {{role registers: expected a multiple of 8 from 24 to 240, got 30}}
func.func private @F8_role_registers() attributes {a = #tile.role<name = "a", warps = 1, registers = 30>}

// -----

// expected-error @below {{value in flight: expected a tensor or none, got 'f32'}}
func.func private @async_value(!tile.async<f32>)

// -----

// expected-error @below {{ring stages: expected at least 1, got 0}}
func.func private @ring_stages(!tile.ring<0, [memref<64xf32, #tile.smem<0>>]>)

// -----

// expected-error @below {{shared buffer: expected the space #tile.smem, got 'memref<64xf32>'}}
func.func private @F1_ring_buffers(!tile.ring<2, [memref<64xf32>]>)

// -----

func.func @copy_rows(%x: memref<64x64xbf16>, %i: index) {
  %b = tile.alloc : memref<32x64xbf16, #tile.smem<128>>
  // expected-error @below {{'tile.copy' op rows: expected at most the 32 rows of the shared buffer, got 33}}
  %f = tile.copy tma %x[%i, %i], %b {dims = array<i64: 0, 1>, rows = 33 : i64} : memref<64x64xbf16>, memref<32x64xbf16, #tile.smem<128>>
  return
}

// -----

func.func @copy_map_ends(%x: memref<64x64xbf16>, %i: index) {
  %b = tile.alloc : memref<64x64xbf16, #tile.smem<128>>
  // expected-error @below {{'tile.copy' op bound: expected none for a tma copy, which ends where its array does}}
  %f = tile.copy tma %x[%i, %i], %b bound(%i) {dims = array<i64: 0, 1>} : memref<64x64xbf16>, memref<64x64xbf16, #tile.smem<128>>
  return
}

// -----

// expected-error @below {{plan chains: expected 1 or 2 with split chains, got 3}}
tile.kernel @column_tiles(%i: index) attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, chains = 3, split = chains>} {
  tile.return
}
