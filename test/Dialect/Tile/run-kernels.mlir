// RUN: delta-opt %s --verify-tile-value --tile-kernels-to-functions --delta-cpu-pipeline \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_runner_utils \
// RUN:   | FileCheck %s

// Two kernels and a workspace, run on the CPU. Row r of x is all ones, so row r
// of its prefix sums is 1, 2, ..., and entry (i, j) of their Gram matrix over
// the 3 rows that exist (of 4 in the tile) is 3 (i + 1)(j + 1).

tile.kernel @prefix(%row: index, %x: memref<?x8xf32>, %p: memref<?x8xf32>)
    attributes {grid = 1 : i64, warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%row, %c0] {dims = array<i64: 1>} : memref<?x8xf32> -> tensor<8xf32>
  %s = tile.scan %v : tensor<8xf32>
  tile.store %s, %p[%row, %c0] {dims = array<i64: 1>} : tensor<8xf32>, memref<?x8xf32>
  tile.return
}

tile.kernel @gram(%i: index, %p: memref<?x8xf32>, %o: memref<8x8xf32>, %rows: index)
    attributes {grid = 1 : i64, warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %m = tile.load %p[%c0, %c0] bound(%rows) {dims = array<i64: 1, 0>, bound_axis = 1}
      : memref<?x8xf32> -> tensor<8x4xf32>
  %mb = arith.truncf %m : tensor<8x4xf32> to tensor<8x4xbf16>
  %d = tile.dot %mb, %mb {contract = array<i64: 1, 1>}
      : tensor<8x4xbf16>, tensor<8x4xbf16> -> tensor<8x8xf32>
  %k = tile.mask lower %d : tensor<8x8xf32>
  tile.store %k, %o[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<8x8xf32>, memref<8x8xf32>
  tile.return
}

func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %x = memref.alloc(%rows) : memref<?x8xf32>
  linalg.fill ins(%one : f32) outs(%x : memref<?x8xf32>)
  %p = memref.alloc(%rows) : memref<?x8xf32>
  %o = memref.alloc() : memref<8x8xf32>
  tile.launch @prefix grid(%rows) args(%x, %p : memref<?x8xf32>, memref<?x8xf32>)
  tile.launch @gram grid(%c1) args(%p, %o, %rows : memref<?x8xf32>, memref<8x8xf32>, index)
  // CHECK: sizes = [8, 8]
  // CHECK-NEXT: [3, 0, 0, 0, 0, 0, 0, 0]
  // CHECK-NEXT: [6, 12, 0, 0, 0, 0, 0, 0]
  // CHECK-NEXT: [9, 18, 27, 0, 0, 0, 0, 0]
  // CHECK-NEXT: [12, 24, 36, 48, 0, 0, 0, 0]
  // CHECK-NEXT: [15, 30, 45, 60, 75, 0, 0, 0]
  // CHECK-NEXT: [18, 36, 54, 72, 90, 108, 0, 0]
  // CHECK-NEXT: [21, 42, 63, 84, 105, 126, 147, 0]
  // CHECK-NEXT: [24, 48, 72, 96, 120, 144, 168, 192]
  %u = memref.cast %o : memref<8x8xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  // A grid with an extent of 0 runs nothing.
  linalg.fill ins(%one : f32) outs(%o : memref<8x8xf32>)
  tile.launch @gram grid(%c0) args(%p, %o, %rows : memref<?x8xf32>, memref<8x8xf32>, index)
  // CHECK: sizes = [8, 8]
  // CHECK-NEXT: [1, 1, 1, 1, 1, 1, 1, 1]
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}
