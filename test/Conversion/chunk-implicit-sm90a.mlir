// The chunked form of row blocks that two warpgroups share: 128 rows, and queries that
// are normalised in front like keys, as products take them from shared memory.

// RUN: delta-opt %s -split-input-file --delta-plan=target=sm_90a --delta-chunk --delta-verify-chunked | FileCheck %s

// One loop over blocks and key heads for all norms; each array is that of its norm's
// type. The blocks read no array that is to be normalised.
// CHECK-LABEL: func.func @norms
// CHECK-SAME:    %[[Q:[^:]+]]: memref<?x?x2x64xbf16> {delta.name = "q"}
// CHECK-SAME:    %[[K:[^:]+]]: memref<?x?x2x64xbf16> {delta.name = "k"}
// CHECK-SAME:    %[[W:[^:]+]]: memref<?x?x2x64xbf16> {delta.name = "w"}
// CHECK:         %[[KN:.+]] = memref.alloc({{.+}}) {delta.name = "k_normalised"} : memref<?x?x2x64xf32>
// CHECK:         %[[QN:.+]] = memref.alloc({{.+}}) {delta.name = "q_normalised"} : memref<?x?x2x64xf32>
// CHECK:         %[[WN:.+]] = memref.alloc({{.+}}) {delta.name = "w_normalised"} : memref<?x?x2x64xf32>
// CHECK:         scf.forall (%{{.+}}, %[[H:.+]], %{{.+}}) in (%{{.+}}, 2, %{{.+}})
// CHECK:           %[[KT:.+]] = delta.load %[[K]]
// CHECK:           %[[KM:.+]] = delta.l2norm %[[KT]] : tensor<128x64xf32> -> tensor<128x64xf32>
// CHECK:           delta.store %[[KM]], %[[KN]]
// CHECK:           %[[QT:.+]] = delta.load %[[Q]]
// CHECK:           %[[QM:.+]] = delta.l2norm %[[QT]]
// CHECK:           delta.store %[[QM]], %[[QN]]
// CHECK:           %[[WT:.+]] = delta.load %[[W]]
// CHECK:           %[[WM:.+]] = delta.l2norm %[[WT]]
// CHECK:           delta.store %[[WM]], %[[WN]]
// CHECK:         scf.forall
// CHECK-NOT:       delta.l2norm
// CHECK:           delta.load %[[WN]]
// CHECK:           delta.load %[[KN]]
// CHECK:         scf.forall
// CHECK-NOT:       delta.l2norm
// CHECK:           delta.load %[[QN]]
func.func @norms(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
                 %v: tensor<?x?x4x64xbf16>, %beta: tensor<?x?x4xf32>,
                 %w: tensor<?x?x2x64xbf16>) -> tensor<?x?x4x64xbf16> {
  %qn = delta.l2norm %q : tensor<?x?x2x64xbf16> -> tensor<?x?x2x64xf32>
  %kn = delta.l2norm %k : tensor<?x?x2x64xbf16> -> tensor<?x?x2x64xf32>
  %wn = delta.l2norm %w : tensor<?x?x2x64xbf16> -> tensor<?x?x2x64xf32>
  %o = delta.recurrence query(%qn : tensor<?x?x2x64xf32>)
      key(%kn : tensor<?x?x2x64xf32>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%beta : tensor<?x?x4xf32>) write(%wn : tensor<?x?x2x64xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// Keys that write are normalised once. A query without a norm stays the caller's.
// CHECK-LABEL: func.func @keys_write
// CHECK-SAME:    %[[Q:[^:]+]]: memref<?x?x2x64xbf16> {delta.name = "q"}
// CHECK:         %[[KN:.+]] = memref.alloc({{.+}}) {delta.name = "k_normalised"} : memref<?x?x2x64xbf16>
// CHECK-NOT:     normalised
// CHECK:         scf.forall
// CHECK:           delta.l2norm
// CHECK-NOT:       delta.l2norm
// CHECK:         scf.forall
// CHECK:           delta.load %[[KN]]{{.+}} -> tensor<128x64xf32>
// CHECK:           delta.load %[[KN]]{{.+}} -> tensor<128x64xf32>
// CHECK:         scf.forall
// CHECK:           delta.load %[[Q]]
func.func @keys_write(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
                      %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xf32>)
    -> tensor<?x?x2x64xbf16> {
  %kn = delta.l2norm %k : tensor<?x?x2x64xbf16> -> tensor<?x?x2x64xbf16>
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%kn : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x2x64xbf16>)
      beta(%beta : tensor<?x?x2xf32>) write(%kn : tensor<?x?x2x64xbf16>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}
