// RUN: delta-opt %s -split-input-file -verify-diagnostics

// C22 to C27 of docs/spec.md: one rejected attribute for each way.

// C22: an unknown kernel function is named with the known ones
func.func private @c22() attributes {
  // expected-error@+1 {{read kernel: expected linear, softmax, exp, relu or round, got cosine}}
  delta.kernel = #delta.kernel<write = exp, read = cosine>}

// -----

// C22_form: a kernel is linear, or two functions
func.func private @c22_form() attributes {
  // expected-error@+1 {{kernel: expected <linear> or <write = .., read = ..>}}
  delta.kernel = #delta.kernel<softmax>}

// -----

// C22_half: of two functions neither is implied
func.func private @c22_half() attributes {
  // expected-error@+1 {{kernel: expected <linear> or <write = .., read = ..>}}
  delta.kernel = #delta.kernel<write = softmax>}

// -----

// C22_order: and they have an order
func.func private @c22_order() attributes {
  // expected-error@+1 {{kernel: expected <linear> or <write = .., read = ..>}}
  delta.kernel = #delta.kernel<read = softmax, write = softmax>}

// -----

// C24: operands of a product round to 16 bits
// expected-error@+1 {{prec: expected bf16 or f16, got 'f32'}}
func.func private @c24() attributes {delta.prec = #delta.prec<f32>}

// -----

// C25: a name is a C identifier
// expected-error@+1 {{delta.name of argument 0: expected a string that is a C identifier, got "2q", which begins with a digit}}
func.func @c25(%q: tensor<4xf32> {delta.name = "2q"}) {
  return
}

// -----

// C25_keyword: and no keyword
// expected-error@+1 {{delta.name of argument 0: expected a string that is a C identifier, got "int", which is a keyword of C or C++}}
func.func @c25_keyword(%q: tensor<4xf32> {delta.name = "int"}) {
  return
}

// -----

// C25_string: a name is a string
// expected-error@+1 {{delta.name of argument 1: expected a string that is a C identifier, got 1 : i64}}
func.func @c25_string(%q: tensor<4xf32>, %k: tensor<4xf32> {delta.name = 1}) {
  return
}

// -----

// C25_unique: names of arguments differ
// expected-error@+1 {{delta.name of argument 1: expected a name of its own, got "x" like argument 0}}
func.func @c25_unique(%q: tensor<4xf32> {delta.name = "x"},
                      %k: tensor<4xf32> {delta.name = "x"}) {
  return
}

// -----

// C25_result: so do those of arguments and results
// expected-error@+1 {{delta.name of result 0: expected a name of its own, got "x" like argument 0}}
func.func @c25_result(%q: tensor<4xf32> {delta.name = "x"})
    -> (tensor<4xf32> {delta.name = "x"}) {
  return %q : tensor<4xf32>
}

// -----

// C25_results: and those of results
// expected-error@+1 {{delta.name of result 1: expected a name of its own, got "x" like result 0}}
func.func private @c25_results()
    -> (tensor<4xf32> {delta.name = "x"}, tensor<4xf32> {delta.name = "x"})

// -----

// C26: only a memref is written through
// expected-error@+1 {{delta.result of argument 0: expected a unit attribute on a memref}}
func.func @c26(%q: tensor<4xf32> {delta.result}) {
  return
}

// -----

// C27: a misspelt attribute of an argument is not overlooked
// expected-error@+1 {{unknown attribute "delta.nam" on argument 0}}
func.func @c27(%q: tensor<4xf32> {delta.nam = "x"}) {
  return
}

// -----

// C27_result: nor that of a result
// expected-error@+1 {{unknown attribute "delta.result" on result 0}}
func.func @c27_result(%q: tensor<4xf32>) -> (tensor<4xf32> {delta.result}) {
  return %q : tensor<4xf32>
}

// -----

// C25: in emitted text the name would run into a macro of <stdint.h>.
// expected-error @+1 {{delta.name of argument 0: expected a string that is a C identifier, got "INT64_MAX", which is spelt like a macro}}
func.func private @macro(tensor<4xf32> {delta.name = "INT64_MAX"})

// -----

// C25: `q_` would grow to `q__strides`.
// expected-error @+1 {{delta.name of argument 0: expected a string that is a C identifier, got "q_", which has an underscore at an end}}
func.func private @underscore(tensor<4xf32> {delta.name = "q_"})

// -----

// C25: C++ reserves two in a row.
// expected-error @+1 {{delta.name of argument 0: expected a string that is a C identifier, got "q__k", which has two underscores in a row}}
func.func private @underscores(tensor<4xf32> {delta.name = "q__k"})

// -----

// C25: CUDA's headers define it.
// expected-error @+1 {{delta.name of argument 0: expected a string that is a C identifier, got "cudaStreamLegacy", which is defined by headers of C or CUDA}}
func.func private @defined(tensor<4xf32> {delta.name = "cudaStreamLegacy"})

// -----

// C25: what is no identifier at all.
// expected-error @+1 {{delta.name of argument 0: expected a string that is a C identifier, got "", which is empty}}
func.func private @empty(tensor<4xf32> {delta.name = ""})

// -----

// C26_updated: nor is another updated
// expected-error@+1 {{delta.updated of argument 0: expected a unit attribute on a memref}}
func.func @c26_updated(%q: memref<4xf32> {delta.updated = "x"}) {
  return
}
