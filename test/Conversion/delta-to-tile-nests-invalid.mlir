// RUN: delta-opt %s --split-input-file --verify-diagnostics --convert-delta-to-tile

// What a nest computes is written, never guessed: a nest without a kind, or with another form than its kind has, gets
// no kernel.

func.func @no_kind(%o: memref<2x64xf32>) attributes {
    delta.plans = {chain = [#plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>]}} {
  // expected-error @+1 {{expected a nest that says what it computes, got no `delta.nest`}}
  scf.forall (%b) in (2) {
  }
  return
}

// -----

// expected-error @+3 {{expected ::delta::NestKind to be one of: scan, intra_chunk, segment_fold, attention, rows}}
// expected-error @+2 {{failed to parse Delta_NestAttr parameter 'kind'}}
func.func @unknown_kind(%o: memref<2x64xf32>) {
  scf.forall (%b) in (2) {} {delta.nest = #delta.nest<kind = guess, name = "chain", axes = ["batch"]>}
  return
}

// -----

// expected-error @+2 {{nest carries: expected state in a nest of kind scan, got nothing}}
func.func @carries() attributes {
    nest = #delta.nest<kind = scan, name = "chain", axes = ["batch"]>} {
  return
}

// -----

// expected-error @+2 {{nest publishes: expected nothing in a nest of kind rows, got "u"}}
func.func @publishes() attributes {
    nest = #delta.nest<kind = rows, name = "normalise", axes = ["batch"], publishes = "u">} {
  return
}

// -----

func.func @nothing_carried(%o: memref<2x64xf32>) attributes {
    delta.plans = {chain = [#plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>]}} {
  // expected-error @+1 {{nest carries: expected a loop that carries state}}
  scf.forall (%b, %h) in (2, 2) {
  } {delta.nest = #delta.nest<kind = scan, name = "chain", axes = ["batch", "head"], carries = state>}
  return
}

// -----

func.func @nothing_published(%o: memref<2x64xf32>) attributes {
    delta.plans = {write = [#plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64, work = queue, group_bytes = 1024>]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @+1 {{nest publishes: expected a loop over blocks with a load `before` of the array}}
  scf.forall (%b) in (2) {
    %K = arith.constant dense<0.0> : tensor<64x64xf32>
    %sums = scf.for %i = %c0 to %c1 step %c1 iter_args(%s = %zero) -> tensor<64x64xf32> {
      %g = delta.gram %K, %K part<full> : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      scf.yield %g : tensor<64x64xf32>
    }
  } {delta.nest = #delta.nest<kind = attention, name = "write", axes = ["batch"], carries = sums, publishes = "u">}
  return
}
