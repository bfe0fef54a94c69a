// RUN: delta-opt %s --split-input-file --verify-diagnostics --delta-split-sequence

// Chains that are no maps of their state.

func.func @nonlinear(%k: memref<?x?x2x64xbf16>, %v: memref<?x?x2x64xbf16>, %B: index, %n: index) attributes {
    delta.plans = {chain = [#plan.kernel<machine = <"sm_90">, products = mma_sync, copies = cp_async, stages = 2, columns = 64, work = segments>]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  scf.forall (%b, %h) in (%B, 2) {
    %last = scf.for %c = %c0 to %n step %c1 iter_args(%S = %zero) -> (tensor<64x64xf32>) {
      %K = delta.load %k[%b, %c, %h, %c0] rows(%c1) dims [1, 3] : memref<?x?x2x64xbf16> -> tensor<64x64xf32>
      // expected-error @+1 {{segments: expected an op that is linear in the state}}
      %X = arith.mulf %S, %S : tensor<64x64xf32>
      %next = delta.update %S, %K, %X {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
  } {delta.nest = #delta.nest<kind = scan, name = "chain", axes = ["batch", "head"], carries = state>}
  return
}

// -----

func.func @source(%k: memref<?x?x2x64xbf16>, %B: index, %n: index) attributes {
    delta.plans = {chain = [#plan.kernel<machine = <"sm_90">, products = mma_sync, copies = cp_async, stages = 2, columns = 64, work = segments>]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  scf.forall (%b, %h) in (%B, 2) {
    // expected-error @+1 {{segments: expected what is added to the state's part to be rows of an array}}
    %last = scf.for %c = %c0 to %n step %c1 iter_args(%S = %zero) -> (tensor<64x64xf32>) {
      %K = delta.load %k[%b, %c, %h, %c0] rows(%c1) dims [1, 3] : memref<?x?x2x64xbf16> -> tensor<64x64xf32>
      %X = arith.subf %zero, %S : tensor<64x64xf32>
      %next = delta.update %S, %K, %X {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
  } {delta.nest = #delta.nest<kind = scan, name = "chain", axes = ["batch", "head"], carries = state>}
  return
}

// -----

func.func @form(%k: memref<?x?x2x64xbf16>, %B: index) attributes {
    delta.plans = {chain = [#plan.kernel<machine = <"sm_90">, products = mma_sync, copies = cp_async, stages = 2, columns = 64, work = segments>]}} {
  // expected-error @+1 {{nest of kind scan: expected axes (batch, head) around one loop over chunks that carries the state}}
  scf.forall (%b) in (%B) {
  } {delta.nest = #delta.nest<kind = scan, name = "chain", axes = ["batch"], carries = state>}
  return
}

// -----

// Rows of the state are columns of this read: column blocks of M cannot run apart.

func.func @transposed(%k: memref<?x?x2x64xbf16>, %f: tensor<64xf32>, %B: index, %n: index) attributes {
    delta.plans = {chain = [#plan.kernel<machine = <"sm_90">, products = mma_sync, copies = cp_async, stages = 2, columns = 64, work = segments>]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  scf.forall (%b, %h) in (%B, 2) {
    %last = scf.for %c = %c0 to %n step %c1 iter_args(%S = %zero) -> (tensor<64x64xf32>) {
      %K = delta.load %k[%b, %c, %h, %c0] rows(%c1) dims [1, 3] : memref<?x?x2x64xbf16> -> tensor<64x64xf32>
      // expected-error @+1 {{segments: expected an op that is linear in the state}}
      %X = delta.read %K, %S {prec = #delta.prec<bf16>, transpose} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %next = delta.update %S, %K, %X {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
  } {delta.nest = #delta.nest<kind = scan, name = "chain", axes = ["batch", "head"], carries = state>}
  return
}

// -----

// Factors of value columns multiply a state from the right, the map M from the left.

func.func @columns(%k: memref<?x?x2x64xbf16>, %f: tensor<64xf32>, %B: index, %n: index) attributes {
    delta.plans = {chain = [#plan.kernel<machine = <"sm_90">, products = mma_sync, copies = cp_async, stages = 2, columns = 64, work = segments>]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  scf.forall (%b, %h) in (%B, 2) {
    %last = scf.for %c = %c0 to %n step %c1 iter_args(%S = %zero) -> (tensor<64x64xf32>) {
      %K = delta.load %k[%b, %c, %h, %c0] rows(%c1) dims [1, 3] : memref<?x?x2x64xbf16> -> tensor<64x64xf32>
      %R = delta.read %K, %S {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      // expected-error @+1 {{segments: expected an op that is linear in the state}}
      %X = delta.scale %R, %f {axis = 1 : i64} : tensor<64x64xf32>, tensor<64xf32>
      %next = delta.update %S, %K, %X {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
  } {delta.nest = #delta.nest<kind = scan, name = "chain", axes = ["batch", "head"], carries = state>}
  return
}

// -----

func.func @no_update(%B: index, %n: index) attributes {
    delta.plans = {chain = [#plan.kernel<machine = <"sm_90">, products = mma_sync, copies = cp_async, stages = 2, columns = 64, work = segments>]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  scf.forall (%b, %h) in (%B, 2) {
    // expected-error @+1 {{split_sequence: expected a chunk to end with an update of the state}}
    %last = scf.for %c = %c0 to %n step %c1 iter_args(%S = %zero) -> (tensor<64x64xf32>) {
      %next = arith.addf %S, %S : tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
  } {delta.nest = #delta.nest<kind = scan, name = "chain", axes = ["batch", "head"], carries = state>}
  return
}
