// Schedules of warpgroups, on a target that has them.
// RUN: delta-opt %s --split-input-file --delta-chunk=target=sm_90a --delta-select-schedule=target=sm_90a --verify-diagnostics -o - | FileCheck %s
// RUN: not delta-opt %s --split-input-file --delta-chunk=target=sm_90a --delta-select-schedule=target=sm_90a --remark-format=emitRemark --remarks-filter-passed=delta-select-schedule -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: family sm_90a: a warpgroup keeps 64 value columns, other warps load and store; 3 stages: as many as shared memory holds; one or two warpgroups a CTA, and sequences cut into segments, as the sizes of a call want
// REMARK: 4 stages: as many as shared memory holds; one warpgroup a CTA, and sequences
// REMARK: family sm_80: a chunk has 32 rows, not 64; 64 value columns a CTA
// REMARK: family sm_90a: row blocks by ticket, 128 rows a CTA in two warpgroups, other warps load and store; 3 stages: as many as shared memory holds
// REMARK: family sm_90a: row blocks by ticket, 128 rows a CTA in two warpgroups, other warps load and store; 2 stages
// REMARK: family sm_90a: row blocks by ticket, 128 rows a CTA in two warpgroups, other warps load and store; 3 stages: as many as shared memory holds; reads by a second kernel, whose row blocks wait for nobody, the longest first
// REMARK: family sm_90a: row blocks by ticket, {{.*}}; 3 stages: as many as shared memory holds; reads by a second kernel
// REMARK: family sm_90a: row blocks by ticket, {{.*}}; 3 stages: as many as shared memory holds
// REMARK: family sm_90a: row blocks by ticket, {{.*}}; 3 stages: as many as shared memory holds
// REMARK: family sm_90a: row blocks by ticket, {{.*}}; 3 stages: as many as shared memory holds; reads by a second kernel
// REMARK: family sm_80: a row block has 64 rows, not 128

// Three stages of keys with 128 elements fit, four of 64.
// CHECK-LABEL: func.func @chosen(
// CHECK-SAME: delta.schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 3, column_tiles = [1, 2], split_sequence = true>
func.func @chosen(%q: tensor<?x?x2x128xbf16>, %k: tensor<?x?x2x128xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x128xbf16>) key(%k : tensor<?x?x2x128xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}

// -----

// CHECK-LABEL: func.func @chosen_narrow
// CHECK-SAME: delta.schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 4, column_tiles = [1], split_sequence = true>
func.func @chosen_narrow(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// What the family has no kernels for falls back.
// CHECK-LABEL: func.func @fallback
// CHECK-SAME: delta.schedule = #delta.schedule<family = "sm_80", value_columns = 64, stages = 2>
// expected-remark @+1 {{kernels of family "sm_80", not "sm_90a": a chunk has 32 rows, not 64}}
func.func @fallback(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>, chunk = 32} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// CHECK-LABEL: func.func @given
// CHECK-SAME: delta.schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 3, column_tiles = [2]>
func.func @given(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>, schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 3, column_tiles = [2]>} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}

// -----

