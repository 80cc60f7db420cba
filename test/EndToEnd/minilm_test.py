#!/usr/bin/env python3
"""The trained MiniLM must say which sentences mean the same: similarities known from PyTorch, on one and two ranks."""

import shutil
import sys

import numpy as np

from froe import BUILD, ROOT, Failure, Setting, compile_model, run_package

sys.path.append(str(ROOT / "scripts"))
import minilm

SIMILARITIES = {(0, 1): 0.755337, (2, 3): -0.028205, (4, 5): 0.658841}
FIRST_VALUES = [0.033242, 0.004406, -0.006277, 0.048379, -0.138702]


def check(embeddings: np.ndarray) -> None:
    for (first, second), expected in SIMILARITIES.items():
        found = float(embeddings[first] @ embeddings[second])
        if abs(found - expected) > 1e-5:
            raise Failure(f"similarity of sentences {first} and {second}: expected {expected}, found {found:.6f}")
    if not np.allclose(embeddings[0, :5], FIRST_VALUES, atol=1e-5):
        raise Failure(f"first embedding: expected {FIRST_VALUES}, found {embeddings[0, :5].tolist()}")


def main() -> int:
    folder = minilm.fetch(BUILD / "models/minilm-l6")
    work = BUILD / "end-to-end/minilm-similarities"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    arrays = minilm.tokenize(folder, minilm.SENTENCES)
    for name, array in arrays.items():
        np.save(work / f"{name}.npy", array)
    inputs = {name: work / f"{name}.npy" for name in arrays}
    batch, sequence = arrays["input_ids"].shape
    failed = 0
    settings = [Setting("1"), Setting("2")]
    for setting in settings:
        try:
            compile_model(folder / "model.onnx", work / "model.froe", setting, {"batch": batch, "sequence": sequence})
            outputs, _ = run_package(work / "model.froe", setting.ranks(), inputs, work / "outputs", checked=True)
            check(outputs["sentence_embedding"])
        except Failure as failure:
            failed += 1
            print(f"{setting}: FAILED\n{failure}")
    print(f"{len(settings) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
