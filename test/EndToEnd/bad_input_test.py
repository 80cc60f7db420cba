#!/usr/bin/env python3
"""Every wrong input is refused: the right exit code, a message that names what is wrong, nothing half written.

    bad_input_test.py            # every case
    bad_input_test.py cyclic     # those whose name contains this
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from froe import BUILD, FROE, ROOT, Failure

WORK = BUILD / "bad-input"
WRONG, UNSUPPORTED, RANK_FAILED, INTERRUPTED = 1, 2, 4, 130


@dataclass
class Refusal:
    """A command, and how it has to fail."""

    arguments: list
    code: int
    says: list[str]
    untouched: dict[Path, bytes] = field(default_factory=dict)  # files that must still hold these bytes
    absent: list[Path] = field(default_factory=list)  # what must not exist afterwards


def call(arguments: list, timeout: float = 60) -> subprocess.CompletedProcess:
    return subprocess.run([str(FROE), *map(str, arguments)], capture_output=True, text=True, timeout=timeout, errors="replace")


# Small models.

def value(name: str, *shape: int | str, dtype: int = TensorProto.FLOAT) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, dtype, shape)


def model(*nodes: onnx.NodeProto, opset: int = 18, inputs: list | None = None, weights: list[onnx.TensorProto] = [],
          outputs: list | None = None) -> onnx.ModelProto:
    graph = helper.make_graph(nodes, "g", inputs or [value("x", "batch", 8)], outputs or [value("y", "batch", 8)], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def good_model() -> onnx.ModelProto:
    weight = numpy_helper.from_array(np.eye(8, dtype=np.float32), "w")
    return model(helper.make_node("MatMul", ["x", "w"], ["h"], name="product"), helper.make_node("Relu", ["h"], ["y"], name="relu"),
                 weights=[weight])


def external_weight(location: str, length: int = 256) -> onnx.ModelProto:
    result = good_model()
    tensor = result.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, text in (("location", location), ("offset", "0"), ("length", str(length))):
        tensor.external_data.add(key=key, value=text)
    return result


def save(result: onnx.ModelProto | bytes) -> Path:
    WORK.mkdir(parents=True, exist_ok=True)
    path = WORK / "model.onnx"
    path.write_bytes(result if isinstance(result, bytes) else result.SerializeToString())
    return path


def good_package(ranks: int = 2) -> Path:
    package = WORK / "good.froe"
    done = call(["compile", save(good_model()), "-o", package, "--dim", "batch=4", "--mesh", ranks])
    if done.returncode:
        raise Failure(f"the good model does not compile: {done.stderr}")
    return package


def array_file(array: np.ndarray) -> Path:
    np.save(WORK / "x.npy", array)
    return WORK / "x.npy"


# Models that must not compile.

def compiling(result: onnx.ModelProto | bytes, code: int, says: list[str], *options: str, batch: str | None = "batch=4") -> Refusal:
    package = WORK / "out.froe"
    shutil.rmtree(package, ignore_errors=True)
    dims = ["--dim", batch] if batch else []
    return Refusal(["compile", save(result), "-o", package, *dims, *options], code, says, absent=[package])


def not_a_protobuf() -> Refusal:
    return compiling(bytes(range(256)) * 9, WRONG, ["model.onnx"])


def truncated() -> Refusal:
    whole = (ROOT / "test/models/mlp/model.onnx").read_bytes()
    return compiling(whole[:len(whole) // 2], WRONG, ["model.onnx"])


def text_file() -> Refusal:
    return compiling(b"this is a text, not a model\n", WRONG, ["model.onnx"])


def empty_file() -> Refusal:
    return compiling(b"", WRONG, ["model.onnx"])


def no_such_file() -> Refusal:
    return Refusal(["compile", WORK / "absent.onnx", "-o", WORK / "out.froe"], WRONG, ["absent.onnx"], absent=[WORK / "out.froe"])


def unknown_operators() -> Refusal:
    nodes = [helper.make_node("Frobnicate", ["x"], ["h"], name="first/Odd"), helper.make_node("Twiddle", ["h"], ["y"], name="second/Odd")]
    return compiling(model(*nodes), UNSUPPORTED, ["first/Odd", "Frobnicate", "second/Odd", "Twiddle", "18"])


def unknown_opset() -> Refusal:
    return compiling(model(helper.make_node("Relu", ["x"], ["y"]), opset=99), UNSUPPORTED, ["99"])


def unbound_dims() -> Refusal:
    return compiling((ROOT / "test/models/bert-base/model.onnx").read_bytes(), WRONG, ["batch", "sequence"], batch=None)


def dim_that_names_nothing() -> Refusal:
    return compiling(good_model(), WRONG, ["'bach'"], "--dim", "bach=2")


def const_that_names_nothing() -> Refusal:
    return compiling(good_model(), WRONG, ["'z'"], "--const", "z=1")


def external_data_missing() -> Refusal:
    return compiling(external_weight("absent.data"), WRONG, ["absent.data"])


def external_data_too_short() -> Refusal:
    WORK.mkdir(parents=True, exist_ok=True)
    (WORK / "short.data").write_bytes(bytes(100))
    return compiling(external_weight("short.data"), WRONG, ["short.data"])


def external_data_outside() -> Refusal:
    return compiling(external_weight("../outside.data"), WRONG, ["../outside.data"])


def cyclic() -> Refusal:
    nodes = [helper.make_node("Add", ["x", "b"], ["a"], name="forth"), helper.make_node("Relu", ["a"], ["b"], name="back"),
             helper.make_node("Relu", ["b"], ["y"], name="last")]
    return compiling(model(*nodes), WRONG, ["forth"])


def duplicate_names() -> Refusal:
    nodes = [helper.make_node("Relu", ["x"], ["y"], name="one"), helper.make_node("Neg", ["x"], ["y"], name="two")]
    return compiling(model(*nodes), WRONG, ["'y'"])


def value_that_nobody_makes() -> Refusal:
    return compiling(model(helper.make_node("Add", ["x", "nowhere"], ["y"], name="sum")), WRONG, ["nowhere"])


def overflowing_dims() -> Refusal:
    return compiling(good_model(), WRONG, [], batch="batch=9223372036854775807")


def negative_dim() -> Refusal:
    return compiling(good_model(), WRONG, ["-4"], batch="batch=-4")


def shapes_that_disagree() -> Refusal:
    return compiling(model(helper.make_node("Add", ["x", "z"], ["y"], name="sum"), inputs=[value("x", 5, 8), value("z", 3, 8)]),
                     WRONG, ["sum"], batch=None)


# Options that must be refused.

def mesh_of_zero() -> Refusal:
    return compiling(good_model(), WRONG, ["mesh"], "--mesh", "0")


def mesh_too_large() -> Refusal:
    return compiling(good_model(), WRONG, ["100000"], "--mesh", "100000")


def mesh_that_is_none() -> Refusal:
    return compiling(good_model(), WRONG, ["2xtwo"], "--mesh", "2xtwo")


def constraint(content: dict, says: list[str]) -> Refusal:
    WORK.mkdir(parents=True, exist_ok=True)
    (WORK / "constrain.json").write_text(json.dumps(content))
    return compiling(good_model(), WRONG, says, "--mesh", "2", "--constrain", str(WORK / "constrain.json"))


def constraint_that_names_nothing() -> Refusal:
    return constraint({"tensors": {"nothing*": [["x"], []]}}, ["nothing*"])


def constraint_of_wrong_rank() -> Refusal:
    return constraint({"tensors": {"x": [["x"]]}}, ["'x'"])


def constraint_with_unknown_axis() -> Refusal:
    return constraint({"tensors": {"x": [["q"], []]}}, ["q"])


def constraints_that_contradict() -> Refusal:
    return constraint({"tensors": {"x": [["x"], []], "x*": [[], ["x"]]}}, ["x"])


def constraint_that_is_no_json() -> Refusal:
    result = constraint({}, ["constrain.json"])
    (WORK / "constrain.json").write_text("{ tensors")
    return result


def output_is_a_file() -> Refusal:
    target = WORK / "taken.froe"
    WORK.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(target, ignore_errors=True)
    target.write_bytes(b"precious")
    return Refusal(["compile", save(good_model()), "-o", target, "--dim", "batch=4"], WRONG, ["taken.froe"], untouched={target: b"precious"})


def output_is_another_folder() -> Refusal:
    target = WORK / "folder.froe"
    target.mkdir(parents=True, exist_ok=True)
    (target / "thesis.txt").write_bytes(b"precious")
    return Refusal(["compile", save(good_model()), "-o", target, "--dim", "batch=4"], WRONG, ["folder.froe"],
                   untouched={target / "thesis.txt": b"precious"})


# Runs that must be refused.

def running(*options, ranks: int = 2, code: int = WRONG, says: list[str]) -> Refusal:
    return Refusal(["run", WORK / "good.froe", "-n", ranks, *options], code, says)


def wrong_number_of_ranks() -> Refusal:
    good_package()
    return running("--input", f"x={array_file(np.ones((4, 8), np.float32))}", ranks=3, says=["2", "3"])


def input_of_wrong_name() -> Refusal:
    good_package()
    return running("--input", f"z={array_file(np.ones((4, 8), np.float32))}", says=["'z'", "'x'"])


def input_of_wrong_shape() -> Refusal:
    good_package()
    return running("--input", f"x={array_file(np.ones((4, 9), np.float32))}", says=["x", "9"])


def input_of_wrong_type() -> Refusal:
    good_package()
    return running("--input", f"x={array_file(np.ones((4, 8), np.int64))}", says=["'x'", "i8", "f32"])


def input_file_missing() -> Refusal:
    good_package()
    return running("--input", "x=absent.npy", says=["absent.npy"])


def input_file_that_is_no_npy() -> Refusal:
    good_package()
    (WORK / "x.npy").write_bytes(b"not an array")
    return running("--input", f"x={WORK / 'x.npy'}", says=["x.npy"])


def changed(name: str, *options, says: str = "") -> Refusal:
    file = good_package() / name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    return running("--input", f"x={array_file(np.ones((4, 8), np.float32))}", *options, says=[says or name])


def program_changed() -> Refusal:
    return changed("program")


def manifest_changed() -> Refusal:
    return changed("manifest.json")


def weights_changed() -> Refusal:
    return changed("rank1.safetensors", "--check", says=".safetensors")


def weights_cut_off() -> Refusal:
    file = good_package() / "rank1.safetensors"  # equal ranks share one file under two names, so either may be named
    file.write_bytes(file.read_bytes()[:-1])
    return running("--input", f"x={array_file(np.ones((4, 8), np.float32))}", says=[".safetensors"])


def rank_file_missing() -> Refusal:
    (good_package() / "rank1.safetensors").unlink()
    return running("--input", f"x={array_file(np.ones((4, 8), np.float32))}", says=["rank1.safetensors"])


def not_a_package() -> Refusal:
    (WORK / "empty.froe").mkdir(parents=True, exist_ok=True)
    return Refusal(["run", WORK / "empty.froe", "-n", 2], WRONG, ["empty.froe"])


REFUSALS: list[Callable[[], Refusal]] = [
    not_a_protobuf, truncated, text_file, empty_file, no_such_file, unknown_operators, unknown_opset, unbound_dims,
    dim_that_names_nothing, const_that_names_nothing, external_data_missing, external_data_too_short, external_data_outside, cyclic,
    duplicate_names, value_that_nobody_makes, overflowing_dims, negative_dim, shapes_that_disagree, mesh_of_zero, mesh_too_large,
    mesh_that_is_none, constraint_that_names_nothing, constraint_of_wrong_rank, constraint_with_unknown_axis, constraints_that_contradict,
    constraint_that_is_no_json, output_is_a_file, output_is_another_folder, wrong_number_of_ranks, input_of_wrong_name,
    input_of_wrong_shape, input_of_wrong_type, input_file_missing, input_file_that_is_no_npy, program_changed, manifest_changed,
    weights_changed, weights_cut_off, rank_file_missing, not_a_package]


def check_refusal(refusal: Refusal) -> None:
    done = call(refusal.arguments)
    shown = f"froe {' '.join(map(str, refusal.arguments))}\n{done.stdout}{done.stderr}"
    if done.returncode != refusal.code:
        raise Failure(f"expected exit code {refusal.code}, found {done.returncode}: {shown}")
    missing = [text for text in refusal.says if text not in done.stderr]
    if missing or "error: " not in done.stderr:
        raise Failure(f"the message does not say {missing or 'error:'}: {shown}")
    for file, content in refusal.untouched.items():
        if not file.exists() or file.read_bytes() != content:
            raise Failure(f"{file} was touched: {shown}")
    left = [str(path) for path in refusal.absent if path.exists()]
    left += [str(path) for path in WORK.iterdir() if "tmp" in path.name or "partial" in path.name]
    if left:
        raise Failure(f"left behind: {left}: {shown}")


# Ranks that die, and Ctrl-C: a run that would take very long is disturbed.

def descendants(process: int) -> list[int]:
    """Processes started by `process`, directly or not."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(child) for text in children for child in (text, *descendants(int(text)))]


