"""Maps of values with an inverse and the logarithm of the size of their derivative."""
import copy

import haft
from haft import Tensor, _haft

from . import constraints

__all__ = ["AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform", "CorrCholeskyTransform", "CumulativeDistributionTransform", "ExpTransform",
           "IndependentTransform", "LowerCholeskyTransform", "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform",
           "SoftplusTransform", "StackTransform", "StickBreakingTransform", "TanhTransform", "Transform", "identity_transform"]


def _float(value, dtype=None):
    return value if isinstance(value, Tensor) else haft.tensor(float(value), dtype=dtype)


class Transform:
    """Base of all. A class of your own writes _call, _inverse and log_abs_det_jacobian, and has `domain`, `codomain`, `bijective` and,
    where single numbers keep or turn their order, `sign` (1 or -1).

    Args:
        cache_size: 1 keeps the last value with what it became, so that the inverse of it is exact
    """

    bijective = False
    domain = codomain = constraints.real

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

    def with_cache(self, cache_size=1):
        """The same that keeps its last value, or, with 0, does not."""
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        if cache_size == getattr(self, "_cache_size", 0):
            return self
        other = copy.copy(self)
        other._cache_size, other._kept = cache_size, None
        return other

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

    def __getstate__(self):
        return {**self.__dict__, "_kept": None}

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__

    def __repr__(self):
        return type(self).__name__ + "()"


class _OfEngine(Transform):
    """One that the engine computes."""

    bijective = property(lambda self: self._core.bijective(), doc="Whether each value has one inverse.")
    _engine = None

    @property
    def _core(self):
        if self._engine is None:  # new, a copy, or unpickled
            self._engine = self._made()
        return self._engine

    def __getstate__(self):
        return {**super().__getstate__(), "_engine": None}

    def _call(self, x):
        return self._core.forward(x)

    def _inverse(self, y):
        return self._core.inverse(y)

    def log_abs_det_jacobian(self, x, y):
        return self._core.log_abs_det_jacobian(x, y)

    def forward_shape(self, shape):
        return haft.broadcast_shapes(shape, *(p.shape for p in self._parameters))

    inverse_shape = forward_shape

    _parameters = ()


def _plain(name, text, domain, codomain, **attributes):
    def made(self):
        return _haft.VariableTransform(name, [])

    def same(self, other):
        return type(self) is type(other)
    return type(name + "Transform", (_OfEngine,), {"__doc__": text, "_made": made, "__eq__": same, "__hash__": object.__hash__,
                                                    "domain": domain, "codomain": codomain, "__module__": __name__, **attributes})


def _resized(change, back):
    # The shapes of what does not keep the last dimensions.
    def one(rule):
        def of(self, shape):
            if not len(shape):
                raise ValueError("Too few dimensions on input")
            return haft.Size(rule(tuple(shape)))
        return of
    return {"forward_shape": one(change), "inverse_shape": one(back)}


def _rows(shape):
    n = round(0.5 + (0.25 + 2 * shape[-1]) ** 0.5)
    if n * (n - 1) // 2 != shape[-1]:
        raise ValueError("Input is not a flattened lower-diagonal number")
    return *shape[:-1], n, n


def _below_rows(shape):
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ValueError("Too few dimensions on input" if len(shape) < 2 else "Input is not square")
    return *shape[:-2], shape[-1] * (shape[-1] - 1) // 2


_real = constraints.real
AbsTransform = _plain("Abs", "|x|.", _real, constraints.nonnegative)
CorrCholeskyTransform = _plain("CorrCholesky", "n (n - 1) / 2 numbers to the Cholesky factor, (n, n), of a correlation matrix.", constraints.real_vector,
                               constraints.corr_cholesky, **_resized(_rows, _below_rows))
ExpTransform = _plain("Exp", "exp(x).", _real, constraints.positive, sign=1)
LowerCholeskyTransform = _plain("LowerCholesky", "Matrices to lower triangular ones, exp of their diagonal.", constraints.real_matrix, constraints.lower_cholesky)
PositiveDefiniteTransform = _plain("PositiveDefinite", "Matrices to positive definite ones: what LowerCholeskyTransform makes, times its transpose.",
                                   constraints.real_matrix, constraints.positive_definite)
SigmoidTransform = _plain("Sigmoid", "1 / (1 + exp(-x)).", _real, constraints.unit_interval, sign=1)
SoftmaxTransform = _plain("Softmax", "softmax(x) along the last dimension.", constraints.real_vector, constraints.simplex, **_resized(lambda s: s, lambda s: s))
SoftplusTransform = _plain("Softplus", "log(1 + exp(x)).", _real, constraints.positive, sign=1)
StickBreakingTransform = _plain("StickBreaking", "n numbers to n + 1 parts of a whole.", constraints.real_vector, constraints.simplex,
                                **_resized(lambda s: (*s[:-1], s[-1] + 1), lambda s: (*s[:-1], s[-1] - 1)))
