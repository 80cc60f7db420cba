"""The project's own files, for the style tests."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def files(*patterns: str) -> list[Path]:
    """Tracked and new files that match the git patterns (all files without any), ignored ones left out."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")
    return sorted(ROOT / name for name in set(names) if name and (ROOT / name).is_file())


def report(problems: list[str], what: str) -> int:
    """Prints the problems; the exit code of the test."""
    print(*problems, f"{what}: {len(problems)} problems", sep="\n")
    return 1 if problems else 0
