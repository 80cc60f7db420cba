#!/usr/bin/env python3
"""Regenerate the weights of a model.

The models are kept without their large floating-point initializers: `model.onnx` only names a place
(file, offset, length) for each. This script fills that file with pseudo-random values and copies the
model beside it:

    make_weights.py bert-base/model.onnx /tmp/bert-base     # writes model.onnx and model.onnx.data there

A value depends on nothing but the tensor's name and its role in the graph, so two machines get the same
weights. Roles are told from the operators that read a tensor, and chosen so that activations stay of
order one from the first layer to the last:

    matrix or kernel        mean 0, std gain / sqrt(fan in); the gain makes up for what the next
                            activation takes away: sqrt(2) for a rectifier, 2 for a gate, 3 in an LSTM
    embedding, position     mean 0, std 0.1
    scale of a norm         mean 1, std 0.05 (also any other tensor that multiplies)
    variance of BatchNorm   mean 1, std 0.05, at least 0.5
    bias, anything else     mean 0, std 0.05
"""

import argparse
import hashlib
import math
import os
import shutil
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Sequence

import numpy as np
import onnx
from onnx import helper

NORMS = {"BatchNormalization", "GroupNormalization", "InstanceNormalization", "LayerNormalization",
         "RMSNormalization", "SimplifiedLayerNormalization"}
RECTIFIERS = {"Clip", "Elu", "Gelu", "LeakyRelu", "PRelu", "Relu"}
GATES = {"HardSigmoid", "HardSwish", "Sigmoid", "Swish"}  # x * sigmoid(x) halves a small x
RECURRENT = {"GRU", "LSTM", "RNN"}
VIEWS = {"Cast", "Expand", "Identity", "Reshape", "Slice", "Split", "Squeeze", "Transpose", "Unsqueeze"}


@dataclass(frozen=True)
class Distribution:
    """A normal distribution, cut off below `least`."""

    mean: float
    std: float
    least: float = -math.inf


EMBEDDING = Distribution(0.0, 0.1)
BIAS = Distribution(0.0, 0.05)
SCALE = Distribution(1.0, 0.05)
VARIANCE = Distribution(1.0, 0.05, least=0.5)


@dataclass(frozen=True)
class Use:
    """One operand position that a tensor reaches, and the shape in which it arrives there."""

    node: onnx.NodeProto
    index: int
    shape: tuple[int, ...]


class Graph:
    """Answers what a tensor is used for."""

    def __init__(self, graph: onnx.GraphProto) -> None:
        self.constants = {tensor.name for tensor in graph.initializer}
        self.readers: dict[str, list[tuple[onnx.NodeProto, int]]] = defaultdict(list)
        for node in graph.node:
            for index, name in enumerate(node.input):
                self.readers[name].append((node, index))

    def uses(self, name: str, shape: Sequence[int]) -> Iterator[Use]:
        """The operands that `name` reaches directly or through operators that only move data."""
        for node, index in self.readers[name]:
            if node.op_type in VIEWS and index == 0:
                arriving = transposed(node, shape) if node.op_type == "Transpose" else tuple(shape)
                for output in node.output:
                    yield from self.uses(output, arriving)
            else:
                yield Use(node, index, tuple(shape))

    def gain(self, node: onnx.NodeProto) -> float:
        """What makes up for the activation that the result of `node`, a product with weights, goes into."""
        if node.op_type in RECURRENT:
            return 3.0
        for reader, _ in self.readers[node.output[0]]:
            if reader.op_type in GATES:
                return 2.0
            if reader.op_type in RECTIFIERS:
                return math.sqrt(2)
            adds_bias = reader.op_type == "Add" and not self.constants.isdisjoint(reader.input)
            if adds_bias or reader.op_type in {"BatchNormalization", "Concat"}:
                return self.gain(reader)
        return 1.0

    def distribution(self, tensor: onnx.TensorProto) -> Distribution:
        """The distribution from which the values of `tensor` are drawn: that of its first telling use."""
        for use in self.uses(tensor.name, tensor.dims):
            op, index = use.node.op_type, use.index
            size = fan_in(use)
            if size:
                return Distribution(0.0, self.gain(use.node) / math.sqrt(size))
            if op == "BatchNormalization" and index == 4:
                return VARIANCE
            if op == "Mul" or (op in NORMS and index == 1):
                return SCALE
            if op in {"Gather", "Concat"} or (op == "Add" and sum(d > 1 for d in use.shape) > 1):
                return EMBEDDING
        return BIAS


