#!/usr/bin/env python3
"""Every C++ file is formatted (`make format` does it); prints the sizes of the largest files as well."""

import subprocess
import sys

from sources import ROOT, files, report

LONG = 400  # lines: a file above this wants to be two


def main() -> int:
    sources = files("*.h", "*.cpp")
    command = ["clang-format-22", "--dry-run", "-Werror", "--ferror-limit=1"]
    problems = []
    for start in range(0, len(sources), 50):
        done = subprocess.run([*command, *map(str, sources[start:start + 50])], capture_output=True, text=True)
        problems += [line.replace(f"{ROOT}/", "") for line in done.stderr.splitlines() if "error:" in line]
    for file in sources:
        lines = len(file.read_text().splitlines())
        if lines > LONG:
            print(f"note: {file.relative_to(ROOT)} has {lines} lines")
    return report(problems, "formatting")


if __name__ == "__main__":
    sys.exit(main())
