"""What the benchmark runs: models at their sizes, and the ways to run each."""

import json
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import onnx

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "test/EndToEnd"), str(ROOT / "test/models")]
import make_inputs
from froe import BUILD, Setting, compile_model, run_package
from model_test import model_with_weights

WORK = BUILD / "bench"


@dataclass
class Workload:
    """A model at one size."""

    name: str
    model: str
    dims: dict[str, int]
    constrain: str | None = None

    def folder(self) -> Path:
        return WORK / self.name.replace(" ", "-")

    def graph(self) -> Path:
        return model_with_weights(self.model)

    def inputs(self) -> dict[str, Path]:
        folder = self.folder() / "inputs"
        if not folder.exists():
            make_inputs.make_inputs(self.graph(), folder, self.dims)
        return {file.stem: file for file in folder.glob("*.npy")}


@dataclass
class Measurement:
    """All timed executions of one way to run one workload, over all rounds."""

    times: list[float] = field(default_factory=list)
    peak_bytes: int = 0
    first_output_ms: list[float] = field(default_factory=list)
    arena_bytes: int = 0

    def median(self) -> float:
        return statistics.median(self.times)


@dataclass(frozen=True)
class Way:
    """How a workload is run; `ranks` 0 is ONNX Runtime."""

    title: str
    ranks: int
    threads: int

    def run(self, workload: Workload, repeat: int, into: Measurement) -> None:
        run = self._froe if self.ranks else self._onnx_runtime
        run(workload, repeat, into)

    def _onnx_runtime(self, workload: Workload, repeat: int, into: Measurement) -> None:
        workload.inputs()
        command = [sys.executable, str(ROOT / "test/Bench/onnxruntime_bench.py"), str(workload.graph()),
                   str(workload.folder() / "inputs"), str(self.threads), "1", str(repeat)]
        report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        into.times += report["times"]
        into.first_output_ms.append(report["first_output_ms"])
        into.peak_bytes = max(into.peak_bytes, report["peak_bytes"])

    def _froe(self, workload: Workload, repeat: int, into: Measurement) -> None:
        options = ["--warmup", "1", "--repeat", str(repeat), "--threads", str(self.threads)]
        _, report = run_package(package(workload, self.ranks), self.ranks, workload.inputs(), workload.folder() / "outputs", options)
        # One number a round: the launcher reports percentiles, and the median of medians is what the table shows.
        into.times.append(report["latency_ms"]["median"])
        into.first_output_ms.append(report["first_output_ms"])
        into.peak_bytes = max(into.peak_bytes, *(rank["peak_bytes"] for rank in report["ranks"]))
        into.arena_bytes = max(rank["arena_bytes"] for rank in report["ranks"])


WORKLOADS = [
    Workload("bert-base 8x128", "bert-base", {"batch": 8, "sequence": 128}),
    Workload("bert-base 1x128", "bert-base", {"batch": 1, "sequence": 128}),
    Workload("gpt2 1x128", "gpt2", {"batch": 1, "sequence": 128}),
    Workload("llama-160m 1x128", "llama-160m", {"batch": 1, "sequence": 128}),
    Workload("vit-b-16 batch 4", "vit-b-16", {"batch": 4}),
    Workload("mlp batch 32", "mlp", {"batch": 32}),
]
WAYS = [Way("ONNX Runtime, 1 thread", 0, 1), Way("ONNX Runtime, 2 threads", 0, 2), Way("Froe, 1 rank", 1, 1),
        Way("Froe, 2 ranks", 2, 1), Way("Froe, 1 rank of 2 threads", 1, 2)]


def package(workload: Workload, ranks: int) -> Path:
    return workload.folder() / f"{ranks}.froe"


def compile_package(workload: Workload, ranks: int) -> dict:
    """Compiles the workload for so many ranks; the compiler's report."""
    workload.folder().mkdir(parents=True, exist_ok=True)
    return compile_model(workload.graph(), package(workload, ranks), Setting(str(ranks), workload.constrain), workload.dims)


def tiny_mlp() -> Path:
    """mlp's graph with 8 in place of 4096 everywhere: what a compile needs that has nothing to do with weights."""
    model = onnx.load(ROOT / "test/models/mlp/model.onnx", load_external_data=False)
    for tensor in model.graph.initializer:
        dims = [min(dim, 8) for dim in tensor.dims]
        if tensor.data_location == onnx.TensorProto.EXTERNAL or list(tensor.dims) != dims:
            count = 1
            for dim in dims:
                count *= dim
            tensor.CopyFrom(onnx.helper.make_tensor(tensor.name, tensor.data_type, dims, [0.5] * count))
    for value in [*model.graph.input, *model.graph.output]:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_value > 8:
                dim.dim_value = 8
    del model.graph.value_info[:]
    WORK.mkdir(parents=True, exist_ok=True)
    onnx.save(model, WORK / "tiny-mlp.onnx")
    return WORK / "tiny-mlp.onnx"
