#===- taskfile.py - exact tasks as tensors in a file ---------------------------===#
#
# Part of the delta project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------===#
"""What the task scripts share: arguments, the file, and the check of an answer.

A task is a set of operands of a recurrence whose outputs are known beforehand and
are exact in bf16: every number on the way is a small integer (or a half). A kernel
must return them bit for bit. The scale is 1.

With a state: q [B,T,H,K], k [B,T,n,H,K], v [B,T,n,H,V], beta [B,T,n,H] (no n axis
for one step), g [B,T,H] or [B,T,H,K] on request, s0 [B,H,K,V]; q, k, v and beta
in bf16, g and s0 in f32. Answers: expected.o [B,T,H,V] in bf16 and expected.s
[B,H,K,V] in f32. The recurrence is told with --decay to carry a gate; it is 0
everywhere, so the answers are the same.

Of implicit features (DeltaFormer): q, k [B,T,H,K], v [B,T,H,V], beta [B,T,H] and,
unless the read is tied, w [B,T,H,K]; expected.o and expected.u [B,T,H,V]; all in
bf16.
"""
import argparse
import json
import os
import struct
import sys

import numpy as np


def add_arguments(parser, has_state=True):
    """The arguments of every task, and of those of a recurrence with a state."""
    parser.add_argument("out", help="the .safetensors file to write")
    parser.add_argument("--length", type=int, default=32768, help="tokens (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the task (%(default)s)")
    parser.add_argument("--batch", type=int, default=1, help="sequences (%(default)s)")
    parser.add_argument("--heads", type=int, default=1, help="heads (%(default)s)")
    parser.add_argument("--key-dim", type=int, default=64, help="K (%(default)s)")
    parser.add_argument("--value-dim", type=int, default=64, help="V (%(default)s)")
    parser.add_argument("--self-check", action="store_true",
                        help="evaluate the recurrence token by token and compare")
    if has_state:
        parser.add_argument("--decay", choices=("none", "head", "channel"), default="none",
                            help="also write a decay g of zeros (%(default)s)")


# Axes of each array of one task: B, T and so on as in the docstring above, n steps.
LINEAR = {"q": "BTHK", "k": "BTnHK", "v": "BTnHV", "beta": "BTnH", "s0": "BHKV",
          "expected.o": "BTHV", "expected.s": "BHKV"}
TIED = {"q": "BTHK", "k": "BTHK", "v": "BTHV", "beta": "BTH",
        "expected.o": "BTHV", "expected.u": "BTHV"}
IMPLICIT = {**TIED, "w": "BTHK"}


def make(arguments, axes, one_sequence, check, steps=1):
    """Draws every sequence of the batch with one_sequence(rng, T, K, V).

    It returns a dict of arrays of one sequence and head, that is without the
    axes B and H of `axes`; check(that dict) is the self-check. Every sequence and
    head has a stream of its own.
    """
    B, T, H = arguments.batch, arguments.length, arguments.heads
    if min(B, T, H) < 0:
        sys.exit("error: batch, length and heads must not be negative")
    K, V = arguments.key_dim, arguments.value_dim
    sizes = {"B": B, "T": T, "n": steps, "H": H, "K": K, "V": V}
    task = {name: np.zeros([sizes[axis] for axis in letters], np.float32)
            for name, letters in axes.items()}
    for b in range(B):
        for h in range(H):
            one = one_sequence(np.random.default_rng([arguments.seed, b, h]), T, K, V)
            for name, array in one.items():
                np.moveaxis(task[name], axes[name].index("H"), 1)[b, h] = array
            if arguments.self_check:
                check(one)
    return task


def check_linear(one, l2norm):
    """Evaluates one sequence in float64 and stops unless the answers are exact."""
    q, k = (one[name].astype(np.float64) for name in ("q", "k"))
    if l2norm:
        q, k = (round_to_bf16(x / np.sqrt((x * x).sum(-1, keepdims=True) + 1e-6))
                .astype(np.float64) for x in (q, k))
    state = one["s0"].astype(np.float64)
    for t in range(q.shape[0]):
        for j in range(k.shape[1]):
            row = k[t, j]
            state = state + np.outer(row, one["beta"][t, j] * (one["v"][t, j] - row @ state))
        if not np.array_equal(q[t] @ state, one["expected.o"][t]):
            sys.exit(f"error: self-check: token {t} is wrong")
    if not np.array_equal(state, one["expected.s"]):
        sys.exit("error: self-check: the final state is wrong")


