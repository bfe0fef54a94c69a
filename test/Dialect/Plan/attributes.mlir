// RUN: delta-opt %s | delta-opt | FileCheck %s

// What is as usual is left out.
// CHECK-LABEL: func.func private @warps
// CHECK-SAME: plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>
func.func private @warps() attributes {
  plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64, chains = 1, split = rows, work = grid>}

// CHECK-LABEL: func.func private @warpgroups
// CHECK-SAME: plan = #plan.kernel<products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains, work = segments>
func.func private @warpgroups() attributes {
  plan = #plan.kernel<products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains, work = segments>}

// CHECK-LABEL: func.func private @queue
// CHECK-SAME: plan = #plan.kernel<products = mma_sync, copies = cp_async, stages = 1, columns = 128, work = queue, group_bytes = 1024, residency = alone>
func.func private @queue() attributes {
  plan = #plan.kernel<products = mma_sync, copies = cp_async, stages = 1, columns = 128, work = queue, group_bytes = 1024, residency = alone>}
