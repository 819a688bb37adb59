"""haft.nn.functional: what modules compute, as functions. Those of _activations, _forms, _losses and _operators are written by tools/generate."""
from ... import cosine_similarity, pairwise_distance, pdist, prelu  # noqa: F401
from . import _activations, _forms, _losses, _operators, attention, conv, more, scaling
from ._activations import *  # noqa: F401,F403
from ._losses import *  # noqa: F401,F403
from ._operators import *  # noqa: F401,F403
from ._forms import *  # noqa: F401,F403 - of what the operators give, too
from .attention import *  # noqa: F401,F403
from .conv import *  # noqa: F401,F403
from .more import *  # noqa: F401,F403
from .scaling import *  # noqa: F401,F403

__all__ = sorted({"cosine_similarity", "pairwise_distance", "pdist", "prelu",
                  *(name for part in (_activations, _forms, _losses, _operators, attention, conv, more, scaling) for name in part.__all__)})
