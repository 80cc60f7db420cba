#!/usr/bin/env python3
"""Froe against ONNX Runtime on this machine; writes docs/benchmarks.md. No test: nothing passes or fails on a time.

    bench.py                          # everything: about half an hour on two cores
    bench.py --only mlp --rounds 2    # some workloads, printed only

Each round runs every way once, one after the other, so that a slow minute of the machine hits all of them alike;
a table shows medians over all rounds and their ratios.
"""

import argparse
import json
import shutil
import sys
import time

from workloads import ROOT, WAYS, WORK, WORKLOADS, Measurement, Workload, compile_package, package, tiny_mlp
from froe import Setting, call, compile_model
import page

ROUND_SECONDS = 2.0  # of timed executions, for each way and round


def repeats(milliseconds: float) -> int:
    return max(3, min(100, round(1e3 * ROUND_SECONDS / milliseconds)))


def measure(workload: Workload, rounds: int) -> dict[str, Measurement]:
    """All ways, interleaved."""
    results = {way.title: Measurement() for way in WAYS}
    pilot = Measurement()
    WAYS[0].run(workload, 2, pilot)
    for number in range(rounds):
        for way in WAYS:
            way.run(workload, repeats(pilot.median()), results[way.title])
        print(f"  round {number + 1}: " + ", ".join(f"{title} {result.times[-1]:.1f} ms" for title, result in results.items()), flush=True)
    return results


def bench(workload: Workload, rounds: int) -> dict:
    """Compiles and measures one workload."""
    print(workload.name, flush=True)
    compiled = {ranks: compile_package(workload, ranks) for ranks in (1, 2)}
    predicted = {ranks: json.loads(call(["explain", package(workload, ranks), "--json"], 60))["predicted"] for ranks in (1, 2)}
    result = {"workload": workload, "compiled": compiled, "predicted": predicted, "measured": measure(workload, rounds)}
    result["weights_bytes"] = (workload.graph().parent / "model.onnx.data").stat().st_size
    shutil.rmtree(workload.folder())
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="workloads whose name contains this; the page is then printed, not written")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    started = time.monotonic()
    shutil.rmtree(WORK, ignore_errors=True)
    tiny = compile_model(tiny_mlp(), WORK / "tiny.froe", Setting("2"), {"batch": 32})
    results = [bench(workload, arguments.rounds) for workload in WORKLOADS if (arguments.only or "") in workload.name]
    tensor = Workload("bert-base 1x128 tensor", "bert-base", {"batch": 1, "sequence": 128}, "tensor")
    extra = [] if arguments.only else [bench(tensor, 1)]
    text = page.render(results, extra, tiny, arguments.rounds, time.monotonic() - started)
    print(text)
    if not arguments.only:
        (ROOT / "docs/benchmarks.md").write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
