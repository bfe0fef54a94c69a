// RUN: delta-opt %s --verify-tile-final
// RUN: sed s/sm_80/sm_89/ %s | not delta-opt --verify-tile-final 2>&1 | FileCheck %s --check-prefix=SM89
// RUN: sed s/plan/other/ %s | not delta-opt --verify-tile-final 2>&1 | FileCheck %s --check-prefix=NONE

// The machine of a kernel's plan decides what fits.
// NONE: error: expected a plan, which says the machine
// SM89: error: 'tile.kernel' op shared memory: expected at most 101376 bytes on sm_89, got 131072
tile.kernel @F9_by_target(%i: index) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %b = tile.alloc : memref<512x128xbf16, #tile.smem<128>>
  tile.return
}
