#!/usr/bin/env python3
"""The generated CUDA kernels of the test models: registers, shared memory, spills, local memory, and which share of the accesses
to global memory has 16 bytes. Fails if a kernel spills, uses local memory or calls a function."""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BIN = ROOT / "build/bin"
TEXT = ["--dim", "batch=8", "--dim", "sequence=128"]
MODELS = {"mlp": ["--dim", "batch=64"], "minilm-l6": TEXT, "bert-base": TEXT, "vit-b-16": ["--dim", "batch=8"],
          "resnet50": ["--dim", "batch=8"], "mobilenet-v2": ["--dim", "batch=8"],
          "gpt2": ["--dim", "batch=1", "--dim", "sequence=128"], "llama-160m": ["--dim", "batch=1", "--dim", "sequence=128"]}
TYPES = ["f32", "f16", "bf16"]


def emit_kernels(model: str, element: str, folder: Path) -> Path:
    file = folder / f"{model}{'' if element == 'f32' else '-' + element}.mlir"
    command = [BIN / "froe", "compile", ROOT / "test/models" / model / "model.onnx", *MODELS[model], "--dtype", element, "--target=cuda", "--emit=kernels"]
    with open(file, "w") as output:
        subprocess.run(command, stdout=output, check=True, timeout=120)
    return file


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        files = [emit_kernels(model, element, Path(folder)) for model in MODELS for element in TYPES]
        return subprocess.run([BIN / "bench-kernels", "--check", *files], timeout=300).returncode


if __name__ == "__main__":
    sys.exit(main())
