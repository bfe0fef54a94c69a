# ===- cases.py - the table of cases ----------------------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Reads cases.toml: which recurrences there are and what is checked on them.

    [recurrence.NAME]   see recurrence.py
    [[case]]
    check       which check, a name in the runner's table
    recurrence  a name, or a list of names
    sizes       a list of [batch, length]
    keys, decay, seed   how operands are drawn, see draw.py
    quick       also run by --quick
    task        check "task" only: the script of examples/tasks, then arguments

One row gives a case for every recurrence and every size.
"""

import dataclasses
import tomllib

from . import recurrence
from .draw import Data


@dataclasses.dataclass(frozen=True)
class Case:
    check: str
    recurrence: recurrence.Recurrence
    batch: int
    length: int
    data: Data = Data()
    quick: bool = False
    task: tuple = ()

    @property
    def name(self):
        """Unique in a table: a file's name and what a filter matches."""
        parts = [self.check, self.recurrence.name, f"b{self.batch}_t{self.length}"]
        for field in dataclasses.fields(Data):
            value = getattr(self.data, field.name)
            if value != field.default:
                parts.append(f"{field.name}_{value}")
        return "-".join(parts)


def read_recurrences(path):
    with open(path, "rb") as file:
        table = tomllib.load(file)
    return {
        name: recurrence.parse(name, row)
        for name, row in table.get("recurrence", {}).items()
    }


def read_cases(path):
    """All cases of a table, in order. Raises ValueError where it is wrong."""
    recurrences = read_recurrences(path)
    with open(path, "rb") as file:
        rows = tomllib.load(file)["case"]
    cases = []
    for row in rows:
        row = dict(row)
        names = row.pop("recurrence")
        check, sizes = row.pop("check"), row.pop("sizes")
        quick, task = row.pop("quick", False), tuple(row.pop("task", ()))
        data = Data(**row)
        for name in [names] if isinstance(names, str) else names:
            if name not in recurrences:
                raise ValueError(f"case {check}: there is no recurrence {name!r}")
            for batch, length in sizes:
                cases.append(
                    Case(check, recurrences[name], batch, length, data, quick, task)
                )
    names = [case.name for case in cases]
    if repeated := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"case {sorted(repeated)[0]} is there twice")
    return cases
