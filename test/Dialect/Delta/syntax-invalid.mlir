// RUN: delta-opt %s -split-input-file -verify-diagnostics

// How a recurrence is misspelt: one case for each message of its parser.

func.func @operand(%q: tensor<?x?x2x64xbf16>, %b: tensor<?x?x2xbf16>, %g: tensor<?x?x2xf32>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%q : tensor<?x?x2x64xbf16>)
      value(%q : tensor<?x?x2x64xbf16>) beta(%b : tensor<?x?x2xbf16>)
      // expected-error @+1 {{expected '->', attributes in braces, or an operand, in the order query, key, value, beta, decay, initial, write, alpha, lengths, pool, cache, cached; got 'gate'}}
      gate(%g : tensor<?x?x2xf32>) {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @arrow(%q: tensor<?x?x2x64xbf16>, %b: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%q : tensor<?x?x2x64xbf16>)
      value(%q : tensor<?x?x2x64xbf16>) beta(%b : tensor<?x?x2xbf16>)
      // expected-error @+1 {{expected '->'; got 'decay'}}
      {kernel = #delta.kernel<linear>} decay(%b : tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @comma(%q: tensor<?x?x2x64xbf16>, %b: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %o, %s = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%q : tensor<?x?x2x64xbf16>)
      value(%q : tensor<?x?x2x64xbf16>) beta(%b : tensor<?x?x2xbf16>) {kernel = #delta.kernel<linear>}
      // expected-error @+1 {{expected ',' in front of 'state'}}
      -> tensor<?x?x2x64xbf16> state(tensor<?x2x64x64xf32>)
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @kernel(%q: tensor<?x?x2x64xbf16>, %b: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%q : tensor<?x?x2x64xbf16>)
      value(%q : tensor<?x?x2x64xbf16>) beta(%b : tensor<?x?x2xbf16>)
      // expected-error @+1 {{expected an attribute 'kernel' in front, got 'kernal', 'chunk'}}
      {kernal = #delta.kernel<linear>, chunk = 64} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @scale(%q: tensor<?x?x2x64xbf16>, %b: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%q : tensor<?x?x2x64xbf16>)
      value(%q : tensor<?x?x2x64xbf16>) beta(%b : tensor<?x?x2xbf16>)
      // expected-error @+1 {{attribute 'scale' failed to satisfy constraint: 32-bit float, written with its type as in `0.125 : f32`}}
      {kernel = #delta.kernel<linear>, scale = 0.125} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

func.func @range(%b: tensor<?x?x2xbf16>) -> tensor<?x?x2xf32> {
  // expected-error @+1 {{attribute 'range' failed to satisfy constraint: 32-bit float, written with its type as in `0.125 : f32`}}
  %o = delta.sigmoid %b {range = 2} : tensor<?x?x2xbf16> -> tensor<?x?x2xf32>
  return %o : tensor<?x?x2xf32>
}
