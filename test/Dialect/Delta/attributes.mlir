// RUN: delta-opt %s | delta-opt | FileCheck %s

// Every attribute of the dialect survives being printed and parsed.

// CHECK-LABEL: func.func private @kernels
// CHECK-SAME: delta.a = #delta.kernel<linear>
// CHECK-SAME: delta.b = #delta.kernel<write = linear, read = linear>
// CHECK-SAME: delta.c = #delta.kernel<write = softmax, read = exp>
// CHECK-SAME: delta.d = #delta.kernel<write = relu, read = round>
func.func private @kernels() attributes {
  delta.a = #delta.kernel<linear>,
  delta.b = #delta.kernel<write = linear, read = linear>,
  delta.c = #delta.kernel<write = softmax, read = exp>,
  delta.d = #delta.kernel<write = relu, read = round>}

// CHECK-LABEL: func.func private @enums
// CHECK-SAME: delta.feature = #delta.feature<exp>
// CHECK-SAME: delta.layout = #delta.state_layout<kv>
// CHECK-SAME: delta.part = #delta.part<strict_lower>
// CHECK-SAME: delta.prec = #delta.prec<bf16>
// CHECK-SAME: delta.role = #delta.read_role<write>
func.func private @enums() attributes {
  delta.feature = #delta.feature<exp>,
  delta.layout = #delta.state_layout<kv>,
  delta.part = #delta.part<strict_lower>,
  delta.prec = #delta.prec<bf16>,
  delta.role = #delta.read_role<write>}

// CHECK-LABEL: func.func private @names
// CHECK-SAME: (tensor<4xf32> {delta.name = "query_1"}, memref<4xf32> {delta.name = "out_1", delta.result})
// CHECK-SAME: -> (tensor<4xf32> {delta.name = "o"})
func.func private @names(tensor<4xf32> {delta.name = "query_1"},
                         memref<4xf32> {delta.name = "out_1", delta.result})
    -> (tensor<4xf32> {delta.name = "o"})
