#!/usr/bin/env python3
# ===- make_spec.py - a spec of the linear family by its properties -------===//
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
#
# Writes one function with one recurrence to standard output: what the compiled
# variants of a test have in common, so that a test names the difference alone.
#
# ===----------------------------------------------------------------------===//
"""Print a spec of the linear family."""

import argparse


def tensor(*shape, dtype):
    return "tensor<%s>" % "x".join([str(extent) for extent in shape] + [dtype])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", default="?", help="a size, or ? for any")
    parser.add_argument("--length", default="?", help="a size, or ? for any")
    parser.add_argument("--key", type=int, default=128)
    parser.add_argument("--value", type=int, default=128)
    parser.add_argument("--chunk", type=int, default=64)
    parser.add_argument("--steps", type=int, default=1)
    parser.add_argument("--dtype", default="bf16")
    parser.add_argument("--heads", type=int, default=2)
    parser.add_argument("--group", type=int, default=2, help="value heads a key head")
    parser.add_argument("--wgmma", action="store_true", help="a plan of warpgroups")
    parser.add_argument("--chains", type=int, help="chains a CTA of the plan")
    parser.add_argument("--columns", type=int, help="value columns of the plan")
    parser.add_argument("--stages", type=int, help="slots of the ring of the plan")
    for absent in ("decay", "state", "norm", "sigmoid"):
        parser.add_argument("--no-" + absent, action="store_true")
    o = parser.parse_args()

    values = o.heads * o.group
    steps = [o.steps] if o.steps > 1 else []
    q = tensor(o.batch, o.length, o.heads, o.key, dtype=o.dtype)
    k = tensor(o.batch, o.length, *steps, o.heads, o.key, dtype=o.dtype)
    v = tensor(o.batch, o.length, *steps, values, o.value, dtype=o.dtype)
    beta = tensor(o.batch, o.length, *steps, values, dtype=o.dtype)
    gate = tensor(o.batch, o.length, *steps, values, dtype="f32")
    g = tensor(o.batch, o.length, values, dtype="f32")
    s = tensor(o.batch, values, o.key, o.value, dtype="f32")
    out = tensor(o.batch, o.length, values, o.value, dtype=o.dtype)

    arguments = [("q", q), ("k", k), ("v", v), ("beta", beta)]
    if not o.no_decay:
        arguments.append(("g", g))
    if not o.no_state:
        arguments.append(("s0", s))
    results, names = [out], "%o"
    if not o.no_state:
        results, names = [out, s], "%o, %s"

    print("func.func @spec(%s) -> (%s) {" % (
        ", ".join("%%%s: %s" % argument for argument in arguments),
        ", ".join(results)))
    query, key, weight, weight_type = "%q", "%k", "%beta", beta
    if not o.no_norm:
        print(f"  %qn = delta.l2norm %q : {q} -> {q}")
        print(f"  %kn = delta.l2norm %k : {k} -> {k}")
        query, key = "%qn", "%kn"
    if not o.no_sigmoid:
        print(f"  %b = delta.sigmoid %beta : {beta} -> {gate}")
        weight, weight_type = "%b", gate
    decay = "" if o.no_decay else f" decay(%g : {g})"
    initial = "" if o.no_state else f" initial(%s0 : {s})"
    state = "" if o.no_state else f", state({s})"
    attributes = f"kernel = #delta.kernel<linear>, chunk = {o.chunk}"
    if o.steps > 1:
        attributes += f", steps = {o.steps}"
    if o.columns or o.stages or o.chains or o.wgmma:
        instructions = ("products = wgmma, copies = tma, split = chains" if o.wgmma
                        else "products = mma_sync, copies = cp_async")
        attributes += (f", plans = {{chain = #plan.kernel<{instructions}, "
                       f"stages = {o.stages or 2}, columns = {o.columns or 64}, "
                       f"chains = {o.chains or 1}>}}")
    print(f"  {names} = delta.recurrence query({query} : {q}) key({key} : {k}) "
          f"value(%v : {v}) beta({weight} : {weight_type}){decay}{initial} "
          f"{{{attributes}}} -> {out}{state}")
    print("  return %s : %s\n}" % (names, ", ".join(results)))


if __name__ == "__main__":
    main()
