# ===- check_launcher.py - what a launcher refuses ------------*- python -*-===#
#
# Part of the delta project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# Calls the library of local.mlir with arguments that it must refuse before it
# asks for a GPU. Needs none.
#
# ===-----------------------------------------------------------------------===#

import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
STATUSES = {
    0: "success",
    1: "null_args",
    2: "version",
    3: "size",
    4: "too_large",
    5: "null_pointer",
    6: "alignment",
    7: "strides",
    8: "workspace",
    9: "device",
}


class Args(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint32),
        ("version", ctypes.c_uint32),
        ("batch", ctypes.c_int64),
        ("length", ctypes.c_int64),
    ]
    for name in "qkvo":
        _fields_ += [
            (name, ctypes.c_void_p),
            (name + "_strides", ctypes.c_int64 * 4),
        ]


library.local_workspace_size.restype = ctypes.c_size_t
library.local_status_string.restype = ctypes.c_char_p
launch = library.local_launch
launch.argtypes = [ctypes.POINTER(Args), ctypes.c_void_p, ctypes.c_void_p]
failures = 0


def make(**fields):
    """Arguments that are right but for `fields`."""
    values = dict(size=ctypes.sizeof(Args), version=1, batch=2, length=100)
    # Addresses that nothing on the host reads.
    values.update(q=1 << 20, k=2 << 20, v=3 << 20, o=4 << 20)
    values.update(fields)
    args = Args()
    for name, value in values.items():
        if name.endswith("_strides"):
            value = (ctypes.c_int64 * 4)(*value)
        setattr(args, name, value)
    return args


def check(what, got, expected):
    global failures
    if got != expected:
        failures += 1
        print("%s: expected %s, got %s" % (what, expected, got))


def expect(status, args, workspace=1 << 24):
    got = launch(ctypes.byref(args) if args else None, workspace, None)
    name = STATUSES.get(got, "cuda" if got > 1000 else str(got))
    shown = {n: getattr(args, n) for n, _ in Args._fields_[:5]} if args else None
    check("status of %s" % shown, name, status)
    text = library.local_status_string(got)
    check("text of status %d" % got, bool(text) and text != b"unknown status", True)


expect("null_args", None)
expect("version", make(size=ctypes.sizeof(Args) - 8))
expect("version", make(version=0))
expect("version", make(version=2))
expect("size", make(batch=-1))
expect("size", make(length=-1))
expect("too_large", make(batch=1 << 62))
expect("too_large", make(length=1 << 62))
expect("too_large", make(batch=1 << 40, length=1 << 40))
expect("too_large", make(batch=(1 << 63) - 1, length=(1 << 63) - 1))
# More blocks than gridDim.x can say, in sizes that are fine.
expect("too_large", make(batch=1 << 30, length=1))
for name in "qkvo":
    expect("null_pointer", make(**{name: None}))
    expect("alignment", make(**{name: (1 << 20) + 8}))
    expect("strides", make(**{name + "_strides": (25600, 256, 64, 2)}))
    expect("strides", make(**{name + "_strides": (25600, 512, 64, 1)}))
    expect("strides", make(**{name + "_strides": (0, 0, 0, 1)}))
expect("workspace", make(), workspace=None)
expect("workspace", make(), workspace=(1 << 24) + 128)
# Nothing to do: nothing is needed, not even a GPU.
expect("success", make(batch=0, q=None, k=None, v=None, o=None), workspace=None)
expect("success", make(length=0, q=None, k=None, v=None, o=None), workspace=None)

size = library.local_workspace_size
check("workspace", size(ctypes.byref(make())), 2 * 2 * 4 * 64 * 64 * 2)
check("workspace, no token", size(ctypes.byref(make(length=0))), 0)
check("workspace, one token", size(ctypes.byref(make(batch=1, length=1))), 32768)
check("workspace, refused", size(ctypes.byref(make(batch=-1))), 0)
check("workspace, null", size(None), 0)
# Beyond 32 bits.
check("workspace, large", size(ctypes.byref(make(batch=1 << 20))), (1 << 21) * 32768)
check("text", library.local_status_string(77), b"unknown status")
sys.exit(failures != 0)
