#!/usr/bin/env python3
#===- make_tasks.py - parity, rotations and a register file --------------------===#
#
# Part of the delta project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------===#
"""Writes state-tracking tasks with exact answers.

parity     one step: k = e_0, beta = 2 * bit. A one reflects row 0 of the state,
           so its sign is the parity of the ones so far. Needs beta up to 2: with
           beta <= 1 the row collapses to 0.
rotations  two steps: the word problem of S4 as the 24 rotations of a cube, each
           a product of two reflections from {e_i with beta 2, e_i +- e_j with
           beta 1}. q = (1, 2, 3) tells all 24 apart.
memory     one step: k = e_register and beta = 1 overwrite a register with v,
           q = e_register reads one. |v| <= 128.
"""
import itertools

import numpy as np

import taskfile


def parity(rng, T, K, V):
    row = rng.integers(-128, 129, V).astype(np.float32)
    row[0] = 1  # never a row of zeros, which has no sign
    bits = rng.integers(0, 2, T)
    signs = 1 - 2 * (np.cumsum(bits) % 2)
    first = np.zeros((T, K), np.float32)
    first[:, 0] = 1
    s0, s = np.zeros((K, V), np.float32), np.zeros((K, V), np.float32)
    s0[0] = row
    s[0] = row * (signs[-1] if T else 1)
    return {"q": first, "k": first[:, None], "v": np.zeros((T, 1, V), np.float32),
            "beta": 2.0 * bits[:, None], "s0": s0,
            "expected.o": np.outer(signs, row), "expected.s": s}


def cube_rotations():
    """24 pairs of (rotation, its two reflections (key, beta), first one first)."""
    identity = np.eye(3, dtype=np.int64)
    reflections = [(identity[i], 2) for i in range(3)]
    reflections += [(identity[i] + sign * identity[j], 1)
                    for i in range(3) for j in range(i) for sign in (1, -1)]
    found = {}
    for first, second in itertools.product(reflections, repeat=2):
        matrix = identity
        for key, beta in (first, second):
            matrix = (identity - beta * np.outer(key, key)) @ matrix
        found.setdefault(matrix.tobytes(), (matrix, (first, second)))
    assert len(found) == 24, "the rotations of a cube"
    return list(found.values())


def rotations(rng, T, K, V):
    group = cube_rotations()
    words = rng.integers(0, len(group), T)
    keys = np.zeros((len(group), 2, K), np.float32)
    betas = np.zeros((len(group), 2), np.float32)
    for element, (_, pair) in enumerate(group):
        for step, (key, beta) in enumerate(pair):
            keys[element, step, :3], betas[element, step] = key, beta
    q = np.zeros((T, K), np.float32)
    q[:, :3] = [1, 2, 3]
    # The first columns are the rotation itself, the others ride along.
    state = rng.integers(-16, 17, (3, V))
    state[:, :3] = np.eye(3, dtype=np.int64)[:, :V]
    s0, s = np.zeros((K, V), np.float32), np.zeros((K, V), np.float32)
    s0[:3] = state
    answers = np.zeros((T, V), np.float32)
    for t in range(T):
        state = group[words[t]][0] @ state
        answers[t] = np.array([1, 2, 3]) @ state
    s[:3] = state
    return {"q": q, "k": keys[words], "v": np.zeros((T, 2, V), np.float32),
            "beta": betas[words], "s0": s0, "expected.o": answers, "expected.s": s}


def memory(rng, T, K, V):
    written, read = rng.integers(0, K, T), rng.integers(0, K, T)
    values = rng.integers(-128, 129, (T, V)).astype(np.float32)
    one_hot = np.eye(K, dtype=np.float32)
    registers, answers = np.zeros((K, V), np.float32), np.zeros((T, V), np.float32)
    for t in range(T):
        registers[written[t]] = values[t]
        answers[t] = registers[read[t]]
    return {"q": one_hot[read], "k": one_hot[written][:, None], "v": values[:, None],
            "beta": np.ones((T, 1), np.float32), "s0": np.zeros((K, V), np.float32),
            "expected.o": answers, "expected.s": registers}


TASKS = {"parity": (parity, 1, 1), "rotations": (rotations, 2, 3), "memory": (memory, 1, 1)}


def main():
    parser = taskfile.parser_for(__doc__)
    parser.add_argument("task", choices=TASKS)
    taskfile.add_arguments(parser)
    arguments = parser.parse_args()
    one_sequence, steps, key_dim = TASKS[arguments.task]
    taskfile.need(arguments, key_dim)
    taskfile.run(arguments, arguments.task, steps, one_sequence)


if __name__ == "__main__":
    main()
