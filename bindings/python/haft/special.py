"""Special functions by PyTorch's names: those for which the engine has operators."""
import haft as _h

from ._vectors import entr, multigammaln, xlog1py  # noqa: F401

# PyTorch's name here: haft's name.
_NAMES = {"expit": "sigmoid", "psi": "digamma", "gammaln": "lgamma",
          **{name: name for name in ("digamma", "erf", "erfc", "erfinv", "exp2", "expm1", "i0", "i1", "log1p", "log_softmax", "logit", "logsumexp",
                                     "polygamma", "round", "sinc", "softmax", "xlogy")}}
__all__ = sorted([*_NAMES, "entr", "multigammaln", "xlog1py"])
globals().update((name, getattr(_h, own)) for name, own in _NAMES.items())
