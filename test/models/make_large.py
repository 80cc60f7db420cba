#!/usr/bin/env python3
"""Write the graph of a large language model, without its weights: planning needs only their shapes.

    make_large.py gpt3-175b -o /tmp/gpt3-175b                     # model.onnx, less than 2 MB
    froe plan /tmp/gpt3-175b/model.onnx --dim batch=256 --dim sequence=2048 --cluster h100:8x128

Nodes are those that PyTorch's exporter writes (see gpt2, tinyllama-1.1b and moe-small), all in float32. Weights are
external data of `model.onnx.data` with offsets and lengths as if it were there. Attention is causal, without padding.

Mixtures of experts are dense: every expert sees every token, and gates outside the top ones are zero. The experts are
one dim of each weight, so a plan can cut it. (Of equal gates more than the wished number may stay.)
"""

import argparse
import dataclasses
import math
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

DATA_FILE = "model.onnx.data"
ALIGNMENT = 64
END = 2**63 - 1


@dataclass(frozen=True)
class Config:
    """The sizes of a decoder-only transformer."""

    layers: int
    hidden: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int = 2048  # learned ones (GPT)
    key_value_heads: int = 0  # 0: as many as heads
    rope_theta: float = 0  # 0: a GPT
    experts: int = 0
    top: int = 2
    tied: bool = False  # the head is the embedding

    @property
    def head_size(self) -> int:
        return self.hidden // self.heads


# GPT-3: Brown et al. 2020, table 2.1, where heads x head size is the hidden size (1.3B: as in Megatron-LM).
# Llama 3: Grattafiori et al. 2024, table 3. 8x7B: Mixtral, Jiang et al. 2024, table 1.
MODELS = {
    "gpt3-1.3b": Config(24, 2048, 16, 8192, 50257, tied=True),
    "gpt3-13b": Config(40, 5120, 40, 20480, 50257, tied=True),
    "gpt3-175b": Config(96, 12288, 96, 49152, 50257, tied=True),
    "llama3-8b": Config(32, 4096, 32, 14336, 128256, key_value_heads=8, rope_theta=5e5),
    "llama3-70b": Config(80, 8192, 64, 28672, 128256, key_value_heads=8, rope_theta=5e5),
    "llama3-405b": Config(126, 16384, 128, 53248, 128256, key_value_heads=8, rope_theta=5e5),
    "moe-8x7b": Config(32, 4096, 32, 14336, 32000, key_value_heads=8, rope_theta=1e6, experts=8),
}


