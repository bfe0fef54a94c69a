# ===- recurrence.py - a recurrence as parameters -------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""The recurrences that the GPU tests and the benchmark compile, as parameters.

A `Recurrence` has the parameters of a row `[recurrence.NAME]` of a case table. The text
of its spec, and the names, shapes and dtypes of its arrays follow from them
(docs/spec.md). Nothing here computes one.
"""

import dataclasses

DTYPES = ("bf16", "f16", "f32")
# Results besides the output that a recurrence without a state may have, in their order.
SAVED = ("u", "ubar", "write_lse", "read_lse")
KERNELS = ("linear", "softmax", "exp", "relu", "round")


@dataclasses.dataclass(frozen=True)
class Array:
    """An array of the C ABI. Open sizes are the strings "batch" and "length"."""

    name: str
    dtype: str
    shape: tuple
    is_result: bool = False
    is_updated: bool = False  # an argument, and a result in place

    @property
    def role(self):
        """The role of the array, in the word of a manifest."""
        return "result" if self.is_result else "updated" if self.is_updated else "argument"

    def sizes(self, batch, length):
        open_sizes = {"batch": batch, "length": length}
        return tuple(open_sizes.get(size, size) for size in self.shape)


@dataclasses.dataclass(frozen=True)
class Recurrence:
    """Sizes H, HV, K, V, n as in docs/spec.md, and optional parts.

    `norm`: q and k go through an l2 norm; without it they are used as given.
    `norm_dtype`: the dtype to which the norm's result is rounded; `dtype` if left out.
    `sigmoid`: the range, 1 or 2, of the sigmoid that beta goes through; with 0 beta is
    used as given. `write`, `read`: the kernel functions of a recurrence without a
    state, both or neither. With `own_write` the write query is an array of its own;
    with `alpha` the values have factors; `u`, `ubar`, `write_lse` and `read_lse` are
    results if set. With `new_tokens` that many tokens are computed after a cache of
    keys and u, whose capacity is the length. `plans`: the text inside `plans = {..}`;
    if empty, the compiler chooses.
    """

    name: str
    key_heads: int
    value_heads: int
    key_dim: int
    value_dim: int
    steps: int = 1
    dtype: str = "bf16"
    gate: bool = False
    norm: bool = True
    norm_dtype: str | None = None
    sigmoid: int = 1
    initial: bool = True
    final: bool = True
    chunk: int = 64
    scale: float | None = None
    write: str = ""
    read: str = ""
    own_write: bool = False
    alpha: bool = False
    u: bool = False
    ubar: bool = False
    write_lse: bool = False
    read_lse: bool = False
    new_tokens: int = 0
    plans: str = ""

    @property
    def has_state(self):
        """Whether it carries a state matrix; otherwise it keeps every u."""
        return not self.write

    @property
    def normalised_dtype(self):
        return self.norm_dtype or self.dtype

    @property
    def chunk_tokens(self):
        """Tokens in a chunk: as many as fit with all their steps. If the compiler
        chooses the chunk (0), the number for the longest chunk."""
        return (self.chunk or 128) // self.steps

    @property
    def scale_value(self):
        return self.key_dim**-0.5 if self.scale is None else self.scale

    def arrays(self):
        """The arrays in the order of the function: arguments, then results."""
        token = ("batch", self.new_tokens or "length")
        step = token + ((self.steps,) if self.steps > 1 else ())
        state = ("batch", self.value_heads, self.key_dim, self.value_dim)
        arrays = [
            Array("q", self.dtype, (*token, self.key_heads, self.key_dim)),
            Array("k", self.dtype, (*step, self.key_heads, self.key_dim)),
            Array("v", self.dtype, (*step, self.value_heads, self.value_dim)),
            Array("beta", self.dtype, (*step, self.value_heads)),
        ]
        if self.gate:
            arrays.append(Array("g", "f32", (*token, self.value_heads)))
        if self.initial:
            arrays.append(Array("s0", "f32", state))
        if self.own_write:
            arrays.append(Array("w", self.dtype, (*token, self.key_heads, self.key_dim)))
        if self.alpha:
            arrays.append(Array("alpha", self.dtype, (*token, self.value_heads)))
        if self.new_tokens:
            keys = ("batch", "length", self.key_heads, self.key_dim)
            us = ("batch", "length", self.value_heads, self.value_dim)
            arrays += [
                Array("k_cache", self.dtype, keys, is_updated=True),
                Array("u_cache", self.dtype, us, is_updated=True),
                Array("cached", "i64", ("batch",)),
            ]
        output = (*token, self.value_heads, self.value_dim)
        arrays.append(Array("o", self.dtype, output, is_result=True))
        if self.final:
            arrays.append(Array("s", "f32", state, is_result=True))
        for name in SAVED:
            if getattr(self, name):
                is_sum = name.endswith("_lse")
                shape = output[:-1] if is_sum else output
                dtype = "f32" if is_sum else self.dtype
                arrays.append(Array(name, dtype, shape, is_result=True))
        return arrays

    def spec(self):
        """The text of the spec, one function named as the recurrence."""

        def tensor(array, dtype=None):
            axes = ["?" if isinstance(size, str) else str(size) for size in array.shape]
            return f"tensor<{'x'.join(axes)}x{dtype or array.dtype}>"

        arrays = {array.name: array for array in self.arrays()}
        types = {name: tensor(array) for name, array in arrays.items()}
        results = [array.name for array in self.arrays() if array.is_result]
        arguments = [name for name in arrays if name not in results]
        results += [array.name for array in self.arrays() if array.is_updated]
        values = {name: f"%{name}" for name in arguments}
        lines = []
        if self.norm:
            for name in ("q", "k"):
                normalised = tensor(arrays[name], self.normalised_dtype)
                lines.append(
                    f"%{name}n = delta.l2norm %{name}"
                    f" : {types[name]} -> {normalised}"
                )
                values[name] += "n"
                types[f"{name}_used"] = normalised
        if self.sigmoid:
            activated = tensor(arrays["beta"], "f32")
            attributes = "" if self.sigmoid == 1 else f" {{range = {self.sigmoid}.0 : f32}}"
            lines.append(
                f"%b = delta.sigmoid %beta{attributes} : {types['beta']} -> {activated}"
            )
            values["beta"], types["beta_used"] = "%b", activated

        operands = [("query", "q"), ("key", "k"), ("value", "v"), ("beta", "beta")]
        operands += [("decay", "g")] if self.gate else []
        operands += [("initial", "s0")] if self.initial else []
        operands += [("write", "w")] if self.own_write else []
        operands += [("alpha", "alpha")] if self.alpha else []
        given = {name: f"%{name}_new" if name in arguments else f"%{name}" for name in results}
        lines.append(", ".join(given.values()) + " = delta.recurrence")
        for operand, name in operands:
            used = types.get(f"{name}_used", types[name])
            lines.append(f"    {operand}({values[name]} : {used})")
        caches = f"{types['k_cache']}, {types['u_cache']}" if self.new_tokens else ""
        if self.new_tokens:
            lines.append(f"    cache(%k_cache, %u_cache : {caches})")
            lines.append(f"    cached(%cached : {types['cached']})")
        lines.append(f"    {{{', '.join(self._attributes())}}}")
        others = {"s": "state", **{name: name for name in SAVED}}
        more = "".join(
            f", {others[name]}({types[name]})" for name in results if name in others
        )
        more += f", cache({caches})" if self.new_tokens else ""
        lines.append(f"    -> {types['o']}{more}")
        returned = ", ".join(types[name] for name in results)
        lines.append(f"return {', '.join(given.values())} : {returned}")

        parameters = ", ".join(f"%{name}: {types[name]}" for name in arguments)
        head = f"func.func @{self.name}({parameters})\n    -> ({returned}) {{\n"
        return head + "".join(f"  {line}\n" for line in lines) + "}\n"

    def _attributes(self):
        """The attributes of the op, as text."""
        functions = f"write = {self.write}, read = {self.read}" if self.write else "linear"
        attributes = [f"kernel = #delta.kernel<{functions}>"]
        if self.chunk:
            attributes.append(f"chunk = {self.chunk}")
        if self.steps > 1:
            attributes.append(f"steps = {self.steps}")
        if self.scale is not None:
            attributes.append(f"scale = {self.scale!r} : f32")
        if self.plans:
            attributes.append(f"plans = {{{self.plans}}}")
        return attributes


def parse(name, table):
    """A row of a case table: `heads` and `dim` are one number, or a pair for
    keys and values. Raises ValueError if a key or a value is unknown."""

    def pair(value):
        return tuple(value) if isinstance(value, list) else (value, value)

    table = dict(table)
    known = {field.name for field in dataclasses.fields(Recurrence)}
    try:
        heads, dims = pair(table.pop("heads")), pair(table.pop("dim"))
    except KeyError as error:
        raise ValueError(f"recurrence {name}: {error.args[0]!r} is missing") from None
    if unknown := set(table) - known:
        raise ValueError(f"recurrence {name}: unknown key {sorted(unknown)[0]!r}")
    if "write" in table:  # without a state
        table = {"initial": False, "final": False, "norm": False, **table}
    recurrence = Recurrence(name, *heads, *dims, **table)
    if recurrence.dtype not in DTYPES[:2]:
        raise ValueError(f"recurrence {name}: dtype must be bf16 or f16")
    if recurrence.norm_dtype not in (None, *DTYPES):
        raise ValueError(f"recurrence {name}: norm_dtype must be bf16, f16 or f32")
    if recurrence.sigmoid not in (0, 1, 2):
        raise ValueError(f"recurrence {name}: sigmoid must be 0, 1 or 2")
    functions = (recurrence.write, recurrence.read)
    if functions != ("", "") and not set(functions) <= set(KERNELS):
        raise ValueError(f"recurrence {name}: write and read must be two of {KERNELS}")
    if recurrence.has_state and (
        recurrence.own_write
        or recurrence.alpha
        or recurrence.new_tokens
        or any(getattr(recurrence, saved) for saved in SAVED)
    ):
        raise ValueError(
            f"recurrence {name}: own_write, alpha, new_tokens, {', '.join(SAVED)} need"
            " write and read"
        )
    if not recurrence.has_state and (
        recurrence.gate or recurrence.initial or recurrence.final or recurrence.steps > 1
    ):
        raise ValueError(f"recurrence {name}: without a state it has one step and no gate")
    return recurrence
