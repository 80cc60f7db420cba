#!/usr/bin/env python3
"""docs/reference says what TableGen says today; `make docs` brings it up to date."""

import filecmp
import subprocess
import sys
import tempfile
from pathlib import Path

from sources import ROOT, report


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ROOT / "scripts/reference.sh", folder], check=True)
        pages = sorted(page.name for page in Path(folder).glob("*.md"))
        _, differing, absent = filecmp.cmpfiles(folder, ROOT / "docs/reference", pages, shallow=False)
        return report([f"docs/reference/{page} is out of date: run `make docs`" for page in differing + absent], "reference")


if __name__ == "__main__":
    sys.exit(main())
