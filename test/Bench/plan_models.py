#!/usr/bin/env python3
"""Plans for large language models on clusters of GPUs: time, memory, cost, bound and gap, and what experts' plans cost.

    plan_models.py             # all; about two minutes
    plan_models.py depth       # sections whose title holds the word
"""

import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "Planning"))

from experts import Case, Expert, Found, plan, run_case, table, write_model  # noqa: E402

GPT = "gpt3-175b"
AUTO = ["--mesh", "auto", "--stages", "auto", "--microbatches", "auto"]


def describe(found: Found) -> str:
    """Stages, mesh and microbatches of a plan."""
    mesh = ",".join(f"{axis}={size}" for axis, size in found.report["mesh"].items()) or "1"
    stages = found.report.get("stages") or [None]
    return f"{len(stages)} x ({mesh}), {found.report.get('microbatches', 1)} microbatches"


def row(name: str, found: Found) -> str:
    begin = f"  {name:32} {found.seconds:6.2f} s {found.peak_bytes / 1e6:6.0f} MB"
    if found.cost is None:
        return f"{begin}  {found.message}"
    return (f"{begin} {found.cost * 1e3:12.3f} ms, bound {found.report['bound'] * 1e3:12.3f} ms, gap {100 * found.gap:5.2f} %  "
            f"{describe(found)}")


def case(model: str, layers: int = 0, cluster: str = "h100:8x128", devices: int = 1024, **changes) -> Case:
    return Case(model, layers, cluster, devices, **{"tensor": 8, "batch": 256, "sequence": 2048, **changes})


def report(title: str, cases: dict[str, tuple[Case, list[str]]], folder: Path) -> None:
    print(title)
    for name, (what, options) in cases.items():
        model = write_model(what.config, folder)
        print(row(name, plan(model, [*what.options(), *options])), flush=True)


def memory(folder: Path) -> None:
    for dtype in ("", "bf16"):
        cases = {f"{limit} GB a device": (case(GPT, memory=f"{limit}GB", dtype=dtype), AUTO) for limit in (80, 40, 20, 10)}
        report(f"memory: {case(GPT, dtype=dtype)}", cases, folder)


def depth(folder: Path) -> None:
    cases = {f"{layers} layers": (case(GPT, layers, memory="80GB"), AUTO) for layers in (12, 24, 48, 96)}
    report(f"depth: {GPT}, h100:8x128, 80 GB a device", cases, folder)


def models(folder: Path) -> None:
    node = {"cluster": "h100:8", "devices": 8, "batch": 8}
    cases = {"llama3-8b, mesh 2x4": (case("llama3-8b", **node), ["--mesh", "2x4"]),
             "llama3-8b, mesh auto": (case("llama3-8b", **node), ["--mesh", "auto"]),
             "gpt3-13b, mesh 2x4": (case("gpt3-13b", **node), ["--mesh", "2x4"]),
             "moe-8x7b, mesh 2x4, bf16": (case("moe-8x7b", **node | {"batch": 1}, dtype="bf16"), ["--mesh", "2x4"]),
             "llama3-70b, 64 devices": (case("llama3-70b", cluster="h100:8x8", devices=64, batch=128), AUTO),
             "llama3-405b, 1024 devices": (case("llama3-405b", batch=512), AUTO)}
    report("models: batch 8 (1, 128, 512), 2,048 words each", cases, folder)


def experts(folder: Path) -> None:
    """Megatron-LM's plans: its user guide names t4 p8 for 128 to 512 GPUs; Narayanan et al. 2021 t8 p8."""
    def megatron(data: int, tensor: int, stages: int = 1, sequence: bool = False) -> Expert:
        pipe = f" p{stages}" if stages > 1 else ""
        return Expert(f"Megatron t{tensor} d{data}{pipe}{' + sequence' if sequence else ''}", {"data": data, "tensor": tensor},
                      sequence, stages, 2 * stages if stages > 1 else 1)

    more = [megatron(16, 8, 8), megatron(16, 8, 8, True), megatron(32, 4, 8), megatron(32, 4, 8, True), megatron(64, 16),
            megatron(64, 16, 1, True)]
    for limit in ("80GB", "20GB"):
        what = case(GPT, memory=limit, dtype="bf16", more=more)
        chosen, others = run_case(what, folder, AUTO)
        print("experts: " + "\n".join(table(what, chosen, others)), flush=True)


SECTIONS = {"memory": memory, "depth": depth, "models": models, "experts": experts}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        for name, section in SECTIONS.items():
            if not sys.argv[1:] or name in sys.argv[1:]:
                section(Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
