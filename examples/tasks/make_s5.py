#!/usr/bin/env python3
#===- make_s5.py - the word problem of S5 --------------------------------------===#
#
# Part of the delta project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------===#
"""Writes the word problem of the symmetric group S5 with exact answers.

Five slots hold integers; every token permutes them at random, and reads one
slot. A permutation of five is at most four swaps, so four Householder steps a
token do it (DeltaProduct, 2502.10297); unused steps have beta = 0.

plain    swap(i, j) is k = e_i - e_j with beta = 1: I - k^T k exchanges the rows
         i and j. One key coordinate a slot, |x| <= 128. No l2 norm.
doubled  the same for a kernel that normalises q and k: two coordinates a slot,
         k = e_2i + e_2i+1 - e_2j - e_2j+1 of norm 2, which the l2 norm makes
         exactly +-1/2 in bf16, with beta = 2 given directly. |x| <= 64. With
         one coordinate a slot the entries would be 1/sqrt(2), which bf16 cannot
         hold, and the error would grow with T.
"""
import itertools

import numpy as np

import taskfile

SLOTS, STEPS = 5, 4
PERMUTATIONS = np.array(list(itertools.permutations(range(SLOTS))))


def swaps(permutation):
    """Swaps, in order, after which position i holds what was at permutation[i]."""
    current, result = list(range(SLOTS)), []
    for i, wanted in enumerate(permutation):
        j = current.index(wanted)
        if j != i:
            current[i], current[j] = current[j], current[i]
            result.append((i, j))
    return result


def sequence(width, beta, largest):
    """A sequence with `width` key coordinates a slot."""

    def keys_of(permutation, K):
        keys, betas = np.zeros((STEPS, K), np.float32), np.zeros(STEPS, np.float32)
        for step, (i, j) in enumerate(swaps(permutation)):
            keys[step, i * width:(i + 1) * width] = 1
            keys[step, j * width:(j + 1) * width] = -1
            betas[step] = beta
        return keys, betas

    def make(rng, T, K, V):
        tables = [keys_of(permutation, K) for permutation in PERMUTATIONS]
        words = rng.integers(0, len(PERMUTATIONS), T)
        read = rng.integers(0, SLOTS, T)
        slots = rng.integers(-largest, largest + 1, (SLOTS, V)).astype(np.float32)

        def state(slots):
            padded = np.zeros((K, V), np.float32)
            padded[:SLOTS * width] = np.repeat(slots, width, 0)
            return padded

        one = {"q": np.zeros((T, K), np.float32),
               "k": np.stack([keys for keys, _ in tables])[words],
               "beta": np.stack([betas for _, betas in tables])[words],
               "v": np.zeros((T, STEPS, V), np.float32), "s0": state(slots)}
        one["q"][np.arange(T), read * width] = 1
        answers = np.zeros((T, V), np.float32)
        for t in range(T):
            slots = slots[PERMUTATIONS[words[t]]]
            answers[t] = slots[read[t]]
        one["expected.o"], one["expected.s"] = answers, state(slots)
        return one

    return make


def main():
    parser = taskfile.parser_for(__doc__)
    parser.add_argument("--variant", choices=("plain", "doubled"), default="plain",
                        help="without or through an l2 norm of q and k (%(default)s)")
    taskfile.add_arguments(parser)
    arguments = parser.parse_args()
    if arguments.variant == "plain":
        taskfile.need(arguments, SLOTS)
        taskfile.run(arguments, "s5-plain", STEPS, sequence(1, 1, 128))
    else:
        taskfile.need(arguments, 2 * SLOTS)
        taskfile.run(arguments, "s5-doubled", STEPS, sequence(2, 2, 64), l2norm=True)


if __name__ == "__main__":
    main()
