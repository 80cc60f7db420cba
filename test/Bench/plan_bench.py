#!/usr/bin/env python3
"""What planning reaches: costs, bounds, seconds and memory. No test: nothing fails on a time.

Sections: `contest`, the solver on the public contest's problems; then those of plan_models.py, plans for large models.

Problems: google/iopddl (2025), `X.json` or `X.json.gz` in --folder or $FROE_IOPDDL. Best known costs are those published with the
contest and since; XLA's are of the production solver, where it has an entry. Answers are checked from the raw file.

    plan_bench.py                          # all; the contest's problems within its time limits: about 20 minutes
    plan_bench.py contest --only BGV       # some problems
    plan_bench.py contest --limit 30       # at most 30 seconds each
    plan_bench.py depth experts            # some sections
"""

import argparse
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import plan_models

ROOT = Path(__file__).resolve().parents[2]
FROE = ROOT / "build/bin/froe"


@dataclass(frozen=True)
class Published:
    """What others reached. `xla`: cost of XLA's solver over the best one."""

    model: str
    seconds: int
    best: float
    xla: float | None = None


PUBLISHED = {
    "A": Published("GNS [4,8]", 60, 6_548_641_531, 2.02),
    "B": Published("Transformer inference [4,8]", 60, 532_843, 1.86),
    "C": Published("Gemma1-2B [8,8]", 60, 84_102_445_260, 49.9),
    "D": Published("Gemma1-7B [8,8]", 60, 309.396e9),
    "E": Published("Gemma1-9B [8,8]", 60, 338_965_335_230, 19.6),
    "F": Published("Gemma1-27B [8,16]", 120, 364_364_563_561, 7.65),
    "G": Published("Transformer inference [2,16]", 120, 217_039, 5.83),
    "H": Published("Gemma2-9B [8,8]", 120, 527_715_404_257, 14.7),
    "I": Published("Gemma2-27B [8,16]", 120, 583_706_456_444, 11.2),
    "J": Published("Diffusion [2,16]", 120, 1_325.10e9),
    "K": Published("GNS [2,16]", 180, 2.24264e9),
    "L": Published("U-Net [4,8]", 180, 1_970_993_742),
    "M": Published("Gemma1-2B [8,8]", 180, 49.9282e9),
    "N": Published("Gemma1-7B [8,8]", 180, 199.470e9),
    "O": Published("Gemma1-9B [8,8]", 180, 221.038e9),
    "P": Published("Gemma1-27B [8,16]", 240, 651_833_115_436, 1.00),
    "Q": Published("Gemma2-9B [8,8]", 240, 526_776_842_042, 3.79),
    "R": Published("Gemma2-27B [8,16]", 240, 367.061e9),
    "S": Published("U-Net [2,16]", 240, 1.51138e9),
    "T": Published("Diffusion [4,8]", 240, 671.306e9),
    "U": Published("GNS [2,4,4]", 300, 2.44400e9),
    "V": Published("Transformer inference [2,4,4]", 300, 1_617_084),
    "W": Published("Diffusion [2,4,4]", 300, 11.8188e12),
    "X": Published("Gemma1-9B [4,4,4]", 300, 278.110e9),
    "Y": Published("Gemma2-27B [4,4,8]", 300, 595.086e9),
}


def recompute(file: Path, choice: list[int]) -> float:
    """The cost of a choice by the contest's rules, from the raw problem; raises where it breaks the memory limit."""
    data = file.read_bytes()
    problem = json.loads(gzip.decompress(data) if file.suffix == ".gz" else data)["problem"]
    nodes, edges = problem["nodes"], problem["edges"]
    cost = sum(costs[k] for costs, k in zip(nodes["costs"], choice, strict=True))
    for (a, b), costs in zip(edges["nodes"], edges["costs"], strict=True):
        cost += costs[choice[a] * len(nodes["costs"][b]) + choice[b]]
    change: dict[int, int] = {}
    for (begin, end), usages, k in zip(nodes["intervals"], nodes["usages"], choice, strict=True):
        if end > begin:
            change[begin] = change.get(begin, 0) + usages[k]
            change[end] = change.get(end, 0) - usages[k]
    usage = 0
    for time in sorted(change):
        usage += change[time]
        if usage > problem["usage_limit"]:
            raise SystemExit(f"{file.name}: {usage} bytes at time {time} exceed the limit of {problem['usage_limit']}")
    return cost


