"""FullyShardedDataParallel: fully_shard as a module around another one."""
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto

import haft
from haft.nn import Module

from ..device_mesh import DeviceMesh, init_device_mesh
from ..tensor import DTensor
from ._fully_shard import CPUOffloadPolicy, FSDPModule, MixedPrecisionPolicy, OffloadPolicy, fully_shard
from .wrap import as_policy, chosen

__all__ = ["BackwardPrefetch", "CPUOffload", "FullStateDictConfig", "FullyShardedDataParallel", "LocalStateDictConfig", "MixedPrecision",
           "ShardedStateDictConfig", "ShardingStrategy", "StateDictConfig", "StateDictType"]


class ShardingStrategy(Enum):
    """What is spread, and when parameters go. NO_SHARD is DistributedDataParallel's matter."""
    FULL_SHARD = auto()
    SHARD_GRAD_OP = auto()
    NO_SHARD = auto()
    HYBRID_SHARD = auto()
    _HYBRID_SHARD_ZERO2 = auto()


class BackwardPrefetch(Enum):
    """Makes no difference: what came before a module in forward is gathered ahead of its backward."""
    BACKWARD_PRE = auto()
    BACKWARD_POST = auto()


class StateDictType(Enum):
    """What state_dict() answers: whole tensors, or DTensors."""
    FULL_STATE_DICT = auto()
    LOCAL_STATE_DICT = auto()
    SHARDED_STATE_DICT = auto()


@dataclass
class MixedPrecision:
    """Types to compute in; ``buffer_dtype`` casts the buffers."""
    param_dtype: haft.dtype | None = None
    reduce_dtype: haft.dtype | None = None
    buffer_dtype: haft.dtype | None = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True


@dataclass
class CPUOffload:
    """Whether rows are kept on the host."""
    offload_params: bool = False


@dataclass
class StateDictConfig:
    """Options of a kind of state."""
    offload_to_cpu: bool = False


@dataclass
class FullStateDictConfig(StateDictConfig):
    """Of whole tensors; rank0_only: others get an empty dictionary."""
    rank0_only: bool = False


@dataclass
class ShardedStateDictConfig(StateDictConfig):
    """Of DTensors."""


@dataclass
class LocalStateDictConfig(StateDictConfig):
    """Of this process's rows."""


_PART = "_fsdp_wrapped_module"


