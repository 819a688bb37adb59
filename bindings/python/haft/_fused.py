"""Functions that run as one kernel."""
import functools as _functools

from ._library import _haft

__all__ = ["fuse"]


class fuse:
    """A function of tensors that computes element by element, run as one kernel where the device fuses::

        @haft.fuse
        def gate(x, y):
            return haft.nn.functional.silu(x) * y

    It is called with stand-ins, which have sizes, dtype and device and no values, once for each signature: those of its tensors, what
    else it is given, and autocast. From then on what it called is run: pointwise operators, casts, expand and, last, sum, mean, amax or
    amin over the last dimension; everything else is refused by its name. Gradients of every order exist. ``traces``, ``kernels``,
    ``unfused`` and ``reason`` tell what its calls came to.

    Since 1.0.
    """

    def __init__(self, function, name=None):
        self._function = function
        self._name = name or getattr(function, "__name__", "fused")
        self._made = {}
        _functools.update_wrapper(self, function)

    def __call__(self, *args, **kwargs):
        tensors = [a for a in args if isinstance(a, _haft.Tensor)]
        # What is no tensor is a constant of the function.
        constants = tuple(None if isinstance(a, _haft.Tensor) else (type(a), a) for a in args)
        key = constants, tuple(sorted(kwargs.items()))
        if key not in self._made:
            self._made[key] = self._make([None if c is None else c[1] for c in constants], [c is None for c in constants], kwargs)
        fused, wrap = self._made[key]
        out = fused.call(tensors)
        return wrap[0](out)

    def _make(self, constants, is_tensor, kwargs):
        wrap, function = [None], self._function  # the engine holds `run`, which must not hold this object

        def run(tensors):
            left = iter(tensors)
            result = function(*(next(left) if t else c for t, c in zip(is_tensor, constants)), **kwargs)
            if isinstance(result, _haft.Tensor):
                wrap[0] = lambda out: out[0]
                return [result]
            wrap[0] = type(result) if isinstance(result, (list, tuple)) else list
            return list(result)

        return _haft.Fused(run, self._name), wrap

    def _sum(self, of):
        return sum(of(fused) for fused, _ in self._made.values())

    @property
    def traces(self):
        """How often something was traced: the function, or a gradient."""
        return self._sum(lambda f: f.traces())

    @property
    def kernels(self):
        """Fused kernels launched."""
        return self._sum(lambda f: f.kernels())

    @property
    def unfused(self):
        """How often operators ran one by one instead."""
        return self._sum(lambda f: f.unfused())

    @property
    def reason(self):
        """Why they did; empty where they never did."""
        return next((r for r in (fused.reason() for fused, _ in self._made.values()) if r), "")