def solve(file: Path, seconds: float, arguments: argparse.Namespace, seed: int) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        solution = Path(folder) / "choice.json"
        command = [FROE, "solve", file, "--time-limit", str(seconds), "--threads", str(arguments.threads), "--seed", str(seed),
                   "--solution", solution, "--json"]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=4 * seconds + 60, check=False)
        if done.returncode:
            raise SystemExit(f"{file.name}: {done.stderr.strip()}")
        found = json.loads(done.stdout)
        if (cost := recompute(file, json.loads(solution.read_text()))) != found["cost"]:
            raise SystemExit(f"{file.name}: the solver says cost {found['cost']}, the raw problem {cost}")
        return found


def line(name: str, runs: list[dict]) -> str:
    published = PUBLISHED.get(name, Published("", 0, 0))
    found = sorted(runs, key=lambda run: run["cost"])[len(runs) // 2]
    relative = f"{found['cost'] / published.best:9.5f}" if published.best else "        -"
    xla = f"{found['cost'] / published.best / published.xla:7.3f}" if published.xla else "      -"
    spread = f"  {min(r['cost'] for r in runs) / found['cost']:.4f} to {max(r['cost'] for r in runs) / found['cost']:.4f}"
    return (f"{name:2} {published.model:30} {found['cost']:18.0f} {relative} {xla} {found['bound']:18.0f} {100 * found['gap']:7.3f} % "
            f"{statistics.median(r['seconds'] for r in runs):7.2f} {published.seconds:5} {max(r['peak_bytes'] for r in runs) / 1e6:5.0f}"
            f"{spread if len(runs) > 1 else ''}")


def contest(arguments: argparse.Namespace) -> None:
    files = sorted(arguments.folder.glob("*.json*")) if arguments.folder.is_dir() else []
    if not files:
        print(f"contest: no problems in {arguments.folder}: fetch them from the repository google/iopddl, and name their folder "
              "with --folder or FROE_IOPDDL")
        return
    print(f"contest: {arguments.threads} threads, seeds 0 to {arguments.seeds - 1}; cost: the median's; 'limit': the contest's seconds")
    print(f"   {'model, mesh':30} {'cost':>18} {'/ best':>9} {'/ XLA':>7} {'bound':>18} {'gap':>9} {'seconds':>7} {'limit':>5} {'MB':>5}")
    for file in files:
        name = file.name.split(".")[0]
        if arguments.only and name not in arguments.only:
            continue
        limit = PUBLISHED[name].seconds if name in PUBLISHED else 60
        seconds = min(limit, arguments.limit or limit)
        print(line(name, [solve(file, seconds, arguments, seed) for seed in range(arguments.seeds)]), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("FROE_IOPDDL", ROOT.parent / "shared/data/iopddl")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"contest, {', '.join(plan_models.SECTIONS)} (all)")
    parser.add_argument("--folder", type=Path, default=Path(default), help="where the problems are")
    parser.add_argument("--only", default="", help="letters of the problems to solve")
    parser.add_argument("--limit", type=float, help="at most this many seconds each")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=1, help="runs of each problem")
    arguments = parser.parse_args()
    sections = arguments.sections or ["contest", *plan_models.SECTIONS]
    if unknown := set(sections) - {"contest", *plan_models.SECTIONS}:
        parser.error(f"expected contest, {', '.join(plan_models.SECTIONS)}, found '{unknown.pop()}'")
    if "contest" in sections:
        contest(arguments)
    with tempfile.TemporaryDirectory() as folder:
        for name, section in plan_models.SECTIONS.items():
            if name in sections:
                section(Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
