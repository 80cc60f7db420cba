#!/usr/bin/env python3
"""The demonstration behind `make demo`: the trained MiniLM on one and two ranks, against ONNX Runtime.

Six sentences are embedded; sentences that mean the same are close. What is printed: the similarities, the plan
that Froe chose for two ranks, and the time and largest difference of each way to compute them.
"""

import argparse
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import minilm

ROOT = minilm.ROOT
sys.path.append(str(ROOT / "test/EndToEnd"))
from froe import Failure, Setting, call, compile_model, run_package

WORK = ROOT / "build/demo"
OUTPUT = "sentence_embedding"


def onnx_runtime(model: Path, inputs: dict[str, np.ndarray], repeat: int) -> tuple[np.ndarray, float]:
    """The embeddings by ONNX Runtime on one thread, and its median milliseconds."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    times = []
    for _ in range(repeat + 5):
        started = time.perf_counter()
        embeddings, = session.run([OUTPUT], inputs)
        times.append(1e3 * (time.perf_counter() - started))
    return embeddings, statistics.median(times[5:])


def froe(model: Path, ranks: int, inputs: dict[str, np.ndarray], repeat: int) -> tuple[np.ndarray, float]:
    """The embeddings by Froe on so many ranks, and its median milliseconds. The package stays in build/demo."""
    package = WORK / f"minilm-{ranks}.froe"
    batch, sequence = inputs["input_ids"].shape
    report = compile_model(model, package, Setting(str(ranks)), {"batch": batch, "sequence": sequence})
    files = {name: WORK / f"{name}.npy" for name in inputs}
    outputs, run = run_package(package, ranks, files, WORK / f"outputs-{ranks}", ["--warmup", "5", "--repeat", str(repeat), "--threads", "1"])
    print(f"  {package.relative_to(ROOT)}: compiled in {sum(report['seconds'].values()):.1f} s, {report['package_bytes'] / 1e6:.0f} MB")
    return outputs[OUTPUT], run["latency_ms"]["median"]


def print_similarities(embeddings: np.ndarray) -> None:
    matrix = embeddings @ embeddings.T
    width = max(map(len, minilm.SENTENCES))
    print(f"\n{'similarity':{width + 4}}" + "".join(f"{column + 1:>7}" for column in range(len(matrix))))
    for row, sentence in enumerate(minilm.SENTENCES):
        print(f"{row + 1}  {sentence:{width}} " + "".join(f"{value:7.3f}" for value in matrix[row]))


def print_plan(package: Path) -> None:
    print(f"\n$ froe explain {package.relative_to(ROOT)}")
    lines = call(["explain", package], timeout=60).splitlines()
    print(*lines[:24], *([f"… and {len(lines) - 24} more lines"] if len(lines) > 24 else []), sep="\n")


def print_table(rows: list[tuple[str, np.ndarray, float]]) -> None:
    _, expected, base = rows[0]
    print(f"\n{'':24}{'median ms':>10}{'speed':>8}{'largest difference':>21}")
    for name, embeddings, milliseconds in rows:
        largest = np.abs(embeddings - expected).max()
        print(f"{name:24}{milliseconds:10.2f}{base / milliseconds:7.2f}x{largest:21.1e}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=100, help="timed executions of each (default 100)")
    arguments = parser.parse_args()
    print("fetching MiniLM (90 MB, once) …", flush=True)
    folder = minilm.fetch(ROOT / "build/models/minilm-l6")
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    inputs = minilm.tokenize(folder, minilm.SENTENCES)
    for name, array in inputs.items():
        np.save(WORK / f"{name}.npy", array)
    model = folder / "model.onnx"
    print("compiling for one rank and for two …", flush=True)
    reference, milliseconds = onnx_runtime(model, inputs, arguments.repeat)
    rows = [("ONNX Runtime, 1 thread", reference, milliseconds)]
    for ranks in (1, 2):
        rows.append((f"Froe, {ranks} rank{'s' * (ranks > 1)}", *froe(model, ranks, inputs, arguments.repeat)))
    print_similarities(rows[-1][1])
    print_plan(WORK / "minilm-2.froe")
    print_table(rows)
    same = all(np.allclose(embeddings, reference, rtol=1e-3, atol=1e-4) for _, embeddings, _ in rows)
    print("\nall three agree" if same else "\nerror: the embeddings differ")
    return 0 if same else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"error: {failure}", file=sys.stderr)
        sys.exit(1)
