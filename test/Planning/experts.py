"""Plans that experts write by hand, as constraint files, and what Froe's planner finds in their place.

An expert pins the inputs, every weight, the residual stream, and how attention and feed-forward are split; what lies between (which
collectives, in which form a value waits) is chosen as well as Froe can. So an expert's cost here is at most that of the plan as it is
usually run.

Names of axes: `data` cuts the batch, `tensor` the weights, `context` the sequence, `expert` the experts.
"""

import dataclasses
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FROE = ROOT / "build/bin/froe"
sys.path.insert(0, str(ROOT / "test/models"))

import make_large  # noqa: E402
from make_large import Config  # noqa: E402

Axes = list[str]

# Narayanan et al. 2021, table 1 (Megatron-LM on A100-80GB): layers, hidden size, heads; 2,048 positions, 51,200 words.
MEGATRON = {
    "megatron-1.7b": Config(24, 2304, 24, 4 * 2304, 51200, tied=True),
    "megatron-3.6b": Config(30, 3072, 32, 4 * 3072, 51200, tied=True),
    "megatron-7.5b": Config(36, 4096, 32, 4 * 4096, 51200, tied=True),
    "megatron-18.4b": Config(40, 6144, 48, 4 * 6144, 51200, tied=True),
    "megatron-39.1b": Config(48, 8192, 64, 4 * 8192, 51200, tied=True),
}
MODELS = {**make_large.MODELS, **MEGATRON}


@dataclass(frozen=True)
class Cut:
    """Which axes cut what; axes that a mesh lacks are left out by the caller."""

    data: Axes = field(default_factory=list)
    tensor: Axes = field(default_factory=list)
    context: Axes = field(default_factory=list)
    expert: Axes = field(default_factory=list)
    sequence: bool = False  # the residual stream is cut by the tensor axes along the sequence (Korthikanti et al. 2022)


def common(cut: Cut, residual: str) -> dict[str, list[Axes]]:
    places = cut.context + (cut.tensor if cut.sequence else [])
    return {
        "input_ids": [cut.data, cut.context],
        residual: [cut.data, places, []],
        "logits": [cut.data, cut.context, cut.tensor],
    }


def gpt_pins(config: Config, cut: Cut) -> dict[str, list[Axes]]:
    """Shoeybi et al. 2019: columns of the first product of each half, rows of the second, rows of the word table."""
    tensor = cut.tensor
    pins = common(cut, "/transformer/h.*[0-9]/Add*") | {
        "/transformer/h.*/attn/Softmax": [cut.data, tensor, cut.context, []],
        "/transformer/h.*/mlp/act/Mul_3": [cut.data, cut.context, tensor],
        "transformer.wte.weight": [tensor, []],
        "transformer.wpe.weight": [[], []],
        "transformer.*ln_*": [[]],
        "*.attn.c_attn.weight": [[], [], tensor, []],
        "*.attn.c_attn.bias": [[], tensor, []],
        "*.attn.c_proj.weight": [tensor, []],
        "*.mlp.c_fc.weight": [[], tensor],
        "*.mlp.c_fc.bias": [tensor],
        "*.mlp.c_proj.weight": [tensor, []],
        "*.c_proj.bias": [[]],
    }
    return pins if config.tied else pins | {"lm_head.weight": [[], tensor]}


def llama_pins(config: Config, cut: Cut) -> dict[str, list[Axes]]:
    tensor, heads = cut.tensor, [[], cut.tensor, []]
    pins = common(cut, "/model/layers.*[0-9]/Add*") | {
        "/model/layers.*/self_attn/Softmax": [cut.data, tensor, [], cut.context, []],
        "model.embed_tokens.weight": [tensor, []],
        "lm_head.weight": [[], tensor],
        "model.*norm.weight": [[]],
        "*.q_proj.weight": heads,
        "*.k_proj.weight": heads,
        "*.v_proj.weight": heads,
        "*.o_proj.weight": [tensor, []],
    }
    if config.experts:
        wide, narrow = [cut.expert, [], tensor], [cut.expert, tensor, []]
        batch = [axis for axis in cut.data if axis not in cut.expert]  # every expert sees the tokens of all its devices
        inner = {"/model/layers.*/experts/Mul_1": [cut.expert, batch, cut.context, tensor]}
        return pins | inner | {"*.experts.w1": wide, "*.experts.w3": wide, "*.experts.w2": narrow}
    return pins | {
        "/model/layers.*/mlp/Mul_1": [cut.data, cut.context, tensor],
        "*.gate_proj.weight": [[], tensor],
        "*.up_proj.weight": [[], tensor],
        "*.down_proj.weight": [tensor, []],
    }


