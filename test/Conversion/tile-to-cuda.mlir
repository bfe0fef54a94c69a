// RUN: delta-opt %s --convert-tile-to-cuda --split-input-file --verify-diagnostics | FileCheck %s

!wide = tensor<64x128xf32, #tile.frag<warps = 4>>
!half = tensor<64x128xbf16, #tile.frag<warps = 4>>
!square = tensor<64x64xf32, #tile.frag<warps = 4>>
!row = tensor<64xf32, #tile.slice<axis = 0, <warps = 4>>>
!column = tensor<64xf32, #tile.slice<axis = 1, <warps = 4>>>
!flat = tensor<64xf32, #tile.flat<warps = 4>>
!key = memref<64x128xbf16, #tile.smem<128>>
!vector = memref<64xf32, #tile.smem<0>>

// Parameters: pointers with their dynamic strides, values, and the extents that no
// launch gives as a constant, the last one left out.

// CHECK-LABEL: cuda.kernel @products
// CHECK-SAME: !cuda.pointer<bf16, const> {cuda.name = "k"}, %{{.*}}: index {cuda.name = "k_batch_stride"}
// CHECK-SAME: !cuda.pointer<f32> {cuda.name = "s"}
// CHECK-SAME: index {cuda.name = "length"}
// CHECK-SAME: index {cuda.name = "chunk_count"}
// CHECK-SAME: threads = 128
// CHECK: %[[BASE:.*]] = cuda.call "shared_base"()

// Indices out of one launch axis: 2 heads, chunks that the launch counts, batches.
// CHECK: %[[X:.*]] = cuda.builtin "blockIdx.x" : ui32
// CHECK: %[[TWO:.*]] = cuda.literal 2 : ui32
// CHECK: cuda.binary rem %[[X]], %[[TWO]]
// CHECK: cuda.cast {{.*}} {name = "head"} : ui32 to index
// CHECK: cuda.binary div
// CHECK: cuda.binary rem
// CHECK: cuda.cast {{.*}} {name = "chunk"} : ui32 to index
// CHECK: cuda.binary div
// CHECK: cuda.binary div
// CHECK-NOT: cuda.binary rem
// CHECK: cuda.cast {{.*}} {name = "batch"} : ui32 to index

// CHECK: cuda.call "SharedTile<bf16, 64, 128>"(%[[BASE]], %{{.*}}) {name = "K_tile", pure}
// CHECK: cuda.call "SharedVector<float, 64>"(%[[BASE]], %{{.*}}) {name = "G_vector", pure}

// A pointer and an offset; literals are folded, zeros left out.
// CHECK: cuda.binary mul %batch, %k_batch_stride
// CHECK-NEXT: %[[OFFSET:.*]] = cuda.binary mul %head, %{{.*}}
// CHECK-NEXT: cuda.binary add %{{.*}}, %[[OFFSET]]
// CHECK: %[[FROM:.*]] = cuda.binary add %k, %{{.*}} :
// CHECK: cuda.call "copy_async"<[128]>(%[[K:.*]], %[[FROM]], %{{.*}}, %length)
// CHECK-NEXT: cuda.call "copy_commit"()
// CHECK-NEXT: cuda.call "copy_wait"<[0]>()
// CHECK-NEXT: cuda.call "cta_sync"()
// CHECK: %[[A:.*]] = cuda.call "read"<[!cuda.opaque<"Fragment<bf16, 64, 128, 4>">]>(%[[K]]) {name = "A"}
// CHECK: cuda.comment "KK_product = A K^T, K lower"
// CHECK: %[[KK:.*]] = cuda.call "dot_nt"<["Part::Lower", 1, 2]>(%[[A]], %[[K]]) {name = "KK_product"}
// CHECK: cuda.call "mask"<["Part::StrictLower"]>(%[[KK]]) {name = "KK", pure}
// CHECK: cuda.call "load_flat"<[64]>
// CHECK: cuda.call "load_flat_steps"<[64, 2]>
// CHECK: %[[G:.*]] = cuda.call "prefix_sum"
// CHECK: cuda.call "write"(%[[G]], %{{.*}})
// CHECK: %[[R:.*]] = cuda.call "read_row_slice"<[64, 4]>
// CHECK: %[[C:.*]] = cuda.call "read_column_slice"(
// CHECK-DAG: cuda.call "spread_rows"<[64]>(%[[R]])
// CHECK-DAG: cuda.call "spread_columns"<[64, 4]>(%[[C]])
// CHECK-DAG: cuda.call "element"
// CHECK-DAG: cuda.call "delta::exp"

