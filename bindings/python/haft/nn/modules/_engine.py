"""Modules whose forward is the engine's: what the classes of _layers.py have in common."""
from __future__ import annotations

import inspect
from typing import Any, Callable

from ... import Generator, Tensor
from ..parameter import Parameter
from .module import Module
from .utils import _pair


class EngineModule(Module):
    """A layer of the engine. The engine's module holds the very tensors of this one, so that whatever moves, loads or
    replaces them here counts there."""

    _make: Callable  # makes the engine's module from plain values
    _pairs: tuple[str, ...] = ()  # arguments that are height and width

    def __init__(self, arguments: dict[str, Any], **where):
        super().__init__()
        self._arguments, self._held = arguments, {}
        self._core = core = self._made(where)
        for name, t in core.named_parameters():
            self.register_parameter(name, Parameter(t))
        self._note(core)
        kept = {name for name, _ in core.state_dict()}
        for name, t in core.named_buffers():
            self.register_buffer(name, t.detach(), name in kept)
        self._where = tuple(where)
        self._generator = None if self._parameters else where.get("generator")  # of initial numbers: no longer needed
        for name, value in arguments.items():
            if name == "bias" and not value:
                self.register_parameter(name, None)
            elif not hasattr(self, name):
                self.__dict__[name] = value

    def _made(self, where: dict[str, Any]):
        values = []
        for name, value in self._arguments.items():
            if name in self._pairs:
                height, width = _pair(value)
                values += height, width
            else:
                values.append(value)
        return self._make(*values, *(where[name] for name in ("dtype", "device", "generator") if name in where))

    def _note(self, core) -> None:
        self._own = tuple(name for named in (core.named_parameters(), core.named_buffers()) for name, _ in named)

    def _bound(self):
        """The engine's module with the parameters, buffers and mode of now."""
        core, held = self._core, self._held
        if core is None:  # a copy, or unpickled: its tensors are there, new initial numbers must come from nowhere else
            where = dict.fromkeys(self._where)
            if "generator" in where:
                where["generator"] = Generator() if self._parameters else self._generator
            core = self._core = self._made(where)
            self._note(core)
        for tensors, register in ((self._parameters, self._hold_parameter), (self._buffers, self._hold_buffer)):
            for name, t in tensors.items():
                if t is not None and not (name in held and t._same_handle(held[name])):
                    register(core, name, t)
                    held[name] = t.as_subclass(Tensor)
        if core.is_training() != self.training:
            core.train(self.training)
        return core

    @staticmethod
    def _hold_parameter(core, name: str, t: Tensor) -> None:
        core.register_parameter(name, t, t.requires_grad)

    def _hold_buffer(self, core, name: str, t: Tensor) -> None:
        core.register_buffer(name, t, name not in self._non_persistent_buffers_set)

    def forward(self, *inputs: Tensor):
        core = self._bound()
        # What a parametrization or pruning computes is no tensor of the module, but an attribute.
        computed = [(name, getattr(self, name)) for name in self._own if name not in self._parameters and name not in self._buffers]
        if computed:
            outputs = core.functional_call(computed, list(inputs))
        elif len(inputs) == 1:
            return core.forward(inputs[0])
        else:
            outputs = core.forward(list(inputs))
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_core": None, "_held": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_arguments" in state:
            return
        # Written by PyTorch, which keeps the arguments as attributes and tensors.
        tensors, named = self._parameters, inspect.signature(type(self)).parameters
        self._arguments = {name: tensors[name] is not None if name in tensors else state.get(name, p.default)
                           for name, p in named.items() if name not in ("dtype", "device", "generator")}
        self._where = tuple(name for name in named if name not in self._arguments)
        self._core, self._held, self._generator = None, {}, None

    def extra_repr(self) -> str:
        text = self._bound().to_string()  # "PReLU(num_parameters=1)"
        return text[text.index("(") + 1:-1]
