"""Short words for small ONNX models; the tests in the folder above are made of them."""

import numpy
import onnx
from onnx import TensorProto, helper

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def node(op, inputs, outputs, name=None, **attributes):
    """`inputs` and `outputs` are names separated by blanks; `-` stands for one that is left out."""
    split = lambda names: ["" if n == "-" else n for n in names.split()]
    return helper.make_node(op, split(inputs), split(outputs), name=op.lower() if name is None else name, **attributes)


def integers(name, *values):
    return onnx.numpy_helper.from_array(numpy.array(values, numpy.int64), name)


def weight(name, *shape):
    """Floats 0, 1, 2, …"""
    size = int(numpy.prod(shape))
    return onnx.numpy_helper.from_array(numpy.arange(size, dtype=numpy.float32).reshape(shape), name)


def external(name, shape, location, **keys):
    """A float tensor whose elements are said to lie in the file `location`."""
    tensor = TensorProto(name=name, data_type=FLOAT, dims=shape, data_location=TensorProto.EXTERNAL)
    for key, value in {"location": location, **keys}.items():
        tensor.external_data.add(key=key, value=str(value))
    return tensor


def graph(nodes, inputs, outputs, initializers=(), name="graph"):
    """`inputs` maps names to shapes, or to (element type, shape); `outputs` are names separated by blanks."""
    typed = {n: s if isinstance(s, tuple) else (FLOAT, s) for n, s in inputs.items()}
    return helper.make_graph(
        nodes, name, [helper.make_tensor_value_info(n, *t) for n, t in typed.items()],
        [helper.make_tensor_value_info(n, FLOAT, None) for n in outputs.split()], list(initializers))


def save(path, nodes, inputs, outputs, initializers=(), opset=18, functions=(), domains={}):
    opsets = [helper.make_opsetid("", opset)] + [helper.make_opsetid(d, v) for d, v in domains.items()]
    model = helper.make_model(graph(nodes, inputs, outputs, initializers), opset_imports=opsets, functions=list(functions))
    onnx.save_model(model, path)