// A tile of equal numbers becomes a scalar if the library function takes one.
// CHECK-DAG: %[[GAP:.*]] = cuda.binary sub
// CHECK: cuda.call "min"(%[[GAP]], %{{.*}}) {{{.*}}pure} : (!cuda.opaque<"Fragment<float, 64, 64, 4>">, f32)
// CHECK: cuda.call "exp"
// CHECK: cuda.call "convert"<[bf16]>
// CHECK: cuda.call "triangular_inverse"<["InversePrecision::F32"]>
// CHECK: cuda.call "triangular_inverse_transposed"<["InversePrecision::TF32"]>
// CHECK: cuda.call "reduce_add_rows"
// CHECK: cuda.call "rsqrt"
// CHECK: cuda.call "log"
// CHECK: cuda.call "write_transposed"
// CHECK: cuda.call "store_tile"<[128]>
// CHECK-NOT: copy_commit
// Rows of f32 move in pairs if the pairs are aligned.
// CHECK: cuda.call "store_pairs"(%{{.*}}, %s, %{{[a-z0-9_]+}}) :
tile.kernel @products(%head: index {delta.name = "head"}, %chunk: index {delta.name = "chunk"}, %batch: index {delta.name = "batch"},
                      %k: memref<?x?x2x128xbf16> {delta.name = "k"}, %g: memref<?x?x2xf32> {delta.name = "g"},
                      %w: memref<64x64xbf16> {delta.name = "w"}, %s: memref<64x64xf32> {delta.name = "s"}, %length: index {delta.name = "length"})
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 3 : i64, warps = 4 : i64, shared_bytes = 50000 : i64} {
  %c0 = arith.constant 0 : index
  %c63 = arith.constant 63 : index
  %zero = arith.constant dense<0.0> : !square
  %K = tile.alloc {offset = 0 : i64} : !key loc("K")
  %Gs = tile.alloc {offset = 16384 : i64} : !vector loc("G")
  %Ws = tile.alloc {offset = 17408 : i64} : memref<64x64xbf16, #tile.smem<128>> loc("W")
  %scan = tile.alloc {offset = 16640 : i64} : memref<4xf32, #tile.smem<0>> loc("scan_scratch")
  %inverse = tile.alloc {offset = 25600 : i64} : memref<64x64xf32, #tile.smem<0>> loc("inverse_scratch")
  %f = tile.copy cp_async %k[%batch, %c0, %head, %c0], %K bound(%length) {dims = array<i64: 1, 3>} : memref<?x?x2x128xbf16>, !key
  tile.await %f {pending = 0 : i64} : !tile.async<none>
  tile.barrier
  %A = tile.read %K : !key -> !half loc("A")
  %KK = tile.dot instr(mma_m16n8k16) %A, %K b_part(lower) {contract = array<i64: 1, 1>, b_col_steps = 2} : !half, !key -> !square loc("KK")
  %L = tile.mask strict_lower %KK : !square loc("KK")
  %g0 = tile.load %g[%batch, %c0, %head] bound(%length) {dims = array<i64: 1>} : memref<?x?x2xf32> -> !flat loc("g")
  %g1 = tile.load %g[%batch, %c0, %head] bound(%length) {dims = array<i64: 1>, steps = 2} : memref<?x?x2xf32> -> !flat
  %g2 = arith.addf %g0, %g1 : !flat
  %G = tile.scan %g2 scratch(%scan : memref<4xf32, #tile.smem<0>>) : !flat loc("G")
  tile.write %G, %Gs : !flat, !vector
  tile.barrier
  %Gi = tile.read %Gs : !vector -> !row
  %i = tile.spread %Gi {axis = 0} : !row -> !square
  %Gj = tile.read %Gs : !vector -> !column
  %j = tile.spread %Gj {axis = 1} : !column -> !square
  %last = memref.load %Gs[%c63] : !vector
  %e = math.exp %last : f32
  %all = tensor.splat %e : !square
  %gap = arith.subf %i, %j : !square
  %low = arith.minimumf %zero, %gap : !square
  %E = math.exp %low : !square
  %D = arith.mulf %E, %all : !square
  %Da = arith.truncf %D : !square to tensor<64x64xbf16, #tile.frag<warps = 4>>
  %M = tile.tri_inverse %L scratch(%inverse : memref<64x64xf32, #tile.smem<0>>) : !square loc("M")
  tile.barrier
  %Mt = tile.tri_inverse precision(tf32) %M scratch(%inverse : memref<64x64xf32, #tile.smem<0>>) {transposed} : !square
  %sum = tile.reduce add %Mt {axis = 1} : !square -> !row
  %root = math.rsqrt %sum : !row
  %r = math.log %root : !row
  %R = tile.spread %r {axis = 0} : !row -> !square
  %N = arith.mulf %M, %R : !square
  tile.write %Da, %Ws {transpose} : tensor<64x64xbf16, #tile.frag<warps = 4>>, memref<64x64xbf16, #tile.smem<128>>
  tile.barrier
  %o = tile.copy simt %w[%c0, %c0], %Ws {dims = array<i64: 0, 1>, to_global} : memref<64x64xbf16>, memref<64x64xbf16, #tile.smem<128>>
  tile.await %o : !tile.async<none>
  tile.store %N, %s[%c0, %c0] {dims = array<i64: 0, 1>} : !square, memref<64x64xf32>
  tile.return
}
func.func @host(%n: index, %B: index, %k: memref<?x?x2x128xbf16>, %g: memref<?x?x2xf32>, %w: memref<64x64xbf16>, %s: memref<64x64xf32>) {
  %c2 = arith.constant 2 : index
  tile.launch @products grid(%c2, %n, %B) args(%k, %g, %w, %s, %n : memref<?x?x2x128xbf16>, memref<?x?x2xf32>, memref<64x64xbf16>, memref<64x64xf32>, index)
  return
}

// -----

!buffer = memref<64x64xbf16, #tile.smem<128>>
!square = tensor<64x64xf32, #tile.frag<warps = 4>>
!ring = !tile.ring<3, [!buffer]>

// A ring of three slots: at a peek one later chunk may be in flight. A carried value is a
// variable; the values that enter and leave the loop are named after it.

// CHECK-LABEL: cuda.kernel @ring
// CHECK: cuda.literal {name = "K_offset"} 1024 : ui32
// CHECK: %[[BYTES:.*]] = cuda.literal {name = "slot_bytes"} 8192 : ui32
// CHECK: cuda.comment "Start to copy a first chunk."
// CHECK: cuda.literal {name = "second_slot"} 8192 : ui32
// CHECK: cuda.call "copy_async"<[128]>
// CHECK-NEXT: cuda.call "copy_commit"()
// CHECK: %[[WIDE:.*]] = cuda.call "fill"
// CHECK: cuda.call "convert"<[bf16]>(%[[WIDE]])
// CHECK: %[[S0:.*]] = cuda.call "fill"<[!cuda.opaque<"Fragment<float, 64, 64, 4>">]>
// CHECK: %[[S:.*]] = cuda.declare init(%[[S0]]) {name = "S"}
// CHECK: cuda.for %[[C:.*]] =
// CHECK: cuda.call "copy_wait"<[1]>()
// CHECK-NEXT: cuda.call "cta_sync"()
// CHECK: %[[POS:.*]] = cuda.binary rem
// CHECK: cuda.binary mul %[[POS]], %[[BYTES]] {name = "slot"}
// CHECK: cuda.call "SharedTile<bf16, 64, 64>"{{.*}} {name = "K_tile", pure}
// CHECK: %[[NEXT:.*]] = cuda.call "dot_nn"{{.*}} {name = "S_next"}
// CHECK: cuda.assign %[[S]], %[[NEXT]]
// CHECK: %[[LAST:.*]] = cuda.read %[[S]]
// Columns are moved element by element.
// CHECK: cuda.call "store"(%[[LAST]], %s, %{{.*}}, %{{.*}}) :
tile.kernel @ring(%i: index, %k: memref<?x?x64xbf16> {delta.name = "k"}, %s: memref<64x64xf32> {delta.name = "s"}, %n: index {delta.name = "n"})
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64, shared_bytes = 25600 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = arith.constant dense<1.0> : tensor<64x64xbf16, #tile.frag<warps = 4>>
  %zero = arith.constant dense<0.0> : !square loc("S")
  %ring = tile.ring_create "r" cp_async_group {offset = 1024 : i64, tile.buffers = ["K"]} : !ring
  %w, %K1 = tile.acquire %ring[%c1] {tile.buffers = ["K"]} : !ring -> !buffer
  %f = tile.copy cp_async %k[%i, %c1, %c0], %K1 bound(%n) {dims = array<i64: 1, 2>} : memref<?x?x64xbf16>, !buffer
  tile.commit %w, %f
  %x = arith.extf %a : tensor<64x64xbf16, #tile.frag<warps = 4>> to !square
  %last = scf.for %c = %c0 to %n step %c1 iter_args(%S = %zero) -> !square {
    %slot, %K = tile.peek %ring[%c] {tile.buffers = ["K"]} : !ring -> !buffer
    %Sa = arith.truncf %S : !square to tensor<64x64xbf16, #tile.frag<warps = 4>>
    %next = tile.dot instr(mma_m16n8k16) %Sa, %K acc(%S) {contract = array<i64: 1, 0>} : tensor<64x64xbf16, #tile.frag<warps = 4>>, !buffer -> !square loc("S")
    tile.release %slot
    scf.yield %next : !square
  }
  tile.store %last, %s[%c0, %c0] {dims = array<i64: 1, 0>} : !square, memref<64x64xf32>
  tile.return
}

// -----

!square = tensor<64x64xf32, #tile.frag<warps = 4>>

// Matrices of f32 in registers: they move in pairs along aligned rows. Columns from an odd
// one on, rows of odd length, a bound of columns, and a transpose prevent that.
// CHECK-LABEL: cuda.kernel @rows
// CHECK: cuda.call "load_pairs"<[!cuda.opaque<"Fragment<float, 64, 64, 4>">]>(%{{.*}}, %{{.*}}, %n) :
// CHECK: cuda.call "load"<[!cuda.opaque<"Fragment<float, 64, 64, 4>">]>(%{{.*}}, %{{.*}}, %{{.*}}) :
// CHECK: cuda.call "load"<[!cuda.opaque<"Fragment<float, 64, 64, 4>">]>(%{{.*}}, %{{.*}}, %{{.*}}) :
// CHECK: cuda.call "load"<[!cuda.opaque<"Fragment<float, 64, 64, 4>">]>(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %n) :
// CHECK: cuda.call "load"<[!cuda.opaque<"Fragment<float, 64, 64, 4>">]>(%{{.*}}, %{{.*}}, %{{.*}}) :
// CHECK: cuda.call "store_pairs"(%{{.*}}, %even, %{{[a-z0-9_]+}}) :
tile.kernel @rows(%i: index, %even: memref<64x128xf32> {delta.name = "even"}, %odd: memref<64x65xf32> {delta.name = "odd"}, %n: index {delta.name = "n"})
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %column = arith.muli %i, %c16 : index
  %a = tile.load %even[%c0, %column] bound(%n) {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !square
  %b = tile.load %even[%c0, %i] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !square
  %c = tile.load %odd[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x65xf32> -> !square
  %d = tile.load %even[%c0, %c0] bound(%n) {bound_axis = 1, dims = array<i64: 0, 1>} : memref<64x128xf32> -> !square
  %e = tile.load %even[%c0, %c0] {dims = array<i64: 1, 0>} : memref<64x128xf32> -> !square
  %ab = arith.addf %a, %b : !square
  %cd = arith.addf %c, %d : !square
  %abcd = arith.addf %ab, %cd : !square
  %all = arith.addf %abcd, %e : !square
  tile.store %all, %even[%c0, %c0] {dims = array<i64: 0, 1>} : !square, memref<64x128xf32>
  tile.return
}

// -----

tile.kernel @no_offset(%i: index) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{expected an offset: run tile-plan-shared first}}
  %a = tile.alloc : memref<64xf32, #tile.smem<0>>
  tile.return
}

// -----

tile.kernel @no_count(%i: index, %k: memref<64x64xbf16>) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64, shared_bytes = 8192 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc {offset = 0 : i64} : memref<64x64xbf16, #tile.smem<128>>
  %f = tile.copy cp_async %k[%c0, %c0], %a {dims = array<i64: 0, 1>} : memref<64x64xbf16>, memref<64x64xbf16, #tile.smem<128>>
  // expected-error @below {{expected a pending count: run tile-place-waits first}}
  tile.await %f : !tile.async<none>
  tile.return
}

