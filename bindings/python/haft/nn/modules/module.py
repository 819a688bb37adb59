"""Module: a node of the tree that a model is."""
from __future__ import annotations

from collections import OrderedDict
from typing import Any, Callable, Iterator

from ... import Tensor, _dtype as dtypes, device as Device, dtype as DType, no_grad
from ..parameter import Buffer, Parameter
from ...utils.hooks import RemovableHandle

__all__ = ["Module", "register_module_forward_hook", "register_module_forward_pre_hook",
           "register_module_full_backward_hook", "register_module_full_backward_pre_hook"]

_global_pre_hooks: OrderedDict = OrderedDict()
_global_hooks: OrderedDict = OrderedDict()
_global_backward_hooks: OrderedDict = OrderedDict()
_global_backward_pre_hooks: OrderedDict = OrderedDict()


def register_module_forward_pre_hook(hook: Callable) -> RemovableHandle:
    """``hook(module, args)`` runs before the forward of every module; see :meth:`Module.register_forward_pre_hook`."""
    return RemovableHandle(_global_pre_hooks, hook)


def register_module_forward_hook(hook: Callable) -> RemovableHandle:
    """``hook(module, args, output)`` runs after the forward of every module."""
    return RemovableHandle(_global_hooks, hook)


def register_module_full_backward_hook(hook: Callable) -> RemovableHandle:
    """``hook(module, grad_input, grad_output)`` runs when gradients have passed through any module."""
    return RemovableHandle(_global_backward_hooks, hook)


def register_module_full_backward_pre_hook(hook: Callable) -> RemovableHandle:
    """``hook(module, grad_output)`` runs when gradients reach the outputs of any module."""
    return RemovableHandle(_global_backward_pre_hooks, hook)


class _IncompatibleKeys(tuple):
    """What :meth:`Module.load_state_dict` answers: ``missing_keys`` and ``unexpected_keys``."""

    __slots__ = ()

    def __new__(cls, missing_keys: list[str], unexpected_keys: list[str]):
        return super().__new__(cls, (missing_keys, unexpected_keys))

    missing_keys = property(lambda self: self[0])
    unexpected_keys = property(lambda self: self[1])

    def __getnewargs__(self):
        return tuple(self)

    def __repr__(self) -> str:
        if not self[0] and not self[1]:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self[0]}, unexpected_keys={self[1]})"

    __str__ = __repr__


def _type_name(value) -> str:
    t = type(value)
    return t.__name__ if t.__module__ == "builtins" else f"{t.__module__.split('._')[0]}.{t.__qualname__}"


def _indent_rest(text: str, by: int = 2) -> str:
    return text.replace("\n", "\n" + " " * by)


