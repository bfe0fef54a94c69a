// RUN: delta-opt %s --split-input-file --verify-diagnostics

// P1, one case a reason.

// expected-error @+1 {{machine: expected one of sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, sm_120, got sm_75}}
func.func private @machine() attributes {machine = #plan.machine<"sm_75">}

// -----

func.func private @products() attributes {
  // expected-error @+1 {{plan products: expected mma_sync on sm_80, which has no warpgroups, got wgmma}}
  plan = #plan.kernel<machine = <"sm_80">, products = wgmma, copies = tma, stages = 2, columns = 64>}

// -----

func.func private @copies() attributes {
  // expected-error @+1 {{plan copies: expected tma with products wgmma, got cp_async}}
  plan = #plan.kernel<products = wgmma, copies = cp_async, stages = 2, columns = 64>}

// -----

func.func private @stages() attributes {
  // expected-error @+1 {{plan stages: expected 1 to 4, got 5}}
  plan = #plan.kernel<products = mma_sync, copies = cp_async, stages = 5, columns = 64>}

// -----

func.func private @columns() attributes {
  // expected-error @+1 {{plan columns: expected 16, 32, 64 or 128, got 48}}
  plan = #plan.kernel<products = mma_sync, copies = cp_async, stages = 2, columns = 48>}

// -----

func.func private @split() attributes {
  // expected-error @+1 {{plan split: expected rows with products mma_sync, got chains}}
  plan = #plan.kernel<products = mma_sync, copies = cp_async, stages = 2, columns = 64, split = chains>}

// -----

func.func private @chain_columns() attributes {
  // expected-error @+1 {{plan columns: expected 64, the rows of a warpgroup's product, with split chains, got 32}}
  plan = #plan.kernel<products = wgmma, copies = tma, stages = 3, columns = 32, split = chains>}

// -----

func.func private @chains() attributes {
  // expected-error @+1 {{plan chains: expected 1 or 2 with split chains, got 3}}
  plan = #plan.kernel<products = wgmma, copies = tma, stages = 3, columns = 64, chains = 3, split = chains>}

// -----

func.func private @chains_of_rows() attributes {
  // expected-error @+1 {{plan chains: expected 1 with split rows, got 2}}
  plan = #plan.kernel<products = mma_sync, copies = cp_async, stages = 2, columns = 64, chains = 2>}

// -----

func.func private @group_bytes() attributes {
  // expected-error @+1 {{plan group_bytes: expected at least 1 with work queue, got 0}}
  plan = #plan.kernel<products = mma_sync, copies = cp_async, stages = 2, columns = 64, work = queue>}
