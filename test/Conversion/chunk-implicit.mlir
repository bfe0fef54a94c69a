// The chunked form of implicit features: the algebra of a row block, what is
// read before, where u lives, and when the attention of the read is left out.

// RUN: delta-opt %s -split-input-file --delta-chunk --delta-verify-chunked | FileCheck %s

// Tied, softmax. One sweep over the keys; u in an f32 array of the function's
// own; o from the write's statistics. A sigmoid of range 1 proves |beta| <= 1.
// CHECK-LABEL: func.func @tied_softmax
// CHECK-SAME:    %[[Q:[^:]+]]: memref<?x?x4x64xbf16> {delta.name = "q"}
// CHECK-SAME:    %[[K:[^:]+]]: memref<?x?x4x64xbf16> {delta.name = "k"}
// CHECK-SAME:    %[[V:[^:]+]]: memref<?x?x4x32xbf16> {delta.name = "v"}
// CHECK-SAME:    %[[BETA:[^:]+]]: memref<?x?x4xbf16> {delta.name = "beta"}
// CHECK-SAME:    %[[O:[^:]+]]: memref<?x?x4x32xbf16> {delta.name = "o", delta.result}
// CHECK:         %[[MEMORY:.+]] = memref.alloc(%{{.+}}, %{{.+}}) {delta.name = "u"} : memref<?x?x4x32xf32>
// CHECK:         scf.forall (%[[B:.+]], %[[H:.+]]) in (%{{.+}}, 4)
// CHECK:           scf.for %[[C:.+]] = %{{.+}} to
// CHECK:             %[[FIRST:.+]] = arith.muli %[[C]], %c64
// CHECK:             %[[COUNT:.+]] = arith.minui
// CHECK:             %[[W:.+]] = delta.load %[[Q]][%[[B]], %[[FIRST]], %[[H]], %{{.+}}] rows(%[[COUNT]])
// CHECK:             %[[KC:.+]] = delta.load %[[K]][%[[B]], %[[FIRST]], %[[H]], %{{.+}}] rows(%[[COUNT]])
// CHECK:             %[[VC:.+]] = delta.load %[[V]]
// CHECK:             %[[BC:.+]] = delta.sigmoid
// CHECK:             %[[LEAST:.+]] = arith.constant dense<-1.000000e+30>
// CHECK:             %[[SUMS:.+]]:3 = scf.for %[[P:.+]] = %{{.+}} to %[[C]] step %{{.+}} iter_args(%[[M0:.+]] = %[[LEAST]], %[[L0:.+]] = %{{.+}}, %[[A0:.+]] = %{{.+}}) ->
// CHECK:               %[[EARLIER:.+]] = arith.muli %[[P]], %c64
// CHECK:               %[[KP:.+]] = delta.load %[[K]][%[[B]], %[[EARLIER]], %[[H]],
// CHECK:               %[[UP:.+]] = delta.load %[[MEMORY]][%[[B]], %[[EARLIER]], %[[H]], {{.*}} {before}
// CHECK:               %[[SP:.+]] = delta.gram %[[W]], %[[KP]] part<full> {{.*}}scale = 1.250000e-01
// CHECK:               delta.online %[[M0]], %[[L0]], %[[A0]], %[[SP]] values(%[[UP]] : {{.+}}) part<full>
// The block's own scores come in without values, and before the inverse.
// CHECK:             %[[S:.+]] = delta.gram %[[W]], %[[KC]] part<strict_lower> {{.*}}scale = 1.250000e-01
// CHECK:             %[[OWN:.+]] = delta.row_dot %[[W]], %[[KC]] {scale = 1.250000e-01
// CHECK:             %[[M:.+]], %[[L:.+]], %[[ACC:.+]] = delta.online %[[SUMS]]#0, %[[SUMS]]#1, %[[SUMS]]#2, %[[S]] part<strict_lower>
// CHECK:             %[[WEIGHTS:.+]] = delta.weights %[[S]], %[[M]], %[[L]] part<strict_lower>
// CHECK:             %[[A:.+]] = delta.normalize %[[ACC]], %[[L]]
// rho = l / (l + exp(s - m)) needs no u and comes before the inverse.
// CHECK:             %[[ABOVE:.+]] = arith.subf %[[OWN]], %[[M]]
// CHECK:             %[[E:.+]] = math.exp %[[ABOVE]]
// CHECK:             %[[ALL:.+]] = arith.addf %[[L]], %[[E]]
// CHECK:             %[[RHO:.+]] = arith.divf %[[L]], %[[ALL]]
// CHECK:             %[[SCALED:.+]] = delta.scale %[[WEIGHTS]], %[[BC]] {axis = 0
// CHECK:             %[[INVERSE:.+]] = delta.tri_inverse %[[SCALED]] {row_stochastic}
// CHECK:             %[[BA:.+]] = delta.scale %[[A]], %[[BC]] {axis = 0
// CHECK:             %[[R:.+]] = arith.subf %[[VC]], %[[BA]]
// CHECK:             %[[U:.+]] = delta.apply %[[INVERSE]], %[[R]] part<lower>
// CHECK:             delta.store %[[U]], %[[MEMORY]][%[[B]], %[[FIRST]], %[[H]],
// o = u + rho (ubar - u).
// CHECK:             %[[UBAR:.+]] = delta.apply %[[WEIGHTS]], %[[U]] acc(%[[A]] : {{.+}}) part<strict_lower>
// CHECK:             %[[D:.+]] = arith.subf %[[UBAR]], %[[U]]
// CHECK:             %[[PART:.+]] = delta.scale %[[D]], %[[RHO]] {axis = 0
// CHECK:             %[[OC:.+]] = arith.addf %[[U]], %[[PART]]
// CHECK:             delta.store %[[OC]], %[[O]][%[[B]], %[[FIRST]], %[[H]],
// CHECK-NOT:       = delta.
// CHECK-NOT:       delta.store
// CHECK:           delta.nest = #delta.nest<kind = attention, name = "write", axes = ["batch", "head"], carries = sums, publishes = "u">
// CHECK:           return
func.func @tied_softmax(%q: tensor<?x?x4x64xbf16>, %k: tensor<?x?x4x64xbf16>,
                        %v: tensor<?x?x4x32xbf16>, %beta: tensor<?x?x4xbf16>)
    -> tensor<?x?x4x32xbf16> {
  %b = delta.sigmoid %beta : tensor<?x?x4xbf16> -> tensor<?x?x4xf32>
  %o = delta.recurrence query(%q : tensor<?x?x4x64xbf16>)
      key(%k : tensor<?x?x4x64xbf16>) value(%v : tensor<?x?x4x32xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>, chunk = 64}
      -> tensor<?x?x4x32xbf16>
  return %o : tensor<?x?x4x32xbf16>
}

