# ===- check_names.py - names that say nothing -----------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# Emits every spec of a folder for both families and counts the constants whose name
# ends in a number: a second value of the name, or one that nobody named. Fails
# beyond a share.
#
#   check_names.py MOST-PERCENT FOLDER-OF-SPECS FOLDER-TO-WRITE delta-opt
#
# ===-----------------------------------------------------------------------===#

import glob
import os
import re
import subprocess
import sys
from collections import Counter

CONSTANT = re.compile(r"\bconst(?:expr)? (?:[\w:<>, ]+?)[ *&]+(\w+) = ")
most, specs, folder, delta_opt = sys.argv[1:]
count = 0
numbered = Counter()
for target in ("sm_80", "sm_90a"):
    for spec in sorted(glob.glob(os.path.join(specs, "*.mlir"))):
        name = os.path.splitext(os.path.basename(spec))[0]
        output = os.path.join(folder, name + "-" + target)
        subprocess.run([delta_opt, spec, "--emit=cuda", "--target=" + target, "-o", output],
                       check=True, stderr=subprocess.DEVNULL)
        for path in glob.glob(os.path.join(output, "*.cu")):
            with open(path) as text:
                names = CONSTANT.findall(text.read())
            count += len(names)
            numbered.update(name for name in names if re.search(r"_\d+$", name))
share = 100 * sum(numbered.values()) / count
print("%d of %d names end in a number, %.1f %%: %s"
      % (sum(numbered.values()), count, share, dict(numbered.most_common(12))))
sys.exit(count < 1000 or share > float(most))
