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
    Rules V2, V5 and V6 of docs/tile-dialect.md: loads and stores are bounded, only tile
    ops access memory, and the kernel holds nothing of the final form. The verifiers of
    the ops check V1, V3, V4 and V7. Never changes the IR.
  }];
}

def KernelsToFunctions : Pass<"tile-kernels-to-functions", "::mlir::ModuleOp"> {
  let summary = "Run kernels on the CPU: a grid becomes a loop nest of calls";
  let description = [{
    A kernel becomes a private function whose first arguments are the grid indices. A
    launch becomes a loop nest over the grid around a call, with the first index
    innermost. A launch permits any order of its CTAs; in this one the CTAs draw their
    tickets in order.

    ```mlir
    tile.kernel @chain(%h: index, %b: index, %k: memref<?xf32>) attributes {grid = 2 : i64, warps = 4 : i64} {
      tile.return
    }
    func.func @f(%H: index, %B: index, %k: memref<?xf32>) {
      tile.launch @chain grid(%H, %B) args(%k : memref<?xf32>)
      return
    }
    // becomes
    func.func private @chain(%h: index, %b: index, %k: memref<?xf32>) {
      return
    }
    func.func @f(%H: index, %B: index, %k: memref<?xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %b = %c0 to %B step %c1 {
        scf.for %h = %c0 to %H step %c1 {
          func.call @chain(%h, %b, %k) : (index, index, memref<?xf32>) -> ()
        }
      }
      return
    }
    ```
    The ops inside a kernel stay as they are; `delta-decompose` lowers them afterwards.
    The pass accepts everything that `verify-tile-value` accepts.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::scf::SCFDialect"];
}

def ExpandVariants : Pass<"tile-expand-variants", "::mlir::ModuleOp"> {
  let summary = "One kernel for each number of chains per CTA; the launcher chooses";
  let description = [{
    A kernel with `alternatives` is cloned once for each of these plans; the name of the
    clone says how many chains a CTA holds. Each launch becomes a choice by cost
    (`tile.chunk_time`), computed from the number of chains in the grid and the number of
    multiprocessors of the device. A plan gets no kernel if its number of chains does not
    divide the first extent of the grid.

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
  let summary = "Run the late part of a loop one iteration later than the early part";
  let description = [{
    The pass cuts the body of a loop (from 0 in steps of 1) into two parts. If the loop
    contains a `tile.expect`, the late part is everything that depends on arrays which the
    kernel's CTAs write for each other, and the early part is the rest. Iteration j then
    runs its own early part and the late part of iteration j - 1, whose operands the loop
    carries. The late part of the last iteration follows the loop, as late as its users
    permit. So everything that needs no other CTA is done before the last wait: the early
    products, and work after the loop such as the inverse of a diagonal block.

    `wgmma` products run while a warp does other work. In a kernel that has them, a loop
    without a `tile.expect` is skewed too. Its late part is a product whose left operand
    is computed from an earlier product of the same iteration (weights computed from
    scores), with the ops that serve this product alone. After the loop, one independent
    product moves before the late part of the last iteration, as inside the loop.

    The late part of iteration -1 runs on zeros: it loads no rows and expects epoch 0, and
    its result must be zero. The pass leaves a loop alone if its late part is more than
    loads, expectations, products and elementwise work that maps zeros to zeros, if a late
    accumulator does not start from zero, or if the early part has no product.

    ```
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
  let summary = "Solve for the values that rows read instead of for the rows";
  let description = [{
    A query block in the attention form solves (I + diag(f) P) u = v - f o a for its rows,
    then reads a + P u. These are two products, of which the second waits for the first,
    and two live matrices. With G = (I + P diag(f))^-1 P (`tile.tri_solve`) one product
    gives a + P u = a + G (v - f o a), and u = v - f o (a + P u) follows element by
    element; the identity is never rounded. The pass applies to kernels with `wgmma`
    products, where both left operands would come from registers:

    ```
    %M = tile.tri_inverse (%P * spread %f); %r = %v - %a * spread %f
    %u = tile.dot (truncf %M), (truncf %r); %read = tile.dot (truncf %P), (truncf %u) acc(%a)
    // becomes
    %G = tile.tri_solve %P, %f; %r = %v - %a * spread %f
    %read = tile.dot (truncf %G), (truncf %r) acc(%a); %u = %v - %read * spread %f
    ```
    (2505.19488, section 3.3.) `%read` is computed even if no read uses the query that
    writes; it replaces the product that gave `%u`. The inverse uses only the part of `%P`
    below the diagonal, so the rest is masked unless it is known to be 0. If a read
    includes the diagonal d of `%P`, d o u is added to its result. Any other form is left
    alone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SelectInversePrecision : Pass<"tile-select-inverse-precision", "::mlir::ModuleOp"> {
  let summary = "Compute an inverse in TF32 if its uses round it to bf16";
  let description = [{
    Selects precision `tf32` for the products of an inverse if every use rounds the
    inverse to bf16, either as it is or multiplied by another value. Rounding the operands
    to TF32 then loses less than the later rounding to bf16, provided that the inverse
    does not amplify the error. An `entry_bound` of at most 1 + 2^-6 guarantees that (beta
    up to 1 and keys of length 1; docs/numerics.md has the errors). An inverse with a
    larger bound, or with none, keeps `f32`.

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
  let summary = "Place every tile in registers or in shared memory";
  let description = [{
    A 16-bit matrix from global memory becomes a shared buffer and an asynchronous copy.
    The buffer stores the matrix in the order in which it is contiguous in global memory;
    register uses read it back, transposed if the `dims` of the load transpose. A
    contiguous f32 vector is placed likewise. The right operand of a product becomes the
    buffer, and `contract` and `b_part` follow the stored order; a computed right operand
    is first written to a buffer. A 16-bit matrix goes to global memory from a buffer.
    States (f32 matrices) and strided vectors are loaded to and stored from registers.

    ```mlir
    %K = tile.load %k[%b, %t0, %h, %c0] bound(%n) {dims = array<i64: 1, 3>} : ... -> tensor<64x128xbf16>
    %KS = tile.dot %S_a, %K {contract = array<i64: 1, 1>} : ...
    // becomes
    %K = tile.alloc : memref<64x128xbf16, #tile.smem<128>>
    %f = tile.copy cp_async %k[%b, %t0, %h, %c0], %K bound(%n) {dims = array<i64: 1, 3>} : ...
    tile.await %f : !tile.async<none>
    %KS = tile.dot instr(mma_m16n8k16) %S_a, %K {contract = array<i64: 1, 1>} : ...
    ```
    Refused: boxes that no 16-byte copy can move, and right operands in f32.

    In a kernel with `wgmma` products, the engines and instructions are those of
    warpgroups:

    ```mlir
    %f = tile.copy tma %k[%b, %t0, %h, %c0], %K {dims = array<i64: 1, 3>} : ...
    tile.await %f : !tile.async<none>
    %KS = tile.dot instr(wgmma_rs) %S_a, %K {contract = array<i64: 1, 1>} : ...
    ```
    Matrices move by `tma` in both directions, vectors by `bulk`. A tensor map ends where
    its array ends, so a `bound` must say the same, with at most a constant number of
    `rows`: `min(extent - start, rows)`. A bound of `select(condition, rows, 0)` makes a
    box conditional: if the condition is false, the box starts before the array and is
    read as zeros.

    A left operand that a copy brings stays in its buffer (`wgmma_ss`). A left operand
    that is live across a `tri_solve` is also spilled to shared memory, directly after the
    last product before the solve, if registers cannot hold it next to the solution and
    the accumulator. Row sums and a diagonal that are needed only after the `tri_solve`
    are written to shared memory where they are computed, and read back after it.

    Refused: other bounds, products with other than 64 rows per warpgroup, and right
    operands that a kernel with several chains per CTA computes.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PrefetchLoads : Pass<"tile-prefetch-loads", "::mlir::ModuleOp"> {
  let summary = "Load register tiles before they are needed";
  let description = [{
    The pass moves loads whose tile `tile-place` left in registers. The load of a vector
    moves before the first wait of its block. A loop from 0 in steps of 1 loads the tile
    of the next iteration and carries it: a vector is loaded at the start of the
    iteration, a matrix where the current matrix was last used, so that the two are never
    live at once. A loop without products keeps its loads of matrices: no product would
    hide the latency, and the loop may need the registers. The last iteration loads its
    own tiles again. If the number of iterations is not a constant, the load before the
    loop has a `bound` of no rows in case the loop never runs.

    ```
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
    A load stays in place if the loop stores to its array, or if its address depends on
    more than the number of the iteration.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AssignLayouts : Pass<"tile-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "Give every tile a register layout";
  let description = [{
    Matrices are fragments (`#tile.frag`). A vector is flat after a load or a scan, and a
    slice of a fragment after a reduction and before `tile.spread`; a `tile.convert`
    connects different layouts. Constants, reads of shared vectors, and arithmetic on
    these alone are computed in the layout of each use.

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
    %r = tile.convert %v : tensor<64xf32, #tile.flat<warps = 4>>
                        -> tensor<64xf32, #tile.slice<axis = 0, <warps = 4>>>
    // becomes
    %s = tile.alloc : memref<64xf32, #tile.smem<0>>
    tile.write %v, %s : tensor<64xf32, #tile.flat<warps = 4>>, memref<64xf32, #tile.smem<0>>
    %r = tile.read %s : memref<64xf32, #tile.smem<0>> -> tensor<64xf32, #tile.slice<axis = 0, <warps = 4>>>
    ```
    Accepted: f32 vectors, from flat or from a slice along rows (axis 0), to flat or to
    any slice. The device library has no accesses for other conversions; they are refused.
  }];
}

def SplitRoles : Pass<"tile-split-roles", "::mlir::ModuleOp"> {
  let summary = "Split a kernel's warps: one role loads, one multiplies, one stores";
  let description = [{
    A kernel whose plan copies by `tma` has one loop with copies: over chunks, or over
    earlier query blocks. The role `load` issues the copies into shared memory and waits
    for flags (`tile.expect`). The role `store` issues the copies out of it and sets flags
    (`tile.signal`). Both keep the program order. The role `math` does the rest: it has
    the kernel's warps, once for each of the plan's n `chains`. Index arithmetic, and the
    ticket that it may need, move before the roles; if they depend on the loop or on the
    chain, each role gets a clone.

    The buffer of each copy is replaced by slots of a ring between the role that copies
    and `math`:

    | copy | slots |
    |---|---|
    | into shared memory, in the loop | the plan's `stages` |
    | out of it, in the loop | 2, or 1 if other instances compute while one waits |
    | outside of the loop | 1 |

    Copies share a ring in three cases. If the plan splits `chains`, the copies of an
    iteration share a slot, so that the iteration waits once ("chunks"). The first copy
    after the loop of an array that the loop reads takes the slot after the loop's last
    one. Copies out that stand outside of the loop take the one slot of their ring in
    turn.

    Instance i of `math` and `store` runs the chain (grid index 0) * n + i. A copy that
    depends on the chain fetches the columns of all n neighbouring chains at once, and
    each instance has a view of its own columns; other copies are shared. From here on
    grid index 0 counts CTAs: its extent in launches is divided by n.

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
    with addresses that not every role can compute; buffers with other uses; with several
    chains, buffers that no copy accesses; arrays that two roles access, unless a flag
    publishes what a copy out has written; columns that are not those of the chain.
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
    the same iteration become a ring of `stages` slots. `stages - 1` slots are filled
    before the loop. Iteration c waits for its slot, then starts the copies of iteration
    `c + stages - 1`, for which it clones their index arithmetic. Iterations past the end
    copy zero rows: they write zeros and read nothing. With one slot, each iteration waits
    for its own copies. Copies after a `tile.expect` are started early at the same place,
    after the expectation of the later iteration. Loops of any other form are left alone,
    as are kernels that `tile-split-roles` splits.

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
  let summary = "Round a carried state at the end of an iteration instead of the start";
  let description = [{
    The pass applies where a `wgmma` product of a loop has a left operand that is computed
    by elementwise work on carried tiles and values from outside the loop. The loop then
    carries that operand too: it is computed once before the loop, and for the next
    iteration at the end of each iteration, while products that the next state does not
    need still run. So an iteration begins with a product.

    ```
    scf.for .. iter_args(%S = %S0) { %Sa = truncf %S; %KS = dot %Sa, %K; .. yield %S1 }
    // becomes
    %Sa0 = truncf %S0
    scf.for .. iter_args(%S = %S0, %Sa = %Sa0) { %KS = dot %Sa, %K; .. %Sa1 = truncf %S1; yield %S1, %Sa1 }
    ```
    The scaling of a carried accumulator (the sum of an online softmax) moves likewise to
    the end of the previous iteration, where no product in flight uses it. Loops without
    such a product are left alone.
  }];
}

def StartProducts : Pass<"tile-start-products", "::mlir::ModuleOp"> {
  let summary = "Issue wgmma products early and await them late";
  let description = [{
    A `tile.dot` by `wgmma` becomes a `dot_start` in its place and an `await`. The await
    stands before the first op that uses the value, closes a slot that the product reads,
    or ends the block. A product whose only use is as the accumulator of another product
    in its block is never awaited: the other product takes it in flight.

    ```
    %KS = dot instr(wgmma_rs) %Sa, %K; %G = read %g; %X = f(%KS, %G)
    // becomes
    %p = dot_start wgmma_rs %Sa, %K; %G = read %g; %KS = await %p; %X = f(%KS, %G)
    ```
  }];
}

def OrderProducts : Pass<"tile-order-products", "::mlir::ModuleOp"> {
  let summary = "Issue products as early as possible, first those of the next state";
  let description = [{
    In a loop that carries tiles, the ops that the next iteration waits for come first,
    together with copies for later iterations. All other ops (outputs) follow in their old
    order. Then each product moves up to where its operands are ready, so that tensor
    cores work during elementwise work. The pass leaves a loop alone if accesses to shared
    memory forbid this order.

    ```
    %KS = dot; %X = f(%KS); %U = dot %X; %QS = dot; %O = dot %U acc(%QS); store %O; %S1 = dot %U
    // becomes
    %KS = dot; %QS = dot; %X = f(%KS); %U = dot %X; %S1 = dot %U; %O = dot %U acc(%QS); store %O
    ```

    A loop with products in flight (`dot_start`) is list-scheduled for one warp that
    issues in order. Among the ops that can issue without waiting, the scheduler takes the
    one that is furthest from the next state. A wait stands directly before the op that
    needs it. A read of shared memory waits for the products issued before it, so it
    stands before the latest product that leaves it enough time. A product that the next
    state does not need fills the time in which the tensor cores would idle, or half of it
    does (`k`) if the whole product would delay a product of the next state.

    ```
    start KS; await KS; X = f(KS, read V); start U; await U; start S1; await S1; start QS; await QS; ..
    // becomes
    read V; start KS; start QS[0, 64]; await KS; X; start U; start QS[64, 128]; await U; start S1; await QS; ..
    ```
  }];
  let options = [
    Option<"cut", "cut", "bool", "true",
           "cut products in flight along k if only a half fits">
  ];
}

def PlaceWaits : Pass<"tile-place-waits", "::mlir::ModuleOp"> {
  let summary = "How many groups may still be open after each wait";
  let description = [{
    Each copy by cp.async that an `await` names is a group, and so is each product in
    flight. Groups of one kind complete in the order of their issue. So a wait may leave
    open all groups that were issued after the last one that it names. They are counted in
    the block of the wait; `pending` is 0 if their number is not the same on all paths.

    ```
    %f = copy ..; %g = copy ..; await %f                            // {pending = 1}
    %p = dot_start ..; %q = dot_start ..; %r = dot_start ..; await %p    // {pending = 2}
    ```
  }];
}

def PlanShared : Pass<"tile-plan-shared", "::mlir::ModuleOp"> {
  let summary = "Plan offsets in shared memory";
  let description = [{
    Sets `offset` of every `tile.alloc` and `tile.ring_create`, and `shared_bytes` of the
    kernel. Buffers may share bytes if their contents are never needed at the same time.
    Shared bytes cost barriers, so a kernel that inverts in a loop, and relies on other
    CTAs to fill an SM, keeps buffers apart as far as the CTA's share of an SM permits;
    buffers that still share take the bytes that were left longest ago.

    A single-role ring does not share its bytes, with one exception: if it makes the CTA
    smaller, buffers that die before the ring's first slot is filled may occupy the same
    bytes. The slots of a ring between roles may hold buffers of its consumer once the
    consumer has released the last slot. In a kernel that has both, mbarriers lie apart
    (`barriers`).

    Refuses a kernel that needs more shared memory than the machine in its plan has for a
    CTA (F9).
  }];
}

def PlaceBarriers : Pass<"tile-place-barriers", "::mlir::ModuleOp"> {
  let summary = "Barriers between conflicting accesses to shared memory";
  let description = [{
    Inserts a `tile.barrier` before an access to an `alloc` buffer if, since the last
    barrier, another thread may have written the same bytes, or have read bytes that the
    access writes. Accesses of an earlier iteration of an enclosing loop count too. In a
    role only the threads of the role meet, at the id of the role's first instance. Slots
    of a ring count as buffers if other buffers take their bytes. Ops that contain a
    barrier count as one (`peek` of a cp_async_group ring, `acquire` of a ring of one
    slot, `tri_inverse`, `scan` over several warps).
  }];
}

def BudgetRegisters : Pass<"tile-budget-registers", "::mlir::ModuleOp"> {
  let summary = "Predict the registers that a thread needs";
  let description = [{
    Records the peak of live tiles (`registers`) and how many CTAs registers and shared
    memory let an SM hold (`min_blocks`). Refuses a kernel whose prediction leaves fewer
    than 40 registers for addresses and copies (F11), since that kernel would spill.

    A kernel with roles runs one CTA per SM. Its peak is that of the role that needs most;
    each role must leave 16 registers of its own cap for addresses. A product in flight
    holds its accumulator and its left operand until it is awaited.
  }];
}

def OverlapLaunches : Pass<"tile-overlap-launches", "::mlir::ModuleOp"> {
  let summary = "Let a launch start while the previous one runs";
  let description = [{
    Works on each host function, with kernels in final form for a GPU with dependent
    launches (sm_90 on). A launch is marked `overlap` if it accesses an array that an
    earlier launch of the function writes, or writes one that an earlier launch reads. Its
    kernel waits before the first such access, in each role that has one. The launch
    starts when the CTAs of the previous launch have ended, not when they have begun. CTAs
    that are resident early lie on whichever multiprocessor was free first. On an H200
    that cost 5 to 7 % if there are more chains than multiprocessors, and gained 1 to 4 %
    if there are few.

    ```mlir
    tile.launch @prepare grid(%n) args(%k, %T : ..)
    tile.launch @chain grid(%h) args(%v, %T, %o : ..)
    // becomes
    tile.launch @prepare grid(%n) args(%k, %T : ..)
    tile.launch @chain grid(%h) args(%v, %T, %o : ..) {overlap} // @chain: wait_launches, then reads T
    ```
    After a wait every earlier launch is done, although the wait is for the previous
    launch alone: the previous launch is done only after its own wait, and so on back to
    the first launch of the call. The first launch does not overlap, so no kernel of a
    call runs together with earlier work in the stream, such as another call on the same
    workspace.
  }];
}

//===----------------------------------------------------------------------===//
// Final form
//===----------------------------------------------------------------------===//

def VerifyTileFinal : Pass<"verify-tile-final", "::mlir::ModuleOp"> {
  let summary = "Check the contract of the tile dialect's final form";
  let description = [{
    Rules F1 to F10 of docs/tile-dialect.md, with V2 and V5, on every kernel: tiles are
    placed, instructions accept their operands, nothing in flight is lost or read too
    early, rings have two ends, and the CTA fits the machine in its plan.
    `tile-budget-registers` checks F11 (registers). At most one diagnostic per kernel.
    Never changes the IR.
  }];
}

#endif // TILE_PASSES_TD
