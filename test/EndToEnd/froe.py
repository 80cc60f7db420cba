"""Runs the `froe` command for tests: compile, run, and what to say when one of them fails."""

import json
import math
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test/doubles"))
from make_twins import make_twins

BUILD = ROOT / "build"
FROE = BUILD / "bin/froe"
DOUBLES = {"LD_LIBRARY_PATH": str(BUILD / "test/doubles/lib")}  # of the driver and the libraries of GPUs
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # an exception, so that a running command is ended as well


class Failure(Exception):
    """A command that failed or numbers that differ; its text tells a person what and by how much."""


@dataclass
class Setting:
    """How a model is split: the mesh, and a named plan that is forced or a constraint file; what its ranks run on, and in which type."""

    mesh: str
    constrain: str | None = None
    options: list[str] = field(default_factory=list)
    target: str = "cpu"
    dtype: str = "f32"

    def ranks(self) -> int:
        sizes = [axis.split("=")[1] for axis in self.mesh.split(",")] if "=" in self.mesh else self.mesh.split("x")
        return math.prod(map(int, sizes))

    def __str__(self) -> str:
        plan = Path(self.constrain).name if self.constrain else "chosen"
        return f"mesh {self.mesh}, {plan} plan{' on doubles' if self.target == 'cuda' else ''}{'' if self.dtype == 'f32' else f', {self.dtype}'}"


def call(arguments: list, timeout: float, environment: dict[str, str] = {}) -> str:
    """Standard output of `froe ARGUMENTS`; raises Failure with the command and the end of its messages."""
    command = [str(FROE), *map(str, arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, errors="replace",
                              env={**os.environ, **environment})
    except subprocess.TimeoutExpired as error:
        raise Failure(f"no end after {timeout} s: {' '.join(command)}") from error
    if done.returncode:
        raise Failure(f"exit code {done.returncode}: {' '.join(command)}\n{done.stderr.strip()[-3000:]}")
    return done.stdout


def compile_model(model: Path, package: Path, setting: Setting, dims: dict[str, int] | None = None, timeout: float = 300) -> dict:
    """Compiles into `package` (replacing it) and returns the JSON report. A package for GPUs has its kernels' twins beside it."""
    dim_options = [option for name, size in (dims or {}).items() for option in ("--dim", f"{name}={size}")]
    constrain = ["--constrain", setting.constrain] if setting.constrain else []
    options = [model, "--mesh", setting.mesh, "--dtype", setting.dtype, *dim_options, *constrain, *setting.options]
    if setting.target == "cpu":
        return json.loads(call(["compile", *options, "-o", package, "--json"], timeout))
    kernels = package.with_suffix(".kernels.mlir")
    call(["compile", *options, "--target", setting.target, "--emit", "kernels", "-o", kernels], timeout)
    report = json.loads(call(["compile", kernels, "-o", package, "--json"], timeout))
    make_twins(kernels, package / "kernels.twin.so")
    return report


def run_package(package: Path, ranks: int, inputs: dict[str, Path], folder: Path, options: list[str] = [],
                timeout: float = 300, checked: bool = False, environment: dict[str, str] = {}) -> tuple[dict[str, np.ndarray], dict]:
    """Outputs by name, and the JSON report of the run. `checked`: ranks compare what they are about to do before each collective."""
    input_options = [option for name, file in inputs.items() for option in ("--input", f"{name}={file}")]
    text = call(["run", package, "-n", ranks, *input_options, "--output-dir", folder, *options, "--json"], timeout,
                environment | ({"FROE_CHECK_COLLECTIVES": "1"} if checked else {}))
    report = json.loads(text)
    return {output["name"]: np.load(folder / output["file"]) for output in report["outputs"]}, report


def difference(name: str, found: np.ndarray, expected: np.ndarray, rtol: float, atol: float) -> str | None:
    """What differs between two arrays, in one line; None where nothing does."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return f"'{name}': expected {expected.dtype}{list(expected.shape)}, found {found.dtype}{list(found.shape)}"
    if not np.issubdtype(expected.dtype, np.floating):
        wrong = found != expected
    else:
        wrong = ~np.isclose(found, expected, rtol=rtol, atol=atol, equal_nan=True)
    if not wrong.any():
        return None
    distance = np.where(wrong, np.abs(found.astype(np.float64) - expected.astype(np.float64)), 0)
    distance = np.where(np.isnan(distance), np.inf, distance)
    at = np.unravel_index(int(distance.argmax()), distance.shape)
    return (f"'{name}': {int(wrong.sum())} of {wrong.size} elements differ, most at {[int(i) for i in at]}: "
            f"expected {expected[at]}, found {found[at]}")


def differences(found: dict[str, np.ndarray], expected: dict[str, np.ndarray], rtol: float, atol: float) -> list[str]:
    """One line for each output that differs or is absent."""
    lines = [f"'{name}': no such output" for name in expected if name not in found]
    lines += [difference(name, found[name], expected[name], rtol, atol) for name in expected if name in found]
    return [line for line in lines if line]


def far_off(found: dict[str, np.ndarray], expected: dict[str, np.ndarray], limit: float) -> list[str]:
    """One line for each output whose difference is larger than `limit` times the output, both as wholes."""
    lines = []
    for name, array in expected.items():
        distance = np.linalg.norm(found[name].astype(np.float64) - array) / np.linalg.norm(array.astype(np.float64))
        if not distance <= limit:
            lines.append(f"'{name}': off by {distance:.1e} of its norm, {limit} is allowed")
    return lines