def start_long_run() -> tuple[subprocess.Popen, list[int]]:
    """A run of two ranks in its second half of life: the ranks' process ids as well."""
    package = good_package()
    array_file(np.ones((4, 8), np.float32))
    command = [str(FROE), "run", str(package), "-n", "2", "--input", f"x={WORK / 'x.npy'}", "--repeat", "100000000", "--json"]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        ranks = [child for child in descendants(run.pid) if Path(f"/proc/{child}/exe").resolve().name == "program"]
        if len(ranks) == 2:
            return run, ranks
        time.sleep(0.01)
    run.kill()
    raise Failure("the two ranks did not start within 20 s")


def check_disturbed(disturb: Callable[[subprocess.Popen, list[int]], None], code: int, says: str) -> None:
    """The launcher ends soon after, says what happened, and leaves no process behind."""
    run, ranks = start_long_run()
    disturb(run, ranks)
    disturbed = time.monotonic()
    try:
        _, messages = run.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        run.kill()
        raise Failure("still running 20 s later")
    seconds = time.monotonic() - disturbed
    if run.returncode != code or says not in messages:
        raise Failure(f"expected exit code {code} and '{says}', found {run.returncode}: {messages}")
    if seconds > 5:
        raise Failure(f"took {seconds:.1f} s to end")
    left = [rank for rank in ranks if Path(f"/proc/{rank}").exists() and "Z" not in Path(f"/proc/{rank}/stat").read_text().split()[2]]
    if left:
        raise Failure(f"processes {left} are left")