class Module:
    """Base of all models: parameters, buffers and modules that become attributes are found by their names.

    A class of your own calls ``super().__init__()`` first and writes ``forward``::

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(784, 10)

            def forward(self, x):
                return self.fc(x.flatten(1))
    """

    training: bool
    _version = 1  # raised when the keys of a module's state change
    dump_patches = False

    def __init__(self, *args, **kwargs) -> None:
        self.__dict__.update(
            training=True, _parameters={}, _buffers={}, _non_persistent_buffers_set=set(), _modules={},
            _forward_hooks=OrderedDict(), _forward_pre_hooks=OrderedDict(), _backward_hooks=OrderedDict(),
            _backward_pre_hooks=OrderedDict(), _kwargs_hooks=set(), _always_called_hooks=set(),
            _state_dict_hooks=OrderedDict(), _state_dict_pre_hooks=OrderedDict(),
            _load_state_dict_pre_hooks=OrderedDict(), _load_state_dict_post_hooks=OrderedDict())

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What a module computes; every class writes its own."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    # ---- calling ----

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not (self._forward_hooks or self._forward_pre_hooks or self._backward_hooks or self._backward_pre_hooks
                or _global_hooks or _global_pre_hooks or _global_backward_hooks or _global_backward_pre_hooks):
            return self.forward(*args, **kwargs)
        return self._call_with_hooks(args, kwargs)

    def _call_with_hooks(self, args: tuple, kwargs: dict) -> Any:
        for number, hook in (*_global_pre_hooks.items(), *self._forward_pre_hooks.items()):
            if number in self._kwargs_hooks:
                answer = hook(self, args, kwargs)
                if answer is not None:
                    if not (isinstance(answer, tuple) and len(answer) == 2):
                        raise RuntimeError(f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                                           f"but got {answer}.")
                    args, kwargs = answer
            else:
                answer = hook(self, args)
                if answer is not None:
                    args = answer if isinstance(answer, tuple) else (answer,)

        watch = None
        hooks = (*_global_backward_hooks.values(), *self._backward_hooks.values())
        pre_hooks = (*_global_backward_pre_hooks.values(), *self._backward_pre_hooks.values())
        if hooks or pre_hooks:
            from ._backward_hooks import BackwardHooks
            watch = BackwardHooks(self, hooks, pre_hooks)
            args = watch.watch_inputs(args)
        left = dict((*_global_hooks.items(), *self._forward_hooks.items()))
        try:
            result = self.forward(*args, **kwargs)
            for number in list(left):
                result = self._run_hook(left.pop(number), number, args, kwargs, result)
            return watch.watch_outputs(result) if watch else result
        except Exception:
            # Hooks that are to run in any case see the error come by.
            for number, hook in left.items():
                if number in self._always_called_hooks:
                    self._run_hook(hook, number, args, kwargs, None)
            raise

    def _run_hook(self, hook, number: int, args: tuple, kwargs: dict, result):
        answer = hook(self, args, kwargs, result) if number in self._kwargs_hooks else hook(self, args, result)
        return result if answer is None else answer

    def register_forward_pre_hook(self, hook: Callable, *, prepend: bool = False,
                                  with_kwargs: bool = False) -> RemovableHandle:
        """``hook(module, args)`` runs before forward; what it answers replaces the positional arguments.

        With ``with_kwargs`` it is ``hook(module, args, kwargs)`` and answers ``(args, kwargs)`` or ``None``.
        """
        handle = RemovableHandle(self._forward_pre_hooks, hook, prepend)
        if with_kwargs:
            self._kwargs_hooks.add(handle.id)
        return handle

    def register_forward_hook(self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False,
                              always_call: bool = False) -> RemovableHandle:
        """``hook(module, args, output)`` runs after forward; what it answers replaces the output.

        With ``with_kwargs`` it is ``hook(module, args, kwargs, output)``; with ``always_call`` it runs also when
        forward raises, with ``None`` as output.
        """
        handle = RemovableHandle(self._forward_hooks, hook, prepend)
        if with_kwargs:
            self._kwargs_hooks.add(handle.id)
        if always_call:
            self._always_called_hooks.add(handle.id)
        return handle

    def register_full_backward_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """``hook(module, grad_input, grad_output)`` runs when the gradients of the inputs are known.

        Both are tuples with ``None`` for what takes no gradient; a tuple that it answers replaces ``grad_input``.
        """
        return RemovableHandle(self._backward_hooks, hook, prepend)

    register_backward_hook = register_full_backward_hook

    def register_full_backward_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """``hook(module, grad_output)`` runs when the gradients of the outputs are known, a tuple as above; what it
        answers replaces them."""
        return RemovableHandle(self._backward_pre_hooks, hook, prepend)

    # ---- attributes ----

    def __getattr__(self, name: str) -> Any:
        d = self.__dict__
        for kind in ("_parameters", "_modules", "_buffers"):
            found = d.get(kind)
            if found is not None and name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        d = self.__dict__
        params = d.get("_parameters")
        if isinstance(value, Parameter):
            if params is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, but="_parameters")
            self.register_parameter(name, value)
        elif isinstance(value, Buffer):
            if params is None:
                raise AttributeError("cannot assign buffer before Module.__init__() call")
            self._forget(name, but="_buffers")
            self.register_buffer(name, value, value.persistent)
        elif params is not None and name in params:
            if value is not None:
                raise TypeError(f"cannot assign '{_type_name(value)}' as parameter '{name}' "
                                "(haft.nn.Parameter or None expected)")
            params[name] = None
        elif isinstance(value, Module):
            if params is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, but="_modules")
            d["_modules"][name] = value
        elif params is not None and name in d["_modules"]:
            if value is not None:
                raise TypeError(f"cannot assign '{_type_name(value)}' as child module '{name}' "
                                "(haft.nn.Module or None expected)")
            d["_modules"][name] = None
        elif params is not None and name in d["_buffers"]:
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(f"cannot assign '{_type_name(value)}' as buffer '{name}' "
                                "(haft.Tensor or None expected)")
            d["_buffers"][name] = value
        else:
            object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        for kind in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__.get(kind, ()):
                del self.__dict__[kind][name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def _forget(self, name: str, but: str) -> None:
        d = self.__dict__
        d.pop(name, None)
        for kind in ("_parameters", "_buffers", "_modules"):
            if kind != but:
                d[kind].pop(name, None)
        d["_non_persistent_buffers_set"].discard(name)

    def __dir__(self):
        names = {*object.__dir__(self), *self._parameters, *self._modules, *self._buffers}
        return sorted(n for n in names if not n[:1].isdigit())

    def __setstate__(self, state: dict) -> None:
        Module.__init__(self)
        self.__dict__.update(state)

    # ---- registering ----

    def _check_new_name(self, what: str, name: str, among: dict) -> None:
        if "_parameters" not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {_type_name(name)}")
        if "." in name:
            raise KeyError(f"{what} name can't contain \".\"" + (f", got: {name}" if what == "module" else ""))
        if name == "":
            raise KeyError(f"{what} name can't be empty string \"\"")
        if hasattr(self, name) and name not in among:
            raise KeyError(f"attribute '{name}' already exists")

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a parameter, or the name of one that is absent (``None``)."""
        self._check_new_name("parameter", name, self.__dict__.get("_parameters", ()))
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(f"cannot assign '{_type_name(param)}' object to parameter '{name}' "
                            "(haft.nn.Parameter or None required)")
        if param is not None and not param.is_leaf:
            raise ValueError(f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be "
                             f"created explicitly. To express '{name}' as a function of another Tensor, compute "
                             "the value in the forward() method.")
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds a tensor that moves with the module and, when persistent, is part of its state."""
        self._check_new_name("buffer", name, self.__dict__.get("_buffers", ()))
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign '{_type_name(tensor)}' object to buffer '{name}' "
                            "(haft Tensor or None required)")
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Adds a child under a name."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_type_name(module)} is not a Module subclass")
        self._check_new_name("module", name, self.__dict__.get("_modules", ()))
        self._modules[name] = module

    def register_module(self, name: str, module: Module | None) -> None:
        """Another name of :meth:`add_module`."""
        self.add_module(name, module)

    # ---- finding ----

    def get_submodule(self, target: str) -> Module:
        """The module of a dotted name; ``""`` is the module itself."""
        module = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Puts a module in the place of a dotted name; ``strict``: only where one is already."""
        path, _, name = target.rpartition(".")
        if not name:
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        parent = self.get_submodule(path)
        if strict or hasattr(parent, name):
            parent.get_submodule(name)
        setattr(parent, name, module)

    def _get(self, target: str, kind: str, what: str):
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
        if name not in module.__dict__[kind]:
            raise AttributeError(f"`{name}` is not {what}")
        return module.__dict__[kind][name]

    def get_parameter(self, target: str) -> Parameter:
        """The parameter of a dotted name."""
        return self._get(target, "_parameters", "an nn.Parameter")

    def get_buffer(self, target: str) -> Tensor:
        """The buffer of a dotted name."""
        return self._get(target, "_buffers", "a buffer")

    def named_modules(self, memo: set | None = None, prefix: str = "",
                      remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:
        """All modules of the tree with their dotted names, parents first, each once."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """All modules of the tree, each once."""
        return (module for _, module in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The immediate children with their names, each once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The immediate children, each once."""
        return (module for _, module in self.named_children())

    def _named_members(self, members: Callable, prefix: str = "", recurse: bool = True,
                       remove_duplicate: bool = True) -> Iterator[tuple[str, Any]]:
        seen = set()
        modules = (self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse
                   else ((prefix, self),))
        for path, module in modules:
            for name, value in members(module):
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield f"{path}.{name}" if path else name, value

    def named_parameters(self, prefix: str = "", recurse: bool = True,
                         remove_duplicate: bool = True) -> Iterator[tuple[str, Parameter]]:
        """Parameters with their dotted names; one that has several names appears under its first."""
        return self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters of the tree, each once."""
        return (p for _, p in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix: str = "", recurse: bool = True,
                      remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """Buffers with their dotted names, each once."""
        return self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers of the tree, each once."""
        return (b for _, b in self.named_buffers(recurse=recurse))

    # ---- changing ----

    def apply(self, fn: Callable[[Module], None]) -> Module:
        """Calls ``fn`` with every module of the tree, children first."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn: Callable[[Tensor], Tensor]) -> Module:
        for module in self.children():
            module._apply(fn)
        for param in self._parameters.values():
            if param is None:
                continue
            with no_grad():
                changed = fn(param)
                grad = param.grad
                new_grad = None if grad is None else fn(grad)
            if not changed._same_handle(param):
                # The tensor stays, so that optimizers and other modules go on holding it, and its hooks.
                param.data = changed
                if new_grad is not None:
                    param.grad = new_grad
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args, **kwargs) -> Module:
        """Moves parameters and buffers: ``to(device)``, ``to(dtype)``, ``to(device, dtype)``, ``to(tensor)``.

        Only floating point values change their dtype. The module itself changes and is answered.
        """
        device, dtype, non_blocking = _parse_to(args, kwargs)
        if dtype is not None and not dtype.is_floating_point:
            raise TypeError(f"nn.Module.to only accepts floating point dtypes, but got desired dtype={dtype}")
        options = {"non_blocking": True} if non_blocking else {}
        if device is not None:
            options["device"] = device

        def convert(t: Tensor) -> Tensor:
            return t.to(dtype=dtype, **options) if dtype is not None and t.is_floating_point() else (
                t.to(**options) if device is not None else t)

        return self._apply(convert)

    def type(self, dst_type) -> Module:
        """All parameters and buffers in another dtype."""
        return self._apply(lambda t: t.to(dtype=dst_type))

    def float(self) -> Module:
        """Floating point parameters and buffers as float32."""
        return self.to(dtypes.float32)

    def double(self) -> Module:
        """Floating point parameters and buffers as float64."""
        return self.to(dtypes.float64)

    def half(self) -> Module:
        """Floating point parameters and buffers as float16."""
        return self.to(dtypes.float16)

    def bfloat16(self) -> Module:
        """Floating point parameters and buffers as bfloat16."""
        return self.to(dtypes.bfloat16)

    def cpu(self) -> Module:
        """Parameters and buffers in host memory."""
        return self.to("cpu")

    def cuda(self, device=None) -> Module:
        """Parameters and buffers on a CUDA device."""
        return self.to("cuda" if device is None else f"cuda:{device}" if isinstance(device, int) else device)

    def to_empty(self, *, device) -> Module:
        """Parameters and buffers on a device, with undefined numbers."""
        from ... import empty_like
        return self._apply(lambda t: empty_like(t, device=device))

    def share_memory(self) -> Module:
        """Parameters and buffers in memory that other processes can map."""
        return self._apply(lambda t: t.share_memory_())

    def train(self, mode: bool = True) -> Module:
        """Sets the training mode of the whole tree (dropout, batch normalisation)."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Module:
        """Sets the evaluation mode of the whole tree."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Module:
        """Freezes or thaws all parameters."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients of all parameters, or fills them with zeros."""
        for p in self.parameters():
            if p.grad is not None:
                p.grad = None if set_to_none else p.grad.detach().zero_()

    def compile(self, *args, **kwargs) -> None:
        """Has no effect, as ``haft.compile``: haft runs modules as they are. Arguments are those of PyTorch's."""

    # ---- text ----

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What stands between the parentheses when the module is printed."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {_indent_rest(repr(module))}" for name, module in self._modules.items()]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({lines[0]})"
        if not lines and not children:
            return self._get_name() + "()"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines + children) + "\n)"

    # ---- state ----

    def get_extra_state(self) -> Any:
        """What else a class keeps in the state; with it goes :meth:`set_extra_state`."""
        raise RuntimeError("Reached a code path in Module.get_extra_state() that should never be called.")

    def set_extra_state(self, state: Any) -> None:
        """Takes what :meth:`get_extra_state` answered."""
        raise RuntimeError("Reached a code path in Module.set_extra_state() that should never be called.")

    def _has_extra_state(self) -> bool:
        return type(self).get_extra_state is not Module.get_extra_state

    def _save_to_state_dict(self, destination: dict, prefix: str, keep_vars: bool) -> None:
        for name, value in self._parameters.items():
            if value is not None:
                destination[prefix + name] = value if keep_vars else value._saved()
        for name, value in self._buffers.items():
            if value is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = value if keep_vars else value.detach()
        if self._has_extra_state():
            destination[prefix + "_extra_state"] = self.get_extra_state()

    def state_dict(self, *args, destination: dict | None = None, prefix: str = "",
                   keep_vars: bool = False) -> dict[str, Any]:
        """Parameters and persistent buffers under all their names; they share memory with the module."""
        if args:
            destination, prefix, keep_vars = (*args, *(destination, prefix, keep_vars)[len(args):])
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            answer = hook(self, destination, prefix, metadata)
            if answer is not None:
                destination = answer
        return destination

    def _register_state_dict_hook(self, hook: Callable) -> RemovableHandle:
        return RemovableHandle(self._state_dict_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """``hook(module, prefix, keep_vars)`` runs before :meth:`state_dict` reads the module."""
        return RemovableHandle(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """``hook(module, state_dict, prefix, local_metadata)`` runs behind :meth:`state_dict` and may change its answer
        in place; it answers ``None``."""
        def changes(*args) -> None:
            if hook(*args) is not None:
                raise RuntimeError("state_dict post-hook must return None")
        return RemovableHandle(self._state_dict_hooks, changes)

    def _register_load_state_dict_pre_hook(self, hook: Callable, with_module: bool = False) -> RemovableHandle:
        return RemovableHandle(self._load_state_dict_pre_hooks,
                               (lambda *a: hook(self, *a)) if with_module else hook)

    def register_load_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """``hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)`` runs
        before this module takes its part of a state, which it may change in place."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """``hook(module, incompatible_keys)`` runs after :meth:`load_state_dict` and may change the keys."""
        return RemovableHandle(self._load_state_dict_post_hooks, hook)

    def _load_from_state_dict(self, state_dict, prefix: str, local_metadata: dict, strict: bool,
                              missing_keys: list, unexpected_keys: list, error_msgs: list) -> None:
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        own = {**self._parameters,
               **{k: v for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set}}
        for name, value in own.items():
            key = prefix + name
            if value is None:
                continue
            if key not in state_dict:
                if strict:
                    missing_keys.append(key)
                continue
            given = state_dict[key]
            load = getattr(value, "_load", None)  # of parameters that are spread over processes
            if load is None and not isinstance(given, Tensor):
                error_msgs.append(f'While copying the parameter named "{key}", expected haft.Tensor or Tensor-like '
                                  f"object from checkpoint but received {type(given)}")
                continue
            # Early checkpoints held single numbers as vectors of one element.
            if len(value.shape) == 0 and tuple(given.shape) == (1,):
                given = given[0]
            if tuple(given.shape) != tuple(value.shape):
                error_msgs.append(f"size mismatch for {key}: copying a param with shape {given.shape} from "
                                  f"checkpoint, the shape in current model is {value.shape}.")
                continue
            try:
                if load is None and local_metadata.get("assign_to_params_buffers"):  # what is spread takes its rows, and stays
                    self._assign(name, value, given)
                    continue
                with no_grad():
                    (load or value.copy_)(given)
            except Exception as e:
                error_msgs.append(f'While copying the parameter named "{key}", whose dimensions in the model are '
                                  f"{value.size()} and whose dimensions in the checkpoint are {given.size()}, "
                                  f"an exception occurred : {e.args}.")

        extra_key = prefix + "_extra_state"
        if self._has_extra_state():
            if extra_key in state_dict:
                self.set_extra_state(state_dict[extra_key])
            elif strict:
                missing_keys.append(extra_key)
        elif strict and extra_key in state_dict:
            unexpected_keys.append(extra_key)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra_key:
                    name = key[len(prefix):].split(".", 1)[0]
                    if name not in self._modules and name not in own:
                        unexpected_keys.append(key)

    def _assign(self, name: str, own: Tensor, given: Tensor) -> None:
        if isinstance(own, Parameter):
            if not isinstance(given, Parameter):
                given = Parameter(given, own.requires_grad)
            self._parameters[name] = given
        else:
            self._buffers[name] = given

    def load_state_dict(self, state_dict: dict[str, Any], strict: bool = True, assign: bool = False) -> _IncompatibleKeys:
        """Copies values into parameters and buffers of the same names.

        Args:
            state_dict: what :meth:`state_dict` answered
            strict: raise ``RuntimeError`` naming every key that only one side has
            assign: take the tensors themselves, with their dtypes and devices, instead of copying

        Returns:
            the ``missing_keys`` and ``unexpected_keys``
        """
        if not isinstance(state_dict, dict) and not hasattr(state_dict, "keys"):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        metadata = getattr(state_dict, "_metadata", None)
        state = OrderedDict(state_dict)
        if metadata is not None:
            state._metadata = metadata

        def load(module: Module, prefix: str) -> None:
            local = {} if metadata is None else metadata.get(prefix[:-1], {})
            if assign:
                local = {**local, "assign_to_params_buffers": True}
            module._load_from_state_dict(state, prefix, local, True, missing, unexpected, errors)
            for name, child in module._modules.items():
                if child is not None:
                    load(child, f"{prefix}{name}.")
            keys = _IncompatibleKeys(missing, unexpected)
            for hook in module._load_state_dict_post_hooks.values():
                if hook(module, keys) is not None:
                    raise AssertionError("Hooks registered with ``register_load_state_dict_post_hook`` are not "
                                         "expected to return new values, if incompatible_keys need to be modified, "
                                         "it should be done inplace.")

        load(self, "")
        if strict:
            for what, keys in (("Unexpected", unexpected), ("Missing", missing)):
                if keys:
                    names = ", ".join(f'"{k}"' for k in keys)
                    errors.insert(0, f"{what} key(s) in state_dict: {names}. ")
        if errors:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(errors))
        return _IncompatibleKeys(missing, unexpected)


def _parse_to(args: tuple, kwargs: dict):
    known = {"device", "dtype", "non_blocking", "memory_format", "copy"}
    if wrong := set(kwargs) - known:
        raise TypeError(f"to() got an unexpected keyword argument '{sorted(wrong)[0]}'")
    device, dtype, non_blocking = kwargs.get("device"), kwargs.get("dtype"), kwargs.get("non_blocking", False)
    if "tensor" in kwargs:
        args = (kwargs["tensor"], *args)
    for a in args:
        if isinstance(a, Tensor):
            device, dtype = a.device, a.dtype
        elif isinstance(a, DType):
            dtype = a
        elif isinstance(a, bool):
            non_blocking = a
        elif a is None:
            continue
        elif isinstance(a, (str, int, Device)):
            device = a
        else:
            raise TypeError(f"to() received an invalid combination of arguments - got ({_type_name(a)})")
    return device, dtype, non_blocking
