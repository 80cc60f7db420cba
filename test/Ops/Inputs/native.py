"""Programs of the plan phase, whose shardings a test writes itself, compiled and run on all ranks."""

import subprocess
from pathlib import Path

import numpy as np

from froe import FROE, Setting, compile_model, run_package

AXES = {"2": {"x": 2}, "3": {"x": 3}, "4": {"x": 4}, "2x2": {"x": 2, "y": 2}}


class Program:
    """The text of a program on a mesh. `cut` and `partial` in it stand for shardings over all axes of the mesh:

        @rows        [{all}, {}]         @columns  [{}, {all}]        @vector  [{all}]
        @whole0 …    replicated, by rank                              @sum1 … @max1  partial, by kind and rank
    """

    def __init__(self, mesh: str, signature: str, body: str):
        axes = AXES[mesh]
        everything = "{" + ", ".join(f'"{axis}"' for axis in axes) + "}"
        self.ranks = int(np.prod(list(axes.values())))
        whole = {f"whole{rank}": ", ".join(["{}"] * rank) for rank in range(4)}
        shardings = {name: f"[{dims}]" for name, dims in whole.items()}
        shardings |= {"vector": f"[{everything}]", "rows": f"[{everything}, {{}}]", "columns": f"[{{}}, {everything}]"}
        shardings |= {f"{kind}{rank}": f"[{whole[f'whole{rank}']}], partial<{kind}>{everything}"
                      for kind in ("sum", "product", "max", "min", "and", "or") for rank in range(3)}
        text = f"func.func @main{signature} {{\n{body}\n}}\n"
        for name, sharding in sorted(shardings.items(), reverse=True):
            text = text.replace(f"@{name}", f"#froe.sharding<@mesh, {sharding}>")
        sizes = ", ".join(f'"{axis}" = {size}' for axis, size in axes.items())
        self.text = f'module attributes {{froe.phase = "plan"}} {{\nfroe.mesh @mesh [{sizes}]\n{text}}}\n'

    def compile(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "plan.mlir").write_text(self.text)
        compile_model(folder / "plan.mlir", folder / "p.froe", Setting("1"))
        return folder / "p.froe"

    def run(self, folder: Path, **inputs: np.ndarray) -> dict[str, np.ndarray]:
        files = {name: save(folder / f"{name}.npy", array) for name, array in inputs.items()}
        return run_package(self.compile(folder), self.ranks, files, folder / "outputs", checked=True)[0]


def save(path: Path, array: np.ndarray) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, array)
    return path


def try_run(package: Path, ranks: int, folder: Path, **inputs: np.ndarray) -> subprocess.CompletedProcess:
    """A run that may fail."""
    options = [option for name, array in inputs.items() for option in ("--input", f"{name}={save(folder / f'{name}.npy', array)}")]
    return subprocess.run([FROE, "run", package, "-n", str(ranks), "--output-dir", folder / "outputs", *options],
                          capture_output=True, text=True, timeout=60)
