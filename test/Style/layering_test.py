#!/usr/bin/env python3
"""Who may include whom: the layers of docs/overview.md, checked on every #include of ours."""

import re
import sys
from pathlib import Path

from sources import ROOT, files, report

# Each layer and the layers that it uses directly; what those use is allowed as well.
USES = {
    "Sharding": [],
    "Cost": ["Sharding"],
    "Planning": ["Cost"],
    "dialects": ["Sharding"],
    "Import": ["dialects"],
    "Analysis": ["Planning", "dialects"],
    "Transforms": ["Analysis"],
    "Conversion": ["dialects"],
    "Target": ["Conversion"],
    "Pipelines": ["Import", "Transforms", "Target"],
    "runtime": [],
    "tools": ["Pipelines"],
}
# The runtime's C ABI, its package format and its weight packing are contracts that the compiler writes to.
RUNTIME_USERS = {"dialects", "Import", "Transforms", "Conversion", "Target", "Pipelines", "tools"}
# Prefixes of other people's headers that only some layers may include.
FOREIGN = {
    r"(mlir|llvm)[/-]": set(USES) - {"Sharding", "Cost", "Planning", "runtime"},
    r"(google/protobuf/|.*\.pb\.h)": {"Import"},
    r"CLI/": {"tools"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def closure(layer: str) -> set[str]:
    """The layers that `layer` may include, itself included."""
    return {layer}.union(*(closure(used) for used in USES[layer]))


def layer_of(path: str) -> str | None:
    """The layer that a file or an included header belongs to."""
    parts = path.split("/")
    if path == "froe_rt.h" or parts[0] == "runtime":
        return "runtime"
    if parts[0] in ("dialects", "tools"):
        return parts[0]
    if parts[0] == "include" and len(parts) > 2:
        return parts[2]
    if parts[0] in ("lib", "froe") and len(parts) > 1:
        return parts[1]
    return None


def problem(layer: str, included: str) -> str | None:
    """Why a file of `layer` must not include that header; None where it may."""
    for pattern, allowed in FOREIGN.items():
        if re.match(pattern, included) and layer not in allowed:
            return f"only {', '.join(sorted(allowed))} may include it"
    target = layer_of(included)
    if target is None or target in closure(layer) or (target == "runtime" and layer in RUNTIME_USERS):
        return None
    return f"{layer} must not include {target}"


def self_test() -> None:
    """The check finds what it is for."""
    assert problem("Planning", "mlir/IR/Value.h")
    assert problem("runtime", "froe/Sharding/Mesh.h")
    assert problem("Sharding", "froe/Cost/Cluster.h")
    assert problem("Cost", "froe_rt.h")
    assert not problem("Transforms", "froe/Sharding/Mesh.h")
    assert not problem("Target", "froe_rt.h")


def main() -> int:
    self_test()
    problems = []
    for file in files("*.h", "*.cpp", "*.inc", "*.c"):
        name = str(file.relative_to(ROOT))
        layer = None if name.startswith("test/") else layer_of(name)
        if layer is None:
            continue
        if layer not in USES:
            problems.append(f"{name}: '{layer}' is no layer; expected one of {', '.join(USES)}")
            continue
        for included in INCLUDE.findall(Path(file).read_text()):
            why = problem(layer, included)
            problems += [f"{name}: includes '{included}': {why}"] if why else []
    return report(problems, "layering")


if __name__ == "__main__":
    sys.exit(main())