def attribute(node: onnx.NodeProto, name: str, default):
    """The value of an attribute, or `default` where the node does not have it."""
    return next((helper.get_attribute_value(a) for a in node.attribute if a.name == name), default)


def transposed(node: onnx.NodeProto, shape: Sequence[int]) -> tuple[int, ...]:
    order = attribute(node, "perm", range(len(shape))[::-1])
    return tuple(shape[axis] for axis in order) if len(order) == len(shape) else tuple(shape)


def fan_in(use: Use) -> int:
    """How many products are summed into one output element; 0 where the operand is not a weight."""
    node, index, shape = use.node, use.index, use.shape
    if len(shape) < 2:
        return 0
    if node.op_type == "MatMul":
        return shape[-2] if index == 1 else shape[-1]
    if node.op_type == "Gemm" and index < 2:
        is_transposed = attribute(node, "transB" if index else "transA", 0) != 0
        return shape[0] if is_transposed != (index == 1) else shape[1]
    if node.op_type == "Conv" and index == 1:
        return math.prod(shape[1:])
    if node.op_type == "ConvTranspose" and index == 1:
        window = math.prod(shape[2:]) // math.prod(attribute(node, "strides", [1]))
        return max(1, shape[0] // attribute(node, "group", 1) * window)
    if node.op_type in RECURRENT and index in {1, 2}:
        return shape[-1]
    return 0


def values(tensor: onnx.TensorProto, distribution: Distribution) -> np.ndarray:
    """The values of a tensor, in its element type (float16 and bfloat16 are rounded from float32)."""
    seed = int.from_bytes(hashlib.sha256(tensor.name.encode()).digest()[:8], "little")
    data = np.random.Generator(np.random.PCG64(seed)).standard_normal(math.prod(tensor.dims), dtype=np.float32)
    data *= np.float32(distribution.std)
    data += np.float32(distribution.mean)
    np.maximum(data, np.float32(distribution.least), out=data)
    return data.astype(helper.tensor_dtype_to_np_dtype(tensor.data_type), copy=False)


def copy_whole(source: Path, target: Path) -> None:
    """A copy that others see whole or as it was before."""
    partial = target.with_name(f"{target.name}.{os.getpid()}.partial")
    shutil.copyfile(source, partial)
    partial.replace(target)


def make_weights(model_path: Path, folder: Path) -> int:
    """Write the model and its weights into `folder`; returns the number of bytes of weights."""
    model = onnx.load(model_path, load_external_data=False)
    graph = Graph(model.graph)
    folder.mkdir(parents=True, exist_ok=True)
    written = 0
    # Renamed when complete, so that an interrupted run leaves nothing that looks whole; several may run at once.
    partial = folder / f"weights.{os.getpid()}.partial"
    with open(partial, "wb") as file:
        for tensor in model.graph.initializer:
            if tensor.data_location != onnx.TensorProto.EXTERNAL:
                continue
            place = {entry.key: entry.value for entry in tensor.external_data}
            if place["location"] != f"{model_path.name}.data":
                raise ValueError(f"{model_path}: initializer '{tensor.name}' lives in '{place['location']}', "
                                 f"expected '{model_path.name}.data'")
            data = values(tensor, graph.distribution(tensor))
            if data.nbytes != int(place["length"]):
                raise ValueError(f"{model_path}: initializer '{tensor.name}' has length {place['length']}, "
                                 f"its shape and type need {data.nbytes}")
            file.seek(int(place["offset"]))
            file.write(data.tobytes())
            written += data.nbytes
    partial.replace(folder / f"{model_path.name}.data")
    if folder.resolve() != model_path.parent.resolve():
        copy_whole(model_path, folder / model_path.name)
    return written


def main() -> int:
    parser = argparse.ArgumentParser(description="Regenerate the weights of a model into a folder.")
    parser.add_argument("model", type=Path, help="a model.onnx whose weights are external")
    parser.add_argument("folder", type=Path, help="where to write the model and its .data file")
    arguments = parser.parse_args()
    try:
        written = make_weights(arguments.model, arguments.folder)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{arguments.folder / arguments.model.name}: {written / 1e6:.1f} MB of weights")
    return 0


if __name__ == "__main__":
    sys.exit(main())
