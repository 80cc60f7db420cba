"""Prints a plan in which a 2-D tensor goes from every sharding to every other one.

    all-reshards.py MESH [partial]     MESH as 2, 3, 2x2; partial: from partial sums, which a contraction makes
"""
import itertools
import sys

ROWS, COLUMNS, SUMMED = 5, 6, 7
AXES = "xyzw"


def shardings(axes, partial):
    """Every way to give each axis to one dim (in either order), to the partial axes or to nothing."""
    places = [None, 0, 1] + (["p"] if partial else [])
    found = []
    for choice in itertools.product(places, repeat=len(axes)):
        for order in itertools.permutations(range(len(axes))):
            dims, terms = [[], []], []
            for i in order:
                (dims[choice[i]] if choice[i] in (0, 1) else terms if choice[i] == "p" else []).append(axes[i])
            found.append((dims, sorted(terms)))
    unique = []
    for sharding in found:
        if sharding not in unique and (not partial or sharding[1]):
            unique.append(sharding)
    return unique


def braces(axes):
    return "{" + ", ".join(f'"{a}"' for a in axes) + "}"


def text(dims, terms=()):
    tail = f", partial<sum>{braces(terms)}" if terms else ""
    return f"#froe.sharding<@mesh, [{', '.join(map(braces, dims))}]{tail}>"


def main():
    sizes = [int(size) for size in sys.argv[1].split("x")]
    partial = sys.argv[2:] == ["partial"]
    axes = AXES[:len(sizes)]
    sources, targets = shardings(axes, partial), shardings(axes, False)
    parameters, body, results, types = [], [], [], []
    kind = f"tensor<{ROWS}x{COLUMNS}xf32>"
    left, right = f"tensor<{ROWS}x{SUMMED}xf32>", f"tensor<{SUMMED}x{COLUMNS}xf32>"
    for s, (dims, terms) in enumerate(sources):
        if partial:
            first, second = text([dims[0], terms]), text([terms, dims[1]])
            parameters += [f"%l{s}: {left} {{froe.sharding = {first}}}", f"%r{s}: {right} {{froe.sharding = {second}}}"]
            body.append(f'%s{s} = froe.contract "ab,bc->ac" %l{s}, %r{s} {{froe.in = [{first}, {second}], froe.out = [{text(dims, terms)}]}} : '
                        f"{left}, {right} -> {kind}")
        else:
            parameters.append(f"%s{s}: {kind} {{froe.sharding = {text(dims)}}}")
        for t, (wanted, _) in enumerate(targets):
            form = text(wanted)
            body.append(f"%o{s}_{t} = froe.neg %s{s} {{froe.in = [{form}], froe.out = [{form}]}} : {kind}")
            results.append(f"%o{s}_{t}")
            types.append(f"{kind} {{froe.sharding = {form}}}")
    mesh = ", ".join(f'"{a}" = {n}' for a, n in zip(axes, sizes))
    print(f"froe.mesh @mesh [{mesh}]\nfunc.func @main({', '.join(parameters)})\n    -> ({', '.join(types)}) {{")
    print("\n".join("  " + line for line in body))
    print(f"  return {', '.join(results)} : {', '.join([kind] * len(results))}\n}}")


main()
