// RUN: delta-opt %s -split-input-file -verify-diagnostics -delta-chunk

// What delta-chunk cannot rewrite gets one diagnostic, also where
// delta-verify-recurrent did not run before.

func.func @channel_decay(%q: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xf32>, %g: tensor<?x?x2x64xf32>) -> tensor<?x?x2x64xbf16> {
  // expected-error@+1 {{decay: per-channel decay is not lowered yet; accepted: one decay per value head}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%q : tensor<?x?x2x64xbf16>) value(%q : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xf32>) decay(%g : tensor<?x?x2x64xf32>) {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @state_layout(%q: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xf32>) -> tensor<?x?x2x64xbf16> {
  // expected-error@+1 {{state_layout: expected kv, got vk}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%q : tensor<?x?x2x64xbf16>) value(%q : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xf32>) {kernel = #delta.kernel<linear>, state_layout = #delta.state_layout<vk>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @lengths(%q: tensor<1x?x2x64xbf16>, %beta: tensor<1x?x2xf32>, %n: tensor<?xi64>) -> tensor<1x?x2x64xbf16> {
  // expected-error@+1 {{lengths: packed sequences are not lowered yet; accepted: sequences of one length}}
  %o = delta.recurrence query(%q : tensor<1x?x2x64xbf16>) key(%q : tensor<1x?x2x64xbf16>) value(%q : tensor<1x?x2x64xbf16>) beta(%beta : tensor<1x?x2xf32>) lengths(%n : tensor<?xi64>) {kernel = #delta.kernel<linear>} -> tensor<1x?x2x64xbf16>
  return %o : tensor<1x?x2x64xbf16>
}

// -----

func.func @two(%q: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xf32>) -> (tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>) {
  // expected-note@+1 {{the first is here}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%q : tensor<?x?x2x64xbf16>) value(%q : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xf32>) {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  // expected-error@+1 {{expected one recurrence in a function, got more}}
  %p = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%q : tensor<?x?x2x64xbf16>) value(%q : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xf32>) {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o, %p : tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>
}

// -----

func.func @other_op(%q: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xf32>) -> tensor<?x?x2x64xbf16> {
  // expected-error@+1 {{expected only prologue ops around a recurrence}}
  %v = arith.negf %q : tensor<?x?x2x64xbf16>
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%q : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xf32>) {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @prologue_of_value(%q: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xf32>) -> tensor<?x?x2x64xbf16> {
  %v = delta.l2norm %q : tensor<?x?x2x64xbf16> -> tensor<?x?x2x64xbf16>
  // expected-error@+1 {{value: expected an argument of the function or an argument through a prologue op, got a result of delta.l2norm}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%q : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xf32>) {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @two_prologues(%q: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xf32>) -> tensor<?x?x2x64xbf16> {
  %k = delta.l2norm %q : tensor<?x?x2x64xbf16> -> tensor<?x?x2x64xbf16>
  %kk = delta.l2norm %k : tensor<?x?x2x64xbf16> -> tensor<?x?x2x64xbf16>
  // expected-error@+1 {{key: expected one prologue op between the argument and the recurrence, got more}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%kk : tensor<?x?x2x64xbf16>) value(%q : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xf32>) {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// expected-error@+1 {{argument 2: expected an operand of the recurrence, got no use}}
func.func @unused(%q: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xf32>, %x: tensor<?xf32>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%q : tensor<?x?x2x64xbf16>) value(%q : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xf32>) {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @twice(%q: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xf32>) -> (tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>) {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%q : tensor<?x?x2x64xbf16>) value(%q : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xf32>) {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  // expected-error@+1 {{expected each result of the recurrence once}}
  return %o, %o : tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>
}
