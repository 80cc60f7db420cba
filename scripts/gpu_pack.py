"""What `gpu-check` needs on a machine with a GPU, in one folder: packages, inputs, expected results, and the program that runs them.

Weights would be too large to carry. Those of the models here repeat after some elements, so that they pack well; what ONNX Runtime computes from
them is stored. Kernels get the inputs that `froe run --random` makes, here and there; what a processor computes from them is stored.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

ROOT = Path(__file__).resolve().parent.parent
sys.path += [str(ROOT / "test/models"), str(ROOT / "scripts"), str(ROOT / "test/doubles")]
import gpu_kernels
import make_inputs
import make_weights
import reference

FROE = ROOT / "build/bin/froe"
TARGET = "cuda:sm_80,sm_90"
PERIOD = 1021  # elements after which weights repeat; a prime, so that rows of a matrix differ
SAMPLES = 512  # of each output
LIMIT = 64 << 20
PACKED_FROM = 1 << 20  # bytes of a file of weights

TEXT = {"batch": 8, "sequence": 128}
ONE_TEXT = {"batch": 1, "sequence": 128}
HALVES = {"bert-base-f16": ("bert-base", "f16"), "llama-160m-bf16": ("llama-160m", "bf16")}  # of models with weights of f32
DIMS = {"bert-base": TEXT, "bert-base-legacy": TEXT, "minilm-l6": TEXT, "gpt2": ONE_TEXT, "llama-160m": ONE_TEXT, "mlp": {"batch": 64},
        "vit-b-16": {"batch": 8}}
ON_TWO = ["minilm-l6", "bert-base"]  # for machines with two GPUs as well: products are cut, so that NCCL has something to do
SMALL_TEXT = {"batch": 1, "sequence": 5}
DIMS |= {name: DIMS[model] for name, (model, _) in HALVES.items()}
SMALL = {name: {dim: SMALL_TEXT.get(dim, 1) for dim in dims} for name, dims in DIMS.items()}
TYPES = {"float32": "f32", "float64": "f64", "float16": "f16"}


def froe(*arguments) -> str:
    done = subprocess.run([str(FROE), *map(str, arguments)], capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise SystemExit(f"froe {' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stderr.strip()[-2000:]}")
    return done.stdout


def write_repeating_weights(graph_file: Path, folder: Path) -> Path:
    """The model with weights of the usual distributions that repeat."""
    model = onnx.load(graph_file, load_external_data=False)
    graph = make_weights.Graph(model.graph)
    folder.mkdir(parents=True)
    shutil.copyfile(graph_file, folder / "model.onnx")
    for tensor in model.graph.initializer:
        if tensor.data_location != TensorProto.EXTERNAL:
            continue
        place = {entry.key: entry.value for entry in tensor.external_data}
        short = TensorProto(name=tensor.name, data_type=tensor.data_type, dims=[PERIOD])
        data = np.resize(make_weights.values(short, graph.distribution(tensor)), list(tensor.dims))
        file = folder / place["location"]
        with open(file, "r+b" if file.exists() else "wb") as stream:
            stream.seek(int(place["offset"]))
            stream.write(data.tobytes())
    return folder / "model.onnx"


def pack_files(package: Path) -> None:
    for file in package.iterdir():
        if file.stat().st_size < PACKED_FROM:
            continue
        packer = zlib.compressobj(6)
        with open(file, "rb") as source, open(f"{file}.z", "wb") as target:
            while piece := source.read(8 << 20):
                target.write(packer.compress(piece))
            target.write(packer.flush())
        file.unlink()


class Pack:
    def __init__(self, folder: Path, work: Path, cluster: str, small: bool) -> None:
        self.folder, self.work, self.cluster, self.small = folder, work, cluster, small
        self.programs: list[dict] = []

    def add(self, name: str, kind: str, package: Path, inputs: dict[str, str], expected: dict[str, np.ndarray], steps: list[dict], **more) -> None:
        outputs = {}
        for number, (output, values) in enumerate(expected.items()):
            element = TYPES.get(str(values.dtype), str(values.dtype))
            if values.dtype.kind == "V":  # NumPy has no bf16
                values, element = (values.view(np.uint16).astype(np.uint32) << 16).view(np.float32), "bf16"
            stride = max(1, values.size // SAMPLES)
            file = f"expected/{name}-{number}"
            (self.folder / file).write_bytes(values.reshape(-1)[::stride].astype(np.float64).tobytes())
            outputs[output] = {"file": file, "stride": stride, "type": element, "accuracy": more.get("dtype") or element}
        pack_files(package)
        self.programs.append({"name": name, "kind": kind, "package": str(package.relative_to(self.folder)), "inputs": inputs, "outputs": outputs,
                              "steps": steps, "timed": not self.small, "ranks": 1, **more})
        print(f"{name}: {len(steps)} steps, {sum(file.stat().st_size for file in package.iterdir()) / 1e6:.1f} MB", flush=True)

    def compile(self, source: Path, name: str, options: list[str]) -> tuple[Path, str]:
        """The package, and the text of its kernels, of which the tests make twins."""
        kernels, package = self.work / f"{name}.kernels.mlir", self.folder / f"packages/{name}.froe"
        froe("compile", source, "--target", TARGET, *options, "--emit", "kernels", "-o", kernels)
        froe("compile", kernels, "-o", package)
        if self.small:  # to be run on doubles
            import make_twins

            make_twins.make_twins(kernels, package / "kernels.twin.so")
        return package, kernels.read_text()

    def add_model(self, name: str, dims: dict[str, int]) -> None:
        """On one rank, its kernels alone, and, for some models, on two."""
        graph, dtype = HALVES.get(name, (name, ""))
        model = write_repeating_weights(ROOT / "test/models" / graph / "model.onnx", self.work / name)
        inputs = self.folder / "inputs" / name
        make_inputs.make_inputs(model, inputs, dims)
        expected = reference.run(model, inputs)
        for output, values in expected.items():
            reference.check(output, values)
        options = ["--cluster", self.cluster, *(text for dim, size in dims.items() for text in ("--dim", f"{dim}={size}")),
                   *(["--dtype", dtype] if dtype else [])]
        files = {file.stem: str(file.relative_to(self.folder)) for file in sorted(inputs.glob("*.npy"))}
        for ranks in (1, 2) if name in ON_TWO else (1,):
            plan = [*options, "--mesh", str(ranks), "--constrain", "tensor" if ranks > 1 else "replicated"]
            package, text = self.compile(model, f"{name}-on-{ranks}" if ranks > 1 else name, plan)
            predicted = json.loads(froe("plan", model, *plan, "--json"))["predicted"]["latency_ms"]
            self.add(package.stem, "model", package, files, expected, [], predicted_ms=predicted, dtype=dtype, ranks=ranks)
            kernels = text if ranks == 1 else kernels
        self.add_kernels(f"{name} kernels", kernels, compared=True)
        shutil.rmtree(self.work / name)

    def add_kernels(self, name: str, kernels: str, compared: bool) -> None:
        steps, functions = gpu_kernels.steps_of(kernels), gpu_kernels.functions_of(kernels)
        stem = name.replace(" ", "-")
        program = self.work / f"{stem}.cuda.mlir"
        program.write_text(gpu_kernels.program_of(steps, functions, TARGET))
        package, _ = self.compile(program, stem, [])
        told = [{"name": step.name, "bytes": step.bytes(), "operations": step.operations(functions),
                 "type": gpu_kernels.split_type(step.operands[0])[1], "reads_parts": any(op in functions.get(step.name, "") for op in ("froe.gather", "froe.slice"))} for step in steps]
        self.add(stem, "kernels", package, {}, self.compute_on_cpu(stem, steps, functions) if compared else {}, told)

    def compute_on_cpu(self, stem: str, steps: list[gpu_kernels.Step], functions: dict[str, str]) -> dict[str, np.ndarray]:
        fused = [step for step in steps if step.is_fused(functions)]
        results = self.run_on_cpu(f"{stem}.cpu", gpu_kernels.program_of([step for step in steps if step not in fused], functions, "cpu"))
        if fused:
            results |= self.run_on_cpu(f"{stem}.unfused", gpu_kernels.unfused_program_of(fused, functions))
        names = [f"{step.name} out {place}" for step in steps for place in range(len(step.results))]
        return {name: results[name] for name in names}

    def run_on_cpu(self, stem: str, text: str) -> dict[str, np.ndarray]:
        program = self.work / f"{stem}.mlir"
        program.write_text(text)
        package, outputs = program.with_suffix(".froe"), program.with_suffix(".out")
        froe("compile", program, "-o", package)
        report = json.loads(froe("run", package, "--random", "--output-dir", outputs, "--json"))
        return {output["name"]: np.load(outputs / output["file"]) for output in report["outputs"]}

    def compile_node(self, name: str, operator: str, operands: int, element: int, shape: list[int], **attributes) -> Path:
        """A model of one node whose operands and result are alike."""
        values = [helper.make_tensor_value_info(text, element, shape) for text in [*"abc"[:operands], "y"]]
        node = helper.make_node(operator, [value.name for value in values[:-1]], ["y"], operator.lower(), **attributes)
        model = self.work / f"{name}.onnx"
        graph = helper.make_graph([node], name, values[:-1], values[-1:])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)]), model)
        return self.compile(model, name, ["--mesh", "1"])[0]

    def add_attention(self, heads: int, length: int, size: int) -> None:
        """Causal attention; its operations are those of the half of the scores that count."""
        package = self.compile_node("attention-bf16", "Attention", 3, TensorProto.BFLOAT16, [1, heads, length, size], is_causal=1)
        self.add("attention-bf16", "attention", package, {}, {}, [], operations=2 * heads * length * length * size, type="bf16")

    def add_peak(self, size: int, element: int, name: str) -> None:
        """A product that is large enough for the library's full speed."""
        package = self.compile_node(f"peak-{name}", "MatMul", 2, element, [size, size])
        steps = [{"name": "matmul", "bytes": 3 * size * size * (4 if name == "f32" else 2), "operations": 2 * size ** 3, "type": name,
                  "reads_parts": False}]
        self.add(f"peak-{name}", "peak", package, {}, {}, steps)

    def add_large_kernels(self, model: str, batch: int, sequence: int) -> None:
        """Tensors beyond the caches, so that the memory's limit shows; only their time is looked at."""
        kernels = self.work / "large.mlir"
        froe("compile", ROOT / "test/models" / model / "model.onnx", "--target", TARGET, "--mesh", "1", "--dim", f"batch={batch}",
             "--dim", f"sequence={sequence}", "--emit", "kernels", "-o", kernels)
        self.add_kernels(f"large {model}", kernels.read_text(), compared=False)


