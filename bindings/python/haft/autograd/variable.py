"""Variable, as code before tensors had gradients writes it."""
from warnings import warn

from .._library import _haft

__all__ = ["Variable"]


class _Meta(type):
    def __instancecheck__(cls, x):
        return isinstance(x, _haft.Tensor)


class _Engine:
    def queue_callback(self, callback):
        """Calls it once when the backward that runs on this thread has added its last gradient."""
        _haft.add_backward_callback(callback)


class Variable(metaclass=_Meta):
    """Variable(data): a leaf over the memory of data, which stays as it is. Every tensor is an instance."""

    _execution_engine = _Engine()

    def __new__(cls, data, requires_grad=False, volatile=None):
        if not isinstance(data, _haft.Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        if volatile is not None:
            warn("volatile was removed and now has no effect. Use `with haft.no_grad():` instead.", stacklevel=2)
        leaf = data.detach()
        if requires_grad:
            leaf.requires_grad = True
        return leaf
