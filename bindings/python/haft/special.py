"""Special functions by PyTorch's names: those for which the engine has operators."""
import haft as _h

# PyTorch's name here: haft's name.
_NAMES = {"expit": "sigmoid", "psi": "digamma", "gammaln": "lgamma",
          **{name: name for name in ("digamma", "erf", "erfc", "erfinv", "exp2", "expm1", "i0", "i1", "log1p", "log_softmax", "logit", "logsumexp",
                                     "polygamma", "round", "sinc", "softmax", "xlogy")}}
__all__ = sorted([*_NAMES, "entr", "multigammaln", "xlog1py"])
globals().update((name, getattr(_h, own)) for name, own in _NAMES.items())


def entr(input):
    """-x log(x); 0 at 0 and -inf below."""
    return _h.where(input > 0, -_h.xlogy(input, input), _h.where(input == 0, 0.0, _h.where(input < 0, -float("inf"), input)))


def xlog1py(input, other):
    """x log(1 + y), and 0 where x is 0 and y is no NaN."""
    x = input if isinstance(input, _h.Tensor) else _h.as_tensor(input)
    y = other if isinstance(other, _h.Tensor) else _h.as_tensor(other)
    return _h.where((x == 0) & ~y.isnan(), 0.0, x * y.log1p())


def multigammaln(a, p):
    """The logarithm of the multivariate gamma function of dimension p."""
    from math import log, pi
    return sum((_h.lgamma(a - i / 2) for i in range(p)), p * (p - 1) / 4 * log(pi))
