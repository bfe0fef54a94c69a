// RUN: delta-opt %s -split-input-file -verify-diagnostics -delta-verify-chunked

// H1 to H8 of docs/delta-dialect.md: functions that break the contract of the
// chunked phase, and ones that keep it.

// expected-error@+1 {{results: expected none, got 1}}
func.func @h1_results(%x: memref<4xf32> {delta.name = "x"}) -> index {
  %c0 = arith.constant 0 : index
  return %c0 : index
}

// -----

// expected-error@+1 {{argument 0: expected a contiguous memref, got 'tensor<4xf32>'}}
func.func @h1_tensor(%x: tensor<4xf32>) {
  return
}

// -----

// expected-error@+1 {{argument 0: expected a contiguous memref, got 'memref<4xf32, strided<[2]>>'}}
func.func @h1_layout(%x: memref<4xf32, strided<[2]>>) {
  return
}

// -----

// expected-error@+1 {{argument 0: expected a name, got no delta.name}}
func.func @h1_name(%x: memref<4xf32>) {
  return
}

// -----

func.func @h2_recurrence(%x: memref<4xf32> {delta.name = "x"}) {
  %a = arith.constant dense<0.0> : tensor<1x8x2x64xbf16>
  %b = arith.constant dense<0.0> : tensor<1x8x2xf32>
  // expected-error@+1 {{expected no recurrence after chunking}}
  %o = delta.recurrence query(%a : tensor<1x8x2x64xbf16>) key(%a : tensor<1x8x2x64xbf16>) value(%a : tensor<1x8x2x64xbf16>) beta(%b : tensor<1x8x2xf32>) {kernel = #delta.kernel<linear>} -> tensor<1x8x2x64xbf16>
  return
}

// -----

func.func @h3_shape(%x: memref<?xf32> {delta.name = "x"}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  // expected-error@+1 {{expected a tile of static shape, got 'tensor<?xf32>'}}
  %t = tensor.empty(%n) : tensor<?xf32>
  return
}

// -----

func.func @h4_memory(%x: memref<4xf32> {delta.name = "x"}) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{expected memory to be touched by delta.load, delta.load_index and delta.store alone}}
  %0 = memref.load %x[%c0] : memref<4xf32>
  return
}

// -----

func.func private @elsewhere()
func.func @h4_call() {
  // expected-error@+1 {{expected memory to be touched by delta.load, delta.load_index and delta.store alone}}
  call @elsewhere() : () -> ()
  return
}

// -----

func.func @h5_dynamic(%x: memref<?x64xf32> {delta.name = "x"}) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{rows: expected a bound, because 16 rows may pass axis 0 of 'memref<?x64xf32>'}}
  %0 = delta.load %x[%c0, %c0] dims [0, 1] : memref<?x64xf32> -> tensor<16x64xf32>
  return
}

// -----

