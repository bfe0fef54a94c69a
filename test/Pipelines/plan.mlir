// What delta-plan chooses for sm_80.
// RUN: delta-opt %s --split-input-file --delta-plan | FileCheck %s
// RUN: delta-opt %s --split-input-file --delta-plan --remark-format=emitRemark --remarks-filter-passed=delta-plan --remarks-filter-missed=delta-plan -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: [Passed] Plan
// REMARK: [Missed] PlanDoesNotFit

// Two stages fit, and one chain a CTA.
// CHECK-LABEL: func.func @chosen(
// CHECK: chunk = 64
// CHECK-SAME: chain = [#plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>]
// CHECK-SAME: prepare = [#plan.kernel<{{.*}}residency = alone>]
func.func @chosen(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}

// -----

// A plan in the spec is obeyed, and gets the machine.
// CHECK-LABEL: func.func @given(
// CHECK: chain = [#plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 3, columns = 32>]
func.func @given(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {plans = {chain = #plan.kernel<products = mma_sync, copies = cp_async, stages = 3, columns = 32>}, kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// A query block owns all of the value axis.
// CHECK-LABEL: func.func @implicit(
// CHECK: write = [#plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 128, work = queue, group_bytes = 67108864>]
func.func @implicit(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}

// -----

// Sums of 256 columns would not fit the registers.
// CHECK-LABEL: func.func @implicit_wide(
// CHECK: write = [#plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = {{[12]}}, columns = 128,
func.func @implicit_wide(%q: tensor<?x?x2x256xbf16>, %k: tensor<?x?x2x256xbf16>, %v: tensor<?x?x2x256xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x256xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x256xbf16>) key(%k : tensor<?x?x2x256xbf16>)
         value(%v : tensor<?x?x2x256xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x?x2x256xbf16>
  return %o : tensor<?x?x2x256xbf16>
}

// -----

// Nor do 128 columns of hi/lo residuals.
// CHECK-LABEL: func.func @implicit_rests(
// CHECK: write = [#plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64,
func.func @implicit_rests(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = exp, read = exp>} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}

// -----

// Nor the weights of a block twice: a tied read takes their diagonal, ubar does not.
// CHECK-LABEL: func.func @implicit_ubar(
// CHECK: write = [#plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64,
func.func @implicit_ubar(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> (tensor<?x?x2x128xbf16>, tensor<?x?x2x128xbf16>) {
  %o, %ubar = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = relu, read = relu>} -> tensor<?x?x2x128xbf16>, ubar(tensor<?x?x2x128xbf16>)
  return %o, %ubar : tensor<?x?x2x128xbf16>, tensor<?x?x2x128xbf16>
}

// -----

// Two kernels of one function with plans of their own.
// CHECK-LABEL: func.func @two_plans(
// CHECK: chain = [#plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 3, columns = 32>]
// CHECK-SAME: prepare = [#plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 1, columns = 64>]
func.func @two_plans(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {plans = {chain = #plan.kernel<products = mma_sync, copies = cp_async, stages = 3, columns = 32>, prepare = #plan.kernel<products = mma_sync, copies = cp_async, stages = 1, columns = 64>}, kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// No kernel has such keys: the CPU still runs the chunks.
// CHECK-LABEL: func.func @key_dim(
// CHECK-SAME: delta.no_plan = "key dim 48 has no GPU kernel yet; accepted: 64, 128"
// CHECK-NOT: plans
func.func @key_dim(%q: tensor<?x?x2x48xbf16>, %k: tensor<?x?x2x48xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x48xbf16>) key(%k : tensor<?x?x2x48xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// One warp takes in 32 keys of a cache at a time; three stages keep two blocks of keys on their way.
// CHECK-LABEL: func.func @decode(
// CHECK: chunk = 32
// CHECK-SAME: append = [#plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 3, columns = 128>]
// CHECK-SAME: attend = [#plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 3, columns = 128>]
func.func @decode(%q: tensor<?x1x2x128xbf16>, %k: tensor<?x1x2x128xbf16>, %v: tensor<?x1x2x128xbf16>, %beta: tensor<?x1x2xf32>, %kc: tensor<?x?x2x128xbf16>, %uc: tensor<?x?x2x128xbf16>, %n: tensor<?xi64>)
    -> (tensor<?x1x2x128xbf16>, tensor<?x?x2x128xbf16>, tensor<?x?x2x128xbf16>) {
  %o:3 = delta.recurrence query(%q : tensor<?x1x2x128xbf16>) key(%k : tensor<?x1x2x128xbf16>)
         value(%v : tensor<?x1x2x128xbf16>) beta(%beta : tensor<?x1x2xf32>)
         cache(%kc, %uc : tensor<?x?x2x128xbf16>, tensor<?x?x2x128xbf16>) cached(%n : tensor<?xi64>)
         {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x1x2x128xbf16>, cache(tensor<?x?x2x128xbf16>, tensor<?x?x2x128xbf16>)
  return %o#0, %o#1, %o#2 : tensor<?x1x2x128xbf16>, tensor<?x?x2x128xbf16>, tensor<?x?x2x128xbf16>
}

// -----

// Queries and keys in f32 compile at every size of a state: the chain reads them rounded, from the workspace.
// CHECK-LABEL: func.func @f32_keys(
// CHECK: plans = {chain = [#plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>]
func.func @f32_keys(%q: tensor<?x?x2x128xf32>, %k: tensor<?x?x2x128xf32>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x128xf32>) key(%k : tensor<?x?x2x128xf32>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}

// -----

// CHECK-LABEL: func.func @f32_wide_keys(
// CHECK-SAME: delta.no_plan = "queries and keys in f32 of key dim 256 fit no kernel; accepted: bf16 or f16"
func.func @f32_wide_keys(%q: tensor<?x?x2x256xf32>, %k: tensor<?x?x2x256xf32>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x256xf32>) key(%k : tensor<?x?x2x256xf32>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// What ptxas alone knows: with 128 columns the read would spill.
// CHECK-LABEL: func.func @known_spill(
// CHECK: write = [#plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64,
func.func @known_spill(%q: tensor<?x?x2x128xbf16>, %k: tensor<?x?x2x128xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x128xbf16>) key(%k : tensor<?x?x2x128xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = exp, read = softmax>} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}
