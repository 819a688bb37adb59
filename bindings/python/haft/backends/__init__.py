"""What programs ask about the libraries below: haft.backends.cudnn, .cuda, .mps, .mkl, .mkldnn, .openmp."""
from .._names import lazy

__getattr__, __dir__ = lazy(__name__, ("cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"))
