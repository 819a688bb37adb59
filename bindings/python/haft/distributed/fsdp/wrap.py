"""Which parts of a model FullyShardedDataParallel gathers one by one."""
import functools
from contextlib import contextmanager

from haft.nn import Module, ModuleDict, ModuleList

from ._policies import always_wrap_policy, lambda_auto_wrap_policy, transformer_auto_wrap_policy

__all__ = ["CustomPolicy", "ModuleWrapPolicy", "always_wrap_policy", "enable_wrap", "lambda_auto_wrap_policy", "size_based_auto_wrap_policy",
           "transformer_auto_wrap_policy", "wrap"]


class ModuleWrapPolicy:
    """Modules of some classes."""

    def __init__(self, module_classes):
        self._classes = tuple(module_classes)

    def __call__(self, module, recurse, *args, **kwargs):
        return recurse or isinstance(module, self._classes)


class CustomPolicy:
    """What ``lambda_fn(module)`` says: whether a module is one, or its arguments of FullyShardedDataParallel."""

    def __init__(self, lambda_fn):
        self._fn = lambda_fn

    def __call__(self, module, recurse, *args, **kwargs):
        return recurse or self._fn(module)


def size_based_auto_wrap_policy(module, recurse, nonwrapped_numel, min_num_params=int(1e8), force_leaf_modules=None, exclude_wrap_modules=None):
    """Modules with so many elements that no part of theirs has taken."""
    large = nonwrapped_numel >= min_num_params
    if recurse:
        return large and not isinstance(module, tuple(force_leaf_modules or ()))
    return large and not isinstance(module, tuple(exclude_wrap_modules or (ModuleList, ModuleDict)))


def chosen(module, policy, taken=frozenset()):
    """The modules below this one that the policy takes, parts first, each with its arguments, and their number of elements."""
    out, numel = [], 0
    for child in module.children():
        if child in taken:
            continue
        count = sum(p.numel() for p in child.parameters())
        inner, within = [], 0
        if policy(child, True, count):
            inner, within = chosen(child, policy, taken)
        out += inner
        rest = count - within
        answer = policy(child, False, rest)
        if answer and not isinstance(child, (ModuleList, ModuleDict)):
            out.append((child, answer if isinstance(answer, dict) else {}))
            within += rest
        numel += within
    return out, numel


class _Wrapping:
    wrapper, arguments = None, {}


@contextmanager
def enable_wrap(*, wrapper_cls, **wrapper_kwargs):
    """Within it, wrap() makes ``wrapper_cls(module, **wrapper_kwargs)``."""
    before = _Wrapping.wrapper, _Wrapping.arguments
    _Wrapping.wrapper, _Wrapping.arguments = wrapper_cls, wrapper_kwargs
    try:
        yield
    finally:
        _Wrapping.wrapper, _Wrapping.arguments = before


def wrap(module, **wrap_overrides):
    """The module, wrapped where enable_wrap() is open."""
    if not isinstance(module, Module):
        raise TypeError(f"wrap: wants a module, got {type(module).__name__}")
    return _Wrapping.wrapper(module, **{**_Wrapping.arguments, **wrap_overrides}) if _Wrapping.wrapper else module


def as_policy(policy):
    """A policy as a function of (module, recurse, elements)."""
    if isinstance(policy, (set, list, tuple)):
        return ModuleWrapPolicy(policy)

    @functools.wraps(policy, updated=())
    def called(module, recurse, numel):
        return policy(module=module, recurse=recurse, nonwrapped_numel=numel)

    return called
