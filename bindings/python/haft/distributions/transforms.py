"""Maps of values with an inverse and the logarithm of the size of their derivative."""
import haft
from haft import Tensor, _haft

from . import constraints

__all__ = ["AbsTransform", "AffineTransform", "ComposeTransform", "ExpTransform", "IndependentTransform", "PowerTransform", "SigmoidTransform",
           "SoftmaxTransform", "SoftplusTransform", "StickBreakingTransform", "TanhTransform", "Transform", "identity_transform"]


def _float(value):
    return value if isinstance(value, Tensor) else haft.tensor(float(value))


class Transform:
    """Base of all. A class of your own writes _call, _inverse and log_abs_det_jacobian, and has `domain`, `codomain`, `bijective` and,
    where single numbers keep or turn their order, `sign` (1 or -1).

    Args:
        cache_size: 1 keeps the last value with what it became, so that the inverse of it is exact
    """

    bijective = False
    domain = codomain = constraints.real
    _core = None  # the engine's, where it is one of the engine

    def __init__(self, cache_size=0):
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size, self._kept = cache_size, None

    @property
    def event_dim(self):
        """Dimensions that belong together in what it takes."""
        if self.domain.event_dim != self.codomain.event_dim:
            raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")
        return self.domain.event_dim

    @property
    def inv(self):
        """The way back."""
        return _Inverse(self)

    @property
    def sign(self):
        """1 or -1: whether it keeps the order of numbers."""
        raise NotImplementedError

    def __call__(self, x):
        """y of x."""
        kept = getattr(self, "_kept", None)
        if kept is not None and kept[0] is x:
            return kept[1]
        y = self._call(x)
        if getattr(self, "_cache_size", 0):
            self._kept = x, y
        return y

    def _back(self, y):
        kept = getattr(self, "_kept", None)
        if kept is not None and kept[1] is y:
            return kept[0]
        x = self._inverse(y)
        if getattr(self, "_cache_size", 0):
            self._kept = x, y
        return x

    def _call(self, x):
        raise NotImplementedError

    def _inverse(self, y):
        raise NotImplementedError

    def log_abs_det_jacobian(self, x, y):
        """log |dy / dx|."""
        raise NotImplementedError

    def forward_shape(self, shape):
        """The shape of y for that of x."""
        return haft.Size(shape)

    def inverse_shape(self, shape):
        """The shape of x for that of y."""
        return haft.Size(shape)

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__

    def __repr__(self):
        return type(self).__name__ + "()"


class _OfEngine(Transform):
    """One that the engine computes."""

    bijective = property(lambda self: self._core.bijective(), doc="Whether each value has one inverse.")

    def _hold(self, core, cache_size):
        Transform.__init__(self, cache_size)
        self._core = core

    @property
    def domain(self):
        """What it takes."""
        inverse = self._core.inverted()
        return constraints.Constraint("Domain()", inverse.in_codomain, self._core.domain_event_dim())

    @property
    def codomain(self):
        """What it answers."""
        return constraints.Constraint("Codomain()", self._core.in_codomain, self._core.codomain_event_dim())

    def _call(self, x):
        return self._core.forward(x)

    def _inverse(self, y):
        return self._core.inverse(y)

    def log_abs_det_jacobian(self, x, y):
        return self._core.log_abs_det_jacobian(x, y)

    def forward_shape(self, shape):
        shape = list(shape)
        if self._core.to_string() == "StickBreakingTransform":
            shape[-1] += 1
        return haft.broadcast_shapes(shape, *(p.shape for p in self._parameters))

    def inverse_shape(self, shape):
        shape = list(shape)
        if self._core.to_string() == "StickBreakingTransform":
            shape[-1] -= 1
        return haft.broadcast_shapes(shape, *(p.shape for p in self._parameters))

    _parameters = ()
    sign = 1


def _plain(name, text, **attributes):
    def start(self, cache_size=0):
        self._hold(_haft.VariableTransform(name, []), cache_size)

    def same(self, other):
        return type(self) is type(other)
    return type(name + "Transform", (_OfEngine,), {"__doc__": text, "__init__": start, "__eq__": same, "__hash__": object.__hash__, "__module__": __name__, **attributes})


AbsTransform = _plain("Abs", "|x|.")
ExpTransform = _plain("Exp", "exp(x).")
SigmoidTransform = _plain("Sigmoid", "1 / (1 + exp(-x)).")
SoftmaxTransform = _plain("Softmax", "softmax(x) along the last dimension.")
SoftplusTransform = _plain("Softplus", "log(1 + exp(x)).")
StickBreakingTransform = _plain("StickBreaking", "n numbers to n + 1 parts of a whole.")
TanhTransform = _plain("Tanh", "tanh(x).")


class AffineTransform(_OfEngine):
    """loc + scale * x.

    Args:
        loc, scale: tensors or numbers
        event_dim: how many of the last dimensions belong together
    """

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        self.loc, self.scale = loc, scale
        self._parameters = _float(loc), _float(scale)
        core = _haft.VariableTransform("Affine", list(self._parameters))
        self._hold(core.independent(event_dim) if event_dim else core, cache_size)

    @property
    def sign(self):
        """Of the scale."""
        return self.scale.sign() if isinstance(self.scale, Tensor) else (self.scale > 0) - (self.scale < 0)

    def __eq__(self, other):
        return isinstance(other, AffineTransform) and all(haft.equal(a, b) for a, b in zip(self._parameters, other._parameters))

    __hash__ = object.__hash__