func.func @h5_static(%x: memref<32x64xf32> {delta.name = "x"}, %y: memref<?x64xf32> {delta.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c17 = arith.constant 17 : index
  %n = memref.dim %y, %c0 : memref<?x64xf32>
  // Inside, since 3 steps share a row: needs no bound.
  %0 = delta.load %x[%c17, %c0] dims [0] {steps = 3 : i64} : memref<32x64xf32> -> tensor<45xf32>
  // expected-error@+1 {{rows: expected a bound, because 45 rows may pass axis 0 of 'memref<32x64xf32>'}}
  delta.store %0, %x[%c17, %c0] dims [0] : tensor<45xf32>, memref<32x64xf32>
  return
}

// -----

func.func @h5_store(%x: memref<32x64xf32> {delta.name = "x"}) {
  %c0 = arith.constant 0 : index
  %c17 = arith.constant 17 : index
  %t = arith.constant dense<0.0> : tensor<16x64xf32>
  // expected-error@+1 {{rows: expected a bound, because 16 rows may pass axis 0 of 'memref<32x64xf32>'}}
  delta.store %t, %x[%c17, %c0] dims [0, 1] : tensor<16x64xf32>, memref<32x64xf32>
  return
}

// -----

func.func @h5_columns(%x: memref<?x64xf32> {delta.name = "x"}) {
  %c0 = arith.constant 0 : index
  %c33 = arith.constant 33 : index
  %n = memref.dim %x, %c0 : memref<?x64xf32>
  // expected-error@+1 {{indices: expected a constant that keeps 32 columns inside axis 1 of 'memref<?x64xf32>'}}
  %0 = delta.load %x[%c0, %c33] rows(%n) dims [0, 1] : memref<?x64xf32> -> tensor<16x32xf32>
  return
}

// -----

func.func @h6_stored(%u: memref<?x64xf32> {delta.name = "u"}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %u, %c0 : memref<?x64xf32>
  // expected-error@+1 {{source: expected before on an array that the function stores}}
  %0 = delta.load %u[%c0, %c0] rows(%n) dims [0, 1] : memref<?x64xf32> -> tensor<16x64xf32>
  // expected-note@+1 {{it is stored here}}
  delta.store %0, %u[%c0, %c0] rows(%n) dims [0, 1] : tensor<16x64xf32>, memref<?x64xf32>
  return
}

// -----

func.func @h6_not_stored(%u: memref<?x64xf32> {delta.name = "u"}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %u, %c0 : memref<?x64xf32>
  // expected-error@+1 {{before: expected a source that the function stores}}
  %0 = delta.load %u[%c0, %c0] rows(%n) dims [0, 1] {before} : memref<?x64xf32> -> tensor<16x64xf32>
  return
}

// -----

// Rests are stored and read as what leaves them is.
func.func @h6_rest(%u: memref<?x64xbf16> {delta.name = "u"}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %u, %c0 : memref<?x64xbf16>
  %r = memref.alloc(%n) : memref<?x64xbf16>
  %v = memref.alloc(%n) : memref<?x64xbf16>
  // expected-error@+1 {{source: expected before on an array that the function stores}}
  %0 = delta.load %u[%c0, %c0] rows(%n) rest(%r : memref<?x64xbf16>) dims [0, 1] : memref<?x64xbf16> -> tensor<16x64xf32>
  // expected-note@+1 {{it is stored here}}
  delta.store %0, %v[%c0, %c0] rows(%n) rest(%r : memref<?x64xbf16>) dims [0, 1] : tensor<16x64xf32>, memref<?x64xbf16>
  return
}

// -----

// Kept: block p < c of u, stored by earlier iterations.
func.func @h7_kept(%u: memref<2x?x64xf32> {delta.name = "u"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %u, %c1 : memref<2x?x64xf32>
  %chunks = arith.ceildivui %n, %c16 : index
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  scf.forall (%b) in (2) {
    scf.for %c = %c0 to %chunks step %c1 {
      %sum = scf.for %p = %c0 to %c step %c1 iter_args(%s = %zero) -> tensor<16x64xf32> {
        %from = arith.muli %p, %c16 : index
        %0 = delta.load %u[%b, %from, %c0] rows(%c16) dims [1, 2] {before} : memref<2x?x64xf32> -> tensor<16x64xf32>
        %1 = arith.addf %s, %0 : tensor<16x64xf32>
        scf.yield %1 : tensor<16x64xf32>
      }
      %to = arith.muli %c16, %c : index
      %left = arith.subi %n, %to : index
      delta.store %sum, %u[%b, %to, %c0] rows(%left) dims [1, 2] : tensor<16x64xf32>, memref<2x?x64xf32>
    }
  } {delta.nest = #delta.nest<kind = attention, name = "write", axes = ["batch"], carries = sums, publishes = "u">}
  return
}

// -----

func.func @h7_head(%u: memref<2x?x64xf32> {delta.name = "u"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %u, %c1 : memref<2x?x64xf32>
  scf.forall (%b) in (2) {
    scf.for %c = %c0 to %n step %c1 {
      scf.for %p = %c0 to %c step %c1 {
        %from = arith.muli %p, %c16 : index
        %to = arith.muli %c, %c16 : index
        // expected-error@+1 {{before: expected the indices of the store on axis 0}}
        %0 = delta.load %u[%c0, %from, %c0] rows(%c16) dims [1, 2] {before} : memref<2x?x64xf32> -> tensor<16x64xf32>
        // expected-note@+1 {{the array is stored here}}
        delta.store %0, %u[%b, %to, %c0] rows(%c16) dims [1, 2] : tensor<16x64xf32>, memref<2x?x64xf32>
      }
    }
  } {delta.nest = #delta.nest<kind = attention, name = "write", axes = ["batch"], carries = sums, publishes = "u">}
  return
}

// -----

func.func @h7_later(%u: memref<?x64xf32> {delta.name = "u"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %u, %c0 : memref<?x64xf32>
  scf.for %c = %c0 to %n step %c1 {
    %to = arith.muli %c, %c16 : index
    scf.for %p = %c0 to %n step %c1 {
      %from = arith.muli %p, %c16 : index
      // expected-error@+1 {{before: expected a loop over the blocks before that of the store}}
      %0 = delta.load %u[%from, %c0] rows(%c16) dims [0, 1] {before} : memref<?x64xf32> -> tensor<16x64xf32>
      // expected-note@+1 {{the array is stored here}}
      delta.store %0, %u[%to, %c0] rows(%c16) dims [0, 1] : tensor<16x64xf32>, memref<?x64xf32>
    }
  }
  return
}

// -----

func.func @h7_length(%u: memref<?x64xf32> {delta.name = "u"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %u, %c0 : memref<?x64xf32>
  scf.for %c = %c0 to %n step %c1 {
    %to = arith.muli %c, %c16 : index
    scf.for %p = %c0 to %c step %c1 {
      %from = arith.muli %p, %c16 : index
      // expected-error@+1 {{before: expected blocks of one length, each starting at a multiple of it}}
      %0 = delta.load %u[%from, %c0] rows(%c16) dims [0, 1] {before} : memref<?x64xf32> -> tensor<32x64xf32>
      // expected-note@+1 {{the array is stored here}}
      delta.store %0, %u[%to, %c0] rows(%c16) dims [0, 1] : tensor<32x64xf32>, memref<?x64xf32>
    }
  }
  return
}

// -----

// An array made before the loops, stored by one nest and read by the next.
func.func @h4_workspace_kept(%x: memref<?x64xf32> {delta.name = "x"},
                     %y: memref<?x64xf32> {delta.name = "y", delta.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %n = memref.dim %x, %c0 : memref<?x64xf32>
  %w = memref.alloc(%n) : memref<?x64xf32>
  scf.for %i = %c0 to %n step %c32 {
    %0 = delta.load %x[%i, %c0] rows(%c1) dims [0, 1] : memref<?x64xf32> -> tensor<32x64xf32>
    delta.store %0, %w[%i, %c0] rows(%c1) dims [0, 1] : tensor<32x64xf32>, memref<?x64xf32>
  }
  scf.for %i = %c0 to %n step %c32 {
    %0 = delta.load %w[%i, %c0] rows(%c1) dims [0, 1] : memref<?x64xf32> -> tensor<32x64xf32>
    delta.store %0, %y[%i, %c0] rows(%c1) dims [0, 1] : tensor<32x64xf32>, memref<?x64xf32>
  }
  return
}

// -----

func.func @h4_workspace_in_a_loop(%x: memref<?x64xf32> {delta.name = "x"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x64xf32>
  scf.for %i = %c0 to %n step %c1 {
    // expected-error@+1 {{expected memory to be touched by delta.load, delta.load_index and delta.store alone}}
    %w = memref.alloc(%n) : memref<?x64xf32>
  }
  return
}

// -----

func.func @h6_reads_later_nest(%x: memref<?x64xf32> {delta.name = "x"},
                               %y: memref<?x64xf32> {delta.name = "y", delta.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %n = memref.dim %x, %c0 : memref<?x64xf32>
  %w = memref.alloc(%n) : memref<?x64xf32>
  scf.for %i = %c0 to %n step %c32 {
    // expected-error@+1 {{source: expected before on an array that the function stores}}
    %0 = delta.load %w[%i, %c0] rows(%c1) dims [0, 1] : memref<?x64xf32> -> tensor<32x64xf32>
    delta.store %0, %y[%i, %c0] rows(%c1) dims [0, 1] : tensor<32x64xf32>, memref<?x64xf32>
  }
  scf.for %i = %c0 to %n step %c32 {
    %0 = delta.load %x[%i, %c0] rows(%c1) dims [0, 1] : memref<?x64xf32> -> tensor<32x64xf32>
    // expected-note@+1 {{it is stored here}}
    delta.store %0, %w[%i, %c0] rows(%c1) dims [0, 1] : tensor<32x64xf32>, memref<?x64xf32>
  }
  return
}

// -----

func.func @h6_same_nest(%x: memref<?x64xf32> {delta.name = "x"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %n = memref.dim %x, %c0 : memref<?x64xf32>
  %w = memref.alloc(%n) : memref<?x64xf32>
  scf.for %i = %c0 to %n step %c32 {
    %0 = delta.load %x[%i, %c0] rows(%c1) dims [0, 1] : memref<?x64xf32> -> tensor<32x64xf32>
    // expected-note@+1 {{it is stored here}}
    delta.store %0, %w[%i, %c0] rows(%c1) dims [0, 1] : tensor<32x64xf32>, memref<?x64xf32>
    // expected-error@+1 {{source: expected before on an array that the function stores}}
    %1 = delta.load %w[%i, %c0] rows(%c1) dims [0, 1] : memref<?x64xf32> -> tensor<32x64xf32>
  }
  return
}

// -----

// Kept: what the caller left in an array is read before a later nest writes.
func.func @h6_updated(%x: memref<?x64xf32> {delta.name = "x", delta.updated},
                      %y: memref<?x64xf32> {delta.name = "y", delta.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %n = memref.dim %y, %c0 : memref<?x64xf32>
  scf.for %i = %c0 to %n step %c32 {
    %0 = delta.load %x[%i, %c0] rows(%c1) dims [0, 1] : memref<?x64xf32> -> tensor<32x64xf32>
    delta.store %0, %y[%i, %c0] rows(%c1) dims [0, 1] : tensor<32x64xf32>, memref<?x64xf32>
  }
  scf.for %i = %c0 to %n step %c32 {
    %0 = delta.load %y[%i, %c0] rows(%c1) dims [0, 1] : memref<?x64xf32> -> tensor<32x64xf32>
    delta.store %0, %x[%i, %c0] rows(%c1) dims [0, 1] : tensor<32x64xf32>, memref<?x64xf32>
  }
  return
}

// -----

func.func @h8_kind(%u: memref<2x4xf32> {delta.name = "u"}) {
  // expected-error@+1 {{expected a nest that says what it computes, got no delta.nest}}
  scf.forall (%b) in (2) {
  }
  return
}

// -----

func.func @h8_axes(%u: memref<2x4xf32> {delta.name = "u"}) {
  // expected-error@+1 {{nest axes: expected 1 names, got ["batch", "head"]}}
  scf.forall (%b) in (2) {
  } {delta.nest = #delta.nest<kind = rows, name = "normalise", axes = ["batch", "head"]>}
  return
}