def pins(config: Config, cut: Cut) -> dict:
    """The constraint file of an expert's plan."""
    return {"tensors": (llama_pins if config.rope_theta else gpt_pins)(config, cut)}


@dataclass(frozen=True)
class Expert:
    """A plan as experts name it: the sizes of a stage's mesh by axis, and how many stages and microbatches."""

    name: str
    axes: dict[str, int]
    sequence: bool = False
    stages: int = 1
    microbatches: int = 1

    def mesh(self) -> str:
        return ",".join(f"{axis}={size}" for axis, size in self.axes.items())

    def constraints(self, config: Config) -> dict:
        """An axis may serve two purposes: `data+tensor` are the devices that share the batch's part and the weights'."""
        used = {kind: [axis for axis in self.axes if kind in axis.split("_")] for kind in ("data", "tensor", "context", "expert")}
        return pins(config, Cut(**used, sequence=self.sequence))


def experts(config: Config, devices: int, tensor: int, batch: int, sequence: int) -> list[Expert]:
    """The classical plans for a model on so many devices, `tensor` of which are close to each other."""
    heads = config.key_value_heads or config.heads
    data = devices // tensor
    plans = []
    if batch >= devices:
        plans.append(Expert("all data", {"data": devices}))
    if heads % devices == 0:
        plans += [Expert(f"Megatron t{devices}", {"tensor": devices}),
                  Expert(f"Megatron t{devices} + sequence", {"tensor": devices}, sequence=True)]
    if 1 < tensor < devices and heads % tensor == 0 and batch >= data:
        plans += [Expert(f"Megatron d{data} t{tensor}", {"data": data, "tensor": tensor}),
                  Expert(f"Megatron d{data} t{tensor} + sequence", {"data": data, "tensor": tensor}, sequence=True)]
    if sequence >= devices:
        plans.append(Expert(f"context c{devices}", {"context": devices}))
    if config.experts and config.experts % devices == 0 and batch >= devices:
        plans.append(Expert(f"expert e{devices}", {"data_expert": devices}))
    if config.experts and 1 < tensor < devices and config.experts % tensor == 0 and batch >= devices:
        plans.append(Expert(f"data d{data}, expert e{tensor}", {"data": data, "data_expert": tensor}))
    return plans


@dataclass
class Found:
    """What `froe plan` says. `cost` is None where no plan fits."""

    cost: float | None
    message: str = ""
    report: dict = field(default_factory=dict)
    seconds: float = 0
    peak_bytes: int = 0

    @property
    def gap(self) -> float:
        return self.report.get("gap", 0)


