#!/usr/bin/env python3
"""The plan that Froe chooses costs at most what experts' plans cost, under Froe's own model. Prints the table.

    expert_plans_test.py [NAME...]       # only cases whose model's name contains one of these
"""

import sys
import tempfile
from pathlib import Path

from experts import Case, best, expert_mesh, run_case, table

# Few layers, since equal ones are planned once; memory as tight for them as a whole model is for its cluster.
CASES = [
    Case("gpt3-1.3b", 2, "h100:8", 8, 4, batch=16, sequence=1024, meshes=["8", "2x4", "4x2"]),
    Case("gpt3-1.3b", 2, "h100:8", 8, 4, batch=16, sequence=1024, memory="1150MB", meshes=["8", "2x4", "4x2"]),
    Case("megatron-3.6b", 2, "a100-80g:8x2", 16, 2, batch=32, sequence=2048, meshes=["16", "8x2", "2x8"]),
    Case("megatron-18.4b", 2, "a100-80g:8x2", 16, 8, batch=32, sequence=2048, meshes=["16", "2x8"]),
    Case("llama3-8b", 2, "h100:8", 8, 4, batch=1, sequence=2048, meshes=["8", "2x4", "2x2x2"]),
    Case("llama3-8b", 2, "h100:8", 8, 4, batch=8, sequence=2048, memory="3GiB", meshes=["8", "2x4"]),
    Case("gpt3-1.3b", 2, "cpu:4", 4, 2, batch=4, sequence=128, meshes=["4", "2x2"]),
    Case("moe-8x7b", 2, "h100:8", 8, 4, batch=8, sequence=1024, meshes=["8", "2x4"]),
    Case("moe-8x7b", 2, "h100:8", 8, 4, batch=8, sequence=1024, memory="3GiB", meshes=["8", "2x4"]),
]


def problems(case: Case, chosen: dict, others: dict) -> list[str]:
    """On each mesh nothing that an expert finds there may be cheaper, and over all meshes nothing at all."""
    lines = []
    least = best(chosen)
    for expert in case.experts():
        found = others[expert.name]
        for where, ours in (("on that mesh", chosen.get(expert_mesh(expert), least)), ("in all", least)):
            if found.cost is None:
                continue
            if ours is None or ours.cost is None:
                lines.append(f"{case}: no plan was found {where}, but '{expert.name}' fits")
            elif ours.cost > found.cost + 1e-9:
                lines.append(f"{case}: '{expert.name}' costs {found.cost * 1e3:.6f} ms, the plan chosen {where} {ours.cost * 1e3:.6f} ms")
    return lines


def main() -> int:
    wrong = []
    for case in CASES:
        if sys.argv[1:] and not any(name in case.model for name in sys.argv[1:]):
            continue
        with tempfile.TemporaryDirectory() as folder:
            chosen, others = run_case(case, Path(folder))
        print("\n".join(table(case, chosen, others)), flush=True)
        if not others:
            wrong.append(f"{case}: there is no expert's plan to compare with")
        wrong += problems(case, chosen, others)
    for line in wrong:
        print(f"error: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
