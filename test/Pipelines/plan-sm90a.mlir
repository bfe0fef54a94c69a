// What delta-plan chooses for sm_90a.
// RUN: delta-opt %s --split-input-file --delta-plan=target=sm_90a --verify-diagnostics | FileCheck %s

// One or two chains a CTA and segments, as the sizes of a call ask for; as many stages as fit.
// CHECK-LABEL: func.func @chosen(
// CHECK: chunk = 64
// CHECK-SAME: chain = [#plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains, work = segments>, #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains, work = segments>]
// CHECK-SAME: combine = [#plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 3, columns = 16>]
// CHECK-SAME: prepare = [#plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 3, columns = 64, residency = alone>]
func.func @chosen(%q: tensor<?x?x2x128xbf16>, %k: tensor<?x?x2x128xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x128xbf16>) key(%k : tensor<?x?x2x128xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}

// -----

// A head of 64 columns has no second chain.
// CHECK-LABEL: func.func @chosen_narrow(
// CHECK: chain = [#plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 4, columns = 64, split = chains, work = segments>]
func.func @chosen_narrow(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// Chunks of 32 rows have no plan of warpgroups; everybody is told.
// CHECK-LABEL: func.func @fallback(
// CHECK: chain = [#plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>]
// expected-remark @+1 {{no kernel uses warpgroups: a chunk has 32 rows, not 64}}
func.func @fallback(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>, chunk = 32} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// The loop over one chunk vanishes, and what roles would overlap with it.
// CHECK-LABEL: func.func @brief(
// CHECK: chain = [#plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async,
// expected-remark @+1 {{no kernel uses warpgroups: roles: expected one loop that copies to or from shared memory}}
func.func @brief(%q: tensor<?x40x2x64xbf16>, %k: tensor<?x40x2x64xbf16>, %v: tensor<?x40x2x64xbf16>, %beta: tensor<?x40x2xbf16>) -> tensor<?x40x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x40x2x64xbf16>) key(%k : tensor<?x40x2x64xbf16>)
         value(%v : tensor<?x40x2x64xbf16>) beta(%beta : tensor<?x40x2xbf16>)
         {kernel = #delta.kernel<linear>} -> tensor<?x40x2x64xbf16>
  return %o : tensor<?x40x2x64xbf16>
}

// -----

// A plan in the spec is obeyed.
// CHECK-LABEL: func.func @given(
// CHECK: chain = [#plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains>]
func.func @given(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {plans = {chain = #plan.kernel<products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains>}, kernel = #delta.kernel<linear>} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}

// -----

// Query blocks of 128 rows: three stages of 64 columns, two of 128.
// CHECK-LABEL: func.func @row_blocks(
// CHECK: chunk = 128
// CHECK-SAME: write = [#plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, work = queue, group_bytes = 67108864>]
func.func @row_blocks(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// CHECK-LABEL: func.func @wide_row_blocks(
// CHECK: write = [#plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 2, columns = 128, work = queue,
func.func @wide_row_blocks(%q: tensor<?x?x2x128xf16>, %k: tensor<?x?x2x128xf16>, %v: tensor<?x?x2x128xf16>, %beta: tensor<?x?x2xf16>) -> tensor<?x?x2x128xf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x128xf16>) key(%k : tensor<?x?x2x128xf16>)
         value(%v : tensor<?x?x2x128xf16>) beta(%beta : tensor<?x?x2xf16>)
         {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x?x2x128xf16>
  return %o : tensor<?x?x2x128xf16>
}

// -----

// A write query of its own: the kernel that reads waits for nobody.
// CHECK-LABEL: func.func @own_write_query(
// CHECK: read = [#plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, work = longest_first>]
// CHECK-SAME: write = [#plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, work = queue,
func.func @own_write_query(%q: tensor<?x?x2x128xbf16>, %k: tensor<?x?x2x128xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>, %w: tensor<?x?x2x128xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x128xbf16>) key(%k : tensor<?x?x2x128xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>) write(%w : tensor<?x?x2x128xbf16>)
         {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// Two warps take in 64 keys of a cache, as a multiprocessor of this machine holds two such CTAs. Nobody is told that
// there are no warpgroups: a cache is read as fast without.
// CHECK-LABEL: func.func @decode_two_warps(
// CHECK: chunk = 64
// CHECK-SAME: attend = [#plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 3, columns = 128>]
func.func @decode_two_warps(%q: tensor<?x9x2x128xbf16>, %k: tensor<?x9x2x128xbf16>, %v: tensor<?x9x2x128xbf16>, %beta: tensor<?x9x2xf32>, %w: tensor<?x9x2x128xbf16>, %kc: tensor<?x?x2x128xbf16>, %uc: tensor<?x?x2x128xbf16>, %n: tensor<?xi64>)
    -> (tensor<?x9x2x128xbf16>, tensor<?x?x2x128xbf16>, tensor<?x?x2x128xbf16>) {
  %o:3 = delta.recurrence query(%q : tensor<?x9x2x128xbf16>) key(%k : tensor<?x9x2x128xbf16>)
         value(%v : tensor<?x9x2x128xbf16>) beta(%beta : tensor<?x9x2xf32>) write(%w : tensor<?x9x2x128xbf16>)
         cache(%kc, %uc : tensor<?x?x2x128xbf16>, tensor<?x?x2x128xbf16>) cached(%n : tensor<?xi64>)
         {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x9x2x128xbf16>, cache(tensor<?x?x2x128xbf16>, tensor<?x?x2x128xbf16>)
  return %o#0, %o#1, %o#2 : tensor<?x9x2x128xbf16>, tensor<?x?x2x128xbf16>, tensor<?x?x2x128xbf16>
}
