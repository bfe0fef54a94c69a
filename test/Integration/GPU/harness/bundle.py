# ===- bundle.py - the folder that the tests run from ---------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Finds things in a bundle; scripts/gpu-bundle writes it.

    cases.toml, bundle.json           the checks, and how the bundle was built
    artefacts/NAME/                   the files that delta-opt wrote for a recurrence
    oracle/CASE.{in,out}.safetensors  operands and results of the C++ oracle
    tasks/                            examples/tasks
    sanitize.plan                     the launches of launch_plan
    liboccupy.so                      occupy.cu, for residency.py
"""

import pathlib
import tempfile

from . import tensors
from .artefact import Artefact


class Bundle:
    """The context that a check gets."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.scratch = pathlib.Path(tempfile.gettempdir())
        self._artefacts = {}

    def artefact(self, recurrence):
        """The loaded artefact; its interface is checked the first time."""
        if recurrence.name not in self._artefacts:
            folder = self.folder / "artefacts" / recurrence.name
            artefact = Artefact(folder, recurrence.name)
            artefact.check_interface(recurrence)
            self._artefacts[recurrence.name] = artefact
        return self._artefacts[recurrence.name]

    def oracle_files(self, case):
        """Arguments, and float64 results, of the oracle's run of a case."""
        stem = self.folder / "oracle" / case.name
        return tensors.read(f"{stem}.in.safetensors"), tensors.read(
            f"{stem}.out.safetensors"
        )