TanhTransform = _plain("Tanh", "tanh(x).", _real, constraints.interval(-1.0, 1.0), sign=1)


class ReshapeTransform(_OfEngine):
    """Other sizes of the last dimensions.

    Args:
        in_shape, out_shape: of as many elements
    """

    def __init__(self, in_shape, out_shape, cache_size=0):
        super().__init__(cache_size)
        self.in_shape, self.out_shape = haft.Size(in_shape), haft.Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        self._engine = self._made()  # which refuses sizes below 0

    def _made(self):
        return _haft.VariableTransform("Reshape", [haft.tensor(list(s), dtype=haft.int64) for s in (self.in_shape, self.out_shape)])

    domain = property(lambda self: constraints.independent(_real, len(self.in_shape)))
    codomain = property(lambda self: constraints.independent(_real, len(self.out_shape)))

    @staticmethod
    def _changed(shape, old, new):
        at = len(shape) - len(old)
        if at < 0:
            raise ValueError("Too few dimensions on input")
        if tuple(shape[at:]) != tuple(old):
            raise ValueError(f"Shape mismatch: expected {tuple(old)} but got {tuple(shape[at:])}")
        return haft.Size((*shape[:at], *new))

    def forward_shape(self, shape):
        return self._changed(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape):
        return self._changed(shape, self.out_shape, self.in_shape)

    def __eq__(self, other):
        return isinstance(other, ReshapeTransform) and (self.in_shape, self.out_shape) == (other.in_shape, other.out_shape)

    __hash__ = object.__hash__


def _same(a, b):
    return haft.equal(a, b) if isinstance(a, Tensor) and isinstance(b, Tensor) else bool(haft.as_tensor(a == b).all())


class AffineTransform(_OfEngine):
    """loc + scale * x.

    Args:
        loc, scale: tensors or numbers
        event_dim: how many of the last dimensions belong together
    """

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        super().__init__(cache_size)
        self.loc, self.scale, self._together = loc, scale, event_dim
        self._parameters = _float(loc, haft.float64), _float(scale, haft.float64)

    def _made(self):
        core = _haft.VariableTransform("Affine", list(self._parameters))
        return core.independent(self._together) if self._together else core

    domain = codomain = property(lambda self: constraints.independent(_real, self._together) if self._together else _real)

    @property
    def sign(self):
        """Of the scale."""
        return self.scale.sign() if isinstance(self.scale, Tensor) else (self.scale > 0) - (self.scale < 0)

    def __eq__(self, other):
        return isinstance(other, AffineTransform) and _same(self.loc, other.loc) and _same(self.scale, other.scale)

    __hash__ = object.__hash__


class PowerTransform(_OfEngine):
    """x to the power exponent, of what is above 0."""

    domain = codomain = constraints.positive

    def __init__(self, exponent, cache_size=0):
        super().__init__(cache_size)
        self.exponent = _float(exponent)
        self._parameters = self.exponent,

    def _made(self):
        return _haft.VariableTransform("Power", [self.exponent])

    @property
    def sign(self):
        """Of the exponent."""
        return self.exponent.sign()

    def __eq__(self, other):
        return isinstance(other, PowerTransform) and haft.equal(self.exponent, other.exponent)

    __hash__ = object.__hash__


def _sum(t, count):
    return t.sum(list(range(-count, 0))) if count > 0 else t


def _joined(constraint, count):
    return constraints.independent(constraint, count) if count else constraint


def _deep(x, constraint):
    if x.ndim < constraint.event_dim:
        raise ValueError(f"Too few dimensions on input: at least {constraint.event_dim} belong together, got shape {tuple(x.shape)}")
    return x


