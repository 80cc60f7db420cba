#!/usr/bin/env python3
"""Makes the twins of a program's CUDA kernels, which the double of the driver runs instead of machine code.

    make_twins.py KERNELS.mlir P.froe/kernels.twin.so      # a file of `froe compile --target cuda --emit=kernels`
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

BIN = Path(__file__).resolve().parents[2] / "build/bin"
CLANG = "clang-22"


def run(command: list, text: str = "") -> str:
    done = subprocess.run([str(part) for part in command], input=text, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr[-3000:]}")
    return done.stdout


def functions_of(module: str) -> str:
    """The functions and data in LLVM's dialect; not the steps, which are none of a device's business."""
    parts = re.split(r"^(?=  [a-z])", module.rstrip().removesuffix("}"), flags=re.MULTILINE)
    return "".join(part for part in parts if part.startswith("  llvm."))


def make_twins(kernels: Path, library: Path) -> None:
    module = run([BIN / "froe-opt", "--kernels-to-gpu", "--gpu-to-host", kernels])
    ir = run(["mlir-translate-22", "--mlir-to-llvmir"], functions_of(module))
    with tempfile.NamedTemporaryFile("w", suffix=".ll") as file:
        file.write(ir)
        file.flush()
        run([CLANG, "-O2", "-Wno-override-module", "-shared", "-fPIC", "-o", library, file.name, "-lm"])


if __name__ == "__main__":
    make_twins(*map(Path, sys.argv[1:]))