class FullyShardedDataParallel(Module):
    """A module whose parameters, gradients and optimizer's state are spread over processes: fully_shard() by an older name.

    Args:
        module: what runs; every process has the same, and the first one's values count
        process_group: whose processes; a pair, with HYBRID_SHARD: within a group of shards, and among its copies
        sharding_strategy: FULL_SHARD; SHARD_GRAD_OP keeps parameters from forward to backward
        cpu_offload: CPUOffload or None
        auto_wrap_policy: which parts are gathered one by one; a set of classes, or a policy of haft.distributed.fsdp.wrap
        mixed_precision: MixedPrecision or None
        ignored_modules: whose parameters stay whole
        ignored_states: parameters, or modules, that stay whole
        device_mesh: in place of process_group
    """

    def __init__(self, module, process_group=None, sharding_strategy=None, cpu_offload=None, auto_wrap_policy=None, backward_prefetch=None,
                 mixed_precision=None, ignored_modules=None, param_init_fn=None, device_id=None, sync_module_states=False, forward_prefetch=False,
                 limit_all_gathers=True, use_orig_params=False, ignored_states=None, device_mesh=None):
        super().__init__()
        strategy = sharding_strategy or ShardingStrategy.FULL_SHARD
        if strategy is ShardingStrategy.NO_SHARD:
            raise ValueError("FullyShardedDataParallel: NO_SHARD is haft.nn.parallel.DistributedDataParallel")
        if param_init_fn is not None:
            raise ValueError("FullyShardedDataParallel: haft has no meta device, whose modules param_init_fn would initialise")
        if device_id is not None:
            module.to(device_id)
        if mixed_precision is not None and mixed_precision.keep_low_precision_grads:
            raise ValueError("FullyShardedDataParallel: rows and their gradients have the parameters' own type; leave keep_low_precision_grads off")
        hybrid = strategy in (ShardingStrategy.HYBRID_SHARD, ShardingStrategy._HYBRID_SHARD_ZERO2)
        mesh = device_mesh
        if mesh is None:
            mesh = _mesh_of(process_group, hybrid)
        ignored = [p for m in ignored_modules or () for p in m.parameters()]
        for s in ignored_states or ():
            ignored += s.parameters() if isinstance(s, Module) else [s]
        self.mixed_precision, self.sharding_strategy = mixed_precision, strategy
        keep = strategy in (ShardingStrategy.SHARD_GRAD_OP, ShardingStrategy._HYBRID_SHARD_ZERO2)
        options = {"mesh": mesh, "reshard_after_forward": False if keep else None, "ignored_params": set(ignored)}
        options["offload_policy"] = CPUOffloadPolicy() if cpu_offload is not None and cpu_offload.offload_params else OffloadPolicy()
        m = mixed_precision
        if m is not None:
            options["mp_policy"] = MixedPrecisionPolicy(m.param_dtype, m.reduce_dtype, None, m.cast_forward_inputs)
            if m.buffer_dtype is not None:
                for part in module.modules():
                    for name, b in part._buffers.items():
                        if b is not None and b.is_floating_point():
                            part._buffers[name] = b.to(m.buffer_dtype)
        if auto_wrap_policy is not None:
            taken = {c for c in module.modules() if isinstance(c, FullyShardedDataParallel)}
            for part, own in chosen(module, as_policy(auto_wrap_policy), taken)[0]:
                if not isinstance(part, FSDPModule):
                    fully_shard(part, **{**options, **own})
        if m is not None and m.cast_root_forward_inputs:
            options["mp_policy"] = MixedPrecisionPolicy(m.param_dtype, m.reduce_dtype, None, True)
        setattr(self, _PART, fully_shard(module, **options))
        self._state_dict_type, self._state_dict_config = StateDictType.FULL_STATE_DICT, FullStateDictConfig()
        self._register_load_state_dict_pre_hook(_into_part)

    @property
    def module(self):
        """The module inside."""
        return getattr(self, _PART)

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__(_PART), name)

    @staticmethod
    def fsdp_modules(module, root_only=False):
        """The FullyShardedDataParallels of a tree."""
        found = [m for m in module.modules() if isinstance(m, FullyShardedDataParallel)]
        return found[:1] if root_only else found

    def named_parameters(self, *args, **kwargs):
        """As if this module were not around the other one."""
        return ((name.replace(_PART + ".", ""), p) for name, p in super().named_parameters(*args, **kwargs))

    def clip_grad_norm_(self, max_norm, norm_type=2.0):
        """Limits the norm of all gradients, whoever has them; answers the norm before. All processes call it."""
        return haft.nn.utils.clip_grad_norm_(self.parameters(), max_norm, norm_type)

    @contextmanager
    def no_sync(self):
        """Gradients add up on each process; the first backward after it joins them."""
        inner = [m for m in self.modules() if isinstance(m, FSDPModule)]
        for m in inner:
            m.set_requires_gradient_sync(False, recurse=False)
        try:
            yield
        finally:
            for m in inner:
                m.set_requires_gradient_sync(True, recurse=False)

    @staticmethod
    @contextmanager
    def summon_full_params(module, recurse=True, writeback=True, rank0_only=False, offload_to_cpu=False, with_grads=False):
        """Within it parameters are whole; ``writeback``: what is written into them on all processes stays."""
        if with_grads:
            raise ValueError("summon_full_params: gradients stay spread; see the parameters' .grad.full_tensor()")
        parts = [m for m in (module.modules() if recurse else (module, getattr(module, _PART, module))) if isinstance(m, FSDPModule)]
        for m in parts:
            m.unshard()
        try:
            yield
        finally:
            for m in parts:
                if writeback:
                    for p in m._fsdp_parameters:
                        p._load(haft.Tensor.detach(p))
            for m in parts:
                m.reshard()

    # ---- state ----

    @staticmethod
    def set_state_dict_type(module, state_dict_type, state_dict_config=None, optim_state_dict_config=None):
        """Which kind of state the FullyShardedDataParallels of a tree answer from now on."""
        for m in FullyShardedDataParallel.fsdp_modules(module):
            m._state_dict_type = state_dict_type
            m._state_dict_config = state_dict_config or (
                FullStateDictConfig() if state_dict_type is StateDictType.FULL_STATE_DICT else StateDictConfig())

    @staticmethod
    @contextmanager
    def state_dict_type(module, state_dict_type, state_dict_config=None, optim_state_dict_config=None):
        """The same for a while."""
        before = [(m, m._state_dict_type, m._state_dict_config) for m in FullyShardedDataParallel.fsdp_modules(module)]
        FullyShardedDataParallel.set_state_dict_type(module, state_dict_type, state_dict_config)
        try:
            yield
        finally:
            for m, kind, config in before:
                m._state_dict_type, m._state_dict_config = kind, config

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """As if this module were not around the other one. Of whole tensors unless another type was set; all processes call it."""
        out = self.module.state_dict(*args, destination=destination, prefix=prefix, keep_vars=keep_vars)
        elsewhere = getattr(self._state_dict_config, "rank0_only", False) and haft.distributed.get_rank()
        for name in [n for n in out if n.startswith(prefix)]:
            if isinstance(out[name], DTensor) and self._state_dict_type is not StateDictType.SHARDED_STATE_DICT:
                out[name] = out[name].full_tensor() if self._state_dict_type is StateDictType.FULL_STATE_DICT else out[name].to_local()
            if elsewhere:
                del out[name]
        return out

    @staticmethod
    def optim_state_dict(model, optim, optim_state_dict=None, group=None):
        """The optimizer's state by names of parameters: whole, or of DTensors, as the model's type of state is. All processes call it."""
        from ..checkpoint.state_dict import StateDictOptions, get_optimizer_state_dict
        full = any(m._state_dict_type is StateDictType.FULL_STATE_DICT for m in FullyShardedDataParallel.fsdp_modules(model, True))
        return get_optimizer_state_dict(model, optim, options=StateDictOptions(full_state_dict=full))

    @staticmethod
    def optim_state_dict_to_load(model, optim, optim_state_dict, is_named_optimizer=False, load_directly=False, group=None):
        """What the optimizer's load_state_dict() takes, of what optim_state_dict() answered."""
        from ..checkpoint.state_dict import StateDictOptions, set_optimizer_state_dict
        full = any(m._state_dict_type is StateDictType.FULL_STATE_DICT for m in FullyShardedDataParallel.fsdp_modules(model, True))
        set_optimizer_state_dict(model, optim, optim_state_dict, options=StateDictOptions(full_state_dict=full))
        return optim.state_dict()


def _into_part(state_dict, prefix, *_):
    for name in [n for n in state_dict if n.startswith(prefix) and not n.startswith(prefix + _PART + ".")]:
        state_dict[prefix + _PART + "." + name[len(prefix):]] = state_dict.pop(name)


def _mesh_of(process_group, hybrid):
    world = haft.distributed.get_world_size()
    if isinstance(process_group, (tuple, list)):
        within, among = process_group
        return DeviceMesh.from_group([among, within], "cpu")
    if hybrid and process_group is None:
        near = haft.distributed.launch_environment()
        size = near.local_world_size if near.launcher != "none" and world % near.local_world_size == 0 else world
        if size == world:
            warnings.warn("HYBRID_SHARD on one machine: all processes share one copy", stacklevel=3)
        return init_device_mesh("cpu", (world // size, size), mesh_dim_names=("replicate", "shard"))
    return DeviceMesh.from_group(process_group or haft.distributed.group.WORLD, "cpu")