// -----

// Tied, not normalised: no row statistics, and a row's own weight is one like the
// others; the inverse ignores it. The kernel is applied to each scaled score;
// nothing bounds the inverse. u is the caller's.
// CHECK-LABEL: func.func @tied_relu
// CHECK-SAME:    %[[O:[^:]+]]: memref<?x?x1x64xf16> {delta.name = "o", delta.result}, %[[MEMORY:[^:]+]]: memref<?x?x1x64xf16> {delta.name = "u", delta.result}
// CHECK-NOT:     memref.alloc
// CHECK:         scf.forall
// CHECK:           %[[ACC:.+]] = scf.for {{.+}} -> (tensor<32x64xf32>)
// CHECK:             %[[UP:.+]] = delta.load %[[MEMORY]]{{.*}} {before}
// CHECK:             %[[WP:.+]] = delta.gram {{.+}} part<full> kernel<relu> {{.*}}scale = 5.000000e-01
// CHECK:             delta.apply %[[WP]], %[[UP]] acc({{.+}}) part<full>
// CHECK-NOT:       delta.online
// CHECK:           %[[WEIGHTS:.+]] = delta.gram {{.+}} part<lower> kernel<relu> {{.*}}scale = 5.000000e-01
// CHECK-NOT:       delta.weights
// CHECK-NOT:       delta.row_dot
// CHECK:           %[[A:.+]] = delta.scale %[[WEIGHTS]]
// CHECK:           delta.tri_inverse %[[A]] : tensor<32x32xf32>
// CHECK:           %[[U:.+]] = delta.apply {{.+}} part<lower>
// CHECK:           delta.store %[[U]], %[[MEMORY]]
// CHECK:           %[[OC:.+]] = delta.apply %[[WEIGHTS]], %[[U]] acc(%[[ACC]] : {{.+}}) part<lower>
// CHECK-NOT:       split
// CHECK:           delta.store %[[OC]], %[[O]]
// CHECK-NOT:     scf.forall
// CHECK:         return
func.func @tied_relu(%q: tensor<?x?x1x64xf16>, %k: tensor<?x?x1x64xf16>,
                     %v: tensor<?x?x1x64xf16>, %beta: tensor<?x?x1xf32>)
    -> (tensor<?x?x1x64xf16>, tensor<?x?x1x64xf16>) {
  %o, %u = delta.recurrence query(%q : tensor<?x?x1x64xf16>)
      key(%k : tensor<?x?x1x64xf16>) value(%v : tensor<?x?x1x64xf16>)
      beta(%beta : tensor<?x?x1xf32>)
      {kernel = #delta.kernel<write = relu, read = relu>, chunk = 32,
       scale = 0.5 : f32}
      -> tensor<?x?x1x64xf16>, u(tensor<?x?x1x64xf16>)
  return %o, %u : tensor<?x?x1x64xf16>, tensor<?x?x1x64xf16>
}