// -----

tile.kernel @no_place(%i: index, %k: memref<64x64xbf16>) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{16-bit tile straight to registers: run tile-place first}}
  %a = tile.load %k[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xbf16> -> tensor<64x64xbf16, #tile.frag<warps = 4>>
  tile.return
}

// -----

tile.kernel @no_layout(%i: index, %k: memref<64x64xf32>) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected a layout on 'tensor<64x64xf32>'}}
  %a = tile.load %k[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> tensor<64x64xf32>
  tile.return
}

// -----

!buffer = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @mbarriers(%i: index) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{expected a role at each end of an mbarrier ring}}
  %ring = tile.ring_create "r" mbarrier {offset = 0 : i64} : !tile.ring<2, [!buffer]>
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!buffer = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @in_flight(%i: index) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64, shared_bytes = 8192 : i64} {
  %b = tile.alloc {offset = 0 : i64} : !buffer
  %x = tile.read %b : !buffer -> !a
  %d = tile.dot_start wgmma_rs %x, %b {contract = array<i64: 1, 1>} : !a, !buffer -> !tile.async<tensor<64x64xf32, #tile.frag<warps = 4>>>
  // expected-error @below {{expected a pending count: run tile-place-waits first}}
  %v = tile.await %d : !tile.async<tensor<64x64xf32, #tile.frag<warps = 4>>> -> tensor<64x64xf32, #tile.frag<warps = 4>>
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!buffer = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @rows_contracted(%i: index) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64, shared_bytes = 8192 : i64} {
  %b = tile.alloc {offset = 0 : i64} : !buffer
  %x = tile.read %b : !buffer -> !a
  // expected-error @below {{expected instr wgmma_rs and the columns of a contracted}}
  %d = tile.dot_start wgmma_rs %x, %b {contract = array<i64: 0, 1>} : !a, !buffer -> !tile.async<tensor<64x64xf32, #tile.frag<warps = 4>>>
  tile.return
}

// -----

!buffer = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @copy_outside_of_rings(%i: index, %x: memref<?x64x64xbf16>) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64, shared_bytes = 8192 : i64} {
  %c0 = arith.constant 0 : index
  %b = tile.alloc {offset = 0 : i64} : !buffer
  // expected-error @below {{engine tma: expected a slot of a ring between roles}}
  %f = tile.copy tma %x[%i, %c0, %c0], %b {dims = array<i64: 1, 2>} : memref<?x64x64xbf16>, !buffer
  tile.await %f : !tile.async<none>
  tile.return
}
