#!/usr/bin/env python3
#===- make_deltaformer.py - swaps and reachability -----------------------------===#
#
# Part of the delta project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------===#
"""Writes tasks of DeltaFormer (2505.19488) with exact answers; alpha is 1.

swaps      Items are stored, one a token, then two of them are exchanged a token
           (theorem 1 there). Rounded scores for writing and reading; storing has
           a key of its own, v = the item; swap(i < j) has k = k_j - k_i, v = 0;
           w = k. There may be twice as many items as key coordinates: keys are
           rows of the identity and of a Hadamard matrix over sqrt(K), whose
           products are below 1/8 from K = 128 on, so that four of them round to
           0. Linear scores do not: with more than K items they fail. q = a key
           reads an item; with --tied it is the token's own k, which reads the
           difference of the two items just exchanged. |v| <= 60.
reachable  Nodes of two trees, one a token, in an order that puts parents first:
           k_i = e_i, w_i = e_parent(i), beta = -1, v = a row for node 0 and 0 for
           all others, so that u_i is that row where node 0 is an ancestor of i,
           and 0 elsewhere: the inverse of a block follows whole paths. q = a key
           asks for an earlier node. With --kernel softmax keys are 128 e_i, so
           that other weights are 0 in f32, and a first token, which is no node,
           is what the other root writes with.
"""
import sys

import numpy as np

import taskfile


def hadamard(size):
    matrix = np.ones((1, 1))
    while len(matrix) < size:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix


def item_keys(items, K):
    """Rows of norm 1, up to the rounding to bf16."""
    rows = np.concatenate([np.eye(K), hadamard(K) / np.sqrt(K)])[:items]
    return taskfile.round_to_bf16(rows)


def swaps(items, tied):
    def make(rng, T, K, V):
        keys = item_keys(items, K)
        slots = rng.integers(-60, 61, (items, V)).astype(np.float32)
        k, v = np.zeros((T, K), np.float32), np.zeros((T, V), np.float32)
        q, answers, u = k.copy(), v.copy(), v.copy()
        for t in range(T):
            if t < items:
                k[t], v[t], u[t] = keys[t], slots[t], slots[t]
                own = slots[t]
            else:
                i, j = sorted(rng.choice(items, 2, replace=False))
                k[t] = taskfile.round_to_bf16(keys[j] - keys[i])
                u[t] = slots[i] - slots[j]
                slots[[i, j]] = slots[[j, i]]
                own = slots[j] - slots[i]
            read = rng.integers(0, min(t + 1, items))
            q[t], answers[t] = (k[t], own) if tied else (keys[read], slots[read])
        one = {"q": q, "k": k, "v": v, "beta": np.ones(T, np.float32),
               "expected.o": answers, "expected.u": u}
        return one if tied else {**one, "w": k}

    return make


def two_trees(rng, nodes):
    """A parent of a smaller number for each node; -1 for the two roots."""
    parent = np.full(nodes, -1)
    order = rng.permutation(nodes)
    for tree in (np.sort(order[:nodes // 2]), np.sort(order[nodes // 2:])):
        for place in range(1, len(tree)):
            parent[tree[place]] = tree[rng.integers(0, place)]
    return parent


def reachable(kernel):
    # A softmax needs a place for the weight of a root.
    first, height = (1, 128) if kernel == "softmax" else (0, 1)

    def make(rng, T, K, V):
        keys = height * np.eye(T, K, dtype=np.float32)
        parent = two_trees(rng, max(T - first, 0))
        w, u = np.zeros((T, K), np.float32), np.zeros((T, V), np.float32)
        v = u.copy()
        if T > first:
            v[first] = rng.integers(1, 129, V)
        for node, above in enumerate(parent):
            u[first + node] = v[first + node] if above < 0 else u[first + above]
            if above >= 0:
                w[first + node] = keys[first + above] / height
            elif kernel == "softmax":
                w[first + node] = keys[0] / height
        asked = rng.integers(0, np.arange(1, T + 1))
        return {"q": keys[asked] / height, "k": keys, "v": v, "w": w,
                "beta": np.full(T, -1, np.float32), "expected.o": u[asked], "expected.u": u}

    return make


def main():
    parser = taskfile.parser_for(__doc__)
    parser.add_argument("task", choices=("swaps", "reachable"))
    parser.add_argument("--items", type=int, default=256, help="swaps: items (%(default)s)")
    parser.add_argument("--tied", action="store_true",
                        help="swaps: the write query reads, too; no w in the file")
    parser.add_argument("--kernel", choices=("linear", "softmax"), default="linear",
                        help="reachable: of writing and reading (%(default)s)")
    taskfile.add_arguments(parser, has_state=False)
    parser.set_defaults(length=1024, key_dim=128)
    arguments = parser.parse_args()
    K = arguments.key_dim
    if arguments.task == "swaps":
        if K < 128 and arguments.items > K:
            sys.exit(f"error: --items above --key-dim needs --key-dim of at least 128, got {K}")
        if K & (K - 1) or not 2 <= arguments.items <= 2 * K:
            sys.exit("error: swaps need a power of two as --key-dim and from 2 to twice as many "
                     f"--items, got {K} and {arguments.items}")
        taskfile.run_implicit(arguments, "swaps", swaps(arguments.items, arguments.tied),
                              "round", "round", arguments.tied)
    else:
        taskfile.need(arguments, arguments.length)
        taskfile.run_implicit(arguments, "reachable", reachable(arguments.kernel),
                              arguments.kernel, arguments.kernel)


if __name__ == "__main__":
    main()
