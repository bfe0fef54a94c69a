// RUN: delta-opt %s --canonicalize | FileCheck %s

// A conversion to the same type folds, also across a chain; one that moves
// elements stays.

!flat = tensor<64xf32, #tile.flat<warps = 4>>
!row = tensor<64xf32, #tile.slice<axis = 0, #tile.frag<warps = 4>>>
!column = tensor<64xf32, #tile.slice<axis = 1, #tile.frag<warps = 4>>>

// CHECK-LABEL: func.func @same
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @same(%x: !flat) -> !flat {
  %y = tile.convert %x : !flat -> !flat
  return %y : !flat
}

// CHECK-LABEL: func.func @there_and_back
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @there_and_back(%x: !flat) -> !flat {
  %y = tile.convert %x : !flat -> !row
  %z = tile.convert %y : !row -> !flat
  return %z : !flat
}

// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: %[[Z:.*]] = tile.convert %[[X]] : tensor<64xf32, #tile.flat<warps = 4>> -> tensor<64xf32, #tile.slice<axis = 1, <warps = 4>>>
// CHECK-NEXT: return %[[Z]]
func.func @chain(%x: !flat) -> !column {
  %y = tile.convert %x : !flat -> !row
  %z = tile.convert %y : !row -> !column
  return %z : !column
}