class GraphWriter:
    """Nodes, constants and weights of one graph. Operators are named after the module that they are in."""

    def __init__(self):
        self.nodes, self.initializers, self.outputs = [], {}, []
        self.modules, self.counts = [], {}
        self.data_size = self.parameters = 0

    def module(self, name: str):
        """`with graph.module(NAME):` names operators below it."""
        writer = self

        class Module:
            def __enter__(self):
                writer.modules.append(name)

            def __exit__(self, *_):
                writer.modules.pop()

        return Module()

    def op(self, operator: str, *inputs: str, results: int = 1, output: str | None = None, **attributes):
        """Adds a node; returns its result, or a list of them where it has several."""
        name = "/" + "/".join([*self.modules, operator])
        count = self.counts[name] = self.counts.get(name, -1) + 1
        name += f"_{count}" if count else ""
        outputs = [output] if output else [f"{name}_output_{index}" for index in range(results)]
        self.nodes.append(helper.make_node(operator, inputs, outputs, name=name, **attributes))
        return outputs[0] if results == 1 else outputs

    def constant(self, values, dtype=np.int64) -> str:
        """A small tensor that is part of the file; equal ones are one."""
        array = np.array(values, dtype=dtype)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self.initializers:
            self.initializers[key] = numpy_helper.from_array(array, f"constant_{len(self.initializers)}")
        return self.initializers[key].name

    def number(self, value: float) -> str:
        return self.constant(value, np.float32)

    def weight(self, name: str, *shape: int) -> str:
        """A reference to float32 data that need not exist."""
        if name not in self.initializers:
            length = 4 * math.prod(shape)
            tensor = TensorProto(name=name, dims=shape, data_type=TensorProto.FLOAT, data_location=TensorProto.EXTERNAL)
            for key, value in (("location", DATA_FILE), ("offset", self.data_size), ("length", length)):
                tensor.external_data.add(key=key, value=str(value))
            self.initializers[name] = tensor
            self.data_size += -(-length // ALIGNMENT) * ALIGNMENT
            self.parameters += math.prod(shape)
        return name


class Decoder:
    """Emits what all models have in common; `batch` and `sequence` are shape tensors of one element."""

    def __init__(self, config: Config, cache: bool):
        self.config, self.cache, self.graph = config, cache, GraphWriter()
        self.batch = self.graph.op("Shape", "input_ids", start=0, end=1)
        self.sequence = self.graph.op("Shape", "input_ids", start=1, end=2)

    def shape(self, *sizes: int | str) -> str:
        """The operand of a Reshape or Expand."""
        if all(isinstance(size, int) for size in sizes):
            return self.graph.constant(sizes)
        parts = [self.graph.constant([size]) if isinstance(size, int) else size for size in sizes]
        return self.graph.op("Concat", *parts, axis=0)

    def reshape(self, x: str, *sizes: int | str) -> str:
        return self.graph.op("Reshape", x, self.shape(*sizes), allowzero=1)

    def positions(self) -> str:
        """0, 1, … sequence - 1"""
        length = self.graph.op("Squeeze", self.sequence)
        return self.graph.op("Range", self.graph.constant(0), length, self.graph.constant(1))

    def split_heads(self, x: str, heads: int) -> str:
        view = self.reshape(x, self.batch, self.sequence, heads, self.config.head_size)
        return self.graph.op("Transpose", view, perm=[0, 2, 1, 3])

    def attention(self, query: str, key: str, value: str) -> str:
        """Scaled dot product attention with `is_causal`, as torch.export writes it; heads are joined again."""
        graph, op = self.graph, self.graph.op
        minus_two, minus_one, end = (graph.constant([number]) for number in (-2, -1, END))
        query_shape, key_shape = op("Shape", query, start=0), op("Shape", key, start=0)
        length = op("Slice", key_shape, minus_two, minus_one)
        square = op("Concat", op("Slice", query_shape, minus_two, minus_one), length, axis=0)
        lower = op("Trilu", op("Expand", graph.number(1), square), upper=0)
        zero = graph.number(0)
        mask = op("Where", op("Equal", lower, zero), graph.number(np.finfo(np.float32).min), zero)
        size = op("Slice", key_shape, minus_one, end)
        leading = op("Slice", key_shape, graph.constant([-END - 1]), minus_two)
        merged = op("Reshape", key, op("Concat", minus_one, length, size, axis=0), allowzero=0)
        transposed = op("Transpose", merged, perm=[0, 2, 1])
        transposed = op("Reshape", transposed, op("Concat", leading, size, length, axis=0), allowzero=0)
        scale = graph.number(self.config.head_size**-0.25)
        scores = op("MatMul", op("Mul", query, scale), op("Mul", transposed, scale))
        weights = op("Softmax", op("Add", scores, mask), axis=-1)
        joined = op("Transpose", op("MatMul", weights, value), perm=[0, 2, 1, 3])
        return self.reshape(joined, self.batch, self.sequence, self.config.hidden)

    def keep(self, layer: int, key: str, value: str):
        """Keys and values become outputs."""
        for kind, tensor in (("key", key), ("value", value)):
            name = f"present.{layer}.{kind}"
            self.graph.op("Identity", tensor, output=name)
            sizes = ["batch", self.config.key_value_heads or self.config.heads, "sequence", self.config.head_size]
            self.graph.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes))

    def head(self, x: str, weight: str):
        self.graph.op("MatMul", x, weight, output="logits")
        sizes = ["batch", "sequence", self.config.vocabulary]
        self.graph.outputs.insert(0, helper.make_tensor_value_info("logits", TensorProto.FLOAT, sizes))


