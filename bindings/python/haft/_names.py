"""Where the modules of operators write down what they add to the package and to Tensor; and the name that haft goes by."""
import importlib as _importlib
import sys as _sys

_shown = "haft"


def shown():
    """The name before the dot in what is printed: haft, or torch while haft.compat is installed."""
    return _shown


def show(name):
    """Sets that name."""
    global _shown
    from ._library import _haft
    _haft.show_as(name)
    _shown = name


def called(name, text, function):
    """The function under that name and with that text."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


def absent(module, why, names):
    """What a module of PyTorch's has and haft lacks, by name: functions, and classes of those in capitals. Each raises NotImplementedError where it is
    called, which says what to use instead."""
    def one(name):
        def refuse(*args, **kwargs):
            raise NotImplementedError(f"{module}.{name}: {why}")
        text = "Not there: raises NotImplementedError with what to use instead."
        if name[0].isupper():
            return type(name, (), {"__init__": refuse, "__module__": module, "__doc__": text})
        return called(name, text, refuse)
    return {name: one(name) for name in names.split()}


def also(package, names, module):
    """Gives a module other names in a package: PyTorch has several there."""
    for name in names.split():
        _sys.modules[f"{package}.{name}"] = module
        setattr(_sys.modules[package], name, module)


class Named:
    """One of a few objects that stand for something, each under its name in the module of its class."""
    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"{shown()}.{self.name}"

    def __reduce__(self):
        return _named, (type(self).__module__, self.name)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def _named(module, name):
    return getattr(_sys.modules[module], name)


def lazy(package, modules):
    """The __getattr__ and __dir__ of a package whose modules are imported on first use: `import haft` shall not pay for what a program does
    not touch."""
    def get(name):
        if name in modules:
            return _importlib.import_module("." + name, package)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return get, lambda: sorted({*vars(_sys.modules[package]), *modules})


class Names:
    """Functions of the package and methods of Tensor, by name; collect() finds them, the other methods are decorators for those that
    are one kind only, or are made."""

    def __init__(self):
        self.functions = {}
        self.methods = {}

    def function(self, f):
        self.functions[f.__name__] = f
        return f

    def method(self, f):
        self.methods[f.__name__] = f
        return f

    def both(self, f):
        return self.function(self.method(f))

    def collect(self, module):
        """Takes the functions that a module (its globals()) defines: one of `input` is a method as well, one of `self` only that."""
        for name, f in list(module.items()):
            if name[0] == "_" or name in self.functions or getattr(f, "__module__", None) != module["__name__"]:
                continue
            first = f.__code__.co_varnames[0] if f.__code__.co_argcount else None
            if first != "self":
                self.functions[name] = f
            if first in ("self", "input"):
                self.methods.setdefault(name, f)
