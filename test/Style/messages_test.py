#!/usr/bin/env python3
"""Every message of a dialect's verifiers and parsers has an expected-error in test/Dialect."""

import re
import sys

from sources import ROOT, files, report

MESSAGE = re.compile(r'emit(?:Op)?Error\((?:loc, )?"((?:[^"\\]|\\.)*)"')


def main() -> int:
    problems = []
    for dialect in ("Froe", "Rank"):
        tests = files(f"test/Dialect/{dialect}/errors*.mlir")
        expected = "\n".join(line for test in tests for line in re.findall(r"expected-error.*", test.read_text()))
        for file in files(f"dialects/{dialect}/*.cpp"):
            for message in MESSAGE.findall(file.read_text()):
                text = message.replace('\\"', '"')
                if text.rstrip() not in expected:
                    problems.append(f"{file.relative_to(ROOT)}: no test expects '{text}'")
    return report(problems, "messages")


if __name__ == "__main__":
    sys.exit(main())
