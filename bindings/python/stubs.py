"""Writes _haft.pyi and __init__.pyi into the built package: the types that editors and checkers see.

    PYTHONPATH=build/python python3 bindings/python/stubs.py [--check] SHIM PACKAGE

SHIM is what SWIG writes with -DHAFT_STUBS: its docstrings hold the types of the engine's side. The layer in Python is
inspected; parameters of one name have one type throughout. --check only says whether the built files are current.
"""
import ast
import inspect
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [p for p in sys.path if os.path.abspath(p) != HERE]  # the built package, not the sources beside this file

import haft
from haft import _haft

SIGNATURES = re.compile(r'\{ "(\w+)", [^"]*?((?:"(?:[^"\\]|\\.)*"\s*)+)\}')
TYPES = {
    "Tensor": "Tensor", "int64_t": "int", "std::int64_t": "int", "int": "int", "std::int32_t": "int", "bool": "bool", "double": "float",
    "std::string": "str", "haft::Scalar": "Number", "haft::IntArray": "Ints", "haft::bindings::Operand": "Tensor | Number",
    "std::vector< haft::Tensor >": "Sequence[Tensor]", "haft_dtype": "dtype | None", "haft_device": "DeviceLike",
    "haft_generator": "Generator | None", "std::vector< std::int64_t >": "Ints", "std::vector< double >": "Sequence[float]", "Pair": "Ints",
    "haft::nn::NamedTensors": "NamedTensors", "std::vector< std::pair< std::string,haft::Tensor > >": "NamedTensors", "PyObject": "Any", "PyTypeObject": "type", "char": "str", "haft_scalar": "Number",
    "std::pair< std::int64_t,std::int64_t >": "tuple[int, int]", "size_t": "int", "uint32_t": "int", "int32_t": "int",
}
RESULTS = {"std::vector< haft::Tensor >": "tuple[Tensor, ...]", "haft_dtype": "dtype", "haft_device": "device", "std::vector< std::int64_t >": "Size",
           "haft::nn::NamedTensors": "list[tuple[str, Tensor]]", "std::vector< std::pair< std::string,haft::Tensor > >": "list[tuple[str, Tensor]]"}
# The layer's parameters by name; * and ** are Any.
PARAMETERS = {
    "input": "Tensor", "other": "Tensor | Number", "out": "Tensor | None", "dim": "Ints | None", "dims": "Ints", "keepdim": "bool", "axis": "Ints | None", "keepdims": "bool", "size": "Ints",
    "dtype": "dtype | None", "device": "DeviceLike", "requires_grad": "bool", "generator": "Generator | None", "tensors": "Sequence[Tensor]",
    "index": "Tensor", "mask": "Tensor", "alpha": "Number", "beta": "Number", "value": "Any", "condition": "Tensor", "shape": "Ints", "k": "int",
    "descending": "bool", "stable": "bool", "largest": "bool", "sorted": "bool", "correction": "int | None", "unbiased": "bool", "p": "Any",
    "dim0": "int", "dim1": "int", "dim2": "int", "offset": "int", "diagonal": "int", "equation": "str", "seed": "int", "n": "int", "memo": "Any",
}
BOOLEAN = {"allclose", "equal", "is_tensor", "is_floating_point", "is_complex", "is_signed", "is_nonzero", "is_same_size", "is_grad_enabled", "can_cast",
           "is_inference_mode_enabled", "is_contiguous", "is_shared", "is_pinned"}
PLAIN = {"numel": "int", "nelement": "int", "dim": "int", "ndimension": "int", "data_ptr": "int", "element_size": "int", "tolist": "Any", "item": "Number",
         "numpy": "Any", "size": "Any", "stride": "Any", "type": "Any", "backward": "None", "register_hook": "RemovableHandle", "retain_grad": "None",
         "register_post_accumulate_grad_hook": "RemovableHandle", "as_subclass": "Any", "set_num_threads": "None", "get_num_threads": "int", "seed": "int",
         "initial_seed": "int", "manual_seed": "Generator", "set_default_dtype": "None", "get_default_dtype": "dtype", "set_default_device": "None",
         "set_default_tensor_type": "None", "set_printoptions": "None", "result_type": "dtype", "promote_types": "dtype", "save": "None", "load": "Any",
         "broadcast_shapes": "Size", "to_dlpack": "Any", "storage": "TypedStorage", "untyped_storage": "UntypedStorage", "set_rng_state": "None", "max": "Any", "min": "Any", "where": "Any", "nonzero": "Any", "unique": "Any",
         "unique_consecutive": "Any", "median": "Any", "topk": "tuple[Tensor, Tensor]", "sort": "tuple[Tensor, Tensor]", "kthvalue": "tuple[Tensor, Tensor]",
         "cummax": "tuple[Tensor, Tensor]", "cummin": "tuple[Tensor, Tensor]", "aminmax": "tuple[Tensor, Tensor]", "var_mean": "tuple[Tensor, Tensor]",
         "std_mean": "tuple[Tensor, Tensor]"}
