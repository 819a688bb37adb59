"""fully_shard: a module whose parameters are spread over processes."""
from dataclasses import dataclass

import haft
from haft import _haft
from haft.nn import Module
from haft.utils.checkpoint import _flat, _with

from ..device_mesh import DeviceMesh
from ._parameter import ShardedParameter, sharded

__all__ = ["CPUOffloadPolicy", "FSDPModule", "MixedPrecisionPolicy", "OffloadPolicy", "UnshardHandle", "fully_shard", "register_fsdp_forward_method"]


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """In which types a module of float32 parameters computes.

    Args:
        param_dtype: of what is gathered and computed with; None: as the parameters are
        reduce_dtype: in which gradients are joined; None: param_dtype
        output_dtype: to which results are cast; None: they stay
        cast_forward_inputs: whether floating inputs are cast to param_dtype
    """

    param_dtype: haft.dtype | None = None
    reduce_dtype: haft.dtype | None = None
    output_dtype: haft.dtype | None = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Rows stay on the module's device."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Rows, their gradients and the optimizer's state are on the host, which for modules of the CPU they are anyway."""

    pin_memory: bool = True


class UnshardHandle:
    """What unshard(async_op=True) answers."""

    def wait(self):
        """The parameters are whole when unshard() returns."""


class FSDPModule:
    """What fully_shard() adds to a module's class."""

    def unshard(self, async_op=False):
        """Its parameters are whole until reshard(); all processes call it."""
        for unit in self._fsdp_units():
            unit.unshard()
        return UnshardHandle() if async_op else None

    def reshard(self):
        """Keeps this process's rows only."""
        for unit in self._fsdp_units():
            unit.reshard()

    def _fsdp_units(self, recurse=False):
        modules = self.modules() if recurse else (self,)
        return list({id(u): u for m in modules if (u := m.__dict__.get("_fsdp_unit"))}.values())

    def set_requires_gradient_sync(self, requires_gradient_sync, *, recurse=True):
        """False: gradients add up on each process; the first backward with it on joins them."""
        for unit in self._fsdp_units(recurse):
            unit.set_gradient_sync(bool(requires_gradient_sync))

    def set_reshard_after_forward(self, reshard_after_forward, *, recurse=True):
        """Whether parameters go after forward and are gathered again for backward."""
        for unit in self._fsdp_units(recurse):
            unit.set_reshard_after_forward(bool(reshard_after_forward))

    def set_is_last_backward(self, is_last_backward):
        """Makes no difference: each backward ends by itself."""

    def set_modules_to_forward_prefetch(self, modules):
        """Makes no difference: what came next in the last step is gathered ahead."""

    def set_modules_to_backward_prefetch(self, modules):
        """Makes no difference: what came before it in forward is gathered ahead."""

    def shard_info(self):
        """What this process keeps: parameter_bytes, gradient_bytes, elements, own_elements, gathers, prefetched, sent_bytes, whole, ranks."""
        return _info(self._fsdp_unit)


_INFO = "ranks whole parameters elements own_elements whole_bytes parameter_bytes gradient_bytes gathers prefetched scatters sent_bytes".split()


def _info(unit):
    told = dict(zip(_INFO, _haft.ShardingCalls.numbers(unit)))
    told["whole"] = bool(told["whole"])
    return told


def fully_shard(module, *, mesh=None, reshard_after_forward=None, shard_placement_fn=None, mp_policy=MixedPrecisionPolicy(),  # noqa: B008
                offload_policy=OffloadPolicy(), ignored_params=None):  # noqa: B008
    """Spreads the parameters of a module, or of several that go together, over processes: each keeps some rows of dimension 0.

    Call it for the parts of a model first, then for the whole, and make the optimizer afterwards, on every process. What is spread
    already stays where it is. Answers the module, whose class is now also an FSDPModule.

    Args:
        module: a module, or a list of them
        mesh: a mesh of one dimension, or of two, where the first has copies of the shards; None: all processes
        reshard_after_forward: whether parameters go after forward; None: yes, but for the outermost module
        shard_placement_fn: not taken: parameters are cut along dimension 0
        mp_policy: types to compute in
        offload_policy: where the rows are
        ignored_params: a set of parameters that stay whole
    """
    modules = [module] if isinstance(module, Module) else list(module)
    for m in modules:
        if isinstance(m, (haft.nn.ModuleList, haft.nn.ModuleDict)):
            raise ValueError(f"fully_shard: {type(m).__name__} has no forward of its own; shard its modules")
        if isinstance(m, FSDPModule):
            raise ValueError("fully_shard has been applied to this module already")
    if shard_placement_fn is not None:
        raise ValueError("fully_shard: haft cuts parameters along dimension 0, and takes no shard_placement_fn")
    if isinstance(reshard_after_forward, int) and not isinstance(reshard_after_forward, bool):
        raise ValueError("fully_shard: reshard_after_forward is True, False or None; haft does not reshard to a smaller group")
    if mesh is None:
        if not haft.distributed.is_initialized():
            raise ValueError("fully_shard: call haft.distributed.init_process_group() first, or give a mesh")
        mesh = DeviceMesh.from_group(haft.distributed.group.WORLD, "cpu")
    if mesh.ndim not in (1, 2):
        raise ValueError(f"fully_shard: the mesh has one or two dimensions, got {mesh}")
    ignored = {id(p) for p in ignored_params or ()}
    named, seen = [], set()
    # Forward of one inside of another would give back what the outer one still computes with.
    inner = {id(part) for m in modules for part in m.modules() if part is not m}
    modules = list({id(m): m for m in modules if id(m) not in inner}.values())
    for i, m in enumerate(modules):
        for name, p in m.named_parameters():
            if id(p) not in ignored and id(p) not in seen and not isinstance(p, ShardedParameter):
                seen.add(id(p))
                named.append((name if len(modules) == 1 else f"{i}.{name}", p))
    reshard = -1 if reshard_after_forward is None else int(reshard_after_forward)
    groups = [mesh.get_group(d)._native for d in range(mesh.ndim)]
    unit = _haft.ShardingCalls.fully_shard_parameters(
        named, groups[-1], mesh.ndim == 2, groups[0], reshard, 1, True, isinstance(offload_policy, CPUOffloadPolicy), mp_policy.cast_forward_inputs,
        mp_policy.param_dtype, mp_policy.reduce_dtype, mp_policy.output_dtype)
    for _, p in named:
        sharded(p, mesh)
    for m in modules:
        m._fsdp_unit, m._fsdp_parameters = unit, [p for _, p in named]
        m.__class__ = type(f"FSDP{type(m).__name__}", (FSDPModule, type(m)), {"__doc__": type(m).__doc__})
        _around(m, unit)
    return module


def _before(unit, args, kwargs):
    given = _flat((args, kwargs), [])
    return _with((args, kwargs), iter(unit.before_forward(given)))


def _after(unit, result):
    return _with(result, iter(unit.after_forward(_flat(result, []))))


def _around(module, unit):
    module.register_forward_pre_hook(lambda m, args, kwargs: _before(unit, args, kwargs), prepend=True, with_kwargs=True)
    module.register_forward_hook(lambda m, args, result: _after(unit, result), always_call=True)


def register_fsdp_forward_method(module, method_name):
    """Another method of the module that computes with its parameters."""
    unit = getattr(module, "_fsdp_unit", None)
    if unit is None:
        return
    method = getattr(module, method_name)

    def around(*args, **kwargs):
        args, kwargs = _before(unit, args, kwargs)
        result = None
        try:
            result = method(*args, **kwargs)
        finally:
            result = _after(unit, result)
        return result

    setattr(module, method_name, around)