// One head has one chain of 64 columns: there is no second one for its CTA.
func.func @tiles(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  // expected-error @+1 {{schedule value_columns: expected a divisor of the value dim 64, got 64, twice a CTA}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>, schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 3, column_tiles = [1, 2]>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @rows(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  // expected-error @+1 {{schedule family "sm_90a" has no kernels here: a chunk has 32 rows, not 64}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>, chunk = 32, schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 3>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @brief(%q: tensor<?x40x2x64xbf16>, %k: tensor<?x40x2x64xbf16>, %v: tensor<?x40x2x64xbf16>, %beta: tensor<?x40x2xbf16>) -> tensor<?x40x2x64xbf16> {
  // expected-error @+1 {{schedule family "sm_90a" has no kernels here: the sequence has one chunk}}
  %o = delta.recurrence query(%q : tensor<?x40x2x64xbf16>) key(%k : tensor<?x40x2x64xbf16>)
         value(%v : tensor<?x40x2x64xbf16>) beta(%beta : tensor<?x40x2xbf16>)
         {kernel = #delta.kernel<linear>, schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 3>} -> tensor<?x40x2x64xbf16>
  return %o : tensor<?x40x2x64xbf16>
}

// -----

// Row blocks of a tied softmax have 128 rows: three stages of 64 columns, two of 128.
// CHECK-LABEL: func.func @row_blocks
// CHECK-SAME: delta.schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 3>
// CHECK: tensor<128x128xf32>
func.func @row_blocks(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// CHECK-LABEL: func.func @wide_row_blocks
// CHECK-SAME: delta.schedule = #delta.schedule<family = "sm_90a", value_columns = 128, stages = 2>
func.func @wide_row_blocks(%q: tensor<?x?x2x128xf16>, %k: tensor<?x?x2x128xf16>, %v: tensor<?x?x2x128xf16>, %beta: tensor<?x?x2xf16>) -> tensor<?x?x2x128xf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x128xf16>) key(%k : tensor<?x?x2x128xf16>)
         value(%v : tensor<?x?x2x128xf16>) beta(%beta : tensor<?x?x2xf16>)
         {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x?x2x128xf16>
  return %o : tensor<?x?x2x128xf16>
}

// -----

// A write query of its own, and values that are narrower than keys: a slot is three quarters of 64 KB.
// CHECK-LABEL: func.func @own_write_query
// CHECK-SAME: delta.schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 3>
// CHECK-COUNT-2: scf.forall
func.func @own_write_query(%q: tensor<?x?x2x128xbf16>, %k: tensor<?x?x2x128xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>, %w: tensor<?x?x2x128xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x128xbf16>) key(%k : tensor<?x?x2x128xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>) write(%w : tensor<?x?x2x128xbf16>)
         {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// So has a kernel that reads and is no softmax, and no row statistics.
// CHECK-LABEL: func.func @other_read
// CHECK-SAME: delta.schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 3>
// CHECK-COUNT-2: scf.forall
func.func @other_read(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = softmax, read = relu>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// So have other kernels that write, which have none either.
// CHECK-LABEL: func.func @elementwise
// CHECK-SAME: delta.schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 3>
func.func @elementwise(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = relu, read = relu>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// Exponentials take twice the operands: 64 columns a CTA.
// CHECK-LABEL: func.func @exponentials
// CHECK-SAME: delta.schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 3>
func.func @exponentials(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = exp, read = exp>} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}

// -----

func.func @wide_exponentials(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  // expected-error @+1 {{schedule value_columns: expected 64 in family "sm_90a" for products of rests, got 128}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = exp, read = exp>, schedule = #delta.schedule<family = "sm_90a", value_columns = 128, stages = 2>} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}

// -----

// Reads apart have two parts of u, and as many columns a CTA.
// CHECK-LABEL: func.func @exponentials_read
// CHECK-SAME: delta.schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 3>
// CHECK-COUNT-2: scf.forall
func.func @exponentials_read(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = exp, read = softmax>} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}

// -----

// What they write in f16 for another read has blocks of 64 rows, and the other family.
// CHECK-LABEL: func.func @exponentials_apart
// CHECK-SAME: delta.schedule = #delta.schedule<family = "sm_80", value_columns = 64, stages = 2>
// expected-remark @+1 {{kernels of family "sm_80", not "sm_90a": a row block has 64 rows, not 128 as with 16-bit heads of 64 or 128, without a cache, where exp does not write f16 for another read and the chunk is left open}}
func.func @exponentials_apart(%q: tensor<?x?x2x64xf16>, %k: tensor<?x?x2x64xf16>, %v: tensor<?x?x2x64xf16>, %beta: tensor<?x?x2xf16>) -> tensor<?x?x2x64xf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xf16>) key(%k : tensor<?x?x2x64xf16>)
         value(%v : tensor<?x?x2x64xf16>) beta(%beta : tensor<?x?x2xf16>)
         {kernel = #delta.kernel<write = exp, read = linear>} -> tensor<?x?x2x64xf16>
  return %o : tensor<?x?x2x64xf16>
}

// -----

func.func @family_of_blocks(%q: tensor<?x?x2x64xf16>, %k: tensor<?x?x2x64xf16>, %v: tensor<?x?x2x64xf16>, %beta: tensor<?x?x2xf16>) -> tensor<?x?x2x64xf16> {
  // expected-error @+1 {{schedule family "sm_90a" has no kernels here: a row block has 64 rows, not 128 as with 16-bit heads of 64 or 128, without a cache, where exp does not write f16 for another read and the chunk is left open}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xf16>) key(%k : tensor<?x?x2x64xf16>)
         value(%v : tensor<?x?x2x64xf16>) beta(%beta : tensor<?x?x2xf16>)
         {kernel = #delta.kernel<write = exp, read = linear>, schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 2>} -> tensor<?x?x2x64xf16>
  return %o : tensor<?x?x2x64xf16>
}

// -----

func.func @columns_of_a_chain(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  // expected-error @+1 {{schedule value_columns: expected 64 in family "sm_90a", the columns of a warpgroup, got 128}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>, schedule = #delta.schedule<family = "sm_90a", value_columns = 128, stages = 2>} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}

// -----

func.func @implicit_column_tiles(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  // expected-error @+1 {{schedule column_tiles: expected none for implicit features, which have no chains}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<write = softmax, read = softmax>, schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 2, column_tiles = [1, 2]>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}
