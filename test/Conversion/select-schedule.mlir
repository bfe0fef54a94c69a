// What selection writes, and what it refuses.
// RUN: delta-opt %s --split-input-file --delta-chunk --delta-select-schedule --verify-diagnostics -o - | FileCheck %s

// No schedule in the spec: one is chosen.
// CHECK-LABEL: func.func @chosen
// CHECK-SAME: delta.schedule = #delta.schedule<family = "sm_80", value_columns = 64, stages = 2>
func.func @chosen(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}

// -----

// A schedule in the spec is obeyed.
// CHECK-LABEL: func.func @given
// CHECK-SAME: delta.schedule = #delta.schedule<family = "sm_80", value_columns = 32, stages = 3>
func.func @given(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>, schedule = #delta.schedule<family = "sm_80", value_columns = 32, stages = 3>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @family(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  // expected-error @+1 {{schedule family "sm_90a" has no kernels here: target sm_80, the smallest that is compiled for, has no warpgroups}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>, schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 3>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @columns(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  // expected-error @+1 {{schedule value_columns: expected a divisor of the value dim 64, got 128}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>, schedule = #delta.schedule<family = "sm_80", value_columns = 128, stages = 2>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @key_dim(%q: tensor<?x?x2x48xbf16>, %k: tensor<?x?x2x48xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  // expected-error @+1 {{key dim 48 has no GPU kernel yet; accepted: 64, 128}}
  %o = delta.recurrence query(%q : tensor<?x?x2x48xbf16>) key(%k : tensor<?x?x2x48xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// Implicit features: a row block owns all of the value axis.
// CHECK-LABEL: func.func @implicit
// CHECK-SAME: delta.schedule = #delta.schedule<family = "sm_80", value_columns = 128, stages = 2>
func.func @implicit(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}

// -----

func.func @implicit_family(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  // expected-error @+1 {{schedule family "sm_90a" has no kernels here: target sm_80, the smallest that is compiled for, has no warpgroups}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = relu, read = relu>, schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 2>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// Sums of 256 columns would not fit the registers.
// CHECK-LABEL: func.func @implicit_wide
// CHECK-SAME: delta.schedule = #delta.schedule<family = "sm_80", value_columns = 128, stages = 2>
func.func @implicit_wide(%q: tensor<?x?x2x256xbf16>, %k: tensor<?x?x2x256xbf16>, %v: tensor<?x?x2x256xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x256xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x256xbf16>) key(%k : tensor<?x?x2x256xbf16>)
         value(%v : tensor<?x?x2x256xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x?x2x256xbf16>
  return %o : tensor<?x?x2x256xbf16>
}

// -----

// Nor would rests of 128 columns.
// CHECK-LABEL: func.func @implicit_rests
// CHECK-SAME: delta.schedule = #delta.schedule<family = "sm_80", value_columns = 64, stages = 2>
func.func @implicit_rests(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = exp, read = exp>} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}

// -----

// Nor the weights of a block twice: a tied read takes their diagonal, ubar does not.
// CHECK-LABEL: func.func @implicit_ubar
// CHECK-SAME: delta.schedule = #delta.schedule<family = "sm_80", value_columns = 64, stages = 2>
func.func @implicit_ubar(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> (tensor<?x?x2x128xbf16>, tensor<?x?x2x128xbf16>) {
  %o, %ubar = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = relu, read = relu>} -> tensor<?x?x2x128xbf16>, ubar(tensor<?x?x2x128xbf16>)
  return %o, %ubar : tensor<?x?x2x128xbf16>, tensor<?x?x2x128xbf16>
}

// -----

func.func @implicit_columns(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  // expected-error @+1 {{schedule value_columns: expected a divisor of the value dim 64, got 128}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = relu, read = relu>, schedule = #delta.schedule<family = "sm_80", value_columns = 128, stages = 2>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @implicit_dim(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x32xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x32xbf16> {
  // expected-error @+1 {{value dim 32 has no GPU kernel yet; accepted: 64, 128, 256}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x32xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x?x2x32xbf16>
  return %o : tensor<?x?x2x32xbf16>
}

// -----

// Behind a cache the sums of all columns are one warp's.
func.func @cached_dim(%q: tensor<?x1x2x64xbf16>, %k: tensor<?x1x2x64xbf16>, %v: tensor<?x1x2x256xbf16>, %beta: tensor<?x1x2xf32>, %kc: tensor<?x?x2x64xbf16>, %uc: tensor<?x?x2x256xbf16>, %n: tensor<?xi64>)
    -> (tensor<?x1x2x256xbf16>, tensor<?x?x2x64xbf16>, tensor<?x?x2x256xbf16>) {
  // expected-error @+1 {{value dim 256 has no GPU kernel yet; accepted: 64, 128 behind a cache}}
  %o:3 = delta.recurrence query(%q : tensor<?x1x2x64xbf16>) key(%k : tensor<?x1x2x64xbf16>)
         value(%v : tensor<?x1x2x256xbf16>) beta(%beta : tensor<?x1x2xf32>)
         cache(%kc, %uc : tensor<?x?x2x64xbf16>, tensor<?x?x2x256xbf16>) cached(%n : tensor<?xi64>)
         {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x1x2x256xbf16>, cache(tensor<?x?x2x64xbf16>, tensor<?x?x2x256xbf16>)
  return %o#0, %o#1, %o#2 : tensor<?x1x2x256xbf16>, tensor<?x?x2x64xbf16>, tensor<?x?x2x256xbf16>
}

// -----

func.func @cached_columns(%q: tensor<?x1x2x64xbf16>, %k: tensor<?x1x2x64xbf16>, %v: tensor<?x1x2x128xbf16>, %beta: tensor<?x1x2xf32>, %kc: tensor<?x?x2x64xbf16>, %uc: tensor<?x?x2x128xbf16>, %n: tensor<?xi64>)
    -> (tensor<?x1x2x128xbf16>, tensor<?x?x2x64xbf16>, tensor<?x?x2x128xbf16>) {
  // expected-error @+1 {{schedule value_columns: expected the value dim 128, got 64}}
  %o:3 = delta.recurrence query(%q : tensor<?x1x2x64xbf16>) key(%k : tensor<?x1x2x64xbf16>)
         value(%v : tensor<?x1x2x128xbf16>) beta(%beta : tensor<?x1x2xf32>)
         cache(%kc, %uc : tensor<?x?x2x64xbf16>, tensor<?x?x2x128xbf16>) cached(%n : tensor<?xi64>)
         {kernel = #delta.kernel<write = softmax, read = softmax>, schedule = #delta.schedule<family = "sm_80", value_columns = 64, stages = 3>} -> tensor<?x1x2x128xbf16>, cache(tensor<?x?x2x64xbf16>, tensor<?x?x2x128xbf16>)
  return %o#0, %o#1, %o#2 : tensor<?x1x2x128xbf16>, tensor<?x?x2x64xbf16>, tensor<?x?x2x128xbf16>
}

// -----

func.func @implicit_split(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  // expected-error @+1 {{schedule split_sequence: expected none for implicit features, whose row blocks are CTAs already}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = softmax, read = softmax>, schedule = #delta.schedule<family = "sm_80", value_columns = 64, stages = 2, split_sequence = true>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @implicit_stages(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  // expected-error @+1 {{schedule stages: expected 1 or 2 for row blocks in family "sm_80", got 3}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = softmax, read = softmax>, schedule = #delta.schedule<family = "sm_80", value_columns = 64, stages = 3>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}
