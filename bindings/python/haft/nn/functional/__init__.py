"""haft.nn.functional: what modules compute, as functions."""
from . import activation, attention, conv, loss, norm, padding, pooling, scaling, sparse, vision
from .activation import *  # noqa: F401,F403
from .attention import *  # noqa: F401,F403
from .conv import *  # noqa: F401,F403
from .loss import *  # noqa: F401,F403
from .norm import *  # noqa: F401,F403
from .padding import *  # noqa: F401,F403
from .pooling import *  # noqa: F401,F403
from .scaling import *  # noqa: F401,F403
from .sparse import *  # noqa: F401,F403
from .vision import *  # noqa: F401,F403

__all__ = [name for part in (activation, attention, conv, loss, norm, padding, pooling, scaling, sparse, vision)
           for name in part.__all__]