class _Inverse(Transform):
    """The way back of another."""

    def __init__(self, base):
        super().__init__()
        self._base = base

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

    domain = property(lambda self: _joined(self.base_transform.domain, self.reinterpreted_batch_ndims))
    codomain = property(lambda self: _joined(self.base_transform.codomain, self.reinterpreted_batch_ndims))
    bijective = property(lambda self: self.base_transform.bijective)
    sign = property(lambda self: self.base_transform.sign)

    def _call(self, x):
        return self.base_transform(_deep(x, self.domain))

    def _inverse(self, y):
        return self.base_transform._back(_deep(y, self.codomain))

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
    def domain(self):
        """What the first one takes."""
        if not self.parts:
            return constraints.real
        count = self.parts[-1].codomain.event_dim
        for t in reversed(self.parts):
            count = max(count + t.domain.event_dim - t.codomain.event_dim, t.domain.event_dim)
        return _joined(self.parts[0].domain, count - self.parts[0].domain.event_dim)

    @property
    def codomain(self):
        """What the last one answers."""
        if not self.parts:
            return constraints.real
        count = self.parts[0].domain.event_dim
        for t in self.parts:
            count = max(count + t.codomain.event_dim - t.domain.event_dim, t.codomain.event_dim)
        return _joined(self.parts[-1].codomain, count - self.parts[-1].codomain.event_dim)

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
        for i, t in enumerate(self.parts):  # one may be there twice
            next = y if i + 1 == len(self.parts) else t(x)
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


class _OfParts(Transform):
    # Of parts of values along a dimension, each with its transform.
    def __init__(self, tseq, dim, cache_size):
        super().__init__(cache_size)
        self.transforms, self.dim = list(tseq), dim
        if not self.transforms or not all(isinstance(t, Transform) for t in self.transforms):
            raise ValueError(f"{type(self).__name__}: tseq must be a list of Transforms, got {tseq!r}")

    bijective = property(lambda self: all(t.bijective for t in self.transforms))
    _together = property(lambda self: max(t.event_dim for t in self.transforms))

    def _parted(self, x):
        if not -x.ndim <= self.dim < x.ndim or x.size(self.dim) != self.length:
            raise ValueError(f"{type(self).__name__}: values have the size {self.length} in dimension {self.dim}, got shape {tuple(x.shape)}")
        return self._split(x)

    def _call(self, x):
        return self._whole([t(v) for t, v in zip(self.transforms, self._parted(x))], self.dim)

    def _inverse(self, y):
        return self._whole([t._back(v) for t, v in zip(self.transforms, self._parted(y))], self.dim)

    def _logarithms(self, x, y):
        return [_sum(t.log_abs_det_jacobian(v, w), self._together - t.event_dim) for t, v, w in zip(self.transforms, self._parted(x), self._parted(y))]

    def __repr__(self):
        return f"{type(self).__name__}({self.transforms!r})"


class CatTransform(_OfParts):
    """Transforms of parts of values that lie one behind the other along a dimension, as cat() puts them.

    Args:
        tseq: a transform for each part
        dim: the dimension
        lengths: size of each part; None: 1
    """

    def __init__(self, tseq, dim=0, lengths=None, cache_size=0):
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise ValueError(f"CatTransform: {len(self.transforms)} transforms want as many lengths, got {self.lengths}")

    length = property(lambda self: sum(self.lengths), doc="The size of the dimension.")
    domain = property(lambda self: constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths))
    codomain = property(lambda self: constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths))
    _whole = staticmethod(haft.cat)

    def _split(self, x):
        return x.split(self.lengths, self.dim)

    def log_abs_det_jacobian(self, x, y):
        all, at = self._logarithms(x, y), (self.dim if self.dim < 0 else self.dim - x.ndim) + self._together
        return haft.cat(all, at) if at < 0 else sum(all)


class StackTransform(_OfParts):
    """Transforms of parts of values that lie one behind the other along a dimension of their own, as stack() puts them.

    Args:
        tseq: a transform for each part
        dim: the dimension
    """

    def __init__(self, tseq, dim=0, cache_size=0):
        super().__init__(tseq, dim, cache_size)

    length = property(lambda self: len(self.transforms), doc="The size of the dimension.")
    domain = property(lambda self: constraints.stack([t.domain for t in self.transforms], self.dim))
    codomain = property(lambda self: constraints.stack([t.codomain for t in self.transforms], self.dim))
    _whole = staticmethod(haft.stack)

    def _split(self, x):
        return x.unbind(self.dim)

    def log_abs_det_jacobian(self, x, y):
        all, count = self._logarithms(x, y), self._together
        if self.domain.event_dim > count:
            return sum(all)
        return haft.stack(all, self.dim if self.dim >= 0 else self.dim + count)


class CumulativeDistributionTransform(Transform):
    """To the probability of not being above: cdf and, backwards, icdf of a distribution.

    Args:
        distribution: of single numbers
    """

    bijective, codomain, sign = True, constraints.unit_interval, 1

    def __init__(self, distribution, cache_size=0):
        super().__init__(cache_size)
        self.distribution = distribution

    domain = property(lambda self: self.distribution.support)

    def _call(self, x):
        return self.distribution.cdf(x)

    def _inverse(self, y):
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x, y):
        return self.distribution.log_prob(x)