def killed_rank() -> None:
    check_disturbed(lambda run, ranks: os.kill(ranks[1], signal.SIGKILL), RANK_FAILED, "rank ")


def crashed_rank() -> None:
    check_disturbed(lambda run, ranks: os.kill(ranks[0], signal.SIGSEGV), RANK_FAILED, "rank ")


def control_c() -> None:
    check_disturbed(lambda run, ranks: run.send_signal(signal.SIGINT), INTERRUPTED, "")


def full_disk() -> None:
    """On a file system of 64 KiB, where this user may mount one."""
    script = ('mkdir -p "$1" && mount -t tmpfs -o size=64k none "$1" || exit 77; '
              '"$2" compile "$3" -o "$1/out.froe" --dim batch=4; code=$?; ls -A "$1"; exit $code')
    done = subprocess.run(["unshare", "--mount", "bash", "-c", script, "bash", str(WORK / "small"), str(FROE), str(save(good_model()))],
                          capture_output=True, text=True, timeout=60)
    if done.returncode == 77 or "unshare" in done.stderr:
        print("full_disk: skipped, no mount allowed here")
    elif done.returncode != WRONG or "error: " not in done.stderr or done.stdout.strip():
        raise Failure(f"expected exit code {WRONG} and an empty folder, found {done.returncode}: {done.stdout}{done.stderr}")


def main() -> int:
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    cases = {make.__name__: (lambda make=make: check_refusal(make())) for make in REFUSALS}
    cases |= {case.__name__: case for case in (killed_rank, crashed_rank, control_c, full_disk)}
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    chosen = {name: case for name, case in cases.items() if wanted in name}
    failed = 0
    for name, case in chosen.items():
        try:
            case()
        except (Failure, subprocess.TimeoutExpired) as failure:
            failed += 1
            print(f"{name}: FAILED\n  {failure}", flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
