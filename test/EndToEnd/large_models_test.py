#!/usr/bin/env python3
"""The graphs that make_large.py writes: their sizes, what they compute when small, and that planning needs no weights."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import onnx

from froe import BUILD, FROE, ROOT, Failure, Setting, call

sys.path += [str(ROOT / "test/models"), str(ROOT / "test/Planning")]
import experts
import make_inputs
import make_large
import make_weights
import reference
from make_large import Config
from model_test import check

# Billions of parameters as published (GPT-3: table 2.1; 1.3B by Megatron's head count; Llama 3: model card; Mixtral: section 1).
PARAMETERS = {"gpt3-1.3b": 1.3, "gpt3-13b": 13, "gpt3-175b": 175, "llama3-8b": 8.03, "llama3-70b": 70.6, "llama3-405b": 406, "moe-8x7b": 46.7}
TINY = {  # but no tensor so small that it becomes a constant, since those have no names to pin
    "gpt": Config(2, 144, 6, 192, 50, positions=32, tied=True),
    "gpt-untied": Config(1, 160, 4, 144, 50, positions=32),
    "llama": Config(2, 160, 8, 96, 50, key_value_heads=2, rope_theta=1e4),
    "moe": Config(2, 144, 4, 48, 50, key_value_heads=2, rope_theta=1e4, experts=4),
}
# Rows that do not divide by the ranks; one row; one word for each row.
DIMS = [{"batch": 3, "sequence": 9}, {"batch": 1, "sequence": 8}, {"batch": 4, "sequence": 1}]
SETTINGS = [Setting("2"), Setting("2", "tensor"), Setting("2x2", "random:1")]
MEGATRON = [experts.Expert("t2", {"tensor": 2}), experts.Expert("d2 t2", {"data": 2, "tensor": 2}, sequence=True)]


def check_sizes() -> None:
    """Sizes, and shapes that fit each other from end to end."""
    for name, billions in PARAMETERS.items():
        model, parameters = make_large.make_model(make_large.MODELS[name])
        if abs(parameters / 1e9 / billions - 1) > 0.02:
            raise Failure(f"{name}: {parameters / 1e9:.2f} billion parameters, expected {billions}")
        onnx.shape_inference.infer_shapes(model, strict_mode=True)
        bytes_written = model.ByteSize()
        if bytes_written > 3e6:
            raise Failure(f"{name}: the graph takes {bytes_written} bytes, expected at most 3 MB")
        print(f"{name}: {parameters / 1e9:.2f} billion parameters, {len(model.graph.node)} nodes, {bytes_written / 1e6:.1f} MB")


def megatron_settings(config: Config, folder: Path) -> list[Setting]:
    """The plans that experts would pin: word table and head cut by words, heads, and the inner dim of each feed-forward."""
    settings = []
    for expert in MEGATRON:
        file = folder / f"{expert.name}.json"
        file.write_text(json.dumps(expert.constraints(config)))
        settings.append(Setting(expert.mesh(), str(file)))
    return settings


def check_numbers(name: str, config: Config, work: Path) -> None:
    """A small model with weights, on several ranks, against ONNX Runtime."""
    folder = work / name
    graph, _ = make_large.make_model(config, cache=name != "gpt-untied")
    (folder / "graph").mkdir(parents=True)
    onnx.save(graph, folder / "graph/model.onnx")
    make_weights.make_weights(folder / "graph/model.onnx", folder)
    model = folder / "model.onnx"
    forced = megatron_settings(config, folder)
    for dims in DIMS:
        make_inputs.make_inputs(model, folder / "inputs", dims)
        inputs = {file.stem: file for file in (folder / "inputs").glob("*.npy")}
        expected = reference.run(model, folder / "inputs")
        for setting in SETTINGS + (forced if min(dims.values()) > 1 else []):
            line = check(model, setting, inputs, expected, folder, dims, twice=False)
            print(f"{name}, {dims['batch']}x{dims['sequence']}, {setting}: {line}", flush=True)


def check_absent_weights(work: Path) -> None:
    """Planning needs no weights; compiling says what is missing."""
    call_make = [sys.executable, "-B", str(ROOT / "test/models/make_large.py"), "gpt3-1.3b", "--layers", "1", "-o", str(work / "absent")]
    subprocess.run(call_make, check=True, stdout=subprocess.DEVNULL)
    options = [str(work / "absent/model.onnx"), "--dim", "batch=2", "--dim", "sequence=16", "--mesh", "2"]
    call(["plan", *options, "--json"], timeout=60)
    done = subprocess.run([str(FROE), "compile", *options, "-o", str(work / "absent/model.froe")], capture_output=True, text=True)
    if done.returncode != 1 or "'model.onnx.data' is missing" not in done.stderr:
        raise Failure(f"compiling without weights: exit code {done.returncode}, {done.stderr!r}")
    print("planning without weights: done; compiling: refused")


def main() -> int:
    work = BUILD / "end-to-end/large-models"
    shutil.rmtree(work, ignore_errors=True)
    try:
        check_sizes()
        check_absent_weights(work)
        for name, config in TINY.items():
            check_numbers(name, config, work)
    except Failure as failure:
        print(f"FAILED\n{failure}")
        return 1
    shutil.rmtree(work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
