"""What transforms are written with."""
import inspect

import haft

from ...nn.modules.module import Module


def _chance():
    return haft.rand(1).item()


def _below(n):
    return int(haft.randint(0, n, (1,)).item())


class _Transform(Module):
    """Transforms are modules: nn.Sequential chains them, too. One of a function of functional.py keeps the arguments behind the image."""

    _function = None

    def __init_subclass__(cls, function=None, **kwargs):
        super().__init_subclass__(**kwargs)
        if function is not None:
            cls._function = staticmethod(function)
            cls.__signature__ = inspect.Signature(list(inspect.signature(function).parameters.values())[1:])

    def __new__(cls, *args, **kwargs):
        self = super().__new__(cls)
        Module.__init__(self)
        return self

    def __init__(self, *args, **kwargs):
        if self._function is not None:
            given = self.__signature__.bind(*args, **kwargs)
            given.apply_defaults()
            self.__dict__.update(given.arguments)

    def forward(self, image):
        return self._function(image, **{name: getattr(self, name) for name in self.__signature__.parameters})

    def _native(self):
        # (name, numbers) of the engine's transform that does the same, or None.
        return None

    def _arguments(self):
        return ", ".join(f"{name}={value!r}" for name, value in vars(self).items() if not name.startswith("_") and name != "training")

    def __repr__(self):
        return f"{type(self).__name__}({self._arguments()})"