SEVERAL = {"split", "split_with_sizes", "chunk", "unbind", "tensor_split", "hsplit", "vsplit", "dsplit", "meshgrid", "broadcast_tensors", "split_sizes"}
HEAD = '''# Written by bindings/python/stubs.py; do not edit.
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Union
'''


def cpp_type(text, results=False):
    text = re.sub(r"\s*(\bconst\b|&|\*)\s*", " ", text).strip()
    if results and text in RESULTS:
        return RESULTS[text]
    if text.startswith("std::function"):
        return "Callable[..., Any] | None"
    if text in TYPES:
        return TYPES[text]
    if template := re.match(r"std::(vector|pair)< (.*) >$", text):
        inner = ", ".join(cpp_type(part, results) for part in split_arguments(template.group(2)))
        return f"tuple[{inner}]" if template.group(1) == "pair" else f"list[{inner}]" if results else f"Sequence[{inner}]"
    name = text.rsplit("::", 1)[-1].rstrip(" >")
    return name if isinstance(getattr(_haft, name, None), type) else "Any"


def split_arguments(text):
    out, depth, start = [], 0, 0
    for i, ch in enumerate(re.sub(r"'.'", "'.'", text)):  # a character may be a comma
        depth += (ch in "<({[") - (ch in ">)}]")
        if ch == "," and depth == 0:
            out.append(text[start:i])
            start = i + 1
    return [a.strip() for a in out + [text[start:]] if a.strip()]


def cpp_signature(line):
    """One line of SWIG's autodoc as parameters and result."""
    match = re.match(r"\w+\((.*)\)(?: -> (.*))?$", line)
    parameters, optional = [], False
    for argument in split_arguments(match.group(1)):
        argument, _, default = argument.partition("=")
        kind, _, name = argument.rpartition(" ")
        if name == "self":
            continue
        optional = optional or bool(default)
        parameters.append(f"{name.lstrip('&*')}: {cpp_type(kind)}" + (" = ..." if optional else ""))
    return parameters, cpp_type(match.group(2), True) if match.group(2) else "None"


def read_shim(path):
    """class (or "") -> name -> list of signatures."""
    with open(path) as f:
        text = f.read()
    tables = {}
    for table in re.finditer(r"PyMethodDef (?:SwigPyBuiltin__(\w+?)_methods|SwigMethods)\[\] = \{(.*?)\n\};", text, re.S):
        owner = (table.group(1) or "").split("__")[-1]
        entries = tables.setdefault(owner, {})
        for entry in SIGNATURES.finditer(table.group(2)):
            doc = "".join(ast.literal_eval(part) for part in re.findall(r'"(?:[^"\\]|\\.)*"', entry.group(2)))
            lines = [line for line in doc.split("\n") if re.match(r"\w+\(", line)]
            entries[entry.group(1)] = [cpp_signature(line) for line in lines]
    return tables


def write_function(name, signatures, indent="", method=False, static=False):
    out = []
    for parameters, result in signatures or [(["*args: Any", "**kwargs: Any"], "Any")]:
        if len(signatures or ()) > 1:
            out.append(f"{indent}@overload")
        if static:
            out.append(f"{indent}@staticmethod")
        out.append(f"{indent}def {name}({', '.join((['self'] if method and not static else []) + parameters)}) -> {result}: ...")
    return out


def result_of(name):
    bare = name.rstrip("_") if name.startswith("is_") else name
    return PLAIN.get(name) or ("bool" if bare in BOOLEAN else "tuple[Tensor, ...]" if name in SEVERAL else "Tensor")


def python_signature(name, function, method):
    parameters = []
    starred = False
    for i, p in enumerate(inspect.signature(function).parameters.values()):
        if method and i == 0 or p.name.startswith("_"):
            continue
        if p.kind == p.VAR_POSITIONAL:
            parameters.append(f"*{p.name}: Any")
            starred = True
            continue
        if p.kind == p.VAR_KEYWORD:
            parameters.append(f"**{p.name}: Any")
            continue
        if p.kind == p.KEYWORD_ONLY and not starred:
            parameters.append("*")
            starred = True
        parameters.append(f"{p.name}: {PARAMETERS.get(p.name, 'Any')}" + (" = ..." if p.default is not p.empty else ""))
    return [(parameters, result_of(name))]


