"""The kernels of a program as a program of their own: each is one step, with inputs and outputs that nobody else uses.

Made from the text of phase `kernels`. So every kernel, and every matrix product of another form, can be run and timed alone, and compared with
what a processor computes.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

ALIGNMENT = 256
ELEMENT_BYTES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i16": 2, "i8": 1, "i1": 1}
TENSOR = r"tensor<[^>]*>"
PRODUCT = re.compile(r'rank\.matmul "(\w+),(\w+)->.*? : \((.*?)\)')
LOCATION = re.compile(r' loc\((?:#loc\d*|"(?:[^"\\]|\\.)*")\)')


def split_type(text: str) -> tuple[list[int], str]:
    """Of `tensor<8x128xf32>`."""
    *dims, element = text.removeprefix("tensor<").removesuffix(">").split("x")
    return [int(dim) for dim in dims], element.removeprefix("u").removeprefix("s")


def bytes_of(text: str) -> int:
    dims, element = split_type(text)
    return prod(dims) * ELEMENT_BYTES[element]


@dataclass
class Step:
    """One op of phase `kernels`, without its operands' names."""

    name: str  # of the kernel; "product 3" for matrix products
    before: str  # the op up to its operands: `rank.launch @softmax_0`, `rank.matmul "xy,yz->xz"`
    operands: list[str]  # types
    results: list[str]
    posts: str = ""  # of a matrix product; its last operands belong to them
    post_count: int = 0

    def bytes(self) -> int:
        return sum(map(bytes_of, self.operands + self.results))

    def operations(self, functions: dict[str, str]) -> int:
        """Multiplications and additions of its matrix products."""
        text = functions.get(self.name, f"{self.before} : ({', '.join(self.operands)})")
        return sum(product_operations(left, right, types) for left, right, types in PRODUCT.findall(text))

    def is_fused(self, functions: dict[str, str]) -> bool:
        """Whether it is a kernel with matrix products in it, which only GPUs have."""
        return self.name in functions and self.operations(functions) > 0


def product_operations(left: str, right: str, types: str) -> int:
    sizes = {}
    for letters, operand in zip((left, right), re.findall(TENSOR, types)):
        sizes.update(zip(letters, split_type(operand)[0]))
    return 2 * prod(sizes.values())


def parse_operation(line: str, number: int) -> Step | None:
    match = re.match(r"\s*%[\w:]+ = (rank\.launch @[\w.]+|rank\.matmul \"[^\"]*\")(.*?) \{rank\.offsets = .*?\}"
                     r" : \((.*)\) -> (.*)$", LOCATION.sub("", line))
    if not match:
        return None
    before, middle, operands, results = match.groups()
    types = [re.findall(TENSOR, text) for text in (operands, results)]
    if before.startswith("rank.launch"):
        return Step(before.split("@")[1], before, *types)
    posts = re.search(r"posts (\[.*\])\(", middle).group(1)
    post_operands = len(re.search(r"posts \[.*\]\((.*)\)$", middle).group(1).replace(",", " ").split())
    return Step(f"product {number}", before, *types, posts=posts, post_count=post_operands)


def steps_of(text: str) -> list[Step]:
    """Each kernel and each form of a product once, in the program's order."""
    found: dict[tuple, Step] = {}
    for line in text.splitlines():
        step = parse_operation(line, len(found))
        if step:
            found.setdefault((step.before, step.posts, *step.operands, *step.results), step)
    return list(found.values())


def functions_of(text: str) -> dict[str, str]:
    """The text of each kernel."""
    found = re.findall(r"^  func\.func private @([\w.]+)(.*?)^  }", LOCATION.sub("", text), re.MULTILINE | re.DOTALL)
    return {name: f"  func.func private @{name}{rest}  }}" for name, rest in found}


def body_of(function: str) -> list[str]:
    """Its operations."""
    return function.splitlines()[1:-2]


