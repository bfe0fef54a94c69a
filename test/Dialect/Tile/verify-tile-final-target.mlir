// RUN: not delta-opt %s --verify-tile-final=target=sm_75 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: delta-opt %s --verify-tile-final=target=sm_80
// RUN: not delta-opt %s --verify-tile-final=target=sm_89 2>&1 | FileCheck %s --check-prefix=SM89

// The target decides what fits.

// UNKNOWN: error: target: expected one of sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, sm_120, got sm_75
// SM89: error: 'tile.kernel' op shared memory: expected at most 101376 bytes on sm_89, got 131072
tile.kernel @F9_by_target(%i: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %b = tile.alloc : memref<512x128xbf16, #tile.smem<128>>
  tile.return
}