// -----

// A write query of its own: the chain writes u alone, and the read is a second,
// fully parallel loop over blocks, inclusive of the diagonal. Value heads share
// key heads; alpha scales the values; beta may reach 2, so nothing is proved.
// CHECK-LABEL: func.func @general
// CHECK-SAME:    %[[Q:[^:]+]]: memref<?x?x2x64xbf16> {delta.name = "q"}
// CHECK-SAME:    %[[K:[^:]+]]: memref<?x?x2x64xbf16> {delta.name = "k"}
// CHECK-SAME:    %[[W:[^:]+]]: memref<?x?x2x64xbf16> {delta.name = "w"}
// CHECK-SAME:    %[[ALPHA:[^:]+]]: memref<?x?x6xf32> {delta.name = "alpha"}
// CHECK-SAME:    %[[O:[^:]+]]: memref<?x?x6x64xbf16> {delta.name = "o", delta.result}
// CHECK:         %[[BLOCKS:.+]] = arith.ceildivui
// CHECK:         %[[MEMORY:.+]] = memref.alloc
// CHECK:         scf.forall (%[[B:.+]], %[[H:.+]]) in (%{{.+}}, 6)
// CHECK:           %[[HK:.+]] = arith.divui %[[H]], %c3
// CHECK:           delta.load %[[W]][%[[B]], %{{.+}}, %[[HK]], %{{.+}}]
// CHECK:           %[[VC:.+]] = delta.load {{.+}}[%[[B]], %{{.+}}, %[[H]], %{{.+}}] {{.+}} memref<?x?x6x64xbf16>
// CHECK:           %[[AC:.+]] = delta.load %[[ALPHA]]
// CHECK:           delta.tri_inverse %{{[^ ]+}} : tensor<64x64xf32>
// Behind the loop, which would hold the scaled values in f32 all along.
// CHECK:           %[[AV:.+]] = delta.scale %[[VC]], %[[AC]] {axis = 0
// CHECK:           arith.subf %[[AV]],
// CHECK-NOT:       %[[O]]
// CHECK:         scf.forall (%[[B2:.+]], %[[H2:.+]], %[[C:.+]]) in (%{{.+}}, 6, %[[BLOCKS]])
// CHECK:           %[[HK2:.+]] = arith.divui %[[H2]], %c3
// CHECK:           %[[QC:.+]] = delta.load %[[Q]][%[[B2]], %{{.+}}, %[[HK2]],
// CHECK:           %[[SUMS:.+]]:3 = scf.for %{{.+}} = %{{.+}} to %[[C]]
// CHECK:             delta.load %[[MEMORY]]
// CHECK-NOT:         {before}
// CHECK:             delta.online {{.+}} part<full>
// CHECK:           %[[KC:.+]] = delta.load %[[K]]
// CHECK:           %[[UC:.+]] = delta.load %[[MEMORY]]
// CHECK:           %[[S:.+]] = delta.gram %[[QC]], %[[KC]] part<lower>
// CHECK:           %[[M:.+]], %[[L:.+]], %[[ACC:.+]] = delta.online %[[SUMS]]#0, %[[SUMS]]#1, %[[SUMS]]#2, %[[S]] values(%[[UC]] : {{.+}}) part<lower>
// CHECK:           %[[OC:.+]] = delta.normalize %[[ACC]], %[[L]]
// CHECK:           delta.store %[[OC]], %[[O]][%[[B2]],
func.func @general(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
                   %v: tensor<?x?x6x64xbf16>, %beta: tensor<?x?x6xbf16>,
                   %w: tensor<?x?x2x64xbf16>, %alpha: tensor<?x?x6xf32>)
    -> tensor<?x?x6x64xbf16> {
  %b = delta.sigmoid %beta {range = 2.0 : f32}
      : tensor<?x?x6xbf16> -> tensor<?x?x6xf32>
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x6x64xbf16>)
      beta(%b : tensor<?x?x6xf32>) write(%w : tensor<?x?x2x64xbf16>)
      alpha(%alpha : tensor<?x?x6xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<?x?x6x64xbf16>
  return %o : tensor<?x?x6x64xbf16>
}

