"""Which public names of the package are thin wrappers of the core, and which compute something of their own above it.

Thin is what tools/generate has made of ops.def and modules.def, what SWIG has made of the engine, and a function that turns its arguments into
those of one call of the core and refuses what the core does not take. A class is thin where its methods are, or only keep and show attributes.

    above.py    prints the names above the core by module
"""
import ast
import functools
import importlib
import inspect
import pkgutil
import sys

import haft
from haft import _haft, _library

CALLABLE = (type, type(lambda: 0), type(len), functools.partial)
# What leads to the engine: the shim and Tensor's methods as SWIG made them, and attributes in which classes keep an object of it.
HOLDERS = {"_native", "_core", "_store", "_stream", "_writer", "_session", "_reader", "_engine", "_group", "_server", "_event", "_loader", "_scaler"}
PROGRAMS = {"haft.compat.program", "haft.distributed.run"}  # python -m runs them
ENGINE = set(_library.GENERATED)
# Own work: loops over data, generators, formulas.
WORK = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda, ast.FunctionDef, ast.Yield, ast.YieldFrom, ast.With, ast.Try,
        ast.AugAssign, ast.ClassDef)


def modules():
    """The public modules of the package."""
    yield haft
    for found in pkgutil.walk_packages(haft.__path__, "haft."):
        if not any(part[0] == "_" for part in found.name.split(".")) and found.name not in PROGRAMS:
            yield importlib.import_module(found.name)


def public():
    """Each public function, class and method of Tensor under its shortest name."""
    names = {}
    for module in modules():
        for name in getattr(module, "__all__", None) or [n for n in dir(module) if n[0] != "_"]:
            value = getattr(module, name)
            if isinstance(value, CALLABLE) and (getattr(value, "__module__", None) or "").startswith("haft"):
                names.setdefault(value, []).append(f"{module.__name__}.{name}")
    for name, value in vars(haft.Tensor).items():
        if name[0] != "_" and isinstance(value, CALLABLE):
            names.setdefault(value, []).append("haft.Tensor." + name)
    return {min(all_, key=lambda n: (n.count("."), ".Tensor." in n, n)): value for value, all_ in names.items()}


@functools.cache
def parsed(file):
    with open(file, encoding="utf-8") as f:
        text = f.read()
    head = text[:2000]
    # What stands in functions_python.def is written by hand, wherever it goes.
    return ast.parse(text), ("Generated from" in head or "by tools/generate" in head) and "functions_python.def" not in head


def definition(value):
    """Where Python defines it; None for what the shim has."""
    module = sys.modules.get(value.__module__)
    file = getattr(module, "__file__", None)
    if not file or not file.endswith(".py"):
        return None, True
    tree, generated = parsed(file)
    line = None if isinstance(value, type) else getattr(getattr(value, "__code__", None), "co_firstlineno", None)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
            if first == line or line is None and getattr(node, "name", None) == value.__name__:
                return node, generated
    return None, generated


def core_calls(body, names):
    """Calls that lead into the engine, not counting those of two ways of which one is taken."""
    def count(node):
        if isinstance(node, ast.If):
            return max(sum(map(count, node.body)), sum(map(count, node.orelse))) + count(node.test)
        if isinstance(node, ast.IfExp):
            return max(count(node.body), count(node.orelse)) + count(node.test)
        return is_core(node) + sum(map(count, ast.iter_child_nodes(node)))

    def is_core(node):
        if not isinstance(node, ast.Call):
            return 0
        f = node.func
        if isinstance(f, ast.Name):
            value = names.get(f.id)
            return int(value is not None and (getattr(value, "__module__", None) in ("_haft", "haft._haft") or value in ENGINE_CALLS or value in THIN))
        if not isinstance(f, ast.Attribute):
            return 0
        root = f.value
        while isinstance(root, (ast.Attribute, ast.Call)):
            if isinstance(root, ast.Attribute) and root.attr in HOLDERS:
                return 1
            root = root.value if isinstance(root, ast.Attribute) else root.func
        if isinstance(root, ast.Name) and names.get(root.id) in (_haft, _library.raw):
            return 1
        if isinstance(root, ast.Name) and root.id in names and getattr(names[root.id], "__name__", "").startswith("haft"):
            return int(getattr(names[root.id], f.attr, None) in THIN)
        return int(f.attr in ENGINE and f.attr not in SHAPE_ONLY)

    return sum(map(count, body))


BASES = {"haft.nn.modules.module", "haft.nn.modules._bases", "haft.nn.modules._engine", "haft.optim.optimizer", "haft.optim._fused",
         "haft.distributions.distribution", "haft.distributions._engine"}
SHAPE_ONLY = {"size", "dim", "numel", "item", "detach", "view", "index", "to", "requires_grad_", "ndimension", "tolist"}
ENGINE_CALLS = {v for v in _library.GENERATED.values() if callable(v)}
THIN = set()


def body_of(node):
    """The statements that do something: without the text, imports and refusals."""
    body = node.body if isinstance(node.body, list) else [node.body]
    def matters(s):
        refuses = isinstance(s, ast.If) and not s.orelse and isinstance(s.body[-1], ast.Raise)
        says = isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)
        return not (refuses or says or isinstance(s, (ast.Import, ast.ImportFrom, ast.Pass)))
    return [s for s in body if matters(s)]


def simple(node, names, least):
    """Whether a function makes at most one call of the core, at least `least`, and does nothing else."""
    body = body_of(node)
    inner = [n for s in body for n in ast.walk(s)]
    formulas = sum(isinstance(n, ast.BinOp) for n in inner)
    return not any(isinstance(n, WORK) for n in inner) and formulas <= 1 and least <= core_calls(body, names) <= 1


def thin(value):
    """Whether a public name is no more than a wrapper."""
    node, generated = definition(value)
    if not isinstance(value, type):
        if generated or node is None:
            return generated
        closed = inspect.getclosurevars(value).nonlocals if isinstance(value, type(thin)) else {}
        return simple(node, {**vars(sys.modules[value.__module__]), **closed}, 1)
    methods = list(written(value))
    if not methods:
        return generated
    return any(core_calls(body_of(m), names) for m, names in methods) and all(simple(m, names, 0) for m, names in methods)


def written(cls):
    """The methods that a class has from files by hand, with the names that they see; not those of a base that its whole family shares."""
    for base in cls.__mro__:
        if base.__module__.startswith("haft") and base.__module__ not in BASES:
            node, generated = definition(base)
            if node is not None and not generated:
                yield from ((m, vars(sys.modules[base.__module__])) for m in node.body if isinstance(m, (ast.FunctionDef, ast.AsyncFunctionDef)))


@functools.cache
def above():
    """The names that compute something above the core."""
    every = public()
    # A call of a thin function is a call of the core.
    found = -1
    while found != len(THIN):
        found = len(THIN)
        THIN.update(v for v in every.values() if v not in THIN and thin(v))
    return sorted(name for name, v in every.items() if v not in THIN)


if __name__ == "__main__":
    by_module = {}
    for name in above():
        module, _, last = name.rpartition(".")
        by_module.setdefault(module, []).append(last)
    for module, names in sorted(by_module.items()):
        print(f"{module}: {' '.join(names)}")
    print(len(public()), "public,", len(above()), "above the core", file=sys.stderr)
