"""Special functions by PyTorch's names: those for which the engine has operators."""
import haft as _h

from ._vectors import entr, multigammaln, xlog1py  # noqa: F401

# PyTorch's name here: haft's name.
_NAMES = {"expit": "sigmoid", "psi": "digamma", "gammaln": "lgamma", "gammainc": "igamma", "gammaincc": "igammac", "modified_bessel_i0": "i0",
          "modified_bessel_i1": "i1",
          **{name: name for name in ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "digamma", "erf", "erfc", "erfcx", "erfinv", "exp2", "expm1", "i0", "i0e",
                                     "i1", "i1e", "log1p", "log_ndtr", "log_softmax", "logit", "logsumexp", "modified_bessel_k0", "modified_bessel_k1", "ndtr",
                                     "ndtri", "polygamma", "round", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "sinc", "softmax", "xlogy")}}
__all__ = sorted([*_NAMES, "entr", "multigammaln", "xlog1py"])
globals().update((name, getattr(_h, own)) for name, own in _NAMES.items())
