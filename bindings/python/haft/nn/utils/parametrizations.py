"""Weight norm, spectral norm and orthogonal weights as parametrizations; the engine computes them."""
from __future__ import annotations

from ... import Tensor, _haft, no_grad
from ..modules._conv import _ConvTransposeNd
from ..modules._engine import EngineModule
from ..modules.module import Module
from .parametrize import register_parametrization

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


class _Engine(EngineModule):
    """A parametrization of the engine, which knows its inverse."""

    def right_inverse(self, value: Tensor):
        """What ``forward`` makes ``value`` of; it begins the buffers."""
        core = self._bound()
        with no_grad():
            made = core.right_inverse(value)
        for name, t in core.named_buffers():
            self.register_buffer(name, t.detach())
        return made[0] if len(made) == 1 else tuple(made)


class _WeightNorm(_Engine):
    _make = staticmethod(_haft.Make.weight_norm)

    def __init__(self, dim: int | None = 0):
        super().__init__({"dim": -1 if dim is None else dim})


class _SpectralNorm(_Engine):
    _make = staticmethod(_haft.Make.spectral_norm)

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12):
        n = weight.dim()
        if not -n <= dim < n:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{n}, {n - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}")
        super().__init__({"n_power_iterations": n_power_iterations, "eps": eps, "dim": dim})
        self.right_inverse(weight)


class _Orthogonal(_Engine):
    _make = staticmethod(_haft.Make.orthogonal)

    def __init__(self, orthogonal_map: int, use_trivialization: bool = True):
        super().__init__({"orthogonal_map": orthogonal_map, "use_trivialization": use_trivialization})


def _tensor(module: Module, name: str) -> Tensor:
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """A weight as length ``original0`` times direction ``original1``; ``dim=None``: one length for all."""
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


def spectral_norm(module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None) -> Module:
    """A weight over its largest singular value, by power iterations that go on with each use in training; ``dim``: its rows."""
    weight = _tensor(module, name)
    if dim is None:
        dim = 1 if isinstance(module, _ConvTransposeNd) else 0
    return register_parametrization(module, name, _SpectralNorm(weight.detach(), n_power_iterations, dim, eps))


def orthogonal(module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True) -> Module:
    """A weight (*, m, n) with orthonormal columns, or rows where those are fewer.

    Args:
        orthogonal_map: ``"matrix_exp"``, ``"cayley"`` or ``"householder"``; None: the first for square weights, else the last
        use_trivialization: the map begins at the weight made orthogonal, so that values can be assigned
    """
    if _tensor(module, name).dim() < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {_tensor(module, name).dim()} dimensions.")
    maps = {None: 0, "matrix_exp": 1, "cayley": 2, "householder": 3}
    if orthogonal_map not in maps:
        raise ValueError(f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}')
    return register_parametrization(module, name, _Orthogonal(maps[orthogonal_map], use_trivialization), unsafe=True)
