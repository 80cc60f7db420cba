#!/usr/bin/env python3
"""Times one model in ONNX Runtime on the CPU and prints the milliseconds of each execution as JSON.

    onnxruntime_bench.py model.onnx inputs/ THREADS WARMUP REPEAT
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import onnxruntime


def main() -> int:
    model, folder = map(Path, sys.argv[1:3])
    threads, warmup, repeat = map(int, sys.argv[3:6])
    started = time.perf_counter()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    inputs = {value.name: np.load(folder / f"{value.name}.npy") for value in session.get_inputs()}
    times = []
    for _ in range(warmup + repeat):
        before = time.perf_counter()
        session.run(None, inputs)
        times.append(1e3 * (time.perf_counter() - before))
        if len(times) == 1:
            first = 1e3 * (time.perf_counter() - started)
    peak = next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(json.dumps({"times": times[warmup:], "first_output_ms": first, "peak_bytes": peak}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
