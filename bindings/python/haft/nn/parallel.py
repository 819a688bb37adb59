"""DataParallel as programs wrap their models in it; haft computes on one device."""
from __future__ import annotations

from .modules.module import Module

__all__ = ["DataParallel"]


class DataParallel(Module):
    """A module in another: ``.module``, with ``module.`` before the names of its state. It runs where the module is.

    Args:
        module: what runs
        device_ids: at most one device; several are a ValueError
        output_device: kept; outputs are where the module is
        dim: kept; nothing is split
    """

    def __init__(self, module: Module, device_ids=None, output_device=None, dim: int = 0):
        super().__init__()
        if device_ids is not None and len(device_ids) > 1:
            raise ValueError(f"DataParallel: haft computes on one device, got {list(device_ids)}; start a process for each device "
                             "(haft.distributed, haft.multiprocessing.spawn)")
        self.dim = dim
        self.module = module
        self.device_ids = [] if device_ids is None else list(device_ids)
        self.output_device = output_device if output_device is not None else (self.device_ids or [None])[0]

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)
