"""Models spread over ranks: tensors over a mesh (DTensor), and, in parallel, layers that keep a part of their weights."""
from ..device_mesh import DeviceMesh, init_device_mesh
from . import parallel
from ._dtensor import DTensor, distribute_module, distribute_tensor, empty, full, ones, rand, randn, zeros
from .placement import Partial, Placement, Replicate, Shard

__all__ = ["DTensor", "DeviceMesh", "Partial", "Placement", "Replicate", "Shard", "distribute_module", "distribute_tensor", "empty", "full",
           "init_device_mesh", "ones", "parallel", "rand", "randn", "zeros"]
