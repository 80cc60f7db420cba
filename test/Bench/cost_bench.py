#!/usr/bin/env python3
"""What the cost model predicts against what this machine needs. No test: nothing passes or fails on a time.

    cost_bench.py                                # everything: about ten minutes on two cores
    cost_bench.py --cases mlp                    # groups whose name contains this
    cost_bench.py --cases bert --json r.json     # measured cases go into the file, beside those that are there
    cost_bench.py --predict --json r.json        # predicts the plans of the file again, measures nothing

A group is a model at one size; its cases are plans for it: on one rank, on two ranks all replicated, cut by data, cut as
Megatron does, and as chosen. Each case is compiled and run; the cases of a group are run in turns, so that a slow
second of the machine hits all of them alike. A chosen plan that is one of the others counts as that case. Rented machines
drift by a third within minutes, so each group is predicted by what `froe calibrate` finds between its rounds (the plan is
chosen by what it found in the group before), unless --cluster gives one description for all.
"""

import argparse
import json
import shutil
import statistics
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from workloads import WORK, Workload
from froe import Failure, Setting, call, compile_model, run_package
from cost_page import render
from page import machine

ROUNDS, MOST_ROUNDS = 3, 4
ROUND_SECONDS = 0.4  # of timed executions, for each case and round
STEADY = 0.05        # rounds that differ by less need no more of them

GROUPS = [*(Workload(f"mlp {batch}", "mlp", {"batch": batch}) for batch in (1, 8, 32, 256)),
          *(Workload(f"{model} {batch}x{sequence}", model, {"batch": batch, "sequence": sequence})
            for model, batch, sequence in (("minilm-l6", 1, 64), ("minilm-l6", 8, 32), ("minilm-l6", 8, 128), ("bert-base", 1, 128),
                                           ("bert-base", 4, 32), ("bert-base", 2, 128), ("gpt2", 1, 128), ("gpt2", 2, 32),
                                           ("llama-160m", 1, 128), ("llama-160m", 2, 16))),
          *(Workload(f"vit-b-16 {batch}", "vit-b-16", {"batch": batch}) for batch in (1, 2))]
PLANS = {"1 rank": Setting("1"), "replicated": Setting("2", "replicated"), "data": Setting("2", "data"),
         "tensor": Setting("2", "tensor"), "chosen": Setting("2")}


@dataclass
class Case:
    """One plan for one group, with what was predicted and measured (milliseconds, bytes of one rank)."""

    group: str
    plan: str
    predicted: float
    peak_bytes: int   # predicted
    memory_bytes: int # predicted while planning: weights as well
    weight_bytes: int
    planfile: str
    measured: float = 0
    rounds: list[float] = field(default_factory=list)
    arena_bytes: int = 0
    same_as: str = "" # another plan of the group that makes the same decisions

    def error(self) -> float:
        return self.predicted / self.measured - 1

    def package(self) -> Path:
        return WORK / self.group.replace(" ", "-") / f"{self.plan.replace(' ', '-')}.froe"


def plan_file(group: Workload, plan: str) -> Path:
    return WORK / "plans" / f"{group.name}-{plan}.json".replace(" ", "-")


def predict(group: Workload, plan: str, cluster: str, options: list[str] | None = None) -> Case:
    """The plan alone; `options` in place of those that make it."""
    setting = PLANS[plan]
    if options is None:
        options = ["--constrain", setting.constrain] if setting.constrain else []
    dims = [option for name, size in group.dims.items() for option in ("--dim", f"{name}={size}")]
    text = call(["plan", group.graph(), *dims, "--mesh", setting.mesh, "--cluster", cluster, *options, "--json"], 120)
    file = plan_file(group, plan)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    found = json.loads(text)["predicted"]
    return Case(group.name, plan, found["latency_ms"], found["peak_bytes"], found["memory_bytes"], found["weight_bytes"], str(file))


def decisions(file: str) -> list:
    return [(node["name"], node["strategy"]) for node in json.loads(Path(file).read_text())["nodes"]]


def predict_all(group: Workload, cluster: str) -> list[Case]:
    """A case for each plan that the group has; the chosen one comes last."""
    cases: list[Case] = []
    for plan in PLANS:
        if plan == "data" and group.dims["batch"] < 2:
            continue
        case = predict(group, plan, cluster)
        if plan == "chosen":
            case.same_as = next((other.plan for other in cases if decisions(other.planfile) == decisions(case.planfile)), "")
        cases.append(case)
    return cases


