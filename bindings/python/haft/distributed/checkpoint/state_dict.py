"""States of models and optimizers under the names of parameters, whatever spreads them over ranks, by PyTorch's names."""
from dataclasses import dataclass

import haft
from haft import Tensor

from .. import _groups
from ..tensor import DTensor, distribute_tensor

__all__ = ["StateDictOptions", "get_model_state_dict", "get_optimizer_state_dict", "get_state_dict", "set_model_state_dict", "set_optimizer_state_dict",
           "set_state_dict"]


@dataclass
class StateDictOptions:
    """full_state_dict: whole tensors; with cpu_offload on rank 0 alone. broadcast_from_rank0: rank 0's full state counts. strict: all names."""
    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False

    def __post_init__(self):
        if self.flatten_optimizer_state_dict:
            raise ValueError("StateDictOptions: haft's optimizer states are by names of parameters and not flat; leave flatten_optimizer_state_dict off")
        if not self.keep_submodule_prefixes:
            raise ValueError("StateDictOptions: names keep the path of their submodule; take it off the names, or leave keep_submodule_prefixes on")


def _bare(name):
    return ".".join(part for part in name.split(".") if part not in ("_orig_mod", "_checkpoint_wrapped_module", "_fsdp_wrapped_module"))


def _unwrapped(model):
    # Wrappers put names before all others.
    wrappers = (haft.nn.parallel.DistributedDataParallel, haft.nn.DataParallel)
    while isinstance(model, wrappers) or "_fsdp_wrapped_module" in model._modules:
        model = model.module
    return model


def _rows(p):
    """What this process has of a parameter: of one that fully_shard() has spread its rows."""
    return p.to_local() if isinstance(p, DTensor) else p


def _spread(p, value):
    """What is remembered of a parameter, in the places that it has."""
    return p._distributed(value) if isinstance(p, DTensor) and isinstance(value, Tensor) and value.ndim == p.ndim else value


def _gathered(p, value):
    """The same, as the optimizer of this process takes it."""
    if not isinstance(p, DTensor) or not isinstance(value, (DTensor, Tensor)) or value.ndim != p.ndim:
        return value.full_tensor() if isinstance(value, DTensor) else value
    if not isinstance(value, DTensor):
        value = distribute_tensor(value, p.device_mesh, p.placements, src_data_rank=None)
    return value.redistribute(placements=p.placements).to_local()


def _given(value, options):
    if isinstance(value, DTensor) and options.full_state_dict:
        value = value.full_tensor()
    if options.cpu_offload and isinstance(value, Tensor):
        value = value.cpu()
    return value


def _mapped(value, f):
    if isinstance(value, dict):
        return {k: _mapped(v, f) for k, v in value.items()}
    return type(value)(_mapped(v, f) for v in value) if isinstance(value, (list, tuple)) else f(value)


def _answer(state, options):
    state = _mapped(state, lambda v: _given(v, options))
    alone = options.full_state_dict and options.cpu_offload and _groups.is_initialized() and _groups.GroupMember.WORLD.rank() != 0
    return {} if alone else state


def _from_rank0(state):
    """Rank 0's values, on every rank."""
    held = [state]
    import haft.distributed as dist
    if dist.is_initialized() and dist.get_world_size() > 1:
        dist.broadcast_object_list(held, src=0)
    return held[0]


def get_model_state_dict(model, *, submodules=None, options=None):
    """The state of a model. What DistributedDataParallel puts before names is left out."""
    options, model = options or StateDictOptions(), _unwrapped(model)
    state = {_bare(name): value for name, value in model.state_dict().items()}
    if options.ignore_frozen_params:
        frozen = {_bare(name) for name, p in model.named_parameters() if not p.requires_grad}
        state = {name: value for name, value in state.items() if name not in frozen}
    if submodules:
        names = [name + "." for name, m in model.named_modules() if m in set(submodules)]
        state = {name: value for name, value in state.items() if name.startswith(tuple(names))}
    return _answer(state, options)


