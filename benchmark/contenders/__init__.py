# ===- __init__.py - the libraries that are timed -------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""The libraries that compute the recurrences of the benchmark. A module has

    NAME            its column of the table
    load()          imports it, returns its version, raises ImportError
    make_call       (context, recurrence, batch, length, operands) to a function
                    without arguments that returns the output o; None where the
                    library has no such recurrence
    kernels_of      recurrence to a regular expression: a kernel that only the wanted
                    implementation launches
    COMPUTES_OUTPUT whether o is the recurrence's, and so is held to the reference

A call takes the operands as the model has them. Operations that a library does not have
in its own kernels (l2 norm, sigmoid, exponential) run before them, and are timed.
"""

from . import attention, delta, fla, flash_qla, flashinfer, flashinfer_cute

ALL = {module.NAME: module for module in
       (delta, fla, flashinfer, flashinfer_cute, flash_qla, attention)}
