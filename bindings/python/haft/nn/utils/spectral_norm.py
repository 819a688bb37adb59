"""A weight divided by its largest singular value (Miyato et al., arXiv:1802.05957)."""
from __future__ import annotations

from ... import Tensor, no_grad, randn
from ..functional import normalize
from ..modules.module import Module
from ..modules._conv import _ConvTransposeNd
from ..parameter import Parameter

__all__ = ["remove_spectral_norm", "spectral_norm"]


class SpectralNorm:
    """The hook that computes the weight before each forward, by power iterations that go on from step to step."""

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float):
        if n_power_iterations <= 0:
            raise ValueError("Expected n_power_iterations to be positive, but got "
                             f"n_power_iterations={n_power_iterations}")
        self.name = name
        self.n_power_iterations = n_power_iterations
        self.dim = dim
        self.eps = eps

    def matrix(self, weight: Tensor) -> Tensor:
        """The weight with ``dim`` as rows."""
        if self.dim:
            weight = weight.permute([self.dim] + [d for d in range(weight.dim()) if d != self.dim])
        return weight.reshape(weight.size(0), -1)

    def compute_weight(self, module: Module, iterate: bool) -> Tensor:
        """The weight over the singular value of now."""
        weight = getattr(module, self.name + "_orig")
        u, v = getattr(module, self.name + "_u"), getattr(module, self.name + "_v")
        matrix = self.matrix(weight)
        if iterate:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(normalize(matrix.t().mv(u), dim=0, eps=self.eps))
                    u.copy_(normalize(matrix.mv(v), dim=0, eps=self.eps))
                # Later iterations write into u and v, which the graph of this forward goes on needing.
                u, v = u.clone(), v.clone()
        return weight / u.dot(matrix.mv(v))

    def __call__(self, module: Module, args) -> None:
        setattr(module, self.name, self.compute_weight(module, module.training))


def _find(module: Module, name: str):
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            return number, hook
    return None, None


def spectral_norm(module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12,
                  dim: int | None = None) -> Module:
    """Replaces a parameter by ``name_orig`` and computes it with the spectral norm 1; ``dim``: its rows."""
    if _find(module, name)[1] is not None:
        raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
    if dim is None:
        dim = 1 if isinstance(module, _ConvTransposeNd) else 0
    hook = SpectralNorm(name, n_power_iterations, dim, eps)
    weight = module._parameters[name]
    with no_grad():
        rows, cols = hook.matrix(weight).shape
        u = normalize(randn(rows, dtype=weight.dtype, device=weight.device), dim=0, eps=eps)
        v = normalize(randn(cols, dtype=weight.dtype, device=weight.device), dim=0, eps=eps)
    del module._parameters[name]
    module.register_parameter(name + "_orig", weight)
    setattr(module, name, weight.detach())
    module.register_buffer(name + "_u", u)
    module.register_buffer(name + "_v", v)
    module.register_forward_pre_hook(hook)
    return module


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Makes the weight, as it is now, a parameter again."""
    number, hook = _find(module, name)
    if hook is None:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    with no_grad():
        weight = hook.compute_weight(module, False)
    delattr(module, name)
    del module._buffers[name + "_u"], module._buffers[name + "_v"], module._parameters[name + "_orig"]
    module._forward_pre_hooks.pop(number)
    setattr(module, name, Parameter(weight.detach()))
    return module