def set_model_state_dict(model, model_state_dict, *, options=None):
    """Loads a state that get_model_state_dict() made, whole or in parts."""
    options, model = options or StateDictOptions(), _unwrapped(model)
    state = _from_rank0(model_state_dict) if options.broadcast_from_rank0 else model_state_dict
    own = {_bare(name): (name, value) for name, value in model.state_dict().items()}
    given = {}
    for name, value in state.items():
        name, target = own.get(name, (name, None))
        if isinstance(target, DTensor) and isinstance(value, Tensor):
            value = distribute_tensor(value, target.device_mesh, target.placements)
        given[name] = value
    return model.load_state_dict(given, strict=options.strict)


def _names(model, optimizer):
    by_id = {id(p): _bare(name) for name, p in _unwrapped(model).named_parameters()}
    try:
        return [by_id[id(p)] for group in optimizer.param_groups for p in group["params"]]
    except KeyError:
        raise RuntimeError("the optimizer has a parameter that is not the model's") from None


def _made(optimizer):
    """Whether the optimizer had no state yet: it takes a step that changes no parameter."""
    groups, before = optimizer.param_groups, []
    # Gradients that wait for a step are the program's.
    if optimizer.state_dict()["state"] or any(p.grad is not None for group in groups for p in group["params"]):
        return False
    for group in groups:
        before.append({"lr": group["lr"]})
        group["lr"] = 0.0
        for p in group["params"]:
            if p.requires_grad:
                p.grad = haft.zeros_like(_rows(p))
    rows = [_rows(p) for group in groups for p in group["params"]]
    held = [p.detach().clone() for p in rows]
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    with haft.no_grad():
        for p, value in zip(rows, held):
            p.copy_(value)
    for group, old in zip(groups, before):
        group.update(old)
    return True


def get_optimizer_state_dict(model, optimizers, *, submodules=None, options=None):
    """The states of optimizers by the names of the model's parameters. A ZeroRedundancyOptimizer is brought together first."""
    options, state, groups = options or StateDictOptions(), {}, []
    for o in optimizers if isinstance(optimizers, (list, tuple)) else [optimizers]:
        gather = getattr(o, "consolidate_state_dict", lambda to: None)
        gather(to=-1)
        if _made(getattr(o, "optim", o)):
            gather(to=-1)
        names, own = _names(model, o), o.state_dict()
        params = [p for group in o.param_groups for p in group["params"]]
        state.update({names[number]: {k: _spread(params[number], v) for k, v in value.items()} for number, value in own["state"].items()})
        groups += [{**g, "params": [names[number] for number in g["params"]]} for g in own["param_groups"]]
    return _answer({"state": state, "param_groups": groups}, options)


def set_optimizer_state_dict(model, optimizers, optim_state_dict, *, options=None):
    """Loads states that get_optimizer_state_dict() made."""
    options = options or StateDictOptions()
    given = _from_rank0(optim_state_dict) if options.broadcast_from_rank0 else optim_state_dict
    by_name = {name: group for group in given["param_groups"] for name in group["params"]}
    for o in optimizers if isinstance(optimizers, (list, tuple)) else [optimizers]:
        names, groups, number = _names(model, o), [], 0
        for group in o.param_groups:
            count = len(group["params"])
            saved = by_name[names[number]] if count else {}
            groups.append({**saved, "params": list(range(number, number + count))})
            number += count
        params = [p for group in o.param_groups for p in group["params"]]
        o.load_state_dict({"param_groups": groups,
                           "state": {i: {k: _gathered(params[i], v) for k, v in given["state"][name].items()} for i, name in enumerate(names)
                                     if name in given["state"]}})


def get_state_dict(model, optimizers, *, submodules=None, options=None):
    """The state of the model and that of its optimizers."""
    return (get_model_state_dict(model, submodules=submodules, options=options),
            get_optimizer_state_dict(model, optimizers, submodules=submodules, options=options))


def set_state_dict(model, optimizers, *, model_state_dict, optim_state_dict, options=None):
    """Loads both."""
    if optimizers:
        set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return set_model_state_dict(model, model_state_dict, options=options)
