"""Single operators and small graphs as test cases, and how many of them become one ONNX model."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper


@dataclass
class Const:
    """An operand that is an initializer, not an input of the model."""

    value: np.ndarray


@dataclass
class Case:
    """One node: its operands (None: absent), attributes, and number of outputs, at one opset."""

    name: str
    operator: str
    operands: list[np.ndarray | Const | None]
    attributes: dict[str, Any]
    opset: int
    outputs: int

    def operand_name(self, index: int) -> str:
        return "" if self.operands[index] is None else f"{self.name}.{index}"

    def output_names(self) -> list[str]:
        return [f"{self.name}.result{index}" for index in range(self.outputs)]

    def nodes(self) -> list[onnx.NodeProto]:
        inputs = [self.operand_name(index) for index in range(len(self.operands))]
        return [helper.make_node(self.operator, inputs, self.output_names(), name=self.name, **self.attributes)]

    def inputs(self) -> dict[str, np.ndarray]:
        return {self.operand_name(i): array for i, array in enumerate(self.operands) if isinstance(array, np.ndarray)}

    def initializers(self) -> list[onnx.TensorProto]:
        return [numpy_helper.from_array(operand.value, self.operand_name(index))
                for index, operand in enumerate(self.operands) if isinstance(operand, Const)]


def case(name: str, operator: str, *operands: np.ndarray | Const | None, opset: int = 18, outputs: int = 1, **attributes: Any) -> Case:
    return Case(name, operator, list(operands), attributes, opset, outputs)


class Graph:
    """Several nodes as one case, with the face of a `Case`. Operands are names of its values, arrays (inputs), or constants."""

    def __init__(self, name: str, opset: int = 18):
        self.name, self.opset = name, opset
        self._nodes: list[onnx.NodeProto] = []
        self._arrays: dict[str, np.ndarray] = {}
        self._constants: list[onnx.TensorProto] = []
        self._results: list[str] = []

    def op(self, operator: str, *operands: str | np.ndarray | Const, **attributes: Any) -> str:
        """Appends a node; the name of its first result."""
        names = [self._name_of(operand) for operand in operands]
        result = self._new_name()
        self._nodes.append(helper.make_node(operator, names, [result], name=result, **attributes))
        return result

    def input(self, array: np.ndarray) -> str:
        name = self._new_name()
        self._arrays[name] = array
        return name

    def result(self, value: str) -> None:
        self._results.append(self.op("Identity", value))

    def _new_name(self) -> str:
        return f"{self.name}.{len(self._nodes) + len(self._arrays) + len(self._constants)}"

    def _name_of(self, operand: str | np.ndarray | Const) -> str:
        if isinstance(operand, str):
            return operand
        if isinstance(operand, np.ndarray):
            return self.input(operand)
        name = self._new_name()
        self._constants.append(numpy_helper.from_array(operand.value, name))
        return name

    def nodes(self) -> list[onnx.NodeProto]:
        return self._nodes

    def inputs(self) -> dict[str, np.ndarray]:
        return self._arrays

    def initializers(self) -> list[onnx.TensorProto]:
        return self._constants

    def output_names(self) -> list[str]:
        return self._results


def model_of(cases: list[Case | Graph]) -> onnx.ModelProto:
    """One model of all cases, independent of each other; its outputs have no types yet. The cases have one opset."""
    inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
              for each in cases for name, array in each.inputs().items()]
    outputs = [onnx.ValueInfoProto(name=name) for each in cases for name in each.output_names()]
    graph = helper.make_graph([node for each in cases for node in each.nodes()], "cases", inputs, outputs,
                              [tensor for each in cases for tensor in each.initializers()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", cases[0].opset)], ir_version=8)


def declare_outputs(model: onnx.ModelProto, arrays: dict[str, np.ndarray]) -> None:
    """Gives the outputs the types and shapes of `arrays`, which ONNX requires."""
    for output in model.graph.output:
        array = arrays[output.name]
        output.CopyFrom(helper.make_tensor_value_info(output.name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape))
    onnx.checker.check_model(model)


_random = np.random.Generator(np.random.PCG64(7))


def normal(*shape: int, dtype=np.float32) -> np.ndarray:
    return _random.standard_normal(shape).astype(dtype)


def positive(*shape: int) -> np.ndarray:
    return (np.abs(_random.standard_normal(shape)) + 0.1).astype(np.float32)


def integers(low: int, high: int, *shape: int, dtype=np.int64) -> np.ndarray:
    return _random.integers(low, high, shape).astype(dtype)


def booleans(*shape: int) -> np.ndarray:
    return _random.integers(0, 2, shape).astype(bool)


def ints(*values: int) -> Const:
    """A constant list of int64: axes, shapes, starts."""
    return Const(np.array(values, np.int64))


def floats(*values: float) -> Const:
    return Const(np.array(values, np.float32))


def scalar(value: float | int | bool, dtype=np.float32) -> Const:
    return Const(np.array(value, dtype))
