#!/usr/bin/env python3
"""One model of test/models, compiled in several ways and run on several ranks, against ONNX Runtime.

    model_test.py bert-base                 # every setting
    model_test.py bert-base --mesh 2        # one mesh only
    model_test.py bert-base --target cuda   # packages for GPUs, on doubles of the driver and the libraries
"""

import argparse
import json
import shutil
import sys
import time
from pathlib import Path

import numpy as np

from froe import BUILD, DOUBLES, ROOT, Failure, Setting, call, compile_model, differences, far_off, run_package

sys.path += [str(ROOT / "test/models"), str(ROOT / "scripts")]
import make_inputs
import make_weights
import minilm
import reference

# Batches that do and do not divide by the ranks, so that every plan meets uneven shards somewhere.
TEXT = {"batch": 3, "sequence": 16}
DIMS = {"bert-base": TEXT, "bert-base-legacy": TEXT, "gpt2": {"batch": 2, "sequence": 13}, "llama-160m": {"batch": 2, "sequence": 16},
        "minilm-l6": {"batch": 5, "sequence": 11}, "mlp": {"batch": 6}, "vit-b-16": {"batch": 2}, "mobilenet-v2": {"batch": 3}, "resnet50": {"batch": 2}}
SETTINGS = [Setting("1"), Setting("2"), Setting("2", "data"), Setting("2", "tensor"), Setting("3"), Setting("4"), Setting("2x2")]
MORE_SETTINGS = [Setting("3", "tensor"), Setting("4", "data"), Setting("2x2", "data"), Setting("2x2", "tensor"), Setting("data=2,model=2")]
SMALL = {"minilm-l6", "mlp"}  # these run in MORE_SETTINGS too, and twice
RTOL, ATOL = 1e-3, 1e-4
HALF_LIMIT = 2e-2  # of an output's norm
# On doubles each thread of a kernel is a fiber: small sizes, and few settings.
CUDA_TEXT = {"batch": 3, "sequence": 5}
CUDA_DIMS = DIMS | {name: CUDA_TEXT for name in DIMS if "sequence" in DIMS[name]} | {"vit-b-16": {"batch": 1}, "mobilenet-v2": {"batch": 1}}
PLAYED = set(DIMS) - {"vit-b-16", "mobilenet-v2"}  # a second execution, which is recorded as a graph and played
CUDA_SETTINGS = [Setting("1", target="cuda"), Setting("2", "tensor", target="cuda"), Setting("2x2", "tensor", target="cuda")]
HALF_SETTINGS = [Setting("1", dtype="bf16"), Setting("2", "tensor", dtype="f16"), Setting("2", "data", dtype="bf16"), Setting("2x2", "tensor", dtype="bf16")]
HALF_CUDA_SETTINGS = [Setting("2", "tensor", target="cuda", dtype="f16"), Setting("1", target="cuda", dtype="bf16")]
# How many of these: all but for models that repeat another or take long; rounding the weights of llama-160m alone costs 2.0e-2 in bf16.
HALVES = {"bert-base-legacy": 0, "vit-b-16": 1, "llama-160m": 1}
MORE_CUDA_SETTINGS = [Setting("2x2", "random:1", target="cuda")]  # these move weights around


def model_with_weights(name: str) -> Path:
    """The model beside its weights, below build/models; made once."""
    folder = BUILD / "models" / name
    if name == "minilm-l6":
        return minilm.fetch(folder) / "model.onnx"
    graph = ROOT / "test/models" / name / "model.onnx"
    if not (folder / "model.onnx.data").exists():
        make_weights.make_weights(graph, folder)
    make_weights.copy_whole(graph, folder / "model.onnx")
    return folder / "model.onnx"


def check_repeats(package: Path, setting: Setting, inputs: dict[str, Path], found: dict[str, np.ndarray], folder: Path) -> None:
    """Another run gives the same bits, however its ranks and threads take turns."""
    again, _ = run_package(package, setting.ranks(), inputs, folder / "again", ["--repeat", "3", "--threads", "2"])
    changed = [name for name in found if again[name].tobytes() != found[name].tobytes()]
    if changed:
        raise Failure(f"{changed} differ from run to run")


