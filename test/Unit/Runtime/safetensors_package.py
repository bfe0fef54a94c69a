#===- safetensors_package.py - the format's own package as a witness -----------===#
#
# Part of the delta project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------===#
"""Writes or checks the tensors of SafetensorsTest.cpp with the Python package."""
import sys

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

SHAPES = {
    "b.f64": ((2, 3), np.float64), "c.i32": ((5,), np.int32), "d.f16": ((1, 1, 7), np.float16),
    "e.i64": ((2,), np.int64), "f.f32": ((4, 2), np.float32), "scalar": ((), np.float32),
    "empty": ((3, 0, 2), np.float32),
}
METADATA = {"note": 'quoted "text", é'}


def counting(shape, dtype):
    values = np.arange(int(np.prod(shape))) - 2.5
    if np.issubdtype(dtype, np.integer):
        values = np.rint(values)
    return values.astype(dtype).reshape(shape)


def main():
    mode = sys.argv[1]
    if mode == "write":
        tensors = {name: counting(*kind) for name, kind in SHAPES.items()}
        save_file(tensors, sys.argv[2], METADATA)
    elif mode == "check":
        with safe_open(sys.argv[2], "np") as file:
            assert file.metadata() == METADATA, file.metadata()
            assert set(file.keys()) == set(SHAPES) | {"a.bf16"}, file.keys()
            bf16 = file.get_slice("a.bf16")
            assert bf16.get_dtype() == "BF16" and list(bf16.get_shape()) == [3, 1]
            for name, kind in SHAPES.items():
                got, expected = file.get_tensor(name), counting(*kind)
                assert got.dtype == expected.dtype and got.shape == expected.shape, name
                assert np.array_equal(got, expected), name


main()
