# ===- tensors.py - write a .safetensors file for a test ------*- python -*-===#
#
# Part of the delta project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# tensors.py OUT NAME:DTYPE:DIMxDIMx..[:BYTE] ...
#
# Every byte of a tensor is BYTE, 0 where absent. Needs the standard library
# alone, so that tests of bad input run on every machine.
#
# ===-----------------------------------------------------------------------===#

import json
import struct
import sys

WIDTH = {"F64": 8, "F32": 4, "BF16": 2, "F16": 2, "I64": 8, "I32": 4}

header, data = {}, b""
for text in sys.argv[2:]:
    name, dtype, dims, *fill = text.split(":")
    shape = [int(d) for d in dims.split("x")]
    size = WIDTH[dtype]
    for d in shape:
        size *= d
    begin = len(data)
    data += bytes([int(fill[0], 0) if fill else 0]) * size
    header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, len(data)]}
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
with open(sys.argv[1], "wb") as out:
    out.write(struct.pack("<Q", len(text)) + text + data)
