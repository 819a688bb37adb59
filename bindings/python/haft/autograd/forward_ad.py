"""Tensors with tangents, by the names of torch.autograd.forward_ad. haft goes backward twice for a tangent: the gradient is linear in its seed, and the
derivative for that seed is the tangent. So what is computed from duals must be recorded: not under no_grad()."""
from typing import NamedTuple, Optional

from .._library import _haft, raw
from .._modes import enable_grad
from ._backward import grad

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]

_levels = []  # of the process, as PyTorch's: each a list of (dual, tangent)


class UnpackedDualTensor(NamedTuple):
    """A tensor, and its tangent; None: it depends on no dual."""
    primal: _haft.Tensor
    tangent: Optional[_haft.Tensor]


def enter_dual_level():
    """From here on there may be duals; answers the level, which is 0: PyTorch has one, too."""
    if _levels:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _levels.append([])
    return 0


def exit_dual_level(*, level=None):
    """Forgets the tangents."""
    if not _levels:
        raise RuntimeError("Trying to exit a forward AD level when no level is open")
    _levels.pop()


class dual_level:
    """A region in which there may be duals."""

    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, *exc):
        exit_dual_level()


def make_dual(tensor, tangent, *, level=None):
    """A view of the tensor, with that tangent of its shape; it requires a gradient, by which its way is known."""
    if not _levels:
        raise RuntimeError("Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first.")
    if not tensor.dtype.is_floating_point:
        raise ValueError(f"Expected primal to be floating point or complex, but got: {tensor.dtype}")
    if tangent.shape != tensor.shape or tangent.dtype is not tensor.dtype:
        raise RuntimeError(f"make_dual: a tangent has the shape and dtype of its tensor, {tensor.shape} and {tensor.dtype}; got {tangent.shape} and {tangent.dtype}")
    if not _haft.is_grad_enabled():
        raise RuntimeError("make_dual: haft finds tangents by the graph, which is not recorded here (no_grad)")
    dual = tensor.view_as(tensor) if tensor.requires_grad else tensor.detach().requires_grad_()
    _levels[-1].append((dual, tangent))
    return dual


def unpack_dual(tensor, *, level=None):
    """The tensor and its tangent."""
    duals = _levels[-1] if _levels else ()
    if not duals or not tensor.requires_grad:
        return UnpackedDualTensor(tensor, None)
    outside = any(not d.is_leaf or t.requires_grad for d, t in duals)  # somebody may want the tangent's gradient
    with enable_grad():
        seed = raw.zeros_like(tensor).requires_grad_()
        found = grad(tensor, [d for d, _ in duals], seed, create_graph=True, allow_unused=True)
    pairs = [(g, t) for g, (_, t) in zip(found, duals) if g is not None]
    if not pairs:
        return UnpackedDualTensor(tensor, None)
    pairs = [(g, t) for g, t in pairs if g.requires_grad]
    tangent = grad([g for g, _ in pairs], seed, [t for _, t in pairs], retain_graph=True, create_graph=outside, materialize_grads=True)[0] if pairs else \
        raw.zeros_like(tensor)
    return UnpackedDualTensor(tensor if outside else tensor.detach(), tangent)
