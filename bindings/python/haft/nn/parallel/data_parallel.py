"""DataParallel: a module on several devices of this process, each of which computes a part of the batch."""
from __future__ import annotations

import haft

from ... import _haft
from ...utils.checkpoint import _flat, _with
from ..modules._engine import EngineModule
from ..modules.module import Module

__all__ = ["DataParallel", "data_parallel"]


def _replica(module: Module, copies: dict, made: dict) -> Module:
    """The module with other tensors. What the engine runs uses the copies by itself."""
    if isinstance(module, EngineModule):
        return module
    if id(module) not in made:
        one = made[id(module)] = module.__new__(type(module))
        one.__dict__.update(module.__dict__)
        for kind in ("_parameters", "_buffers"):
            one.__dict__[kind] = {name: copies.get(id(t), t) for name, t in module.__dict__[kind].items()}
        one.__dict__["_modules"] = {name: child and _replica(child, copies, made) for name, child in module._modules.items()}
    return made[id(module)]


def _on_devices(module: Module, devices: list, dim: int, args: tuple, kwargs: dict):
    parameters, buffers = list(module.parameters()), list(module.buffers())
    for m in module.modules():
        if isinstance(m, EngineModule):
            m._bound()  # here: nobody may change it while parts run
    inputs, forms = _flat((args, kwargs), []), {}

    def part(tensors):
        here = haft.get_default_device()
        own = dict(zip(map(id, (*parameters, *buffers)), tensors[len(inputs):]))
        mine, named = _with((args, kwargs), iter(tensors[:len(inputs)]))
        try:
            result = _replica(module, own, {})(*mine, **named)
        except Exception as error:
            if hasattr(error, "add_note"):
                error.add_note(f"DataParallel: on {here}")
            raise
        forms[here == devices[0]] = result
        return _flat(result, [])

    results = _haft.run_on_devices(part, parameters, buffers, [str(d) for d in devices], dim, inputs)
    return _with(forms[True], iter(results))


class DataParallel(Module):
    """A module on several devices of this process: each computes a part of the batch, and gradients come back to the module's parameters.

    Inputs are split along ``dim``, those without dimensions go to all; results are gathered on the first device. ``module.`` stands before
    the names of its state. What the first device's part writes into buffers stays.

    Args:
        module: what runs; on the first device
        device_ids: the devices; None: all of CUDA's. With fewer than two it runs where the module is
        output_device: where results go; None: the first device
        dim: of the batch
    """

    def __init__(self, module: Module, device_ids=None, output_device=None, dim: int = 0):
        super().__init__()
        self.dim = dim
        self.module = module
        self.device_ids = list(range(haft.cuda.device_count()) if device_ids is None else device_ids)
        self.output_device = output_device if output_device is not None else (self.device_ids or [None])[0]

    def forward(self, *inputs, **kwargs):
        if len(self.device_ids) < 2:
            return self.module(*inputs, **kwargs)
        devices = [haft.device(d) for d in self.device_ids]
        result = _on_devices(self.module, devices, self.dim, inputs, kwargs)
        home = haft.device(self.output_device)
        return result if home == devices[0] else _with(result, iter([t.to(home) for t in _flat(result, [])]))


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    """DataParallel for one call."""
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    return DataParallel(module, device_ids, output_device, dim)(*inputs, **(module_kwargs or {}))
