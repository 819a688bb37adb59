"""Where the modules of operators write down what they add to the package and to Tensor; and the name that haft goes by."""
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