class Gpt(Decoder):
    """Learned positions, layer norm before each half, one projection to q, k and v, GELU (tanh form)."""

    def linear(self, x: str, name: str, inputs: int, outputs: int) -> str:
        with self.graph.module(name.rsplit(".", 1)[-1]):
            weight, bias = self.graph.weight(f"{name}.weight", inputs, outputs), self.graph.weight(f"{name}.bias", outputs)
            product = self.graph.op("Gemm", self.reshape(x, -1, inputs), weight, bias)
            return self.reshape(product, self.batch, self.sequence, outputs)

    def norm(self, x: str, name: str) -> str:
        with self.graph.module(name.rsplit(".", 1)[-1]):
            scale, bias = (self.graph.weight(f"{name}.{part}", self.config.hidden) for part in ("weight", "bias"))
            return self.graph.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-5, stash_type=1)

    def gelu(self, x: str) -> str:
        op, number = self.graph.op, self.graph.number
        cubic = op("Mul", op("Pow", x, number(3)), number(0.044715))
        inner = op("Mul", op("Add", x, cubic), number(math.sqrt(2 / math.pi)))
        return op("Mul", op("Mul", x, number(0.5)), op("Add", op("Tanh", inner), number(1)))

    def self_attention(self, x: str, layer: int) -> str:
        hidden, name = self.config.hidden, f"transformer.h.{layer}.attn"
        joint = self.linear(x, f"{name}.c_attn", hidden, 3 * hidden)
        parts = self.graph.op("Split", joint, results=3, axis=2, num_outputs=3)
        query, key, value = (self.split_heads(part, self.config.heads) for part in parts)
        if self.cache:
            self.keep(layer, key, value)
        return self.linear(self.attention(query, key, value), f"{name}.c_proj", hidden, hidden)

    def feed_forward(self, x: str, layer: int) -> str:
        hidden, inner, name = self.config.hidden, self.config.feed_forward, f"transformer.h.{layer}.mlp"
        wide = self.linear(x, f"{name}.c_fc", hidden, inner)
        with self.graph.module("act"):
            wide = self.gelu(wide)
        return self.linear(wide, f"{name}.c_proj", inner, hidden)

    def write(self):
        config, graph = self.config, self.graph
        with graph.module("transformer"):
            table = graph.weight("transformer.wte.weight", config.vocabulary, config.hidden)
            places = graph.op("Unsqueeze", self.positions(), graph.constant([0]))
            place_table = graph.weight("transformer.wpe.weight", config.positions, config.hidden)
            x = graph.op("Add", graph.op("Gather", table, "input_ids"), graph.op("Gather", place_table, places))
            for layer in range(config.layers):
                with graph.module(f"h.{layer}"):
                    normal = self.norm(x, f"transformer.h.{layer}.ln_1")
                    with graph.module("attn"):
                        change = self.self_attention(normal, layer)
                    x = graph.op("Add", change, x)
                    normal = self.norm(x, f"transformer.h.{layer}.ln_2")
                    with graph.module("mlp"):
                        change = self.feed_forward(normal, layer)
                    x = graph.op("Add", x, change)
            x = self.norm(x, "transformer.ln_f")
        with graph.module("lm_head"):
            if config.tied:
                self.head(x, graph.op("Transpose", table, perm=[1, 0]))
            else:
                self.head(x, graph.weight("lm_head.weight", config.hidden, config.vocabulary))


