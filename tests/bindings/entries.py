"""The entries of core/schema/modules.def, and the keys that PyTorch's layers of these names have.

usage: entries.py MODULES.DEF FILE      writes a line an entry: kind, name, keys of the state ("?" where PyTorch has no such class)

Every size is 2, so that whatever an entry wants fits: tests of all languages make it from 2 where a value has no default.
"""
import re
import sys


def parse(path):
    """(kind, name, function, [(type, name, default or None) of each parameter]) of each entry."""
    text = ""
    for file in (path, path.replace("modules.def", "modules_optim.def")):  # which it includes
        with open(file) as f:
            text += "".join(line for line in f if not line.startswith("//")).replace("\\\n", " ")
    for name in re.findall(r"^#define (HAFT_\w+) ", text, re.M):  # parameters that entries share, some of others
        body = re.search(rf"^#define {name} +(.*)$", text, re.M).group(1)
        text = re.sub(rf"\b(?<!#define ){name}\b", lambda _: body, text)
    entries = []
    for match in re.finditer(r'^(LAYER|FUNCTION|LOSS|OPTIMIZER|SCHEDULE)\((\w+), (\w+),\s(.*?)\)$', text, re.M | re.S):
        kind, name, function, rest = match.groups()
        found = [re.match(r"(int|int\?|bool|float|float\[\]|int\[\]|pair|Tensor\?|Reduction|PaddingMode|Interpolation|BagMode|OrthogonalMap) (\w+)(?:=(.*?))?(?: (?:>=?|in) .*?)?: ", t)
                 for t in re.findall(r'"([^"]*)"', rest)]
        kind = "layer" if kind == "FUNCTION" else kind.lower()  # an operator as a layer
        entries.append((kind, name, function, [p.groups() for p in found if p]))
    return entries


def read(path):
    """(kind, name, function, names of the parameters without a default) of each entry."""
    return [(kind, name, function, [p for _, p, default in parameters if default is None]) for kind, name, function, parameters in parse(path)]


def main(definitions, path):
    import torch
    with open(path, "w") as f:
        for kind, name, _, required in read(definitions):
            peer = getattr(torch.nn, name, None) if kind == "layer" else None
            sizes = [2] * len(required)
            if name in ("TransformerEncoder", "TransformerDecoder"):  # PyTorch's copy a layer
                sizes = [getattr(torch.nn, name + "Layer")(2, 2), 2]
            keys = "?"
            if peer is not None:
                try:
                    made = peer(*sizes)
                except TypeError:  # its last one is a tuple only
                    # PyTorch's wants more classes than this, C's does not.
                    made = None if name == "AdaptiveLogSoftmaxWithLoss" else peer(*sizes[:-1], (2,))
                keys = "?" if made is None else ",".join(made.state_dict())
            f.write(f"{kind} {name} {keys}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
