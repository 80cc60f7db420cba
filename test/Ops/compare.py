"""Compares the outputs of two runs: compare.py FOLDER FOLDER."""
import sys
from pathlib import Path

import numpy as np

first, second = map(Path, sys.argv[1:3])
names = sorted(file.name for file in first.glob("*.npy"))
assert names and names == sorted(file.name for file in second.glob("*.npy")), names
for name in names:
    np.testing.assert_allclose(np.load(second / name), np.load(first / name), rtol=2e-5, atol=2e-6, err_msg=name)
print(f"{len(names)} outputs equal")
