#!/usr/bin/env python3
# ===- picture.py - results of the benchmark as a picture -----*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Draws the times in the JSON of run.py, as an SVG that is readable on a light and on a
dark page.

    benchmark/picture.py benchmark/results/h200.json > docs/performance.svg

One line per shape, one mark per contender, on one logarithmic axis: equal distances are
equal ratios. Marks differ in form as well as in colour.
"""

import json
import math
import pathlib
import sys
from xml.sax.saxutils import escape

from table import TITLES, peers_of, timed

WIDTH, LEFT, RIGHT = 860, 345, 40
TOP, ROW, BOTTOM = 62, 30, 46
SIZE = 5.5

# Colours for the light and the dark page; each has a contrast of 3 to 1 with its page.
COLOURS = {
    "delta": ("#0b62c4", "#6cb2ff"),
    "fla": ("#b3401a", "#ff9a6b"),
    "flashinfer": ("#2f7d32", "#7fd083"),
    "flashinfer_cute": ("#8a6d00", "#e0c040"),
    "flash_qla": ("#7b3fa0", "#d09af0"),
    "attention": ("#6b6b6b", "#b0b0b0"),
}


def mark(name, x, y):
    """The mark of a contender around a point."""
    s = SIZE
    shapes = {
        "delta": f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{s + 1}"',
        "fla": f'<rect x="{x - s:.1f}" y="{y - s:.1f}" width="{2 * s}" height="{2 * s}"',
        "flashinfer": f'<path d="M{x:.1f} {y - s - 1:.1f}l{s + 1} {2 * s}h{-2 * s - 2}z"',
        "flashinfer_cute": f'<path d="M{x - s - 1:.1f} {y:.1f}l{2 * s} {s + 1}v{-2 * s - 2}z"',
        "flash_qla": f'<path d="M{x:.1f} {y + s + 1:.1f}l{s + 1} {-2 * s}h{-2 * s - 2}z"',
        "attention": f'<path d="M{x:.1f} {y - s - 1:.1f}l{s + 1} {s + 1}l{-s - 1} {s + 1}'
                     f'l{-s - 1} {-s - 1}z"',
    }
    return f'{shapes[name]} class="{name}"/>'


def text(x, y, words, kind=""):
    kind = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{kind}>{escape(words)}</text>'


class Axis:
    """A logarithmic axis of milliseconds, whose ends are 1, 2 or 5 times a power of
    ten."""

    def __init__(self, times):
        exponents = range(math.floor(math.log10(min(times))) - 1,
                          math.ceil(math.log10(max(times))) + 2)
        steps = sorted(m * 10.0**e for e in exponents for m in (1, 2, 5))
        first = max(s for s in steps if s <= min(times))
        last = min(s for s in steps if s >= max(times))
        self.ticks = [s for s in steps if first <= s <= last]
        self.low, self.high = math.log(first), math.log(max(last, first * 1.01))

    def at(self, ms):
        share = (math.log(ms) - self.low) / (self.high - self.low)
        return LEFT + share * (WIDTH - LEFT - RIGHT)


def style():
    def rules(index):
        return "".join(
            f".{name}{{fill:{pair[index]}}}" for name, pair in COLOURS.items()
        ) + (
            "text{fill:%s}.grid{stroke:%s}.span{stroke:%s}"
            % (("#1f2328", "#d0d7de", "#afb8c1"), ("#e6edf3", "#30363d", "#57606a"))[index]
        )

    return (
        "<style>text{font:13px system-ui,sans-serif}.end{text-anchor:end}"
        ".middle{text-anchor:middle}"
        f"{rules(0)}@media(prefers-color-scheme:dark){{{rules(1)}}}</style>"
    )


def draw(results):
    shapes = [shape for shape in results["shapes"] if timed(shape, "delta")]
    names = ["delta", *peers_of(shapes)]
    times = [
        timed(shape, name)["median_ms"]
        for shape in shapes for name in names if timed(shape, name)
    ]
    axis, bottom = Axis(times), TOP + ROW * len(shapes)
    machine = results["machine"]
    caption = f"{machine['gpu']}, bf16, forward pass, median milliseconds"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + BOTTOM}" '
        f'role="img" aria-label="{escape(caption)}">',
        style(),
        text(8, 20, caption),
    ]
    x = 8.0
    for name in names:
        lines += [mark(name, x + 6, 40), text(x + 18, 44, TITLES[name])]
        x += 36 + 7.2 * len(TITLES[name])
    for tick in axis.ticks:
        at = axis.at(tick)
        lines.append(f'<path class="grid" d="M{at:.1f} {TOP}V{bottom}"/>')
        lines.append(text(at, bottom + 18, f"{tick:g}", "middle"))
    lines.append(text((LEFT + WIDTH - RIGHT) / 2, bottom + 36, "ms", "middle"))
    for index, shape in enumerate(shapes):
        y = TOP + ROW * (index + 0.5)
        label = f"{shape['title']}, B{shape['batch']} T{shape['length']}"
        lines.append(text(LEFT - 12, y + 4, shorten(label), "end"))
        here = {
            name: timed(shape, name)["median_ms"] for name in names if timed(shape, name)
        }
        low, high = axis.at(min(here.values())), axis.at(max(here.values()))
        lines.append(f'<path class="span" d="M{low:.1f} {y:.1f}H{high:.1f}"/>')
        # delta last, so that its mark lies on top.
        for name in reversed(here):
            title = f"<title>{escape(TITLES[name])}: {here[name]:.3f} ms</title>"
            lines.append(f"<g>{title}{mark(name, axis.at(here[name]), y)}</g>")
    return "\n".join([*lines, "</svg>"]) + "\n"


def shorten(label):
    """Labels stand left of the marks, where 46 letters have room."""
    return label.replace(" key and ", "/").replace(" value heads", " heads")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: picture.py RESULTS.json > PICTURE.svg")
    sys.stdout.write(draw(json.loads(pathlib.Path(sys.argv[1]).read_text())))


if __name__ == "__main__":
    main()
