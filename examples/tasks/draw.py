#!/usr/bin/env python3
#===- draw.py - exact tasks as pictures ----------------------------------------===#
#
# Part of the delta project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------===#
"""Draws what DeltaFormer (2505.19488) makes of two exact tasks, from the results of
delta-run's tile stage: the pictures of README.md here.

    examples/tasks/draw.py build/bin/delta-run examples/tasks

Needs matplotlib, ml_dtypes and safetensors.

swaps      A picture of 256 columns, an item each, is stored with its columns in a
           random order and then sorted by swaps of two columns, all in one
           sequence; the last 256 tokens read it. The keys have 128 coordinates.
reachable  The two trees of make_deltaformer.py, each node in the colour of what
           the recurrence says of it.
"""
import argparse
import pathlib
import subprocess
import tempfile

import matplotlib
import ml_dtypes  # noqa: F401 (gives numpy the type bfloat16)
import numpy as np
from safetensors.numpy import load_file

import make_deltaformer
import taskfile

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402 (the backend comes first)

SPECS = pathlib.Path(__file__).resolve().parent.parent / "specs"
ITEMS, K, V = 256, 128, 64


def evaluate(delta_run, spec, task, kernel=None):
    """The results of a spec of examples/specs on a task, in its tile stage; with
    `kernel` for writing and reading in place of the spec's."""
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        text = (SPECS / spec).read_text()
        if kernel:
            text = text.replace("write = round, read = round", f"write = {kernel}, read = {kernel}")
        (folder / spec).write_text(text)
        taskfile.write(str(folder / "in.safetensors"), task, {"task": spec})
        subprocess.run([delta_run, folder / spec, "--stage=tile",
                        f"--inputs={folder / 'in.safetensors'}",
                        f"--outputs={folder / 'out.safetensors'}"],
                       check=True, stdout=subprocess.DEVNULL)
        return {name: array.astype(np.float32)
                for name, array in load_file(folder / "out.safetensors").items()}


def lettering():
    """A picture of V x ITEMS integers up to 60."""
    figure = pyplot.figure(figsize=(ITEMS / 100, V / 100), dpi=100)
    figure.text(0.5, 0.46, "DeltaFormer", ha="center", va="center", fontsize=26, weight="bold")
    figure.canvas.draw()
    grey = np.asarray(figure.canvas.buffer_rgba())[:, :, 0].astype(np.float32)
    pyplot.close(figure)
    sky = np.linspace(0, 90, V)[:, None]
    return np.rint(np.clip(grey / 255 * 120 - 60 - sky * (grey > 128), -60, 60))


def sorting_swaps(order):
    """Pairs of places whose exchange, one pair after the other, sorts `order`."""
    order, pairs = list(order), []
    for place in range(len(order)):
        while order[place] != place:
            other = order[place]
            pairs.append((min(place, other), max(place, other)))
            order[place], order[other] = order[other], order[place]
    return pairs


def draw_swaps(delta_run, path):
    picture = lettering()
    order = np.random.default_rng(0).permutation(ITEMS)
    slots = picture.T[order].copy()
    scrambled = slots.T.copy()
    keys = make_deltaformer.item_keys(ITEMS, K)
    pairs = sorting_swaps(order)
    T = ITEMS + len(pairs) + ITEMS
    q, k, v = (np.zeros((T, size), np.float32) for size in (K, K, V))
    k[:ITEMS], v[:ITEMS] = keys, slots
    for t, (i, j) in enumerate(pairs, ITEMS):
        k[t] = taskfile.round_to_bf16(keys[j] - keys[i])
    q[T - ITEMS:] = keys
    task = {"q": q, "k": k, "v": v, "w": k, "beta": np.ones(T, np.float32)}
    task = {name: array[None, :, None] for name, array in task.items()}

    panels = [(f"stored: {ITEMS} columns in a random order", scrambled)]
    for kernel in ("round", "linear"):
        read = evaluate(delta_run, "swaps.mlir", task, kernel)["o"][0, T - ITEMS:, 0].T
        wrong = np.count_nonzero(read != picture)
        panels.append((f"read after {len(pairs)} swaps, kernel {kernel}: "
                       f"{wrong:,} of {picture.size:,} wrong", read))
    figure, axes = pyplot.subplots(len(panels), 1, figsize=(7.2, 6.6))
    for axis, (title, image) in zip(axes, panels):
        axis.imshow(image, cmap="cividis", vmin=-60, vmax=60, aspect="auto",
                    interpolation="nearest")
        axis.set_title(title, fontsize=10, loc="left")
        axis.set_axis_off()
    save(figure, path)


def places(parent):
    """Where nodes of a forest are drawn: leaves side by side, depth downwards."""
    children = [[] for _ in parent]
    for node, above in enumerate(parent):
        if above >= 0:
            children[above].append(node)
    x, y, leaves = np.zeros(len(parent)), np.zeros(len(parent)), 0

    def visit(node, depth):
        nonlocal leaves
        y[node] = -depth
        for child in children[node]:
            visit(child, depth + 1)
        if children[node]:
            x[node] = np.mean(x[children[node]])
        else:
            x[node], leaves = leaves, leaves + 1

    for root in np.flatnonzero(parent < 0):
        visit(root, 0)
        leaves += 3
    return x, y


def draw_reachable(delta_run, path):
    task = {name: array[None, :, None] for name, array in
            make_deltaformer.reachable("linear")(np.random.default_rng([0, 0, 0]), K, K, V).items()}
    # The first that the task draws from its generator.
    parent = make_deltaformer.two_trees(np.random.default_rng([0, 0, 0]), K)
    u = evaluate(delta_run, "reachable.mlir", task)["u"][0, :, 0]
    reached = np.all(u == task["v"][0, 0, 0], axis=1)
    neither = ~reached & np.any(u != 0, axis=1)

    x, y = places(parent)
    figure, axis = pyplot.subplots(figsize=(7.2, 4.4))
    for node, above in enumerate(parent):
        if above >= 0:
            axis.plot([x[node], x[above]], [y[node], y[above]], color="#999999", lw=0.8, zorder=1)
    for chosen, colour, label in (
            (reached, "#c2541b", f"u = the row of node 0: {reached.sum()}"),
            (~reached & ~neither, "#0b4f9e", f"u = 0: {np.count_nonzero(~reached & ~neither)}"),
            (neither, "#000000", f"neither: {neither.sum()}")):
        axis.scatter(x[chosen], y[chosen], s=26, color=colour, label=label, zorder=2, edgecolors="none")
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, 0), ncols=3, fontsize=9, frameon=False)
    axis.set_axis_off()
    save(figure, path)


def save(figure, path):
    figure.tight_layout(pad=0.4)
    figure.savefig(path, dpi=110, facecolor="white", metadata={"Software": None})
    print(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("delta_run", help="the program delta-run")
    parser.add_argument("folder", type=pathlib.Path, help="where the pictures go")
    arguments = parser.parse_args()
    draw_swaps(arguments.delta_run, arguments.folder / "swaps.png")
    draw_reachable(arguments.delta_run, arguments.folder / "reachable.png")


if __name__ == "__main__":
    main()
