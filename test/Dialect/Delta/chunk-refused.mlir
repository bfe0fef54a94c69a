// RUN: delta-opt %s -split-input-file -verify-diagnostics -delta-chunk

// delta-chunk needs the contract of the recurrent phase and checks it itself: what
// breaks it gets one diagnostic, also where delta-verify-recurrent did not run.

// R3
func.func @other_op(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xf32>) -> tensor<?x?x2x64xbf16> {
  // expected-error@+1 {{cannot be compiled in the recurrent phase}}
  %n = arith.negf %v : tensor<?x?x2x64xbf16>
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>) value(%n : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xf32>) {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// R4: zero rows of a ragged chunk must stay zero.
func.func @prologue_of_value(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xf32>) -> tensor<?x?x2x64xbf16> {
  // expected-note@+1 {{computed here}}
  %n = delta.sigmoid %v : tensor<?x?x2x64xbf16> -> tensor<?x?x2x64xbf16>
  // expected-error@+1 {{value: expected an argument, got delta.sigmoid}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>) value(%n : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xf32>) {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// R8
func.func @channel_decay(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xf32>, %g: tensor<?x?x2x64xf32>) -> tensor<?x?x2x64xbf16> {
  // expected-error@+1 {{per-channel decay is not lowered yet; accepted: one decay per value head}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xf32>) decay(%g : tensor<?x?x2x64xf32>) {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// A recurrence below the function's top level.
func.func @nested(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xf32>, %b: i1) {
  // expected-error@+1 {{cannot be compiled in the recurrent phase}}
  scf.if %b {
    %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xf32>) {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  }
  return
}
