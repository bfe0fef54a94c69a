//===- TilePasses.td - passes on the tile dialect --------- -*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_PASSES_TD
#define TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Value form
//===----------------------------------------------------------------------===//

def VerifyTileValue : Pass<"verify-tile-value", "::mlir::ModuleOp"> {
  let summary = "Check the contract of the tile dialect's value form";
  let description = [{
    Rules V2, V5 and V6 of docs/tile-dialect.md (V1, V3, V4 and V7 are the ops'
    verifiers): loads and stores are bounded, memory is touched by tile ops alone, and
    nothing of the final form is there yet. The IR is never changed.
  }];
}

def KernelsToFunctions : Pass<"tile-kernels-to-functions", "::mlir::ModuleOp"> {
  let summary = "Run kernels on the CPU: each CTA is a call, a grid is a loop nest";
  let description = [{
    A kernel becomes a private function whose first arguments are the grid indices; a
    launch becomes loops over the grid, the first index innermost, around a call. That
    is one of the orders that a launch allows, and the one in which tickets are drawn.

    ```mlir
    tile.launch @chain grid(%H, %B) args(%k : memref<?xf32>)
    // becomes
    scf.for %b = %c0 to %B step %c1 {
      scf.for %h = %c0 to %H step %c1 {
        func.call @chain(%h, %b, %k) : (index, index, memref<?xf32>) -> ()
      }
    }
    ```
    The ops inside are left as they are; `delta-decompose` comes next. Refuses nothing
    that `verify-tile-value` accepts.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::scf::SCFDialect"];
}

def ExpandVariants : Pass<"tile-expand-variants", "::mlir::ModuleOp"> {
  let summary = "One kernel for each number of chains a CTA, chosen at launch";
  let description = [{
    A kernel with `alternatives` exists once for each, and the name says how many chains
    a CTA holds; each launch becomes a choice by cost (`ChainCost.h`) from the
    chains of the grid and the device's multiprocessors. A number that does not divide
    the grid's first extent has no kernel.

    ```mlir
    tile.launch @chain grid(%c2, %c32, %B) args(..)
    // becomes
    %chains = 2 * 32 * %B
    %apart = ceildiv(%chains, %sms) * 1000
    %paired = ceildiv(ceildiv(%chains, 2), %sms) * 1900
    scf.if (%paired < %apart) {
      tile.launch @chain_by2 grid(%c2, %c32, %B) args(..)
    } else {
      tile.launch @chain_by1 grid(%c2, %c32, %B) args(..)
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SkewLoops : Pass<"tile-skew-loops", "::mlir::ModuleOp"> {
  let summary = "Run a late part of a loop one iteration behind the rest";
  let description = [{
    In a loop (from 0 in steps of 1) with a `tile.expect`, what depends on arrays that the
    kernel's CTAs write for each other is late, the rest is not. Iteration j runs its own
    early part and the late part of iteration j - 1, whose tiles it carries; the late part
    of the last iteration follows the loop, as late as its users permit. So the products
    that need no other CTA, and all that is behind the loop but does not need it either
    (the inverse of a diagonal block), are done before the last wait.

    In a kernel with products of `wgmma`, which run beside other work, a loop without
    an expectation is skewed too: late is a product that adds up what another product of
    the iteration became (weights of scores), with what only it reads. The late part of the
    last iteration then stands behind one product more, as in the loop.

    The late part of iteration -1 runs on zeros: no rows are loaded, epoch 0 is expected.
    It must give zeros: a loop whose late part is more than products and elementwise work
    on what it carries from zero is left alone, as is one with no product to run early.

    ```mlir
    scf.for %j iter_args(%acc = %zero) {
      %P = early(%j); tile.expect %f[%h], %j + 1; %U = tile.load %u[%j]; %next = tile.dot %P, %U acc(%acc)
      scf.yield %next
    }
    %G = g(); use(%acc, %G)
    // becomes
    scf.for %j iter_args(%acc = %zero, %P_1 = %zeros) {
      %P = early(%j); tile.expect %f[%h], %j; %U = tile.load %u[%j - 1]; %next = tile.dot %P_1, %U acc(%acc)
      scf.yield %next, %P
    }
    %G = g(); tile.expect ..; %U = tile.load ..; %last = tile.dot ..; use(%last, %G)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SolveReads : Pass<"tile-solve-reads", "::mlir::ModuleOp"> {
  let summary = "Solve a block for what its rows read, not for the rows";
  let description = [{
    A block of implicit features solves (I + diag(f) P) u = v - f o a for its rows, then
    reads a + P u: two products of which one waits for the other, and two matrices beside
    each other. With G = (I + P diag(f))^-1 P (`tile.tri_solve`) what the rows read comes
    first, from one product, and u = v - f o (a + P u) follows element by element; the
    identity is never rounded. In kernels with products of `wgmma`, where products of a
    warpgroup take both as left operands from registers:

    ```mlir
    %M = tile.tri_inverse (%P * spread %f); %r = %v - %a * spread %f
    %u = tile.dot (truncf %M), (truncf %r); %read = tile.dot (truncf %P), (truncf %u) acc(%a)
    // becomes
    %G = tile.tri_solve %P, %f; %r = %v - %a * spread %f
    %read = tile.dot (truncf %G), (truncf %r) acc(%a); %u = %v - %read * spread %f
    ```
    (2505.19488, section 3.3.) Where nobody reads with the query that writes, `%read` is made
    all the same: it takes the product's place that `%u` had. An inverse sees what `%P` holds
    below its diagonal; the rest is masked, unless it is known to be 0. Where a read takes in
    the diagonal d of `%P`, d o u is added to it. Left alone is whatever is not of this form.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def RelaxInverses : Pass<"tile-relax-inverses", "::mlir::ModuleOp"> {
  let summary = "Invert no more precisely than the result is rounded";
  let description = [{
    An inverse of which every use is rounded to bf16, as it is or times something, has
    products of precision `tf32`: rounding their operands loses less than the rounding
    that follows, as long as the inverse does not amplify it. That it does not is what
    `entry_bound` at most 1 + 2^-6 says (beta up to 1 and keys of length 1;
    docs/numerics.md has the errors), so a larger bound and none keep `f32`.

    ```mlir
    %M = tile.tri_inverse %A {entry_bound = 1.0 : f32} : tensor<64x64xf32>
    %T = arith.mulf %M, %beta_j : tensor<64x64xf32>
    %T_a = arith.truncf %T : tensor<64x64xf32> to tensor<64x64xbf16>
    // becomes
    %M = tile.tri_inverse precision(tf32) %A {entry_bound = 1.0 : f32} : tensor<64x64xf32>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// From the value form to the final form
//===----------------------------------------------------------------------===//

def Place : Pass<"tile-place", "::mlir::ModuleOp"> {
  let summary = "Registers or shared memory for every tile";
  let description = [{
    A 16-bit matrix from global memory becomes a shared buffer, stored in the order in
    which it is contiguous in global memory, and an asynchronous copy; register uses
    read it back, transposed where the load's `dims` transposed. A contiguous f32
    vector likewise. The right operand of a product becomes the buffer (`contract` and
    `b_part` follow the stored order); a computed one is written to a buffer first. A
    16-bit matrix goes to global memory from a buffer. States (f32 matrices) and
    strided vectors are loaded to and stored from registers.

    ```mlir
    %K = tile.load %k[%b, %t0, %h, %c0] bound(%n) {dims = array<i64: 1, 3>} : ... -> tensor<64x128xbf16>
    %KS = tile.dot %S_a, %K {contract = array<i64: 1, 1>} : ...
    // becomes
    %K = tile.alloc : memref<64x128xbf16, #tile.smem<128>>
    %f = tile.copy cp_async %k[%b, %t0, %h, %c0], %K bound(%n) {dims = array<i64: 1, 3>} : ...
    tile.await %f : !tile.async<none>
    %KS = tile.dot instr(mma_m16n8k16) %S_a, %K {contract = array<i64: 1, 1>} : ...
    ```
    Refused: boxes that no 16-byte copy can move, right operands in f32.

    In a kernel with products of `wgmma` engines and instructions are those of warpgroups:

    ```mlir
    %f = tile.copy tma %k[%b, %t0, %h, %c0], %K {dims = array<i64: 1, 3>} : ...
    tile.await %f : !tile.async<none>
    %KS = tile.dot instr(wgmma_rs) %S_a, %K {contract = array<i64: 1, 1>} : ...
    ```
    Matrices go by `tma` in both directions, vectors by `bulk`. A tensor map ends where
    its array does, so a `bound` must say just that, with a constant number of `rows` at
    most: `min(extent - start, rows)`; a box that is there on a condition, a bound of
    `select(condition, rows, 0)`, begins a box in front of the array where it is not, and
    is read as zeros. A left operand that a copy brings stays in its buffer (`wgmma_ss`).
    So does one that a `tri_solve` stands between: where registers do not hold it beside
    the solution and the product's accumulator, it is written behind the last product in
    front. Sums of rows, and a diagonal, that are needed behind a `tri_solve` alone are
    written where they are made, and read back behind. Refused: other bounds, products of other than 64 rows a warpgroup, and right
    operands that a kernel of several chains computes.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PrefetchLoads : Pass<"tile-prefetch-loads", "::mlir::ModuleOp"> {
  let summary = "Load what stays in registers before it is needed";
  let description = [{
    For loads that `tile-place` left in registers. A vector is loaded in front of the
    first wait of its block. In a loop from 0 in steps of 1 the tile of the next
    iteration is loaded in this one and carried: a vector at its start, a matrix where
    this iteration's was last used, so that the two are never alive at once. A matrix is
    left alone in loops without products, which have nothing to hide its latency behind
    and may need its registers. The last iteration loads its own again. Where the number of iterations is not a constant, the
    load in front of the loop has a `bound` of no rows for a loop that has none.

    ```mlir
    scf.for %i = %c0 to %c4 step %c1 { %v = tile.load %beta[%b, %t, %i]; use %v }
    // becomes
    %v0 = tile.load %beta[%b, %t, %c0]
    scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %v0) {
      %next = arith.minui (arith.addi %i, %c1), %c3
      %v1 = tile.load %beta[%b, %t, %next]
      use %v
      scf.yield %v1
    }
    ```
    Left alone is what the loop stores, and what depends on more than the iteration's
    number.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AssignLayouts : Pass<"tile-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "A register layout for every tile";
  let description = [{
    Matrices are fragments (`#tile.frag`). Vectors are flat behind loads and scans,
    slices of a fragment behind reductions and in front of `tile.spread`; a
    `tile.convert` stands where these differ. Constants and reads of shared vectors,
    and arithmetic on these alone, are made in the layout of each use.

    ```mlir
    %G = tile.scan %g : tensor<64xf32>
    %rows = tile.spread %G {axis = 0 : i64} : tensor<64xf32> -> tensor<64x64xf32>
    // becomes
    %G = tile.scan %g : tensor<64xf32, #tile.flat<warps = 4>>
    %G_i = tile.convert %G : ... -> tensor<64xf32, #tile.slice<axis = 0, <warps = 4>>>
    %rows = tile.spread %G_i {axis = 0 : i64} : ... -> tensor<64x64xf32, #tile.frag<warps = 4>>
    ```
  }];
}

def LowerConverts : Pass<"tile-lower-converts", "::mlir::ModuleOp"> {
  let summary = "Change the layout of vectors through shared memory";
  let description = [{
    ```mlir
    %r = tile.convert %v : tensor<64xf32, #tile.flat<warps = 4>> -> tensor<64xf32, #slice>
    // becomes
    %s = tile.alloc : memref<64xf32, #tile.smem<0>>
    tile.write %v, %s : ...
    %r = tile.read %s : ... -> tensor<64xf32, #slice>
    ```
    Refused: conversions that the device library has no access for; accepted is f32,
    from flat or a slice along rows (axis 0) to flat or any slice.
  }];
}

def SplitRoles : Pass<"tile-split-roles", "::mlir::ModuleOp"> {
  let summary = "Split a kernel's warps: one role loads, one multiplies, one stores";
  let description = [{
    A kernel whose plan copies by `tma` has one loop with copies: over chunks, or over
    earlier query blocks. The role `load` issues the copies into shared memory and waits
    for flags (`tile.expect`), `store` issues the copies out of it and sets flags
    (`tile.signal`), both in the order of the text. The role `math` does the rest: it has
    the kernel's warps, once for each of the plan's n `chains`. Index arithmetic, and the
    ticket that it may need, stand in front of the roles, or are cloned into the roles
    where they depend on the loop or on the chain.

    Each copy takes slots of a ring between the role that copies and `math`, instead of
    its buffer:

    | copy | slots |
    |---|---|
    | into shared memory, in the loop | the plan's `stages` |
    | out of it, in the loop | 2, or 1 where other instances compute while one waits |
    | outside of the loop | 1 |

    Copies share a ring in three cases. Where the plan splits `chains`, the copies of an
    iteration share a slot, so that the iteration waits once ("chunks"). The first copy
    after the loop of an array that the loop reads takes the slot after the loop's last
    one. Copies out that stand outside of the loop take the one slot of their ring in turn.

    Instance i of `math` and `store` runs the chain of grid index 0 * n + i. A copy that
    depends on the chain fetches the n neighbours' columns at once, of which each instance
    has a view; other copies are shared. Grid index 0 counts CTAs from here on: its extent
    in launches is divided by n.

    ```mlir
    scf.for %c iter_args(%S) {
      copy %k[%c], %K; copy %v[%c, %column], %V; await; .. dot %S, %K ..; write %O_a, %O
      copy %O, %o[%c, %column]; await
    }
    // becomes, for n = 2
    %in = tile.ring_create "chunks" mbarrier {consumers = 2} : <3, [..]>
    %out = tile.ring_create "out" mbarrier : <1, [..]>
    tile.roles [math, load, store] {
    ^bb0(%i: index):
      scf.for %c iter_args(%S) {
        %slot, %K, %V = tile.peek %in[%c]; %V_i = memref.subview %V[0, %i * 64] [64, 64] [1, 1]
        .. dot %S, %K ..; tile.release %slot
        %w, %O = tile.acquire %out[%c]; write %O_a, %O; tile.commit %w
      }
    }, {
    ^bb0(%i: index):
      scf.for %c { %w, %K, %V = tile.acquire %in[%c]; copy..; tile.commit %w, .. }
    }, {
    ^bb0(%i: index):
      scf.for %c { %slot, %O = tile.peek %out[%c]; copy..; tile.release %slot, .. }
    }
    ```
    A query block waits for earlier ones and publishes its own rows:

    ```mlir
    %i = tile.ticket ..; copy %q[%i], %Q; await
    scf.for %j = 0 to %i { copy %k[%j], %K; await; .. dot %Q, %K; expect %f, %j; copy %u[%j - 1], %U; await; .. }
    copy %k[%i], %K2; await; .. dot %Q, %K2; write %x, %X; copy %X, %u[%i]; await; signal %f, %i + 1
    // becomes
    %i = tile.ticket ..
    tile.roles [math, load, store] {
      %s, %Q = tile.peek %q[0]
      scf.for %j = 0 to %i { %t, %K = tile.peek %k[%j]; .. dot %Q, %K; release %t; .. }
      %t, %K2 = tile.peek %k[%i]; .. dot %Q, %K2; release %t; release %s
      %w, %X = tile.acquire %out[0]; write %x, %X; tile.commit %w
    }, {
      acquire %q[0]; copy; commit
      scf.for %j = 0 to %i { acquire %k[%j]; copy; commit; expect %f, %j; acquire %u[%j]; copy; commit }
      acquire %k[%i]; copy; commit
    }, { peek %out[0]; copy; release; signal %f, %i + 1 }
    ```
    Refused, with the reason: no such loop or several; copies or flags in other places, or
    with addresses that not every role can compute; buffers with other uses, and of several
    chains, buffers that no copy touches; arrays that two roles access, unless a flag
    publishes what a copy out has written; columns that are not the chain's.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", "0",
           "slots of rings that the loop fills; 0: the stages of the kernel's plan">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def Pipeline : Pass<"tile-pipeline", "::mlir::ModuleOp"> {
  let summary = "Copy later iterations' tiles while this one computes";
  let description = [{
    Buffers that a loop (from 0 in steps of 1) fills by asynchronous copies and reads in
    the same iteration become a ring of `stages` slots. `stages - 1` slots are filled in
    front of the loop; iteration c obtains its slot, then starts the copies of
    iteration c + stages - 1, whose index arithmetic is cloned. Iterations past the end
    copy zero rows: zeros are written, nothing is read. With one slot, each iteration
    waits for its own copies. What stands behind a `tile.expect` is copied ahead where
    that stands, behind the expectation of the later iteration. A loop that this does not
    fit is left alone, and so are kernels that `tile-split-roles` splits.

    ```mlir
    scf.for %c = %c0 to %n step %c1 { copy %k[%c], %K; await; .. dot %a, %K .. }
    // becomes
    %ring = tile.ring_create "chunks" cp_async_group : !tile.ring<2, [..]>
    %w, %K0 = tile.acquire %ring[%c0]; copy %k[%c0], %K0; tile.commit %w
    scf.for %c = %c0 to %n step %c1 {
      %slot, %K = tile.peek %ring[%c]
      %w, %K1 = tile.acquire %ring[%c + 1]; copy %k[%c + 1], %K1; tile.commit %w
      .. dot %a, %K ..
      tile.release %slot
    }
    ```
  }];
  let options = [
    Option<"stages", "stages", "int64_t", "0",
           "slots of a ring; 0: the stages of the kernel's plan, or 2">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def RotateLoop : Pass<"tile-rotate-loop", "::mlir::ModuleOp"> {
  let summary = "Round a carried state at the end of an iteration, not at the start";
  let description = [{
    Where a `wgmma` product of a loop takes its left operand from elementwise work on
    carried tiles and values from outside of the loop alone, that operand is carried
    beside them: made once in front of the loop, and for the next iteration at the end
    of each, where products that the next state does not need still run. The next
    iteration then begins with a product.

    ```mlir
    scf.for .. iter_args(%S = %S0) { %Sa = truncf %S; %KS = dot %Sa, %K; .. yield %S1 }
    // becomes
    %Sa0 = truncf %S0
    scf.for .. iter_args(%S = %S0, %Sa = %Sa0) { %KS = dot %Sa, %K; .. %Sa1 = truncf %S1; yield %S1, %Sa1 }
    ```
    The scaling of a carried accumulator (the sum of an online softmax) moves likewise
    to the end of the iteration before, where no product is in flight on it. Loops without
    such a product are left alone.
  }];
}

def StartProducts : Pass<"tile-start-products", "::mlir::ModuleOp"> {
  let summary = "wgmma products run while other work goes on";
  let description = [{
    A `tile.dot` by `wgmma` becomes a `dot_start` in its place and an `await` in front of
    the first op that uses its value, closes a slot that it reads, or ends its block. A
    product whose only use is the accumulator of another one in its block is never
    awaited: the other one starts on it in flight.

    ```mlir
    %KS = dot instr(wgmma_rs) %Sa, %K; %G = read %g; %X = f(%KS, %G)
    // becomes
    %p = dot_start wgmma_rs %Sa, %K; %G = read %g; %KS = await %p; %X = f(%KS, %G)
    ```
  }];
}

def OrderProducts : Pass<"tile-order-products", "::mlir::ModuleOp"> {
  let summary = "Issue products as soon as they can be, the next state's first";
  let description = [{
    In a loop that carries tiles, what the next iteration waits for comes first, and
    copies for later iterations; the rest (outputs) follows, in the order in which it
    was. Then each product moves up to where its operands are ready, so that it fills
    the tensor cores while elementwise work goes on. A loop where accesses to shared
    memory forbid this is left alone.

    ```mlir
    %KS = dot; %X = f(%KS); %U = dot %X; %QS = dot; %O = dot %U acc(%QS); store %O; %S1 = dot %U
    // becomes
    %KS = dot; %QS = dot; %X = f(%KS); %U = dot %X; %S1 = dot %U; %O = dot %U acc(%QS); store %O
    ```

    A loop with products in flight (`dot_start`) is scheduled as a list for one warp that
    issues in order: of what can be issued without waiting, the op that is furthest from
    the next state comes first; a wait stands directly in front of what needs it; reads
    of shared memory wait for products issued before them, so they stand in front of the
    last one in front of which they come in time; and a product that the next state does
    not need fills the time in which the tensor cores would idle, half of it (`k`) where
    the whole would hold up the next state's.

    ```mlir
    start KS; await KS; X = f(KS, read V); start U; await U; start S1; await S1; start QS; await QS; ..
    // becomes
    read V; start KS; start QS[0, 64]; await KS; X; start U; start QS[64, 128]; await U; start S1; await QS; ..
    ```
  }];
  let options = [
    Option<"cut", "cut", "bool", "true",
           "cut products in flight along k where only a half fits">
  ];
}

def PlaceWaits : Pass<"tile-place-waits", "::mlir::ModuleOp"> {
  let summary = "How many groups may still run behind each wait";
  let description = [{
    Each copy by cp.async that an `await` names is a group, and so is each product in
    flight. Groups of one kind are complete in the order in which they were issued, so
    the wait leaves open as many as were issued behind the last one it names: counted in
    its block, 0 where the count is not one number.

    ```mlir
    %f = copy ..; %g = copy ..; await %f                            // {pending = 1}
    %p = dot_start ..; %q = dot_start ..; %r = dot_start ..; await %p    // {pending = 2}
    ```
  }];
}

def PlanShared : Pass<"tile-plan-shared", "::mlir::ModuleOp"> {
  let summary = "Offsets in shared memory";
  let description = [{
    Sets `offset` of every `tile.alloc` and `tile.ring_create`, and `shared_bytes` of the
    kernel. Buffers whose contents are never needed at the same time may share bytes. A
    kernel that inverts in a loop, and relies on other CTAs to fill an SM, keeps buffers
    apart as far as its share of an SM goes, for shared bytes cost barriers; what still
    shares takes bytes that were left longest ago. A ring of one
    role has its bytes for itself; where the kernel gets smaller by it, only from its
    first slot on, and what was left in front of that lies there. The slots of a ring
    between roles serve its consumer's buffers once that has released the last one; in a
    kernel that has both, mbarriers lie apart (`barriers`). Refuses a kernel that needs
    more than a CTA of the machine in its plan may have (F9).
  }];
}

def PlaceBarriers : Pass<"tile-place-barriers", "::mlir::ModuleOp"> {
  let summary = "Barriers between conflicting accesses to shared memory";
  let description = [{
    Inserts a `tile.barrier` in front of an access to an `alloc` buffer if another thread may
    have written the same bytes, or have read what is written now, since the last
    barrier, also in an earlier iteration of a loop around it. In a role its own threads
    meet, at the id of the role's first instance. Slots of a ring count as buffers where
    others take their bytes. Ops that meet inside
    (`peek` of a cp_async_group ring, `acquire` of a ring of one slot, `tri_inverse`,
    `scan` over several warps) count as barriers.
  }];
}

def BudgetRegisters : Pass<"tile-budget-registers", "::mlir::ModuleOp"> {
  let summary = "Predict the registers of a thread";
  let description = [{
    Records the peak of live tiles (`registers`) and how many CTAs an SM can hold by
    registers and shared memory (`min_blocks`). Refuses a kernel whose prediction
    leaves fewer than 40 registers for addresses and copies (F11): it would spill.

    A kernel with roles is one CTA an SM. The peak is that of the role that needs most;
    each role must leave 16 registers of its own cap, for addresses. A product in flight
    holds its accumulator and its left operand until it is awaited.
  }];
}

def OverlapLaunches : Pass<"tile-overlap-launches", "::mlir::ModuleOp"> {
  let summary = "Let a launch start while the one in front of it runs";
  let description = [{
    For each host function, on kernels in final form for a GPU with dependent launches
    (sm_90 on). A launch that touches what an earlier launch of the function writes, or
    writes what one reads, is marked `overlap`. Its kernel waits in front of the first
    such access, in each role that has one. It starts when the CTAs in front have ended,
    not when they have begun: CTAs that are resident early lie
    on whichever multiprocessor was free first, which cost 5 to 7 % on an H200 where
    there are more chains than multiprocessors, for 1 to 4 % where there are few.

    ```mlir
    tile.launch @prepare grid(%n) args(%k, %T : ..)
    tile.launch @chain grid(%h) args(%v, %T, %o : ..)
    // becomes
    tile.launch @prepare grid(%n) args(%k, %T : ..)
    tile.launch @chain grid(%h) args(%v, %T, %o : ..) {overlap} // @chain: wait_launches, then reads T
    ```
    Why every earlier launch is done behind a wait, though the wait is for the launch in
    front alone: that one is done only when its own wait was passed, and so on to the
    first launch of the call. The first launch does not overlap, so nothing of a call
    meets what was in the stream before it, such as a call on the same workspace.
  }];
}

//===----------------------------------------------------------------------===//
// Final form
//===----------------------------------------------------------------------===//

def VerifyTileFinal : Pass<"verify-tile-final", "::mlir::ModuleOp"> {
  let summary = "Check the contract of the tile dialect's final form";
  let description = [{
    Rules F1 to F10 of docs/tile-dialect.md, with V2 and V5, on every kernel: tiles are
    placed, instructions accept what they are given, nothing in flight is lost or read
    too early, rings have two ends, and the CTA fits the machine in its plan. F11 (registers) is
    `tile-budget-registers`'. One diagnostic a kernel. The IR is never changed.
  }];
}

#endif // TILE_PASSES_TD
