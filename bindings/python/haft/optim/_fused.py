"""Optimizers whose step is one call of the engine for all parameters."""
from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Callable

from .. import Tensor, _tensor, tensor
from .._graphs import note_step
from .optimizer import Optimizer


class _State(dict):
    """What the engine remembers of one parameter. Entries that are set go to the engine."""

    __slots__ = ("_engine", "_number")

    def __init__(self, engine, number: int, values: dict[str, Any]):
        self._engine, self._number = engine, number
        super().__init__(values)

    def __setitem__(self, name: str, value: Tensor) -> None:
        self._engine.set_state(self._number, name, value)
        super().__setitem__(name, self._engine.state(self._number, name))


class _States(Mapping):
    """``optimizer.state``: a mapping from parameters to what the engine remembers of them, read when asked for."""

    def __init__(self, optimizer: FusedOptimizer):
        self._optimizer = optimizer

    def _all(self) -> dict[Tensor, _State]:
        o = self._optimizer
        engine = o._bound()
        found = ((p, _State(engine, i, o._read(engine, i))) for i, p in enumerate(o._params))
        return {p: s for p, s in found if s}

    def __getitem__(self, p: Tensor) -> _State:
        o = self._optimizer
        engine = o._bound()
        for i, q in enumerate(o._params):
            if p is q:
                return _State(engine, i, o._read(engine, i))
        raise KeyError(p)

    def __len__(self) -> int:
        return len(self._all())

    def __iter__(self):
        return iter(self._all())

    def __contains__(self, p: Tensor) -> bool:
        return p in self._all()

    def __eq__(self, other) -> bool:
        return self is other

    __hash__ = None

    def values(self):
        return self._all().values()

    def items(self):
        return self._all().items()

    def __repr__(self) -> str:
        return repr(self._all())