def predict_again(cases: list[Case], cluster: str) -> None:
    """What the model says of the same plans on this cluster."""
    groups = {group.name: group for group in GROUPS}
    for case in cases:
        kept = Path(case.planfile).with_suffix(".kept.json")
        shutil.copyfile(case.planfile, kept)
        now = predict(groups[case.group], case.plan, cluster, ["--plan", str(kept)])
        case.predicted, case.peak_bytes, case.memory_bytes = now.predicted, now.peak_bytes, now.memory_bytes


def cluster_file(name: str) -> Path:
    return WORK / "clusters" / f"{name}.json".replace(" ", "-")


def calibrate(group: Workload) -> str:
    """This machine as it is now."""
    file = cluster_file(group.name)
    file.parent.mkdir(parents=True, exist_ok=True)
    call(["calibrate", "-o", file, "--json"], 300)
    return str(file)


def steady(case: Case) -> bool:
    return max(case.rounds) <= (1 + STEADY) * min(case.rounds)


def run_round(group: Workload, cases: list[Case]) -> None:
    for case in cases:
        pilot = case.rounds[-1] if case.rounds else case.predicted
        repeat = max(3, min(60, round(1e3 * ROUND_SECONDS / pilot)))
        ranks = PLANS[case.plan].ranks()
        options = ["--warmup", "2", "--repeat", str(repeat), "--threads", "1"]
        _, report = run_package(case.package(), ranks, group.inputs(), case.package().parent / "outputs", options)
        case.rounds.append(report["latency_ms"]["median"])
        case.arena_bytes = max(rank["arena_bytes"] for rank in report["ranks"])


def compile_all(group: Workload, cases: list[Case], cluster: str) -> None:
    shutil.rmtree(group.folder(), ignore_errors=True)
    group.folder().mkdir(parents=True)
    for case in cases:
        setting = PLANS[case.plan]
        compile_model(group.graph(), case.package(), Setting(setting.mesh, setting.constrain, ["--cluster", cluster]), group.dims)


def measure(group: Workload, cases: list[Case], arguments: argparse.Namespace) -> None:
    different = [case for case in cases if not case.same_as]
    run_round(group, different)
    if not arguments.cluster:
        predict_again(cases, calibrate(group))
    for number in range(1, MOST_ROUNDS):
        if number < ROUNDS or not all(steady(case) for case in different):
            run_round(group, different)
    for case in different:
        case.measured = statistics.median(case.rounds)
    for case in cases:
        if case.same_as:
            same = next(other for other in different if other.plan == case.same_as)
            case.measured, case.rounds, case.arena_bytes = same.measured, same.rounds, same.arena_bytes
    shutil.rmtree(group.folder())


def load(file: Path | None) -> list[Case]:
    return [Case(**case) for case in json.loads(file.read_text())["cases"]] if file and file.exists() else []


def save(file: Path | None, cases: list[Case]) -> None:
    if file:
        file.write_text(json.dumps({"machine": machine(), "cases": [asdict(case) for case in cases]}, indent=1) + "\n")


def measure_groups(arguments: argparse.Namespace) -> list[Case]:
    cases = load(arguments.json)
    groups = [group for group in GROUPS if arguments.cases in group.name]
    cluster = arguments.cluster or (calibrate(groups[0]) if groups else "")
    for group in groups:
        started = time.monotonic()
        found = predict_all(group, cluster)
        compile_all(group, [case for case in found if not case.same_as], cluster)
        measure(group, found, arguments)
        cluster = arguments.cluster or str(cluster_file(group.name))
        cases = [case for case in cases if case.group != group.name] + found
        save(arguments.json, cases)
        print(f"{group.name} ({time.monotonic() - started:.0f} s): " +
              ", ".join(f"{case.plan} {case.predicted:.1f} / {case.measured:.1f} ms" for case in found), file=sys.stderr, flush=True)
    return cases


def predict_measured(arguments: argparse.Namespace) -> list[Case]:
    """The cases of the file by today's model; without a cluster, by what was calibrated then."""
    cases = load(arguments.json)
    for name in dict.fromkeys(case.group for case in cases):
        predict_again([case for case in cases if case.group == name], arguments.cluster or str(cluster_file(name)))
    return cases


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", default="", metavar="TEXT", help="groups whose name contains this")
    parser.add_argument("--cluster", help="cluster file or preset for all groups; default: calibrate for each one")
    parser.add_argument("--json", type=Path, metavar="FILE", help="cases are read from here, and written with the new ones among them")
    parser.add_argument("--predict", action="store_true", help="measure nothing; predict the cases of the file again")
    arguments = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    try:
        cases = predict_measured(arguments) if arguments.predict else measure_groups(arguments)
    except Failure as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1
    save(arguments.json, cases)
    order = [group.name for group in GROUPS]
    print(render(sorted(cases, key=lambda case: order.index(case.group))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