def pack(folder: Path, models: list[str] | None, small: bool, cluster: str) -> int:
    if folder.exists() and not (folder / "pack.json").exists() and any(folder.iterdir()):
        raise SystemExit(f"error: {folder} is not empty, and was not made by gpu-check")
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("bin", "lib", "packages", "inputs", "expected"):
        (folder / part).mkdir(parents=True)
    for source, target in (("build/bin/froe-run", "bin"), ("build/lib/libfroe_cuda.so", "lib"), ("scripts/gpu-check", ".")):
        shutil.copy2(ROOT / source, folder / target)
    for unknown in set(models or []) - set(DIMS):
        raise SystemExit(f"error: no model '{unknown}'; there are {', '.join(DIMS)}")
    with tempfile.TemporaryDirectory(prefix="froe-gpu-pack-") as work:
        made = Pack(folder, Path(work), cluster, small)
        for name in models or DIMS:
            made.add_model(name, (SMALL if small else DIMS)[name])
        if not small:
            made.add_large_kernels("bert-base", 32, 512)
            made.add_large_kernels("llama-160m", 8, 1024)
            made.add_attention(32, 4096, 128)
            for element, name in ((TensorProto.FLOAT, "f32"), (TensorProto.FLOAT16, "f16"), (TensorProto.BFLOAT16, "bf16")):
                made.add_peak(8192, element, name)
    (folder / "pack.json").write_text(json.dumps({"cluster": cluster, "programs": made.programs}, indent=1) + "\n")
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"{folder}: {size / (1 << 20):.1f} MiB")
    if size > LIMIT:
        print(f"error: {folder} has {size} bytes, more than the {LIMIT} that may be carried", file=sys.stderr)
    return 1 if size > LIMIT else 0
