#!/usr/bin/env python3
"""No file names a registry's host or a path of one machine; every script parses; every file ends in a newline."""

import re
import subprocess
import sys

from sources import ROOT, files, report

# In pieces, so that this file does not find itself.
HOSTS = ["pypi" + ".org", "pythonhosted" + ".org", "deb." + "debian.org", "apt." + "llvm.org", "registry." + "npmjs.org", "hugging" + "face.co"]
PATHS = [r"(?<![\w./<])/(work|root|home|Users)/\w"]
FORBIDDEN = re.compile("|".join([*map(re.escape, HOSTS), *PATHS]))
BINARY = (".onnx", ".png", ".npy", ".safetensors", ".gz")


def text_problems(name: str, text: str) -> list[str]:
    lines = [f"{name}:{number}: names '{match.group()}'" for number, line in enumerate(text.splitlines(), 1)
             for match in [FORBIDDEN.search(line)] if match]
    if text and not text.endswith("\n"):
        lines.append(f"{name}: does not end in a newline")
    return lines


def main() -> int:
    problems = []
    for file in files():
        name = str(file.relative_to(ROOT))
        if file.suffix in BINARY:
            continue
        try:
            problems += text_problems(name, file.read_text())
        except UnicodeDecodeError:
            problems += [] if "Inputs" in file.parts else [f"{name}: is not UTF-8"]
        if file.suffix == ".sh" or name == ".ci/run":
            done = subprocess.run(["bash", "-n", str(file)], capture_output=True, text=True)
            problems += [f"{name}: {done.stderr.strip()}"] if done.returncode else []
        if file.suffix == ".py" and "cfg" not in name:
            compile(file.read_text(), name, "exec")
    return report(problems, "portability")


if __name__ == "__main__":
    sys.exit(main())
