"""What all optimizers have in common."""
from __future__ import annotations

import warnings
from collections import OrderedDict, defaultdict
from copy import deepcopy
from typing import Any, Callable, Iterable, Union

from .. import Tensor, enable_grad, no_grad
from .._library import raw as R
from ..utils.hooks import RemovableHandle

__all__ = ["Optimizer", "required"]

ParamsT = _params_t = Union[Iterable[Tensor], Iterable[dict[str, Any]], Iterable[tuple[str, Tensor]]]
_HOOKS = tuple(f"{name}_{when}_hooks" for name in ("_step", "_state_dict", "_load_state_dict") for when in ("pre", "post"))


class _Required:
    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


class Optimizer:
    """Base of all optimizers: ``param_groups``, what is remembered of each parameter in ``state``, and hooks.

    Args:
        params: tensors, pairs of name and tensor, or dictionaries with ``params`` and options of their own
        defaults: options of groups that do not say otherwise
    """

    _takes_rows = False  # whether a step can do with the rows that this process has of a parameter

    def __init__(self, params: Iterable, defaults: dict[str, Any]):
        self.defaults = defaults
        self.state: Any = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self._without_hooks()
        if isinstance(params, Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                            + type(params).__name__)
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _without_hooks(self) -> None:
        self.__dict__.update((name, OrderedDict()) for name in _HOOKS)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds parameters with options of their own, as when more of a model is thawed."""
        if not isinstance(param_group, dict):
            raise AssertionError("param group must be a dict")
        params = param_group["params"]
        if isinstance(params, Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections, but the ordering of "
                            "tensors in sets will change between runs. Please use a list instead.")
        params = list(params)
        if any(isinstance(p, tuple) for p in params):
            if not all(isinstance(p, tuple) for p in params):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            param_group["param_names"] = [name for name, _ in params]
            params = [p for _, p in params]
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(p).__name__}")
            if not p.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
        if not self._takes_rows:
            _whole_only(self, params)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        if len({id(p) for p in params}) != len(params):
            warnings.warn("a parameter group holds some parameters more than once: a step changes these as many times", stacklevel=3)
        known = {id(p) for group in self.param_groups for p in group["params"]}
        if known.intersection(id(p) for p in params):
            raise ValueError("some parameters appear in more than one parameter group")
        param_group["params"] = params
        self.param_groups.append(param_group)

    # ---- stepping ----

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Changes every parameter that has a gradient.

        Args:
            closure: computes the loss again; its answer is answered
        """
        for hook in list(self._step_pre_hooks.values()):
            hook(self, (closure,), {})
        loss = self._stepped(closure)
        for hook in list(self._step_post_hooks.values()):
            hook(self, (closure,), {})
        return loss

    def _stepped(self, closure: Callable[[], Any] | None) -> Any:
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        self._step()
        return loss

    @no_grad()
    def _step(self) -> None:
        for group in self.param_groups:
            for p in group["params"]:
                grad = p.grad
                if grad is not None:
                    if grad.is_sparse:
                        raise RuntimeError(f"{type(self).__name__} does not support sparse gradients")
                    self._update(p, -grad if group.get("maximize") else grad, self.state[p], group)

    def _update(self, p: Tensor, grad: Tensor, state: dict, group: dict) -> None:
        """One parameter's step; runs without recording."""
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients of all parameters, or fills them with zeros."""
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                if set_to_none:
                    p.grad = None
                elif p.grad.is_sparse:  # no rows
                    p.grad = R._from_rows(p.grad._indices()[0, :0], p.grad._values()[:0], p.shape[0])
                else:
                    p.grad.detach().zero_()

    def register_step_pre_hook(self, hook: Callable) -> RemovableHandle:
        """``hook(optimizer, args, kwargs)`` runs before each step."""
        return RemovableHandle(self._step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable) -> RemovableHandle:
        """``hook(optimizer, args, kwargs)`` runs after each step."""
        return RemovableHandle(self._step_post_hooks, hook)

    # ---- state ----

    def register_state_dict_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """``hook(optimizer)`` runs before :meth:`state_dict`."""
        return RemovableHandle(self._state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """``hook(optimizer, state_dict)`` runs behind it and may answer another one."""
        return RemovableHandle(self._state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """``hook(optimizer, state_dict)`` runs before :meth:`load_state_dict` and may answer another one."""
        return RemovableHandle(self._load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """``hook(optimizer)`` runs behind it."""
        return RemovableHandle(self._load_state_dict_post_hooks, hook, prepend)

    def _passed(self, hooks: OrderedDict, state_dict: dict[str, Any]) -> dict[str, Any]:
        for hook in list(hooks.values()):
            answer = hook(self, state_dict)
            state_dict = state_dict if answer is None else answer
        return state_dict

    def state_dict(self) -> dict[str, Any]:
        """``state`` by the numbers of the parameters, and ``param_groups`` with these numbers."""
        for hook in list(self._state_dict_pre_hooks.values()):
            hook(self)
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for p in group["params"]:
                numbers.setdefault(id(p), len(numbers))
            groups.append({**{k: v for k, v in group.items() if k != "params"},
                           "params": [numbers[id(p)] for p in group["params"]]})
        state = {numbers[id(p)] if isinstance(p, Tensor) else p: dict(s) if isinstance(s, dict) else s
                 for p, s in self.state.items()}
        return self._passed(self._state_dict_post_hooks, {"state": state, "param_groups": groups})

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what :meth:`state_dict` answered; tensors are copied to the parameters' dtypes and devices."""
        state_dict = self._passed(self._load_state_dict_pre_hooks, dict(state_dict))
        saved = state_dict["param_groups"]
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(self.param_groups, saved)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's "
                             "group")
        by_number = {}
        groups = []
        for own, given in zip(self.param_groups, saved):
            by_number.update(zip(given["params"], own["params"]))
            names = {"param_names": own["param_names"]} if "param_names" in own else {}
            groups.append({**names, **{k: deepcopy(v) for k, v in given.items() if k != "params"}, "params": own["params"]})
        state: Any = defaultdict(dict)
        for number, values in state_dict["state"].items():
            p = by_number.get(number)
            state[number if p is None else p] = values if p is None else _cast_state(p, values)
        self.__setstate__({"state": state, "param_groups": groups})
        for hook in list(self._load_state_dict_post_hooks.values()):
            hook(self)

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_step_pre_hooks" not in self.__dict__:
            self._without_hooks()
        for group in self.param_groups:  # of an older state
            for name, value in self.defaults.items():
                group.setdefault(name, value)

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            text += "".join(f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params")
        return text + ")"


def _cast_state(p: Tensor, value: Any, key: str | None = None) -> Any:
    if isinstance(value, Tensor):
        if key == "step":  # counts stay in float32 whatever the parameter is
            return value.detach().clone()
        dtype = p.dtype if p.dtype.is_floating_point and value.dtype.is_floating_point else value.dtype
        return value.detach().to(dtype=dtype, device=p.device).clone()
    if isinstance(value, dict):
        return {k: _cast_state(p, v, k) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_cast_state(p, v) for v in value)
    return deepcopy(value)


def _whole_only(optimizer: Optimizer, params: Iterable) -> None:
    """Refuses parameters that are spread over processes: their memory is away between uses, and their gradients are those of some rows."""
    if any(hasattr(p, "placements") for p in params):
        raise TypeError(f"{type(optimizer).__name__} takes no parameters that are spread over processes (fully_shard): it needs them whole. Adam, SGD and "
                        "the others step a process's rows; so does one of your own for which rows are enough, given [p.to_local() for p in model.parameters()]")
