# ===- peer_archives.py - the libraries of a bundle -----------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Makes the libraries of a bundle importable without installing anything."""

import pathlib
import site
import sys
import tarfile
import tempfile
import zipfile


def unpack(folder):
    """Unpacks wheels and .tar.xz files into a new folder and puts it on the path, as an
    installation with .pth files would; does nothing if there are none. Triton reads
    sources from files, and TileLang loads libraries, so neither can stay in an archive."""
    archives = sorted(pathlib.Path(folder).glob("*.whl"))
    archives += sorted(pathlib.Path(folder).glob("*.tar.xz"))
    if not archives:
        return
    target = tempfile.mkdtemp(prefix="peers-")
    for archive in archives:
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as file:
                file.extractall(target)
        else:
            with tarfile.open(archive) as file:
                file.extractall(target, filter="data")
    sys.path.insert(0, target)
    site.addsitedir(target)