def run(command: list[str], limit: float) -> tuple[int, str, str, int]:
    """Exit code, standard output, messages and the largest resident memory in bytes."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as messages:
        process = subprocess.Popen(command, stdout=out, stderr=messages)
        timer = threading.Timer(limit, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        messages.seek(0)
        return process.returncode, out.read(), messages.read(), usage.ru_maxrss * 1024


def plan(model: Path, options: list[str], limit: float = 300) -> Found:
    """Runs `froe plan`; anything but a plan or 'no plan fits' is an error."""
    command = [str(FROE), "plan", str(model), *options, "--json"]
    begin = time.monotonic()
    code, out, messages, peak = run(command, limit)
    seconds = time.monotonic() - begin
    if code == 0:
        report = json.loads(out)
        return Found(report["cost"], "", report, seconds, peak)
    if code == 1 and ("no plan fits" in messages or "does not fit" in messages):
        return Found(None, messages.strip().splitlines()[0], {}, seconds, peak)
    reason = f"no end after {limit} s" if code == -9 else f"exit code {code}"
    raise RuntimeError(f"{reason}: {' '.join(command)}\n{messages.strip()[-2000:]}")


def write_model(config: Config, folder: Path) -> Path:
    """The graph in `folder`, made again only where it is not there."""
    path = folder / "model.onnx"
    folder.mkdir(parents=True, exist_ok=True)
    model, _ = make_large.make_model(config)
    path.write_bytes(model.SerializeToString())
    return path


@dataclass
class Case:
    """A model on a cluster; `tensor` devices of a node share a layer in the experts' plans."""

    model: str
    layers: int
    cluster: str
    devices: int
    tensor: int
    batch: int
    sequence: int
    memory: str = ""
    dtype: str = ""  # empty: as in the graph, f32
    meshes: list[str] = field(default_factory=list)  # where to look; empty: all
    more: list[Expert] = field(default_factory=list)  # beside the classical plans

    @property
    def config(self) -> Config:
        return dataclasses.replace(MODELS[self.model], layers=self.layers or MODELS[self.model].layers)

    def __str__(self) -> str:
        memory = f", {self.memory} a device" if self.memory else ""
        return (f"{self.model}, {self.config.layers} layers, {self.cluster}, {self.devices} devices{memory}, "
                f"batch {self.batch} x {self.sequence}, {self.dtype or 'f32'}")

    def options(self) -> list[str]:
        options = ["--dim", f"batch={self.batch}", "--dim", f"sequence={self.sequence}", "--cluster", self.cluster]
        options += ["--memory", self.memory] if self.memory else []
        return options + (["--dtype", self.dtype] if self.dtype else [])

    def experts(self) -> list[Expert]:
        return experts(self.config, self.devices, self.tensor, self.batch, self.sequence) + self.more


def run_expert(case: Case, expert: Expert, model: Path, folder: Path) -> Found:
    file = folder / "constraints.json"
    file.write_text(json.dumps(expert.constraints(case.config)))
    stages = ["--stages", str(expert.stages), "--microbatches", str(expert.microbatches)] if expert.stages > 1 else []
    return plan(model, [*case.options(), "--mesh", expert.mesh(), "--constrain", str(file), *stages])


def run_case(case: Case, folder: Path, auto: list[str] = ["--mesh", "auto"]) -> tuple[dict[str, Found], dict[str, Found]]:
    """What Froe chose, by mesh (`auto`: options for the search of one), and what each expert's plan costs."""
    model = write_model(case.config, folder)
    where = {mesh: ["--mesh", mesh] for mesh in case.meshes} or {"auto": auto}
    chosen = {mesh: plan(model, [*case.options(), *options]) for mesh, options in where.items()}
    return chosen, {expert.name: run_expert(case, expert, model, folder) for expert in case.experts()}


def expert_mesh(expert: Expert) -> str:
    return "x".join(str(size) for size in expert.axes.values())


def best(chosen: dict[str, Found]) -> Found | None:
    return min((found for found in chosen.values() if found.cost is not None), key=lambda found: found.cost, default=None)


def table(case: Case, chosen: dict[str, Found], others: dict[str, Found]) -> list[str]:
    """Lines for a person: the chosen plan first, then the experts by cost."""
    lines = [str(case)]

    def line(name: str, found: Found, base: Found | None):
        if found.cost is None:
            return f"  {name:34} does not fit"
        against = f"{found.cost / base.cost:8.3f} x" if base else ""
        return f"  {name:34} {found.cost * 1e3:12.3f} ms {against}  gap {100 * found.gap:5.2f} %  {found.seconds:6.2f} s"

    least = best(chosen)
    lines += [line(f"chosen, mesh {mesh}", found, least) for mesh, found in chosen.items()]
    order = sorted(others.items(), key=lambda item: item[1].cost if item[1].cost is not None else float("inf"))
    return lines + [line(name, found, least) for name, found in order]
