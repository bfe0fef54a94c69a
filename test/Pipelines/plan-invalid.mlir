// Plans in the spec that are refused: one diagnostic each, at the recurrence.
// RUN: delta-opt %s --split-input-file --delta-plan --verify-diagnostics

func.func @products(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  // expected-error @+1 {{plan products: expected mma_sync on sm_80, which has no warpgroups, got wgmma}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {plans = {chain = #plan.kernel<products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>}, kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @machine(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  // expected-error @+1 {{plan machine: expected sm_80, which is compiled for, got sm_90a}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {plans = {chain = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>}, kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @columns(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  // expected-error @+1 {{plans do not fit: plan columns: expected a divisor of the value dim 64, got 128}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {plans = {chain = #plan.kernel<products = mma_sync, copies = cp_async, stages = 2, columns = 128>}, kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @name(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  // expected-error @+1 {{plans: no kernel is called prepaer; the kernels are chain, prepare}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {plans = {prepaer = #plan.kernel<products = mma_sync, copies = cp_async, stages = 2, columns = 64>}, kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @kind(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  // expected-error @+1 {{plans do not fit: plan work: expected no queue for chain, a nest of kind scan, got queue}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {plans = {chain = #plan.kernel<products = mma_sync, copies = cp_async, stages = 2, columns = 64, work = queue, group_bytes = 1>}, kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @segments(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  // expected-error @+1 {{plans do not fit: plan work: expected grid on sm_80, where no scan was measured; got segments}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {plans = {chain = #plan.kernel<products = mma_sync, copies = cp_async, stages = 2, columns = 64, work = segments>}, kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @ordered(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  // expected-error @+1 {{plans do not fit: plan work: expected queue for write, a nest of kind attention with ordered blocks, got grid}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {plans = {write = #plan.kernel<products = mma_sync, copies = cp_async, stages = 2, columns = 128>}, kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}

// -----

func.func @stages(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  // expected-error @+1 {{plans do not fit: has no lowering to the device library}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {plans = {write = #plan.kernel<products = mma_sync, copies = cp_async, stages = 4, columns = 128, work = queue, group_bytes = 67108864>}, kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}

// -----

func.func @cached(%q: tensor<?x1x2x64xbf16>, %k: tensor<?x1x2x64xbf16>, %v: tensor<?x1x2x128xbf16>, %beta: tensor<?x1x2xf32>, %kc: tensor<?x?x2x64xbf16>, %uc: tensor<?x?x2x128xbf16>, %n: tensor<?xi64>)
    -> (tensor<?x1x2x128xbf16>, tensor<?x?x2x64xbf16>, tensor<?x?x2x128xbf16>) {
  // expected-error @+1 {{plan columns: expected all 128 columns of values after a cache, got 64}}
  %o:3 = delta.recurrence query(%q : tensor<?x1x2x64xbf16>) key(%k : tensor<?x1x2x64xbf16>)
         value(%v : tensor<?x1x2x128xbf16>) beta(%beta : tensor<?x1x2xf32>)
         cache(%kc, %uc : tensor<?x?x2x64xbf16>, tensor<?x?x2x128xbf16>) cached(%n : tensor<?xi64>)
         {plans = {attend = #plan.kernel<products = mma_sync, copies = cp_async, stages = 3, columns = 64>}, kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x1x2x128xbf16>, cache(tensor<?x?x2x64xbf16>, tensor<?x?x2x128xbf16>)
  return %o#0, %o#1, %o#2 : tensor<?x1x2x128xbf16>, tensor<?x?x2x64xbf16>, tensor<?x?x2x128xbf16>
}

// -----

func.func @entry(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  // expected-error @+1 {{plans: expected for "chain" a #plan.kernel or an array of them, got 3 : i64}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {plans = {chain = 3 : i64}, kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @alternatives(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  // expected-error @+1 {{plans do not fit: plans: expected alternatives for chain that differ in ascending chains alone, got}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {plans = {chain = [#plan.kernel<products = mma_sync, copies = cp_async, stages = 2, columns = 64>, #plan.kernel<products = mma_sync, copies = cp_async, stages = 1, columns = 64>]}, kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}