// -----

// Keys with an l2 norm: a loop in front normalises them, by key head, into an
// array of the norm's type; that is what both sweeps load. Queries are used once
// and normalised where they are loaded.
// CHECK-LABEL: func.func @normalised_keys
// CHECK-SAME:    %[[Q:[^:]+]]: memref<?x?x2x64xbf16> {delta.name = "q"}
// CHECK-SAME:    %[[K:[^:]+]]: memref<?x?x2x64xbf16> {delta.name = "k"}
// CHECK:         %[[BLOCKS:.+]] = arith.ceildivui
// CHECK:         %[[KN:.+]] = memref.alloc({{.+}}) {delta.name = "k_normalised"} : memref<?x?x2x64xbf16>
// CHECK:         scf.forall (%[[B:.+]], %[[H:.+]], %[[C:.+]]) in (%{{.+}}, 2, %[[BLOCKS]])
// CHECK:           %[[FIRST:.+]] = arith.muli %[[C]], %c64
// CHECK:           %[[COUNT:.+]] = arith.minui
// CHECK:           %[[ROWS:.+]] = delta.load %[[K]][%[[B]], %[[FIRST]], %[[H]], %{{.+}}] rows(%[[COUNT]])
// CHECK:           %[[NORMALISED:.+]] = delta.l2norm %[[ROWS]]
// CHECK:           %[[WIDE:.+]] = arith.extf %[[NORMALISED]]
// CHECK:           delta.store %[[WIDE]], %[[KN]][%[[B]], %[[FIRST]], %[[H]], %{{.+}}] rows(%[[COUNT]])
// CHECK-NOT:     %[[K]][
// CHECK:         scf.forall
// CHECK:           delta.load %[[Q]]
// CHECK-NEXT:      delta.l2norm
// CHECK:           delta.load %[[KN]]
// CHECK-NOT:       delta.l2norm
// CHECK:         return
func.func @normalised_keys(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
                           %v: tensor<?x?x4x64xbf16>, %beta: tensor<?x?x4xf32>)
    -> tensor<?x?x4x64xbf16> {
  %qn = delta.l2norm %q : tensor<?x?x2x64xbf16> -> tensor<?x?x2x64xbf16>
  %kn = delta.l2norm %k : tensor<?x?x2x64xbf16> -> tensor<?x?x2x64xbf16>
  %o = delta.recurrence query(%qn : tensor<?x?x2x64xbf16>)
      key(%kn : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%beta : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// Without a write query the query writes, but two kernels are not tied. A read
// that is not normalised has no statistics.
// CHECK-LABEL: func.func @two_kernels
// CHECK-SAME:    %[[Q:[^:]+]]: memref<?x?x1x64xbf16> {delta.name = "q"}
// CHECK:         scf.forall
// CHECK:           delta.load %[[Q]]
// CHECK:           delta.weights
// CHECK:         scf.forall
// CHECK:           delta.load %[[Q]]
// CHECK-NOT:       delta.online
// CHECK:           %[[P:.+]] = delta.gram {{.+}} part<lower> kernel<exp>
// CHECK:           %[[OC:.+]] = delta.apply %[[P]], {{.+}} acc({{.+}}) part<lower>
// CHECK-NEXT:      arith.constant
// CHECK-NEXT:      delta.store %[[OC]]
func.func @two_kernels(%q: tensor<?x?x1x64xbf16>, %k: tensor<?x?x1x64xbf16>,
                       %v: tensor<?x?x1x64xbf16>, %beta: tensor<?x?x1xbf16>)
    -> tensor<?x?x1x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x1x64xbf16>)
      key(%k : tensor<?x?x1x64xbf16>) value(%v : tensor<?x?x1x64xbf16>)
      beta(%beta : tensor<?x?x1xbf16>)
      {kernel = #delta.kernel<write = softmax, read = exp>, chunk = 64}
      -> tensor<?x?x1x64xbf16>
  return %o : tensor<?x?x1x64xbf16>
}

// -----

// Exponentials that nothing normalises count to more digits than 16 bits have, and so do
// the u that they write, the inverse and what is solved.
// CHECK-LABEL: func.func @tied_exp
// CHECK:         scf.for {{.+}} iter_args
// CHECK:           delta.apply {{.+}} part<full> {prec = #delta.prec<bf16>, split_input, split_matrix}
// CHECK:         delta.apply {{.+}} part<lower> {prec = #delta.prec<bf16>, split_input, split_matrix}
// CHECK:         delta.apply {{.+}} part<lower> {prec = #delta.prec<bf16>, split_input, split_matrix}
// CHECK:         return
func.func @tied_exp(%q: tensor<?x?x1x64xbf16>, %k: tensor<?x?x1x64xbf16>,
                    %v: tensor<?x?x1x64xbf16>, %beta: tensor<?x?x1xf32>)
    -> tensor<?x?x1x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x1x64xbf16>)
      key(%k : tensor<?x?x1x64xbf16>) value(%v : tensor<?x?x1x64xbf16>)
      beta(%beta : tensor<?x?x1xf32>)
      {kernel = #delta.kernel<write = exp, read = exp>, chunk = 64}
      -> tensor<?x?x1x64xbf16>
  return %o : tensor<?x?x1x64xbf16>
}

