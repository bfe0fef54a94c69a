# ===- against_oracle.py - the harness's reference on one row -*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Evaluates recurrences by the harness's reference and by delta-run's oracle on
the same operands, and prints how far they are apart.

    against_oracle.py DELTA_RUN TABLE FOLDER
"""

import pathlib
import subprocess
import sys

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import draw, host, reference, report, tensors  # noqa: E402
from harness.cases import read_recurrences  # noqa: E402

SIZES = [(2, 0), (1, 1), (2, 37), (1, 150)]


def compare(delta_run, row, batch, length, folder):
    arguments = draw.draw(row, batch, length, draw.Data())
    dtypes = {array.name: array.dtype for array in row.arrays()}
    spec, inputs, outputs = (folder / f"{row.name}{end}" for end in
                             (".mlir", ".in.safetensors", ".out.safetensors"))
    spec.write_text(row.spec())
    tensors.write(inputs, {name: (x, dtypes[name]) for name, x in arguments.items()})
    subprocess.run(
        [delta_run, spec, "--stage=reference", f"--inputs={inputs}",
         f"--outputs={outputs}"], check=True, stdout=subprocess.DEVNULL)
    wide = {name: x.astype(np.float64) for name, x in arguments.items()}
    own = reference.evaluate(row, wide, np)
    return [
        report.measure(f"{row.name} {batch} {length} {name}", array, own[name],
                       host.REFERENCE_LIMIT)
        for name, array in tensors.read(outputs).items()
    ]


def main():
    delta_run, table, folder = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for row in read_recurrences(table).values():
        for batch, length in SIZES:
            lines += compare(delta_run, row, batch, length, folder)
    for line in lines:
        line.print()
    return 0 if all(line.passed for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
