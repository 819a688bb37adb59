"""Modules by subject."""
from . import (_functions, _layers, _losses, _rnn, activation, adaptive, attention, batchnorm, container, conv, distance, dropout, flatten,
               lazy, linear, loss, module, normalization, padding, pooling, rnn, sparse)
from ._functions import *  # noqa: F401,F403
from ._layers import *  # noqa: F401,F403
from ._losses import *  # noqa: F401,F403
from .activation import *  # noqa: F401,F403
from .attention import *  # noqa: F401,F403
from .batchnorm import *  # noqa: F401,F403
from .container import *  # noqa: F401,F403
from .flatten import *  # noqa: F401,F403
from .lazy import *  # noqa: F401,F403
from .linear import *  # noqa: F401,F403
from .loss import *  # noqa: F401,F403
from .normalization import *  # noqa: F401,F403
from .module import Module, register_module_forward_hook, register_module_forward_pre_hook
from .module import register_module_full_backward_hook
from ._rnn import *  # noqa: F401,F403

__all__ = [name for part in (_functions, _layers, _losses, _rnn, activation, attention, batchnorm, container, flatten, lazy,
                             linear, loss, normalization)
           for name in part.__all__]
__all__ += ["Module"]

# PyTorch's files whose layers the registry makes here: programs name them to import from, and to allow classes to load().
import sys as _sys  # noqa: E402
channelshuffle = fold = instancenorm = pixelshuffle = transformer = upsampling = _sys.modules[__name__]
activation.MultiheadAttention = MultiheadAttention  # noqa: F405
linear.NonDynamicallyQuantizableLinear = attention.NonDynamicallyQuantizableLinear