def forecast_bytes(model: Path, setting: Setting, dims: dict[str, int]) -> int:
    """What the plan says that buffers take."""
    constrain = ["--constrain", setting.constrain] if setting.constrain else []
    options = [option for name, size in dims.items() for option in ("--dim", f"{name}={size}")] + constrain + setting.options
    cluster = {"cpu": "cpu", "cuda": "h100"}[setting.target]  # those that compiling assumes
    plan = call(["plan", model, "--mesh", setting.mesh, "--dtype", setting.dtype, "--cluster", cluster, *options, "--json"], 60)
    return json.loads(plan)["predicted"]["peak_bytes"]


def check(model: Path, setting: Setting, inputs: dict[str, Path], expected: dict[str, np.ndarray], folder: Path,
          dims: dict[str, int], twice: bool, options: list[str] = []) -> str:
    """Compiles, runs, compares; returns a line for the log, raises Failure."""
    started = time.monotonic()
    package = folder / "model.froe"
    compile_model(model, package, setting, dims)
    compiled = time.monotonic()
    found, report = run_package(package, setting.ranks(), inputs, folder / "outputs", options, checked=setting.target == "cpu",
                                environment=DOUBLES if setting.target == "cuda" else {})
    arena, forecast = max(rank["arena_bytes"] for rank in report["ranks"]), forecast_bytes(model, setting, dims)
    if arena != forecast:
        raise Failure(f"the plan forecasts {forecast} bytes of buffers, the arena has {arena}")
    wrong = differences(found, expected, RTOL, ATOL) if setting.dtype == "f32" else far_off(found, expected, HALF_LIMIT)
    if wrong:
        raise Failure("\n".join(wrong))
    if twice:
        check_repeats(package, setting, inputs, found, folder)
    largest = max(float(np.abs(found[name] - expected[name]).max()) for name in expected)
    sent = sum(rank["bytes_sent"] for rank in report["ranks"])
    return (f"compiled in {compiled - started:.1f} s, ran in {report['latency_ms']['median']:.0f} ms, "
            f"{sent / 1e6:.2f} MB sent, largest difference {largest:.1e}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", choices=DIMS)
    parser.add_argument("--mesh", help="only this mesh")
    parser.add_argument("--target", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--keep", action="store_true", help="keep the packages and outputs below build/end-to-end")
    arguments = parser.parse_args()

    on_cuda = arguments.target == "cuda"
    dims = (CUDA_DIMS if on_cuda else DIMS)[arguments.model]
    model = model_with_weights(arguments.model)
    work = BUILD / ("end-to-end-cuda" if on_cuda else "end-to-end") / arguments.model
    shutil.rmtree(work, ignore_errors=True)
    make_inputs.make_inputs(model, work / "inputs", dims)
    inputs = {file.stem: file for file in (work / "inputs").glob("*.npy")}
    expected = reference.run(model, work / "inputs")
    for name, array in expected.items():
        reference.check(name, array)

    every, more = (CUDA_SETTINGS, MORE_CUDA_SETTINGS) if on_cuda else (SETTINGS, MORE_SETTINGS)
    every = every + (more if arguments.model in SMALL else [])
    halves = HALF_SETTINGS if arguments.model in SMALL | {"gpt2"} else []
    every = every + (HALF_CUDA_SETTINGS[:HALVES.get(arguments.model)] if on_cuda else halves)
    settings = [setting for setting in every if arguments.mesh in (None, setting.mesh)]
    twice = arguments.model in SMALL and not on_cuda
    options = ["--repeat", "2"] if on_cuda and arguments.model in PLAYED else []
    failed = 0
    for index, setting in enumerate(settings):
        folder = work / str(index)
        folder.mkdir()
        try:
            print(f"{arguments.model}, {setting}: {check(model, setting, inputs, expected, folder, dims, twice, options)}", flush=True)
        except Failure as failure:
            failed += 1
            print(f"{arguments.model}, {setting}: FAILED\n{failure}", flush=True)
        if not arguments.keep:
            shutil.rmtree(folder)
    print(f"{len(settings) - failed} passed, {failed} failed")
    return 1 if failed or not settings else 0


if __name__ == "__main__":
    sys.exit(main())