class PowerTransform(_OfEngine):
    """x to the power exponent, of what is above 0."""

    def __init__(self, exponent, cache_size=0):
        self.exponent = _float(exponent)
        self._parameters = self.exponent,
        self._hold(_haft.VariableTransform("Power", [self.exponent]), cache_size)

    @property
    def sign(self):
        """Of the exponent."""
        return self.exponent.sign()

    def __eq__(self, other):
        return isinstance(other, PowerTransform) and haft.equal(self.exponent, other.exponent)

    __hash__ = object.__hash__


def _sum(t, count):
    return t.sum(list(range(-count, 0))) if count > 0 else t


class _Inverse(Transform):
    """The way back of another."""

    def __init__(self, base):
        super().__init__()
        self._base, self._core = base, base._core and base._core.inverted()

    domain = property(lambda self: self._base.codomain)
    codomain = property(lambda self: self._base.domain)
    bijective = property(lambda self: self._base.bijective)
    sign = property(lambda self: self._base.sign)
    inv = property(lambda self: self._base)

    def __call__(self, x):
        return self._base._back(x)

    def _back(self, y):
        return self._base(y)

    def log_abs_det_jacobian(self, x, y):
        return -self._base.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape):
        return self._base.inverse_shape(shape)

    def inverse_shape(self, shape):
        return self._base.forward_shape(shape)

    def __eq__(self, other):
        return isinstance(other, _Inverse) and self._base == other._base

    __hash__ = object.__hash__

    def __repr__(self):
        return f"_InverseTransform({self._base!r})"


class IndependentTransform(Transform):
    """Of values whose last dimensions belong together."""

    def __init__(self, base_transform, reinterpreted_batch_ndims, cache_size=0):
        super().__init__(cache_size)
        self.base_transform, self.reinterpreted_batch_ndims = base_transform, reinterpreted_batch_ndims
        self._core = base_transform._core and base_transform._core.independent(reinterpreted_batch_ndims)

    domain = property(lambda self: constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims))
    codomain = property(lambda self: constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims))
    bijective = property(lambda self: self.base_transform.bijective)
    sign = property(lambda self: self.base_transform.sign)

    def _call(self, x):
        return self.base_transform(x)

    def _inverse(self, y):
        return self.base_transform._back(y)

    def log_abs_det_jacobian(self, x, y):
        return _sum(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def forward_shape(self, shape):
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape):
        return self.base_transform.inverse_shape(shape)

    def __repr__(self):
        return f"IndependentTransform({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


class ComposeTransform(Transform):
    """Transforms one after the other, the first one first."""

    def __init__(self, parts, cache_size=0):
        super().__init__(cache_size)
        self.parts = list(parts)

    @property
    def _core(self):
        if not all(t._core is not None for t in self.parts):
            return None
        core = self.parts[0]._core if self.parts else _haft.VariableTransform("Affine", [haft.tensor(0.0), haft.tensor(1.0)])
        for t in self.parts[1:]:
            core = core.then(t._core)
        return core

    @property
    def domain(self):
        """What the first one takes."""
        if not self.parts:
            return constraints.real
        count = self.parts[-1].codomain.event_dim
        for t in reversed(self.parts):
            count = max(count + t.domain.event_dim - t.codomain.event_dim, t.domain.event_dim)
        return constraints.independent(self.parts[0].domain, count - self.parts[0].domain.event_dim)

    @property
    def codomain(self):
        """What the last one answers."""
        if not self.parts:
            return constraints.real
        count = self.parts[0].domain.event_dim
        for t in self.parts:
            count = max(count + t.codomain.event_dim - t.domain.event_dim, t.codomain.event_dim)
        return constraints.independent(self.parts[-1].codomain, count - self.parts[-1].codomain.event_dim)

    bijective = property(lambda self: all(t.bijective for t in self.parts))

    @property
    def sign(self):
        """The product of the parts'."""
        sign = 1
        for t in self.parts:
            sign = sign * t.sign
        return sign

    def _call(self, x):
        for t in self.parts:
            x = t(x)
        return x

    def _inverse(self, y):
        for t in reversed(self.parts):
            y = t._back(y)
        return y

    def log_abs_det_jacobian(self, x, y):
        total, count = 0, self.domain.event_dim
        for t in self.parts:
            next = y if t is self.parts[-1] else t(x)
            total = total + _sum(t.log_abs_det_jacobian(x, next), count - t.domain.event_dim)
            count += t.codomain.event_dim - t.domain.event_dim
            x = next
        return total if self.parts else haft.zeros_like(x)

    def forward_shape(self, shape):
        for t in self.parts:
            shape = t.forward_shape(shape)
        return haft.Size(shape)

    def inverse_shape(self, shape):
        for t in reversed(self.parts):
            shape = t.inverse_shape(shape)
        return haft.Size(shape)

    def __eq__(self, other):
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = object.__hash__

    def __repr__(self):
        return f"ComposeTransform({self.parts!r})"


identity_transform = ComposeTransform([])
