// RUN: delta-opt %s --verify-tile-value --split-input-file --verify-diagnostics

// Accepted: loops, address arithmetic, math on tiles.
tile.kernel @accepted(%b: index, %k: memref<?x64xf32>, %n: index)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = memref.dim %k, %c0 : memref<?x64xf32>
  %first = memref.subview %k[0, 0] [8, 64] [1, 1]
      : memref<?x64xf32> to memref<8x64xf32, strided<[64, 1]>>
  %F = tile.load %first[%c0, %c0] {dims = array<i64: 0, 1>}
      : memref<8x64xf32, strided<[64, 1]>> -> tensor<8x64xf32>
  scf.for %i = %c0 to %T step %c1 {
    %x = tile.load %k[%i, %c0] bound(%n) {dims = array<i64: 0, 1>}
        : memref<?x64xf32> -> tensor<64x64xf32>
    %e = math.exp %x : tensor<64x64xf32>
    tile.store %e, %k[%i, %c0] bound(%n) {dims = array<i64: 0, 1>}
        : tensor<64x64xf32>, memref<?x64xf32>
  }
  tile.return
}

// -----

tile.kernel @V2_load_without_bound(%b: index, %k: memref<?x64xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{'tile.load' op bound: expected one, as tile axis 1 runs along dynamic axis 0 of 'memref<?x64xf32>', got none}}
  %x = tile.load %k[%b, %b] {dims = array<i64: 1, 0>}
      : memref<?x64xf32> -> tensor<64x64xf32>
  tile.return
}

// -----

tile.kernel @V2_bound_on_the_wrong_axis(%b: index, %k: memref<?x64xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{'tile.load' op bound_axis: expected 1, which runs along dynamic axis 0 of 'memref<?x64xf32>', got 0}}
  %x = tile.load %k[%b, %b] bound(%b) {dims = array<i64: 1, 0>}
      : memref<?x64xf32> -> tensor<64x64xf32>
  tile.return
}

// -----

tile.kernel @V2_store_without_bound(%b: index, %k: memref<?xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %x = arith.constant dense<0.0> : tensor<64xf32>
  // expected-error @below {{'tile.store' op bound: expected one, as tile axis 0 runs along dynamic axis 0 of 'memref<?xf32>', got none}}
  tile.store %x, %k[%b] {dims = array<i64: 0>} : tensor<64xf32>, memref<?xf32>
  tile.return
}

// -----

tile.kernel @V5_load(%b: index, %k: memref<?xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{'memref.load' op expected global memory to be accessed by tile.load, tile.load_index, tile.store, tile.copy, tile.signal, tile.expect or tile.ticket alone}}
  %x = memref.load %k[%b] : memref<?xf32>
  tile.return
}

// -----

tile.kernel @V5_store_in_a_loop(%b: index, %k: memref<?xf32>, %x: index)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %zero = arith.constant 0.0 : f32
  scf.for %i = %b to %x step %x {
    // expected-error @below {{'memref.store' op expected global memory to be accessed by}}
    memref.store %zero, %k[%i] : memref<?xf32>
  }
  tile.return
}

// -----

func.func private @anything()
tile.kernel @V5_call(%b: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{'func.call' op expected global memory to be accessed by}}
  func.call @anything() : () -> ()
  tile.return
}

// -----

tile.kernel @V6_layout(%b: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{value form: expected tensors without a layout, got 'tensor<64x64xf32, #tile.frag<warps = 4>>'}}
  %x = arith.constant dense<0.0> : tensor<64x64xf32, #tile.frag<warps = 4>>
  tile.return
}

// -----

tile.kernel @V6_op_of_the_final_form(%b: index)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{'tile.alloc' op expected in the final form alone}}
  %x = tile.alloc : memref<64xf32, #tile.smem<0>>
  tile.return
}

// -----

tile.kernel @V6_shared_memory(%b: index)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{value form: expected memrefs of global memory, got 'memref<64xf32, #tile.smem<0>>'}}
  %x = builtin.unrealized_conversion_cast to memref<64xf32, #tile.smem<0>>
  tile.return
}

// -----

tile.kernel @V6_instruction(%b: index, %x: memref<64x64xbf16>)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %a = tile.load %x[%b, %b] {dims = array<i64: 0, 1>}
      : memref<64x64xbf16> -> tensor<64x64xbf16>
  // expected-error @below {{'tile.dot' op instr: expected none in the value form, got mma_m16n8k16}}
  %d = tile.dot instr(mma_m16n8k16) %a, %a {contract = array<i64: 1, 1>}
      : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  tile.return
}

// -----

tile.kernel @V6_product_from_memory(%b: index, %x: memref<64x64xbf16>)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %a = tile.load %x[%b, %b] {dims = array<i64: 0, 1>}
      : memref<64x64xbf16> -> tensor<64x64xbf16>
  // expected-error @below {{'tile.dot' op b: expected a tensor, got 'memref<64x64xbf16>'}}
  %d = tile.dot %a, %x {contract = array<i64: 1, 1>}
      : tensor<64x64xbf16>, memref<64x64xbf16> -> tensor<64x64xf32>
  tile.return
}

// -----

// Also outside of kernels: an op that has not become part of a kernel belongs to the
// previous phase.
func.func @V6_earlier_phase(%q: tensor<?x?x4x64xbf16>) -> tensor<?x?x4x64xf32> {
  // expected-error @below {{'delta.l2norm' op expected in an earlier phase alone; --delta-tile-value-pipeline makes kernels of it}}
  %n = delta.l2norm %q : tensor<?x?x4x64xbf16> -> tensor<?x?x4x64xf32>
  return %n : tensor<?x?x4x64xf32>
}