class FusedOptimizer(Optimizer):
    """Keeps an optimizer of the engine in step with ``param_groups``, which users edit as they like."""

    _takes_rows = True
    _slots: tuple[str, ...] = ()  # what is remembered of a parameter
    _sharding: Callable | None = None  # spreads an engine's optimizer over processes: haft.distributed.optim
    _gather: Callable | None = None  # brings the state of such a one together on all of them
    _make: Callable  # makes the engine's optimizer from a list of parameters and the options in the order of _names

    def __init__(self, params, defaults: dict[str, Any]):
        self._engine, self._kinds = None, 0
        self._params: list[Tensor] = []  # in the engine's order
        self._held: list[Tensor] = []  # what the engine holds of them
        self._shape: list[int] = []  # parameters of each group
        self._options: list[tuple] = []  # what the engine knows of each group
        self._repeated: dict[Tensor, int] = {}  # how often else a parameter is listed
        super().__init__(params, defaults)
        self.state = _States(self)
        self._bound()

    @staticmethod
    def _values(group: dict[str, Any]) -> tuple:
        """Options of a group in the order of ``_names``."""
        raise NotImplementedError

    _names: tuple[str, ...] = ()

    def _read(self, engine, number: int) -> dict[str, Any]:
        """What the engine remembers of a parameter."""
        return {name: value for name in self._slots if (value := engine.state(number, name)) is not None}

    def _write(self, engine, number: int, state: dict[str, Any], p: Tensor | None = None) -> None:
        """Sets that; of a parameter p which may have become another tensor, what still fits."""
        for name, value in state.items():
            if name in self._slots and value is not None and (p is None or value.ndim == 0 or self._fits(name, value, p)):
                engine.set_state(number, name, value if isinstance(value, Tensor) else tensor(float(value)))

    def _fits(self, name: str, value: Tensor, p: Tensor) -> bool:
        """Whether that may be the state of p."""
        return value.shape == p.shape

    def _bound(self):
        """The engine's optimizer with the parameters and options of now."""
        i = 0
        fits = (self._engine is not None and len(self._shape) == len(self.param_groups)
                and self._kinds == _tensor.kinds_changed)
        if fits:
            for group, count in zip(self.param_groups, self._shape):
                params = group["params"]
                if len(params) != count:
                    fits = False
                    break
                for p in dict.fromkeys(params) if self._repeated else params:
                    # A parameter may have become another tensor: detach_(), unsqueeze_().
                    if not p._same_handle(self._held[i]):
                        fits = False
                        break
                    i += 1
        if not fits:
            self._bind()
        for number, group in enumerate(self.param_groups):
            values = self._values(group)
            if values != self._options[number]:
                self._set_options(number, values)
        return self._engine

    def _set_options(self, number: int, values: tuple) -> None:
        engine, old = self._engine, self._options[number]
        changes = [(name, float(value)) for name, value, was in zip(self._names, values, old or (None,) * len(values))
                   if value != was]
        # Options are checked together (Nesterov needs momentum): what the others need goes first.
        for name, value in sorted(changes, key=lambda c: self._order(c[0], c[1])):
            engine.set_option(name, value, number)
        self._options[number] = values

    @staticmethod
    def _order(name: str, value: float) -> int:
        if name == "nesterov":
            return 2 if value else 0
        return 1

    def _bind(self) -> None:
        """A new engine optimizer that goes on where the old one was."""
        kept = {}
        if self._engine is not None:
            if self._gather is not None:
                self._gather(self._engine)
            for i, p in enumerate(self._params):
                if state := self._read(self._engine, i):
                    kept[id(p)] = state
        if self._sharding is not None:
            self._engine = None  # its hooks at the parameters go first
        groups = [list(dict.fromkeys(group["params"])) for group in self.param_groups]
        self._repeated = {p: count - 1 for group in self.param_groups for p, count in Counter(group["params"]).items() if count > 1}
        engine, self._kinds = None, _tensor.kinds_changed
        for params in groups:
            if not params:
                raise ValueError("optimizer got an empty parameter list")
            if engine is None:
                values = self._values(self.param_groups[0])
                engine = type(self)._make(params, *(v if isinstance(v, bool) else float(v) for v in values))
            else:
                engine.add_group(params)
        if self._sharding is not None:
            self._sharding(engine)
        self._engine = engine
        self._params = [p for params in groups for p in params]
        self._held = [_share(p) for p in self._params]
        self._shape = [len(group["params"]) for group in self.param_groups]
        self._options = [None] * len(groups)
        for i, p in enumerate(self._params):
            self._write(engine, i, kept.get(id(p), {}), p)

    def _step(self) -> None:
        note_step(self)
        self._bound().step()  # all parameters of a group in one pass
        again = self._repeated
        while again:  # who is listed more than once is stepped as often, alone
            kept = [(p, p.grad) for p in self._params if p not in again and p.grad is not None]
            for p, _ in kept:
                p.grad = None
            try:
                self._engine.step()
            finally:
                for p, grad in kept:
                    p.grad = grad
            again = {p: count - 1 for p, count in again.items() if count > 1}

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients of all parameters, or fills them with zeros."""
        self._bound().zero_grad(set_to_none)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        if self._sharding is not None:
            self._bound()
        super().add_param_group(param_group)
        if self._sharding is not None:  # what is spread stays where it is
            params = param_group["params"]
            try:
                self._engine.add_group(params)
            except Exception:
                self.param_groups.pop()
                raise
            self._params += params
            self._held += map(_share, params)
            self._shape.append(len(params))
            self._options.append(None)
        if self._engine is not None:
            self._bound()

    def _spread(self, sharding: Callable, gather: Callable) -> None:
        """From here on each process keeps a part of the state."""
        sharding(self._bound())
        self._sharding, self._gather = sharding, gather

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state_dict()["state"], "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        values = state["state"]
        super().__setstate__({k: v for k, v in state.items() if k != "state"})
        if "_engine" not in self.__dict__:  # a copy, or unpickled
            self._engine = None
            self._params, self._held, self._shape, self._options = [], [], [], []
            self._repeated = {}
            self.state = _States(self)
        self._engine = None  # nothing of what was remembered before
        engine = self._bound()
        for i, p in enumerate(self._params):
            own = values[p] if p in values else values.get(i)
            self._write(engine, i, own or {})


def _share(p: Tensor) -> Tensor:
    """Another object for the same tensor of the engine."""
    return p.as_subclass(Tensor)
