#!/usr/bin/env python3
"""Single operators of one family, compiled and run on one rank and several (two and three unless it says otherwise), against ONNX Runtime.

    operator_test.py layout                          # operators/layout.py
    operator_test.py layout --case slice/reverse     # one case, keeping its files below build/operators
    operator_test.py layout --target cuda            # on doubles of the driver and the libraries, one and two ranks

All cases of an opset are compiled as one model; where that fails each is tried alone to name the culprits. On several ranks
every input with a dim long enough is pinned to shards: of its first dim, then of its last, sizes mostly not divisible by the ranks.
"""

import argparse
import importlib
import json
import shutil
import sys
from itertools import groupby
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

from cases import Case, declare_outputs, model_of
from froe import BUILD, DOUBLES, Failure, Setting, compile_model, differences, run_package

sys.path.append(str(Path(__file__).parent / "operators"))
RTOL, ATOL = 1e-4, 1e-5


def pinned(cases: list[Case], ranks: int, dim: int, file: Path) -> str:
    """Writes the constraint that cuts every input that is long enough along `dim` (0 first, -1 last) over axis x."""
    pins = {}
    for each in cases:
        for name, array in each.inputs().items():
            if array.ndim and array.shape[dim] >= ranks:
                sharding = [[] for _ in array.shape]
                sharding[dim] = ["x"]
                pins[name] = sharding
    file.write_text(json.dumps({"tensors": pins}))
    return str(file)


def settings(cases: list[Case], folder: Path, counts: tuple[int, ...], target: str) -> list[Setting]:
    pins = [Setting(str(ranks), pinned(cases, ranks, dim, folder / f"{name}-dims-{ranks}.json"), target=target)
            for ranks in counts for dim, name in ((0, "first"), (-1, "last"))]
    return [Setting("1", target=target), *pins]


def expected_outputs(model: onnx.ModelProto, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs), strict=True))


def prepare(cases: list[Case], folder: Path) -> tuple[Path, dict[str, Path], dict[str, np.ndarray]]:
    """The model's file, its inputs' files, and what ONNX Runtime answers."""
    folder.mkdir(parents=True)
    model = model_of(cases)
    arrays = {name: array for each in cases for name, array in each.inputs().items()}
    files = {}
    for index, (name, array) in enumerate(arrays.items()):
        files[name] = folder / f"{index}.npy"
        np.save(files[name], array)
    expected = expected_outputs(model, arrays)
    declare_outputs(model, expected)
    onnx.save(model, folder / "model.onnx")
    return folder / "model.onnx", files, expected


def check(cases: list[Case], setting: Setting, prepared: tuple, folder: Path) -> list[str]:
    """One line for each output that differs; raises Failure where the cases do not compile or run."""
    model, inputs, expected = prepared
    compile_model(model, folder / "model.froe", setting, timeout=120)
    found, _ = run_package(folder / "model.froe", setting.ranks(), inputs, folder / "outputs", timeout=60, checked=True,
                           environment=DOUBLES if setting.target == "cuda" else {})
    return differences(found, expected, RTOL, ATOL)


def check_alone(cases: list[Case], number: int, folder: Path, counts: tuple[int, ...], target: str) -> list[str]:
    """As `check`, each case by itself, under the setting of that number: a line for each that fails."""
    lines = []
    for index, each in enumerate(cases):
        below = folder / f"alone-{number}-{index}"
        shutil.rmtree(below, ignore_errors=True)
        try:
            prepared = prepare([each], below)
            lines += check([each], settings([each], below, counts, target)[number], prepared, below)
        except Failure as failure:
            lines.append(f"'{each.name}': {failure}")
        shutil.rmtree(below, ignore_errors=True)
    return lines


def run_family(cases: list[Case], folder: Path, mesh: str | None, counts: tuple[int, ...], target: str) -> int:
    """Prints a line for each setting and each case that fails in it; returns how many did."""
    failed = 0
    prepared = prepare(cases, folder)
    for number, setting in enumerate(settings(cases, folder, counts, target)):
        if mesh not in (None, setting.mesh):
            continue
        try:
            lines = check(cases, setting, prepared, folder)
        except Failure as together:
            lines = check_alone(cases, number, folder, counts, target) if len(cases) > 1 else [str(together)]
            lines = lines or [f"only together: {together}"]
        failed += len(lines)
        print(f"{setting}: {'FAILED' if lines else 'ok'}", *lines, sep="\n  ", flush=True)
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("family")
    parser.add_argument("--case", help="only cases whose name contains this")
    parser.add_argument("--mesh", help="only this mesh")
    parser.add_argument("--target", choices=["cpu", "cuda"], default="cpu")
    arguments = parser.parse_args()
    family = importlib.import_module(arguments.family)
    counts = getattr(family, "RANKS", (2, 3)) if arguments.target == "cpu" else (2,)
    cases = [each for each in family.CASES if (arguments.case or "") in each.name]
    work = BUILD / ("operators" if arguments.target == "cpu" else "operators-cuda") / arguments.family
    shutil.rmtree(work, ignore_errors=True)
    failed = 0
    for opset, group in groupby(sorted(cases, key=lambda each: each.opset), key=lambda each: each.opset):
        group = list(group)
        print(f"{len(group)} cases of opset {opset}")
        failed += run_family(group, work / str(opset), arguments.mesh, counts, arguments.target)
    if not failed and not arguments.case:
        shutil.rmtree(work)
    print(f"{len(cases)} cases, {failed} failures")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
