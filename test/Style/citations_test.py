#!/usr/bin/env python3
"""The numbered parts of the planning model (P1, P2, …) and the code know each other.

Each number that docs/planning.md defines is cited in lib/Planning or lib/Analysis (or their headers), and each cited number is defined.
"""

import re
import sys

from sources import ROOT, files, report

PAGE = "docs/planning.md"
CODE = ("lib/Planning/", "lib/Analysis/", "include/froe/Planning/", "include/froe/Analysis/")
DEFINED = re.compile(r"^- \*\*(P\d+)\.\*\*", re.MULTILINE)


def main() -> int:
    defined = DEFINED.findall((ROOT / PAGE).read_text())
    problems = [] if defined == [f"P{number + 1}" for number in range(len(defined))] and defined else [f"{PAGE}: expected P1, P2, …, found {defined}"]
    cited = set()
    for file in files("*.h", "*.cpp"):
        name = str(file.relative_to(ROOT))
        if name.startswith(CODE):
            found = {number for line in file.read_text().splitlines() if "//" in line for number in re.findall(r"\bP\d+\b", line.partition("//")[2])}
            problems += [f"{name}: cites {number}, which {PAGE} does not define" for number in sorted(found - set(defined))]
            cited |= found
    problems += [f"{PAGE}: {number} is cited nowhere in {', '.join(CODE)}" for number in defined if number not in cited]
    return report(problems, "citations")


if __name__ == "__main__":
    sys.exit(main())