def described_signature(name, function):
    """Methods in C tell their parameters at the beginning of their text."""
    match = re.match(rf"{name}\(([^)]*)\)", function.__doc__ or "")
    parameters = []
    for p in split_arguments(match.group(1)) if match else ():
        bare, _, default = p.partition("=")
        parameters.append(f"{bare}: Any" + (" = ..." if default else "") if bare[0] == "*" else f"{bare}: {PARAMETERS.get(bare, 'Any')}" + (" = ..." if default else ""))
    return [(parameters, result_of(name))]


ENGINE = {value: name for name, value in haft._library.GENERATED.items() if inspect.ismethoddescriptor(value)}


def class_body(cls, table, skip=()):
    out = []
    for name, value in sorted(vars(cls).items()):
        if name in skip or name.startswith("_") or name in ("this", "thisown"):
            continue
        if isinstance(value, property) or inspect.isgetsetdescriptor(value):
            out.append(f"    {name}: {ATTRIBUTES.get(name, 'Any')}")
        elif inspect.isfunction(value):
            out += write_function(name, python_signature(name, value, True), "    ", True)
        elif re.match(rf"{name}\([^)]*\):", getattr(value, "__doc__", None) or ""):
            out += write_function(name, described_signature(name, value), "    ", True)
        elif (engine := name if name in table else ENGINE.get(value)) in table:  # also under another name: ger is outer
            out += write_function(name, table[engine], "    ", True, isinstance(value, staticmethod))
        elif callable(value):
            out += write_function(name, described_signature(name, value), "    ", True)
    return out


ATTRIBUTES = {"shape": "Size", "dtype": "_dtype_class", "device": "_device_class", "ndim": "int", "itemsize": "int", "nbytes": "int", "is_leaf": "bool",
              "requires_grad": "bool", "grad": "Tensor | None", "data": "Tensor", "T": "Tensor", "mT": "Tensor", "H": "Tensor", "_version": "int", "grad_fn": "_Node | None",
              "is_cuda": "bool", "is_cpu": "bool", "retains_grad": "bool"}
BINARY = "add sub mul truediv floordiv mod pow and or xor matmul lshift rshift".split()


def operators():
    out = []
    for name in BINARY:
        for form in ("__%s__", "__r%s__", "__i%s__"):
            out.append(f"    def {form % name}(self, other: Tensor | Number) -> Tensor: ...")
    out += [f"    def __{name}__(self, other: Any) -> Tensor: ...{'  # type: ignore[override]' if name in ('eq', 'ne') else ''}" for name in "eq ne lt le gt ge".split()]
    out += [f"    def __{name}__(self) -> Tensor: ..." for name in "neg pos abs invert".split()]
    out += ["    def __getitem__(self, index: Any) -> Tensor: ...", "    def __setitem__(self, index: Any, value: Any) -> None: ...", "    def __len__(self) -> int: ...",
            "    def __iter__(self) -> Iterator[Tensor]: ...", "    def __contains__(self, value: Any) -> bool: ...", "    def __bool__(self) -> bool: ...",
            "    def __int__(self) -> int: ...", "    def __float__(self) -> float: ...", "    def __index__(self) -> int: ...", "    def __hash__(self) -> int: ...",
            "    def __array__(self, dtype: Any = ...) -> Any: ...", "    def __dlpack__(self, *, stream: Any = ..., max_version: tuple[int, int] | None = ..., dl_device: tuple[int, int] | None = ..., copy: bool | None = ...) -> Any: ...", "    def __dlpack_device__(self) -> tuple[int, int]: ...",
            "    def __new__(cls, *args: Any, **kwargs: Any) -> Tensor: ..."]
    return out


def shim_stub(tables):
    out = [HEAD + "from typing import overload\n\nfrom . import Number, Ints, DeviceLike, Size as Size, Tensor as Tensor, device, dtype\n\n"
           "NamedTensors = Union[dict[str, Tensor], Sequence[tuple[str, Tensor]]]\n"]
    for name, value in sorted(vars(_haft).items()):
        if name in ("Tensor", "Size") or name.startswith("__") and name != "__file__":
            continue
        if isinstance(value, type) and value.__module__ == "_haft":
            out.append(f"class {name}:")
            body = class_body(value, tables.get(name, {}))
            out += ["    def __init__(self, *args: Any, **kwargs: Any) -> None: ..."] + body + [""]
        elif name in tables[""]:
            out += write_function(name, tables[""][name])
        elif isinstance(value, (int, str)) and not name.startswith("SWIG"):
            out.append(f"{name}: {type(value).__name__}")
    return "\n".join(out) + "\n"