// -----

// Whatever reads what they wrote does so too. One array of u is enough.
// CHECK-LABEL: func.func @normalised_read_of_exp
// CHECK:         %[[U:.+]] = memref.alloc({{.+}}) {delta.name = "u"} : memref<?x?x1x64xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         scf.forall
// CHECK:           delta.apply {{.+}} part<full> {prec = #delta.prec<bf16>, split_input, split_matrix}
// CHECK:         scf.forall
// CHECK:           delta.load %[[U]]
// CHECK:           delta.online {{.+}} part<full> {prec = #delta.prec<bf16>, split_values, split_weights}
// CHECK:           delta.load %[[U]]
// CHECK:           delta.online {{.+}} part<lower> {prec = #delta.prec<bf16>, split_values, split_weights}
func.func @normalised_read_of_exp(
    %q: tensor<?x?x1x64xbf16>, %k: tensor<?x?x1x64xbf16>,
    %v: tensor<?x?x1x64xbf16>, %beta: tensor<?x?x1xf32>)
    -> tensor<?x?x1x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x1x64xbf16>)
      key(%k : tensor<?x?x1x64xbf16>) value(%v : tensor<?x?x1x64xbf16>)
      beta(%beta : tensor<?x?x1xf32>)
      {kernel = #delta.kernel<write = exp, read = softmax>, chunk = 64}
      -> tensor<?x?x1x64xbf16>
  return %o : tensor<?x?x1x64xbf16>
}

