#!/usr/bin/env python3
"""scripts/gpu-check on the doubles: a small pack is right, and a wrong number in it is found."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from froe import DOUBLES, ROOT, Failure


def call(command: list, environment: dict[str, str] = {}) -> subprocess.CompletedProcess:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=250, env={**os.environ, **environment})


def require(condition: bool, done: subprocess.CompletedProcess) -> None:
    if not condition:
        raise Failure(f"exit code {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")


def check(folder: Path) -> None:
    pack = folder / "pack"
    made = call([ROOT / "scripts/gpu-check", "--pack", pack, "--small", "--models", "minilm-l6"])
    require(made.returncode == 0, made)
    done = call([pack / "gpu-check", "--json", folder / "right.json", "--gpus", "2"], DOUBLES)
    report = json.loads((folder / "right.json").read_text())
    require(done.returncode == 0 and [result["wrong"] for result in report["results"]] == [[], [], []], done)
    model, on_two, kernels = report["results"]
    require(any(step["what"] == "all_reduce" for step in on_two["steps"]) and len(on_two["steps"]) > 60, done)
    require(model["latency_ms"] > 0 and "prediction_error" in model and len(model["steps"]) > 50, done)
    require({"normalize_0", "attention_0", "product 1"} <= {step["name"] for step in kernels["steps"]}, done)
    require(all(step["us"] > 0 and ("tflops" in step or "gbs" in step or step["name"] == "normalize_1") for step in kernels["steps"]), done)

    none = call([pack / "gpu-check"], {"LD_LIBRARY_PATH": ""})
    require(none.returncode == 1 and none.stderr.startswith("error: no NVIDIA driver is installed") and none.stderr.count("error") == 1, none)

    kernels = json.loads((pack / "pack.json").read_text())["programs"][-1]
    expected = pack / kernels["outputs"]["attention_0 out 0"]["file"]
    expected.write_bytes(expected.read_bytes()[:-8] + b"\0" * 7 + b"\x41")
    done = call([pack / "gpu-check"], DOUBLES)
    require(done.returncode == 1 and "1 of 2 programs are right; wrong: minilm-l6-kernels" in done.stdout, done)
    require("'attention_0 out 0': 1 of" in done.stdout, done)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        try:
            check(Path(folder))
        except Failure as failure:
            print(f"FAILED\n{failure}")
            return 1
    print("gpu-check: passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
