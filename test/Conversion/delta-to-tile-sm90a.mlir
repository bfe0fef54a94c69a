// A chain of family sm_90a is marked for roles; what is prepared for it is not.
// RUN: delta-opt %s --delta-tile-value-pipeline=target=sm_90a | FileCheck %s

// CHECK: tile.kernel @gdn_prepare
// CHECK-SAME: attributes {delta.schedule
// CHECK-SAME: grid = 3 : i64, warps = 4 : i64}
// CHECK: tile.kernel @gdn_chain
// CHECK-SAME: attributes {column_tiles = 2 : i64
// CHECK-SAME: grid = 3 : i64, warps = 4 : i64}
// Grid index 0 counts chains still.
// CHECK: tile.launch @gdn_chain grid(%c2, %c2, %{{.*}})
func.func @gdn(%q: tensor<?x?x1x128xbf16>, %k: tensor<?x?x1x128xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x128xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x1x128xbf16>) key(%k : tensor<?x?x1x128xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%beta : tensor<?x?x2xbf16>)
         {kernel = #delta.kernel<linear>, schedule = #delta.schedule<family = "sm_90a", value_columns = 64, stages = 3, column_tiles = [2]>} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}
