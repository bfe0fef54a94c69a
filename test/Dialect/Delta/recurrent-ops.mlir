// RUN: delta-opt %s | delta-opt | FileCheck %s

// Every operand, attribute and result of the recurrent phase survives a print
// and a parse.

// CHECK-LABEL: func.func @gated
// CHECK: delta.recurrence query(%{{.*}} : tensor<?x?x2x64xbf16>)
// CHECK-SAME: decay(%{{.*}} : tensor<?x?x4xf32>) initial(%{{.*}} : tensor<?x4x64x64xf32>)
// CHECK-SAME: {chunk = 64 : i64, kernel = #delta.kernel<linear>}
// CHECK-SAME: -> tensor<?x?x4x64xbf16>, state(tensor<?x4x64x64xf32>)
func.func @gated(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
                 %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>,
                 %g: tensor<?x?x4xf32>, %s0: tensor<?x4x64x64xf32>)
    -> (tensor<?x?x4x64xbf16>, tensor<?x4x64x64xf32>) {
  %o, %s = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>) decay(%g : tensor<?x?x4xf32>)
      initial(%s0 : tensor<?x4x64x64xf32>)
      {kernel = #delta.kernel<linear>, chunk = 64}
      -> tensor<?x?x4x64xbf16>, state(tensor<?x4x64x64xf32>)
  return %o, %s : tensor<?x?x4x64xbf16>, tensor<?x4x64x64xf32>
}
