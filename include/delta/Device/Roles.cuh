//===- Roles.cuh - warps with different work --------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Support for a CTA whose warps do different work (warp specialisation): the
// index of a warp as a value that the compiler knows to be uniform, register
// budgets of warpgroups, barriers for some of the warps, and the wait for
// earlier launches (programmatic dependent launch). A warpgroup is four warps
// from a multiple of four on. For sm_90 and later.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_ROLES_CUH
#define DELTA_DEVICE_ROLES_CUH

#include "delta/Device/Base.cuh"

namespace delta {

/// Warp of the calling thread in its CTA, in a form that the compiler knows to
/// be the same in all lanes. Branches between roles must compare this value:
/// after a branch on threadIdx.x, ptxas considers wgmma divergent and
/// serialises it (C7518).
DELTA_DEVICE int uniform_warp_index() {
  return __shfl_sync(0xffffffffu, warp_index(), 0);
}

/// Raises the register budget of the calling warpgroup to Count registers per
/// thread and waits until they are free. All four warps execute this one
/// statement. Needs a kernel with a maximum of threads (launch bounds).
template <int Count> DELTA_DEVICE void increase_registers() {
  static_assert(Count >= 24 && Count <= 256 && Count % 8 == 0,
                "24 .. 256 registers in steps of 8");
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
}

/// Lowers the register budget of the calling warpgroup to Count registers per
/// thread. All four warps execute this one statement, before the branch between
/// their roles.
template <int Count> DELTA_DEVICE void decrease_registers() {
  static_assert(Count >= 24 && Count <= 256 && Count % 8 == 0,
                "24 .. 256 registers in steps of 8");
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
}

/// Barrier Id of Threads threads, whole warps, which all pass the same Id.
/// Orders shared and global memory between them. Barrier 0 is cta_sync's.
template <int Id, int Threads> DELTA_DEVICE void role_sync() {
  static_assert(Id > 0 && Id < 16, "barriers 1 .. 15");
  static_assert(Threads % 32 == 0, "whole warps");
  asm volatile("bar.sync %0, %1;" ::"n"(Id), "n"(Threads) : "memory");
}

/// Barrier `id`, 1 .. 15, of Threads threads, whole warps, which all pass the
/// same id: for instances of a role, each of which has its own barrier.
template <int Threads> DELTA_DEVICE void role_sync(int id) {
  static_assert(Threads % 32 == 0, "whole warps");
  asm volatile("bar.sync %0, %1;" ::"r"(id), "n"(Threads) : "memory");
}

/// Waits until the launches that this one was allowed to overlap have ended and
/// their memory is visible to the calling thread. Returns at once if this is
/// not a dependent launch.
DELTA_DEVICE void wait_for_prior_launches() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

} // namespace delta

#endif // DELTA_DEVICE_ROLES_CUH
