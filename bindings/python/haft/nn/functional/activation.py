"""Activations, softmax and dropout."""
from __future__ import annotations

from ... import Tensor, no_grad, prelu, rand_like, zeros_like
from ..._library import raw as R
from . import _activations
from ._activations import *  # noqa: F401,F403
from ._activations import hardtanh, leaky_relu

__all__ = [
    "alpha_dropout", "dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout", "gelu", "gumbel_softmax",
    "log_softmax", "normalize", "prelu", "relu6", "rrelu", "rrelu_", "softmax", "softmin", *_activations.__all__,
]

def _result(value: Tensor, input: Tensor, inplace: bool) -> Tensor:
    """The value, written into the input where the caller asked for that."""
    return input.copy_(value) if inplace else value


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """``min(max(input, 0), 6)``."""
    return hardtanh(input, 0.0, 6.0, inplace)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """``input * Phi(input)`` with the normal distribution, or its approximation by ``"tanh"``."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return input.gelu(approximate == "tanh")


def rrelu(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False,
          inplace: bool = False) -> Tensor:
    """:func:`leaky_relu` with a slope drawn from ``[lower, upper]`` for each element, its mean when not training."""
    if not training:
        return leaky_relu(input, (lower + upper) / 2, inplace)
    return _result(R.rrelu(input, lower, upper, True), input, inplace)


def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    """:func:`rrelu` in place."""
    return rrelu(input, lower, upper, training, True)


def _along(name: str, input: Tensor, dim: int | None, dtype) -> tuple[Tensor, int]:
    if dim is None:
        import warnings
        warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as "
                      "an argument.", stacklevel=3)
        dim = 0 if input.dim() in (0, 1, 3) else 1
    return (input if dtype is None else input.to(dtype)), dim


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype=None) -> Tensor:
    """``exp(input) / sum(exp(input))`` along ``dim``."""
    return R.softmax(*_along("softmax", input, dim, dtype))


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype=None) -> Tensor:
    """``log(softmax(input))`` along ``dim``, without overflow."""
    return R.log_softmax(*_along("log_softmax", input, dim, dtype))


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype=None) -> Tensor:
    """``softmax(-input)``."""
    x, dim = _along("softmin", input, dim, dtype)
    return R.softmax(-x, dim)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A sample of the Gumbel-softmax distribution (Jang et al., arXiv:1611.01144).

    ``hard``: one-hot forward, the gradient of the soft sample backward.
    """
    with no_grad():
        gumbels = -(-(rand_like(logits).clamp(1e-38, 1 - 6e-8).log())).log()
    soft = ((logits + gumbels) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.argmax(dim, True)
    one_hot = zeros_like(logits).scatter(dim, index, zeros_like(logits).fill_(1))
    return one_hot - soft.detach() + soft


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out=None) -> Tensor:
    """``input`` divided by its p-norm along ``dim``, which counts at least ``eps``."""
    result = input / input.norm(p, dim, True).clamp(min=eps).expand_as(input)
    return result if out is None else out.copy_(result)


def _leaves(p: float, training: bool) -> bool:
    """Whether a dropout answers the input itself, in place, too: what others keep of it stays as it is."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    return not training or p == 0


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes each element with probability ``p`` and scales the rest by ``1 / (1 - p)``."""
    return input if _leaves(p, training) else _result(input.dropout(p, True), input, inplace)


def _without_features(input: Tensor, p: float, training: bool, inplace: bool, single: bool = False) -> Tensor:
    if _leaves(p, training):
        return input
    out = R.feature_dropout(input.unsqueeze(0), p, True).squeeze(0) if single else R.feature_dropout(input, p, True)
    return _result(out, input, inplace)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels of (N, C, L) or (C, L)."""
    _leaves(p, training)
    if input.dim() not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input. Note that "
                           "dropout1d exists to provide channel-wise dropout on inputs with 1 spatial dimension, "
                           "a channel dimension, and an optional batch dimension (i.e. 2D or 3D inputs).")
    return _without_features(input, p, training, inplace, input.dim() == 2)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels of (N, C, H, W)."""
    return _without_features(input, p, training, inplace)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels of (N, C, D, H, W) or (C, D, H, W)."""
    return _without_features(input, p, training, inplace, input.dim() == 4)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps mean and variance of what :func:`selu` gives."""
    return input if _leaves(p, training) else _result(R.alpha_dropout(input, p, True), input, inplace)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """:func:`alpha_dropout` of whole channels."""
    return input if _leaves(p, training) else _result(R.feature_alpha_dropout(input, p, True), input, inplace)