class Llama(Decoder):
    """RMS norm, rotary positions, fewer key and value heads, gated feed-forward or experts."""

    def linear(self, x: str, name: str, inputs: int, outputs: int) -> str:
        with self.graph.module(name.rsplit(".", 1)[-1]):
            return self.graph.op("MatMul", x, self.graph.weight(f"{name}.weight", inputs, outputs))

    def norm(self, x: str, name: str) -> str:
        op = self.graph.op
        with self.graph.module(name.rsplit(".", 1)[-1]):
            square = op("Pow", x, self.graph.number(2))
            mean = op("ReduceMean", square, self.graph.constant([-1]), keepdims=1)
            root = op("Reciprocal", op("Sqrt", op("Add", mean, self.graph.number(1e-5))))
            return op("Mul", self.graph.weight(f"{name}.weight", self.config.hidden), op("Mul", x, root))

    def rotations(self) -> tuple[str, str]:
        """Cosine and sine, [1, 1, sequence, head size]."""
        graph, op, size = self.graph, self.graph.op, self.config.head_size
        with graph.module("rotary_emb"):
            frequencies = graph.constant(self.config.rope_theta ** (-np.arange(0, size, 2) / size), np.float32)
            places = op("Unsqueeze", self.positions(), graph.constant([0, 2]))
            angles = op("Mul", op("Cast", places, to=TensorProto.FLOAT), frequencies)
            angles = op("Concat", angles, angles, axis=-1)
            return tuple(op("Unsqueeze", op(kind, angles), graph.constant([1])) for kind in ("Cos", "Sin"))

    def rotate(self, x: str, rotations: tuple[str, str]) -> str:
        graph, op, half = self.graph, self.graph.op, self.config.head_size // 2
        begin, middle, end, axis, one = (graph.constant([value]) for value in (0, half, END, 3, 1))
        first, second = op("Slice", x, begin, middle, axis, one), op("Slice", x, middle, end, axis, one)
        turned = op("Concat", op("Neg", second), first, axis=-1)
        return op("Add", op("Mul", x, rotations[0]), op("Mul", turned, rotations[1]))

    def repeat_heads(self, x: str) -> str:
        heads, groups, size = self.config.heads, self.config.key_value_heads, self.config.head_size
        shape = self.shape(self.batch, groups, heads // groups, self.sequence, size)
        repeated = self.graph.op("Expand", self.graph.op("Unsqueeze", x, self.graph.constant([2])), shape)
        return self.reshape(repeated, self.batch, heads, self.sequence, size)

    def self_attention(self, x: str, layer: int, rotations: tuple[str, str]) -> str:
        config, name = self.config, f"model.layers.{layer}.self_attn"
        narrow = config.key_value_heads * config.head_size
        query = self.split_heads(self.linear(x, f"{name}.q_proj", config.hidden, config.hidden), config.heads)
        key = self.split_heads(self.linear(x, f"{name}.k_proj", config.hidden, narrow), config.key_value_heads)
        value = self.split_heads(self.linear(x, f"{name}.v_proj", config.hidden, narrow), config.key_value_heads)
        query, key = self.rotate(query, rotations), self.rotate(key, rotations)
        if self.cache:
            self.keep(layer, key, value)
        joined = self.attention(query, self.repeat_heads(key), self.repeat_heads(value))
        return self.linear(joined, f"{name}.o_proj", config.hidden, config.hidden)

    def silu(self, x: str) -> str:
        return self.graph.op("Mul", x, self.graph.op("Sigmoid", x))

    def feed_forward(self, x: str, layer: int) -> str:
        hidden, inner, name = self.config.hidden, self.config.feed_forward, f"model.layers.{layer}.mlp"
        gate = self.silu(self.linear(x, f"{name}.gate_proj", hidden, inner))
        up = self.linear(x, f"{name}.up_proj", hidden, inner)
        return self.linear(self.graph.op("Mul", gate, up), f"{name}.down_proj", inner, hidden)

    def gates(self, tokens: str, name: str) -> str:
        """[tokens, experts]: the largest shares, summing to one; the others are zero."""
        graph, op, last = self.graph, self.graph.op, self.graph.constant([-1])
        zero = graph.number(0)
        with graph.module("gate"):
            weight = graph.weight(f"{name}.gate.weight", self.config.experts, self.config.hidden)
            shares = rest = op("Softmax", op("Gemm", tokens, weight, transB=1), axis=-1)
            least = op("ReduceMax", rest, last, keepdims=1)
            for _ in range(self.config.top - 1):
                rest = op("Where", op("GreaterOrEqual", rest, least), zero, rest)
                least = op("ReduceMax", rest, last, keepdims=1)
            kept = op("Where", op("GreaterOrEqual", shares, least), shares, zero)
            return op("Div", kept, op("ReduceSum", kept, last, keepdims=1))

    def mixture(self, x: str, layer: int) -> str:
        graph, op, config = self.graph, self.graph.op, self.config
        name = f"model.layers.{layer}.block_sparse_moe"
        tokens = self.reshape(x, -1, config.hidden)
        gates = self.gates(tokens, name)
        with graph.module("experts"):
            w1, w3 = (graph.weight(f"{name}.experts.{part}", config.experts, config.hidden, config.feed_forward)
                      for part in ("w1", "w3"))
            w2 = graph.weight(f"{name}.experts.w2", config.experts, config.feed_forward, config.hidden)
            inner = op("Mul", self.silu(op("MatMul", tokens, w1)), op("MatMul", tokens, w3))
            each = op("MatMul", inner, w2)
            share = op("Unsqueeze", op("Transpose", gates, perm=[1, 0]), graph.constant([-1]))
            total = op("ReduceSum", op("Mul", each, share), graph.constant([0]), keepdims=0)
        return self.reshape(total, self.batch, self.sequence, config.hidden)

    def write(self):
        config, graph = self.config, self.graph
        with graph.module("model"):
            table = graph.weight("model.embed_tokens.weight", config.vocabulary, config.hidden)
            x = graph.op("Gather", table, "input_ids")
            rotations = self.rotations()
            for layer in range(config.layers):
                with graph.module(f"layers.{layer}"):
                    normal = self.norm(x, f"model.layers.{layer}.input_layernorm")
                    with graph.module("self_attn"):
                        change = self.self_attention(normal, layer, rotations)
                    x = graph.op("Add", x, change)
                    normal = self.norm(x, f"model.layers.{layer}.post_attention_layernorm")
                    with graph.module("block_sparse_moe" if config.experts else "mlp"):
                        change = (self.mixture if config.experts else self.feed_forward)(normal, layer)
                    x = graph.op("Add", x, change)
            x = self.norm(x, "model.norm")
        with graph.module("lm_head"):
            self.head(x, graph.weight("lm_head.weight", config.hidden, config.vocabulary))


def make_model(config: Config, cache: bool = False) -> tuple[onnx.ModelProto, int]:
    """The model, and the number of its parameters."""
    decoder = (Llama if config.rope_theta else Gpt)(config, cache)
    decoder.write()
    graph = decoder.graph
    tokens = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "sequence"])
    proto = helper.make_graph(graph.nodes, "main_graph", [tokens], graph.outputs, list(graph.initializers.values()))
    return helper.make_model(proto, opset_imports=[helper.make_opsetid("", 18)], ir_version=10), graph.parameters


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the graph of a large model, without its weights.")
    parser.add_argument("name", choices=MODELS, help="which model")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder for model.onnx")
    parser.add_argument("--layers", type=int, help="another number of layers")
    parser.add_argument("--cache", action="store_true", help="keys and values are outputs as well")
    parser.add_argument("--untied", action="store_true", help="the head has a weight of its own")
    arguments = parser.parse_args()
    config = MODELS[arguments.name]
    if arguments.layers is not None:
        if arguments.layers < 1:
            parser.error(f"--layers: expected at least 1, found {arguments.layers}")
        config = dataclasses.replace(config, layers=arguments.layers)
    if arguments.untied:
        config = dataclasses.replace(config, tied=False)
    model, parameters = make_model(config, arguments.cache)
    try:
        arguments.output.mkdir(parents=True, exist_ok=True)
        onnx.save(model, arguments.output / "model.onnx")
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{arguments.output / 'model.onnx'}: {len(model.graph.node)} nodes, {parameters / 1e9:.2f} billion parameters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