// -----

// Where the caller has u in 16 bits, later u make up for that rounding: blocks read
// earlier ones as they are stored, and their own in f32.
// CHECK-LABEL: func.func @written_exp
// CHECK-SAME:    %[[U:[^:]+]]: memref<?x?x1x64xbf16> {delta.name = "u", delta.result}
// CHECK:         %[[OWN:.+]] = memref.alloc({{.+}}) {delta.name = "u_own"} : memref<?x?x1x64xf32>
// CHECK:         delta.store %[[SOLVED:[^,]+]], %[[U]]
// CHECK:         delta.store %[[SOLVED]], %[[OWN]]
// CHECK:         scf.forall
// CHECK:           scf.for
// CHECK:             delta.load %[[U]]
// CHECK:             delta.apply {{.+}} part<full> {prec = #delta.prec<bf16>, split_matrix}
// CHECK:           %[[READ:.+]] = delta.load %[[OWN]]
// CHECK:           delta.apply %{{.+}}, %[[READ]] acc({{.+}}) part<lower> {prec = #delta.prec<bf16>, split_input, split_matrix}
func.func @written_exp(%q: tensor<?x?x1x64xbf16>, %k: tensor<?x?x1x64xbf16>,
                       %v: tensor<?x?x1x64xbf16>, %beta: tensor<?x?x1xf32>,
                       %w: tensor<?x?x1x64xbf16>)
    -> (tensor<?x?x1x64xbf16>, tensor<?x?x1x64xbf16>) {
  %o, %u = delta.recurrence query(%q : tensor<?x?x1x64xbf16>)
      key(%k : tensor<?x?x1x64xbf16>) value(%v : tensor<?x?x1x64xbf16>)
      beta(%beta : tensor<?x?x1xf32>) write(%w : tensor<?x?x1x64xbf16>)
      {kernel = #delta.kernel<write = exp, read = exp>, chunk = 64}
      -> tensor<?x?x1x64xbf16>, u(tensor<?x?x1x64xbf16>)
  return %o, %u : tensor<?x?x1x64xbf16>, tensor<?x?x1x64xbf16>
}

// -----

// What a backward pass saves of a tied read: ubar as it is read, and m + log(l) of
// the write. Of the read the row's own score comes in, relative to the larger of
// both, as m is far below every score in a row without earlier tokens.
// CHECK-LABEL: func.func @saved_tied
// CHECK-SAME:    %[[UBAR:[^:]+]]: memref<?x?x1x64xbf16> {delta.name = "ubar", delta.result}
// CHECK-SAME:    %[[WRITE:[^:]+]]: memref<?x?x1xf32> {delta.name = "write_lse", delta.result}
// CHECK-SAME:    %[[READ:[^:]+]]: memref<?x?x1xf32> {delta.name = "read_lse", delta.result}
// CHECK:         %[[OWN:.+]] = delta.row_dot
// CHECK:         %[[M:.+]], %[[L:.+]], %{{.+}} = delta.online {{.+}} part<strict_lower>
// CHECK:         %[[LOG:.+]] = math.log %[[L]]
// CHECK:         %[[LSE:.+]] = arith.addf %[[M]], %[[LOG]]
// CHECK:         %[[MAX:.+]] = arith.maximumf %[[M]], %[[OWN]]
// CHECK:         %[[BELOW:.+]] = arith.subf %[[M]], %[[MAX]]
// CHECK:         %[[SHRINK:.+]] = math.exp %[[BELOW]]
// CHECK:         %[[EARLIER:.+]] = arith.mulf %[[L]], %[[SHRINK]]
// CHECK:         %[[ABOVE:.+]] = arith.subf %[[OWN]], %[[MAX]]
// CHECK:         %[[WEIGHT:.+]] = math.exp %[[ABOVE]]
// CHECK:         %[[ALL:.+]] = arith.addf %[[EARLIER]], %[[WEIGHT]]
// CHECK:         %[[LOGALL:.+]] = math.log %[[ALL]]
// CHECK:         %[[READLSE:.+]] = arith.addf %[[MAX]], %[[LOGALL]]
// CHECK:         %[[U:.+]] = delta.apply {{.+}} part<lower>
// CHECK:         %[[SUM:.+]] = delta.apply %{{[^ ]+}}, %[[U]] acc(
// CHECK:         delta.store %[[SUM]], %[[UBAR]]
// CHECK:         delta.store %[[LSE]], %[[WRITE]][%[[B:.+]], %[[FIRST:.+]], %[[H:.+]]] rows(%{{.+}}) dims [1]
// CHECK:         delta.store %[[READLSE]], %[[READ]][%[[B]], %[[FIRST]], %[[H]]]
func.func @saved_tied(%q: tensor<?x?x1x64xbf16>, %k: tensor<?x?x1x64xbf16>,
                      %v: tensor<?x?x1x64xbf16>, %beta: tensor<?x?x1xf32>)
    -> (tensor<?x?x1x64xbf16>, tensor<?x?x1x64xbf16>, tensor<?x?x1xf32>,
        tensor<?x?x1xf32>) {
  %o, %ubar, %write, %read = delta.recurrence query(%q : tensor<?x?x1x64xbf16>)
      key(%k : tensor<?x?x1x64xbf16>) value(%v : tensor<?x?x1x64xbf16>)
      beta(%beta : tensor<?x?x1xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>, chunk = 64}
      -> tensor<?x?x1x64xbf16>, ubar(tensor<?x?x1x64xbf16>),
         write_lse(tensor<?x?x1xf32>), read_lse(tensor<?x?x1xf32>)
  return %o, %ubar, %write, %read
      : tensor<?x?x1x64xbf16>, tensor<?x?x1x64xbf16>, tensor<?x?x1xf32>,
        tensor<?x?x1xf32>
}

// -----

// With a query of its own ubar is a product that nothing else needs, and the read
// has statistics of its own, from its own loop.
// CHECK-LABEL: func.func @saved_general
// CHECK-SAME:    %[[UBAR:[^:]+]]: memref<?x?x1x64xbf16> {delta.name = "ubar", delta.result}
// CHECK-SAME:    %[[READ:[^:]+]]: memref<?x?x1xf32> {delta.name = "read_lse", delta.result}
// CHECK:         scf.forall
// CHECK:         %[[U:.+]] = delta.apply {{.+}} part<lower>
// CHECK:         %[[SUM:.+]] = delta.apply %{{[^ ]+}}, %[[U]] acc({{.+}}) part<strict_lower>
// CHECK:         delta.store %[[SUM]], %[[UBAR]]
// CHECK-NOT:     math.log
// CHECK:         scf.forall
// CHECK:         %[[M:.+]], %[[L:.+]], %{{.+}} = delta.online {{.+}} part<lower>
// CHECK:         %[[LOG:.+]] = math.log %[[L]]
// CHECK:         %[[LSE:.+]] = arith.addf %[[M]], %[[LOG]]
// CHECK:         delta.store %[[LSE]], %[[READ]]
func.func @saved_general(%q: tensor<?x?x1x64xbf16>, %k: tensor<?x?x1x64xbf16>,
                         %v: tensor<?x?x1x64xbf16>, %beta: tensor<?x?x1xf32>,
                         %w: tensor<?x?x1x64xbf16>)
    -> (tensor<?x?x1x64xbf16>, tensor<?x?x1x64xbf16>, tensor<?x?x1xf32>) {
  %o, %ubar, %read = delta.recurrence query(%q : tensor<?x?x1x64xbf16>)
      key(%k : tensor<?x?x1x64xbf16>) value(%v : tensor<?x?x1x64xbf16>)
      beta(%beta : tensor<?x?x1xf32>) write(%w : tensor<?x?x1x64xbf16>)
      {kernel = #delta.kernel<write = relu, read = softmax>, chunk = 64}
      -> tensor<?x?x1x64xbf16>, ubar(tensor<?x?x1x64xbf16>),
         read_lse(tensor<?x?x1xf32>)
  return %o, %ubar, %read
      : tensor<?x?x1x64xbf16>, tensor<?x?x1x64xbf16>, tensor<?x?x1xf32>
}