def package_stub(tables):
    out = [HEAD + "from builtins import bool as _bool, float as _float, int as _int\nfrom typing import overload\n"]
    out.append("from . import " + ", ".join(f"{m} as {m}" for m in sorted({m for m in haft._LAZY.values() if m[0] != "_" and (os.path.exists(os.path.join(HERE, "haft", m)) or
                                                                          os.path.exists(os.path.join(HERE, "haft", m + ".py")))})))
    for module in ("_dtype", "_device", "_modes", "_random"):
        source = getattr(haft, module, None) or __import__(f"haft.{module}", fromlist=["x"])
        names = sorted(n for n, v in vars(source).items() if isinstance(v, type) and v.__module__ == source.__name__ and not n.startswith("_"))
        out.append(f"from .{module} import " + ", ".join(f"{n} as {n}" for n in names))
    for module in sorted({m for m in haft._LAZY.values() if m[0] == "_"}):
        out.append(f"from .{module} import " + ", ".join(f"{n} as {n}" for n, m in sorted(haft._LAZY.items()) if m == module))
    out += ["", "class Error(RuntimeError):", "    code: _int", "    function: str", "    argument: str", "    hint: str"]
    out += [f"class {c.__name__}({', '.join(b.__name__ for b in c.__bases__)}): ..." for c in dict.fromkeys(haft._errors.BY_STATUS.values())]
    out += ["from .autograd.graph import Node as _Node", "from .utils.hooks import RemovableHandle as RemovableHandle", "", "e: _float", "inf: _float", "nan: _float", "pi: _float", "", "Number = Union[int, float, bool]", "Ints = Union[int, Sequence[int]]",
            "DeviceLike = Union[device, str, int, None]", "_dtype = _dtype_class = dtype", "_device_class = device", "__version__: str", "default_generator: Generator", ""]
    out += [f"{name}: dtype" for name, value in sorted(vars(haft).items()) if isinstance(value, haft.dtype)]
    out += ["", "class Size(tuple[_int, ...]):", "    def numel(self) -> int: ...", "    def __getitem__(self, index: Any) -> Any: ...", "", "class Tensor:"]
    out += class_body(haft.Tensor, tables["Tensor"]) + operators() + [""]
    for name, value in sorted(vars(haft).items()):
        if name.startswith("_") or isinstance(value, type) or not callable(value):
            continue
        if inspect.isfunction(value):
            out += write_function(name, python_signature(name, value, False))
            continue
        engine = ENGINE.get(value, name)
        signatures = tables["Tensor"].get(engine)
        static = isinstance(vars(haft.Tensor).get(engine), staticmethod)
        if signatures:
            signatures = [((["input: Tensor"] if inspect.ismethoddescriptor(value) and not static else []) + p, r) for p, r in signatures]
        out += write_function(name, signatures or described_signature(name, value))
    for name in ("save", "load"):
        out += write_function(name, python_signature(name, getattr(haft, name), False))
    return "\n".join(out) + "\n"


def unshadowed(text):
    """haft.int and the like are dtypes: annotations say _int for Python's."""
    out = []
    for line in text.split("\n"):
        if "def " in line or line.startswith("Number"):
            line = re.sub(r"(: |-> |\| |\[|, )(int|float|bool|dtype)\b(?![:=])", r"\1_\2", line)
        elif re.match(r"    \w+: |Ints|DeviceLike", line):
            line = re.sub(r"\b(int|bool)\b", r"_\1", line)
        out.append(line)
    return "\n".join(out)


def main():
    check = "--check" in sys.argv
    shim, package = [a for a in sys.argv[1:] if a != "--check"]
    tables = read_shim(shim)
    stale = []
    for name, text in (("_haft.pyi", shim_stub(tables)), ("__init__.pyi", unshadowed(package_stub(tables)))):
        ast.parse(text)
        path = os.path.join(package, name)
        old = open(path).read() if os.path.exists(path) else None
        if old != text:
            stale.append(name)
            if not check:
                with open(path, "w") as f:
                    f.write(text)
    if check and stale:
        sys.exit("stale: " + ", ".join(stale) + "; build the target haft_python_stubs")


if __name__ == "__main__":
    main()
