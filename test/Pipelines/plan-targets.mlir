// RUN: delta-opt %s --split-input-file --delta-plan-targets=targets=sm_90,sm_86,sm_90a,sm_87,sm_80 | FileCheck %s
// RUN: not delta-opt %s --split-input-file --delta-plan-targets=targets=sm_80,sm_75 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: targets: expected some of sm_80, {{.*}}, got sm_75

// Shared memory of sm_86 has room for one stage. The others without warpgroups share kernels, made for the one with the
// least shared memory and, of equals, the fewest threads of a multiprocessor. Sets stand in the order of their targets.
// CHECK:      module attributes {plan.targets = [#plan.machine<"sm_90">, #plan.machine<"sm_87">, #plan.machine<"sm_80">]} {
// CHECK-NEXT:   func.func @scan(
// CHECK:          chain = [#plan.kernel<machine = <"sm_87">, products = mma_sync, copies = cp_async, stages = 2,
// CHECK:      module attributes {plan.targets = [#plan.machine<"sm_86">]} {
// CHECK-NEXT:   func.func @scan(
// CHECK:          chain = [#plan.kernel<machine = <"sm_86">, products = mma_sync, copies = cp_async, stages = 1,
// CHECK:      module attributes {plan.targets = [#plan.machine<"sm_90a">]} {
// CHECK-NEXT:   func.func @scan(
// CHECK:          chain = [#plan.kernel<machine = <"sm_90a">, products = wgmma,
// CHECK-NOT:  func.func
func.func @scan(%q: tensor<?x?x2x128xbf16>, %k: tensor<?x?x2x128xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x128xbf16>) key(%k : tensor<?x?x2x128xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}

// -----

// Plans of the spec's own are everybody's.
// CHECK:      module attributes {plan.targets = [#plan.machine<"sm_90">, #plan.machine<"sm_86">, #plan.machine<"sm_90a">, #plan.machine<"sm_87">, #plan.machine<"sm_80">]} {
// CHECK:          chain = [#plan.kernel<machine = <"sm_86">, products = mma_sync, copies = cp_async, stages = 1, columns = 32>]
// What no kernel is for is refused later, once.
// CHECK:      module attributes {plan.targets = [#plan.machine<"sm_90">, #plan.machine<"sm_86">, #plan.machine<"sm_90a">, #plan.machine<"sm_87">, #plan.machine<"sm_80">]} {
// CHECK-NEXT:   func.func @none({{.*}} attributes {delta.no_plan = "key dim 32 has no GPU kernel yet
// CHECK-NOT:  func.func
func.func @given(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {plans = {chain = #plan.kernel<products = mma_sync, copies = cp_async, stages = 1, columns = 32>}, kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}
func.func @none(%q: tensor<?x?x2x32xbf16>, %k: tensor<?x?x2x32xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x32xbf16>) key(%k : tensor<?x?x2x32xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}