def sharding(type_text: str) -> str:
    return f"#froe.sharding<@mesh, [{', '.join(['{}'] * len(split_type(type_text)[0]))}]>"


class Arena:
    """Places, one behind the other."""

    def __init__(self) -> None:
        self.bytes = 0

    def place(self, type_text: str) -> int:
        offset = self.bytes
        self.bytes += -(-bytes_of(type_text) // ALIGNMENT) * ALIGNMENT
        return offset


class Program:
    """The text of a program whose steps have operands and results of their own."""

    def __init__(self, phase: str, target: str) -> None:
        self.phase, self.target = phase, target
        self.arguments, self.body, self.returned, self.outputs = [], [], [], []

    def add_operands(self, step: Step, attributes: Callable[[str], str]) -> list[str]:
        names = []
        for place, operand in enumerate(step.operands):
            names.append(f"%a{len(self.arguments)}")
            self.arguments.append(f'{names[-1]}: {operand} {{froe.global_type = {operand}, froe.name = "{step.name} in {place}", '
                                  f"froe.sharding = {sharding(operand)}{attributes(operand)}}}")
        return names

    def add_results(self, step: Step, names: list[str]) -> None:
        self.returned += names
        self.outputs += [(kind, f'{kind} {{froe.global_type = {kind}, froe.name = "{step.name} out {place}", froe.sharding = {sharding(kind)}}}')
                         for place, kind in enumerate(step.results)]

    def text(self, attributes: str = "", functions: Sequence[str] = ()) -> str:
        kinds, outputs = zip(*self.outputs)
        return "\n".join([f'module attributes {{froe.phase = "{self.phase}", froe.source = "kernels", froe.target = "{self.target}"}} {{',
                          '  froe.mesh @mesh ["x" = 1]',
                          f"  func.func @main({', '.join(self.arguments)}) -> ({', '.join(outputs)}){attributes} {{",
                          *self.body, f"    return {', '.join(self.returned)} : {', '.join(kinds)}", "  }", *functions, "}", ""])


def program_of(steps: list[Step], functions: dict[str, str], target: str) -> str:
    """A program, of phase `kernels`, that runs each step once."""
    arena, program = Arena(), Program("kernels", target)
    for number, step in enumerate(steps):
        names = program.add_operands(step, lambda operand: f", rank.offset = {arena.place(operand)} : i64")
        offsets = ", ".join(str(arena.place(result)) for result in step.results)
        plain = len(names) - step.post_count
        operands = (f" {', '.join(names[:plain])} posts {step.posts}({', '.join(names[plain:])})" if step.posts
                    else f"({', '.join(names)})")
        count = f":{len(step.results)}" if len(step.results) > 1 else ""
        program.body.append(f"    %r{number}{count} = {step.before}{operands} {{rank.offsets = array<i64: {offsets}>}} : "
                            f"({', '.join(step.operands)}) -> {signature(step.results)} loc(\"{step.name}\")")
        program.add_results(step, [f"%r{number}{f'#{i}' if count else ''}" for i in range(len(step.results))])
    return program.text(f" attributes {{rank.arena_bytes = {max(arena.bytes, 1)} : i64}}", [functions[step.name] for step in steps if step.name in functions])


def unfused_program_of(steps: list[Step], functions: dict[str, str]) -> str:
    """A program, of phase `rank`, that does what each of these kernels does, operation by operation."""
    program = Program("rank", "cpu")
    for number, step in enumerate(steps):
        names = program.add_operands(step, lambda operand: "")
        last = ""
        for line in body_of(functions[step.name]):
            line = re.sub(r"%arg(\d+)", lambda match: names[int(match.group(1))], line)
            line = re.sub(r"%(\d|cst)", rf"%s{number}_\1", line)
            program.body.append(line)
            last = line.split()[0]
        program.add_results(step, [last])
    return program.text()


def signature(types: list[str]) -> str:
    return types[0] if len(types) == 1 else f"({', '.join(types)})"
