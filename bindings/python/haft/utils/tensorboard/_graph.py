"""A model as TensorBoard's graph: what autograd records while it runs, under the names of its modules."""
import haft

from ... import _haft
from ...autograd.graph import leaf_number
from ..checkpoint import _flat as _collect
from . import _record


def _paths(model):
    # Net/Sequential[body]/Linear[0]
    paths = {}
    for name, module in model.named_modules():
        above, _, own = name.rpartition(".")
        kind = type(module).__name__
        paths[module] = f"{paths[model.get_submodule(above)]}/{kind}[{own}]" if name else kind
    return paths


class _Scopes:
    # The spans of node numbers that the modules recorded, inner ones last.
    def __init__(self, paths):
        self.spans, self.open, self.handles = [], [], []
        self.clock = haft.zeros((), requires_grad=True)
        for module, path in paths.items():
            self.handles.append(module.register_forward_pre_hook(lambda m, args, path=path: self.open.append((path, self.now()))))
            self.handles.append(module.register_forward_hook(lambda m, args, out: self.leave(), always_call=True))

    def now(self):
        with haft.enable_grad():
            return _haft.grad_fn(self.clock + 0).id()

    def leave(self):
        path, begin = self.open.pop()
        self.spans.append((begin, self.now(), path))

    def of(self, number):
        inside = [(end - begin, path) for begin, end, path in self.spans if begin < number < end]
        return min(inside)[1] + "/" if inside else ""

    def close(self):
        for handle in self.handles:
            handle.remove()


def _camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def graph_of(model, inputs):
    """The bytes of a GraphDef and its nodes as (name, operator, names of inputs)."""
    given = inputs if isinstance(inputs, (list, tuple)) else (inputs,)
    taken = [x.detach().clone().requires_grad_() if isinstance(x, haft.Tensor) and x.dtype.is_floating_point else x for x in given]
    paths = _paths(model)
    scopes = _Scopes(paths)
    try:
        with haft.enable_grad():
            outputs = _collect(model(*taken), [])
    finally:
        scopes.close()

    names, nodes, used = {}, [], {}

    def unique(name):
        used[name] = used.get(name, 0) + 1
        return name if used[name] == 1 else f"{name}_{used[name] - 1}"

    leaves = {}  # number of the node: name, operator, shape
    for name, p in model.named_parameters():
        above, _, own = name.rpartition(".")
        if p.requires_grad:
            leaves[leaf_number(p)] = f"{paths[model.get_submodule(above)]}/{own}", "Parameter", p.shape
    for i, x in enumerate(_collect(taken, [])):
        name = unique(f"input/input_{i}" if i else "input/input")
        if x.requires_grad:
            leaves[leaf_number(x)] = name, "IO Node", x.shape
        nodes.append((name, "IO Node", [], x.shape))

    def name_of(node):
        number = node.id()
        if number in names:
            return names[number]
        leaf = node.variable() if node.name().startswith("AccumulateGrad") else None
        if number in leaves:
            name, operator, shape = leaves[number]
            if operator == "Parameter":
                name = unique(name)
                nodes.append((name, operator, [], shape))
        elif leaf is not None:
            name = unique("constant")
            nodes.append((name, "Constant", [], leaf.shape))
        else:
            operator = _camel(node.name().removesuffix("Backward0").removesuffix("Backward"))
            name = unique(scopes.of(number) + operator)
            before = [name_of(n) for n in found[number][1]]  # all of them earlier ones, which have their names
            nodes.append((name, operator, before, None))
        names[number] = name
        return name

    # What a node needs has a lower number, so that nothing recurses in the order of numbers.
    waiting = [node for t in outputs if (node := _haft.grad_fn(t)) is not None]
    found = {}
    while waiting:
        node = waiting.pop()
        if node.id() not in found:
            before = [n for i in range(node.next_count()) if (n := node.next(i)) is not None]
            found[node.id()] = node, before
            waiting.extend(before)
    for number in sorted(found):
        name_of(found[number][0])
    for i, t in enumerate(outputs):
        node = _haft.grad_fn(t)
        source = [] if node is None else [names[node.id()]]
        nodes.append((unique(f"output/output_{i}" if i else "output/output"), "IO Node", source, t.shape))

    out = bytearray()
    for name, operator, before, shape in nodes:
        body = _record.data(1, name) + _record.data(2, operator) + b"".join(_record.data(3, b) for b in before or ())
        if shape is not None:
            dims = b"".join(_record.data(2, _record.integer(1, n)) for n in shape)
            shapes = _record.data(1, _record.data(7, dims))  # AttrValue.list of one shape
            body += _record.data(5, _record.data(1, "_output_shapes") + _record.data(2, shapes))
        out += _record.data(1, body)
    out += _record.data(4, _record.integer(1, 22))  # VersionDef.producer
    return bytes(out), [(name, operator, before or []) for name, operator, before, _ in nodes]
