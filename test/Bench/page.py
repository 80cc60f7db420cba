"""Lays out the benchmark's results as a Markdown page."""

import os
import platform
from datetime import date
from importlib.metadata import version
from pathlib import Path

from workloads import WAYS, Measurement

ORT1, ORT2, ONE, TWO, THREADS = (way.title for way in WAYS)
MB = 1e6


def machine() -> str:
    """Processor, cores and vector extension of this machine, in one line."""
    info = Path("/proc/cpuinfo").read_text()
    model = next((line.split(":")[1].strip() for line in info.splitlines() if line.startswith("model name")), platform.processor())
    isa = "AVX-512" if "avx512f" in info else "AVX2" if "avx2" in info else "no AVX2"
    return f"{model}, {os.cpu_count()} cores, {isa}"


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "|---|" + "--:|" * (len(header) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def time_table(results: list[dict]) -> str:
    rows = []
    for result in results:
        median = {title: measured.median() for title, measured in result["measured"].items()}
        rows.append([result["workload"].name, *(f"{median[way.title]:.1f}" for way in WAYS), f"{median[ONE] / median[ORT1]:.2f}",
                     f"{median[ONE] / median[TWO]:.2f}", f"{median[ORT2] / median[TWO]:.2f}"])
    return table(["median ms", *(way.title for way in WAYS), "Froe 1 rank / ONNX Runtime 1 thread", "speed of 2 ranks over 1",
                  "speed of 2 ranks over ONNX Runtime 2 threads"], rows)


def size_table(results: list[dict]) -> str:
    rows = []
    for result in results:
        for ranks, way in ((1, ONE), (2, TWO)):
            compiled, measured = result["compiled"][ranks], result["measured"][way]
            rows.append([f"{result['workload'].name}, {ranks} rank{'s' * (ranks > 1)}", f"{sum(compiled['seconds'].values()):.1f}",
                         f"{compiled['peak_bytes'] / MB:.0f}", str(compiled["kernels"]), f"{compiled['package_bytes'] / MB:.0f}",
                         f"{measured.peak_bytes / MB:.0f}", f"{measured.arena_bytes / MB:.1f}",
                         f"{min(measured.first_output_ms) - measured.median():.0f}"])
    return table(["", "compile s", "compiler's peak MB", "kernels", "package MB", "peak MB of a rank", "arena MB",
                  "start to first output, ms above latency"], rows)


def prediction_table(results: list[dict]) -> str:
    rows = []
    for result in results:
        for ranks, way in ((1, ONE), (2, TWO)):
            predicted, measured = result["predicted"][ranks]["latency_ms"], result["measured"][way].median()
            rows.append([f"{result['workload'].name}, {ranks} rank{'s' * (ranks > 1)}", f"{predicted:.1f}", f"{measured:.1f}",
                         f"{100 * (predicted / measured - 1):+.0f} %"])
    return table(["", "predicted ms", "measured ms", "error"], rows)


def verdict(what: str, value: float, limit: float, unit: str, at_least: bool = False) -> list[str]:
    met = value >= limit if at_least else value <= limit
    return [what, f"{'at least' if at_least else 'at most'} {limit:g} {unit}", f"{value:.2f} {unit}", "yes" if met else "no"]


def goal_table(results: list[dict], extra: list[dict], tiny: dict) -> str:
    by_name = {result["workload"].name: result for result in results}
    wide = "AVX-512" in machine()
    rows = []
    for name, result in by_name.items():
        measured: dict[str, Measurement] = result["measured"]
        rows.append(verdict(f"{name}: 1 rank / ONNX Runtime 1 thread", measured[ONE].median() / measured[ORT1].median(), 1.0 if wide else 1.25, "x"))
    for name, limit in (("bert-base 8x128", 1.8), ("bert-base 1x128", 1.7)):
        if name in by_name:
            measured = by_name[name]["measured"]
            rows.append(verdict(f"{name}: speed of 2 ranks over 1", measured[ONE].median() / measured[TWO].median(), limit, "x", True))
            compiled, first = by_name[name]["compiled"][2], min(measured[TWO].first_output_ms) - measured[TWO].median()
            rows.append(verdict(f"{name}: compile for 2 ranks", sum(compiled["seconds"].values()), 15, "s"))
            rows.append(verdict(f"{name}: compiler's peak above that of a tiny model", (compiled["peak_bytes"] - tiny["peak_bytes"]) / MB, 400, "MB"))
            rows.append(verdict(f"{name}: start to first output above latency", first, 150, "ms"))
    for result in extra:
        measured = result["measured"][TWO]
        limit = result["weights_bytes"] / 2 + measured.arena_bytes + 50 * 2**20
        rows.append(verdict(f"{result['workload'].name}: memory of a rank against half the weights, its arena and 50 MiB",
                            measured.peak_bytes / MB, round(limit / MB), "MB"))
    return table(["goal", "limit", "measured", "met"], rows)


def render(results: list[dict], extra: list[dict], tiny: dict, rounds: int, seconds: float) -> str:
    return f"""# Benchmarks

Written by `make bench` on {date.today()}: {machine()}; ONNX Runtime {version('onnxruntime')}. One interleaved run of {rounds} rounds,
{seconds / 60:.0f} minutes. A rank computes with one thread unless stated; all ways of a row have the same inputs. Ratios are ratios of medians.

## Time

{time_table(results)}

## Compile time and memory

{size_table(results)}

## Predicted and measured

With the built-in `cpu` cluster; `froe calibrate` measures this machine instead.

{prediction_table(results)}

## Goals

{goal_table(results, extra, tiny)}
"""
