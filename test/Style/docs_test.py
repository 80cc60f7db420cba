#!/usr/bin/env python3
"""The pages are true: links lead somewhere, quoted files say what is quoted, commands print what is shown.

- A code block right after a line `<!-- PATH -->` must stand in that file, line for line.
- A code block right after a line `<!-- $ COMMAND -->` is an excerpt of what the command prints: its lines occur there in this
  order (indented ones continue the line before). Numbers of values and locations do not count, `…` stands for anything.
- A block ```console holds commands (`$ froe …`) and their output; all such blocks of a page run in one empty folder
  that sees test/ and build/. `…` in the output stands for anything, on its own line for any lines.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from sources import ROOT, files, report

LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
BLOCK = re.compile(r"^(?:<!-- (?:\$ (?P<command>[^\n]+)|(?P<file>\S+)) -->\n)?```(?P<kind>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def link_problems(page: Path, text: str) -> list[str]:
    plain = BLOCK.sub("", text)
    targets = [target for target in LINK.findall(plain) if "://" not in target]
    return [f"links to '{target}', which does not exist" for target in targets if not (page.parent / target).exists()]


def quote_problem(file: str, text: str) -> str | None:
    path = ROOT / file
    if not path.exists():
        return f"quotes '{file}', which does not exist"
    return None if text in path.read_text() else f"quotes '{file}', which no longer says:\n{text}"


def pattern(expected: str) -> re.Pattern:
    """Matches the output that a page shows; each run of blanks matches any other, since columns move with numbers."""
    text = re.escape(expected.rstrip("\n"))
    text = re.sub(r"(^|\n)…(\n|$)", r"\1(?:.*\2)?", text.replace("\\…", "…"))
    return re.compile(re.sub(r"(?:\\ )+", " +", text.replace("…", ".*?")) + r"\n*", re.DOTALL)


def run(command: str, folder: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PATH": f"{ROOT}/build/bin:{os.environ['PATH']}"}
    return subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def comparable(line: str) -> str:
    """A line of IR without what moves with every other op: numbers of values, locations, blanks."""
    line = re.sub(r' loc\((?:#\w+|"[^"]*")\)', "", line)
    return " ".join(re.sub(r"%\d+", "%", line).split())


def excerpt_problem(text: str, output: str) -> str | None:
    lines = iter([comparable(line) for line in output.splitlines()])
    for statement in re.sub(r"\n\s+", " ", text).splitlines():
        expected = re.compile(re.escape(comparable(statement)).replace("…", ".*?"))
        if not any(expected.fullmatch(line) for line in lines):
            return f"does not print, or not in this place:\n{statement}"
    return None


def console_problems(text: str, folder: str) -> list[str]:
    problems = []
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        while command.endswith("\\"):
            more, _, expected = expected.partition("\n")
            command = command[:-1] + more
        done = run(command, folder)
        found = done.stdout + done.stderr
        if not pattern(expected).fullmatch(found):
            problems.append(f"`{command}` (exit code {done.returncode}) prints:\n{found}\n  not:\n{expected}")
    return problems


def page_problems(page: Path) -> list[str]:
    text = page.read_text()
    problems = link_problems(page, text)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("test", "build", "dialects"):
            (Path(folder) / name).symlink_to(ROOT / name)
        for block in BLOCK.finditer(text):
            if block["file"]:
                problems += [problem for problem in [quote_problem(block["file"], block["text"])] if problem]
            elif block["command"]:
                problem = excerpt_problem(block["text"], run(block["command"], folder).stdout)
                problems += [f"`{block['command']}` {problem}"] if problem else []
            elif block["kind"] == "console":
                problems += console_problems(block["text"], folder)
    return [f"{page.relative_to(ROOT)}: {problem}" for problem in problems]


def self_test() -> None:
    assert pattern("a  b … d\n").fullmatch("a b 17 d\n")
    assert pattern("one\n…\nlast\n").fullmatch("one\ntwo\nthree\nlast\n")
    assert not pattern("one\n").fullmatch("two\n")
    assert not excerpt_problem("%1 = a\n    {b}\n%7 = c …\n", "%4 = a {b} loc(#loc3)\n%5 = x\n%6 = c %5\n")
    assert excerpt_problem("%1 = c\n%2 = a\n", "%1 = a\n%2 = c\n")


def main() -> int:
    self_test()
    pages = files("*.md")
    return report([problem for page in pages for problem in page_problems(page)], "docs")


if __name__ == "__main__":
    sys.exit(main())