def check_implicit(one, write, read):
    """The same for implicit features with the kernels `write` and `read`."""
    q, k, v = (one[name].astype(np.float64) for name in ("q", "k", "v"))
    w = one.get("w", one["q"]).astype(np.float64)
    u = np.zeros_like(v)
    for t in range(len(q)):
        u[t] = v[t] - one["beta"][t] * (KERNELS[write](w[t] @ k[:t].T) @ u[:t])
        o = KERNELS[read](q[t] @ k[:t + 1].T) @ u[:t + 1]
        # As the file holds them: a softmax of distant scores is exact no sooner.
        for name, row in (("o", o), ("u", u[t])):
            if not np.array_equal(round_to_bf16(row), one["expected." + name][t]):
                sys.exit(f"error: self-check: {name} of token {t} is wrong")


def softmax(scores):
    if not len(scores):
        return scores
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()


KERNELS = {"softmax": softmax, "round": np.rint, "linear": lambda scores: scores}


def round_to_bf16(array):
    """The nearest bf16, ties to even, of finite numbers; as float32."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    rounded = bits + 0x7FFF + ((bits >> 16) & 1)
    return (rounded & np.uint32(0xFFFF0000)).view(np.float32)


def write(path, task, metadata):
    """Writes the task; q, k, v, beta and expected.o must be exact in bf16."""
    header, payload, offset = {"__metadata__": metadata}, [], 0
    # float32 first: then every tensor starts at a multiple of its element size.
    wide = ("s0", "g", "expected.s")
    for name in sorted(task, key=lambda name: (name not in wide, name)):
        # Adding 0 turns -0 into 0: the answers have one zero.
        array = np.ascontiguousarray(task[name], np.float32) + np.float32(0)
        if name not in wide:
            if not np.array_equal(round_to_bf16(array), array):
                sys.exit(f"error: {name} is not exact in bf16")
            array = (array.view(np.uint32) >> 16).astype(np.uint16)
        header[name] = {"dtype": "F32" if name in wide else "BF16",
                        "shape": list(array.shape),
                        "data_offsets": [offset, offset + array.nbytes]}
        payload.append(array)
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    temporary = f"{path}.tmp.{os.getpid()}"
    with open(temporary, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in payload:
            file.write(array.astype(array.dtype.newbyteorder("<")).tobytes())
    os.replace(temporary, path)


def run(arguments, name, steps, one_sequence, l2norm=False):
    """Makes a task of the linear family, writes it, and says what was written."""
    task = make(arguments, LINEAR, one_sequence, lambda one: check_linear(one, l2norm), steps)
    if steps == 1:
        for array in ("k", "v", "beta"):
            task[array] = task[array][:, :, 0]
    if arguments.decay != "none":
        shape = (arguments.batch, arguments.length, arguments.heads)
        channels = (arguments.key_dim,) if arguments.decay == "channel" else ()
        task["g"] = np.zeros(shape + channels, np.float32)
    finish(arguments, name, task,
           {"steps": str(steps), "scale": "1", "l2norm": "true" if l2norm else "false"})


def run_implicit(arguments, name, one_sequence, write_kernel, read_kernel, tied=False):
    """The same for a task of implicit features."""
    task = make(arguments, TIED if tied else IMPLICIT, one_sequence,
                lambda one: check_implicit(one, write_kernel, read_kernel))
    finish(arguments, name, task,
           {"scale": "1", "write": write_kernel, "read": read_kernel})


def finish(arguments, name, task, metadata):
    write(arguments.out, task, {"task": name, **metadata})
    shapes = ", ".join(f"{key} {list(array.shape)}" for key, array in sorted(task.items()))
    print(f"{arguments.out}: {name}, {shapes}")


def need(arguments, key_dim):
    """Stops unless the key dim has room for the task."""
    if arguments.key_dim < key_dim or arguments.value_dim < 1:
        sys.exit(f"error: --key-dim must be at least {key_dim} and --value-dim at least 1, got "
                 f"{arguments.key_dim} and {arguments.value_dim}")


def parser_for(description):
    return argparse.ArgumentParser(description=description,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
