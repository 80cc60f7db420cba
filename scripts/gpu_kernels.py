"""The kernels of a program as a program of their own: each is one step, with inputs and outputs that nobody else uses.

Made from the text of phase `kernels`. So every kernel, and every matrix product of another form, can be run and timed alone, and compared with
what a processor computes.
"""

import re
from dataclasses import dataclass
from math import prod

ALIGNMENT = 256
ELEMENT_BYTES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i16": 2, "i8": 1, "i1": 1}
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

    def operations(self) -> int:
        """Multiplications and additions of a matrix product."""
        match = re.search(r'"(\w+),(\w+)->', self.before)
        if not match:
            return 0
        sizes = {}
        for letters, operand in zip(match.groups(), self.operands):
            sizes.update(zip(letters, split_type(operand)[0]))
        return 2 * prod(sizes.values())


def parse_operation(line: str, number: int) -> Step | None:
    match = re.match(r"\s*%[\w:]+ = (rank\.launch @[\w.]+|rank\.matmul \"[^\"]*\")(.*?) \{rank\.offsets = .*?\}"
                     r" : \((.*)\) -> (.*)$", LOCATION.sub("", line))
    if not match:
        return None
    before, middle, operands, results = match.groups()
    types = [re.findall(r"tensor<[^>]*>", text) for text in (operands, results)]
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


def functions_of(text: str) -> str:
    return "\n".join(re.findall(r"^  func\.func private @.*?^  }", LOCATION.sub("", text), re.MULTILINE | re.DOTALL))


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


def program_of(steps: list[Step], functions: str, target: str) -> str:
    """The text of a program, of phase `kernels`, that runs each step once."""
    arena, arguments, body, results = Arena(), [], [], []
    for number, step in enumerate(steps):
        names = []
        for place, operand in enumerate(step.operands):
            names.append(f"%a{len(arguments)}")
            arguments.append(f'{names[-1]}: {operand} {{froe.global_type = {operand}, froe.name = "{step.name} in {place}", '
                             f"froe.sharding = {sharding(operand)}, rank.offset = {arena.place(operand)} : i64}}")
        offsets = ", ".join(str(arena.place(result)) for result in step.results)
        plain = len(names) - step.post_count
        operands = (f" {', '.join(names[:plain])} posts {step.posts}({', '.join(names[plain:])})" if step.posts
                    else f"({', '.join(names)})")
        count = f":{len(step.results)}" if len(step.results) > 1 else ""
        body.append(f"    %r{number}{count} = {step.before}{operands} {{rank.offsets = array<i64: {offsets}>}} : "
                    f"({', '.join(step.operands)}) -> {signature(step.results)} loc(\"{step.name}\")")
        results += [(f"%r{number}{f'#{i}' if count else ''}", result, f"{step.name} out {i}") for i, result in enumerate(step.results)]
    outputs = ", ".join(f'{kind} {{froe.global_type = {kind}, froe.name = "{name}", froe.sharding = {sharding(kind)}}}'
                        for _, kind, name in results)
    returned = f"    return {', '.join(value for value, _, _ in results)} : {', '.join(kind for _, kind, _ in results)}"
    return "\n".join([f'module attributes {{froe.phase = "kernels", froe.source = "kernels", froe.target = "{target}"}} {{',
                      '  froe.mesh @mesh ["x" = 1]', f"  func.func @main({', '.join(arguments)}) -> ({outputs}) "
                      f"attributes {{rank.arena_bytes = {max(arena.bytes, 1)} : i64}} {{", *body, returned, "  }", functions, "}", ""])


def signature(types: list[str]) -> str:
    return types[0] if len(types) == 1 else f"({', '.join(types)})"
