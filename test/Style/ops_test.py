#!/usr/bin/env python3
"""Every op of the dialects is read and printed by a test, and every program op runs on several ranks."""

import re
import sys

from sources import ROOT, files, report

OP = re.compile(r"^### `((?:froe|rank)\.\w+)`", re.MULTILINE)


def uses(op: str, text: str) -> bool:
    return re.search(rf"{re.escape(op)}\b(?!_)", text) is not None


def main() -> int:
    programs = "\n".join(file.read_text() for file in files("test/Ops/*.mlir", "test/Ops/*.test"))
    problems = []
    for dialect, folder in (("froe", "Froe"), ("rank", "Rank")):
        page, trip = ROOT / f"docs/reference/{dialect}.md", f"test/Dialect/{folder}/round-trip.mlir"
        for op in OP.findall(page.read_text()):
            if not uses(op, (ROOT / trip).read_text()):
                problems.append(f"{trip}: no '{op}'")
            if dialect == "froe" and op != "froe.mesh" and not uses(op, programs):
                problems.append(f"test/Ops: no program with '{op}' runs")
    return report(problems, "ops")


if __name__ == "__main__":
    sys.exit(main())
