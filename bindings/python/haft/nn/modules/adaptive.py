"""Log-probabilities of many classes, of which few are frequent."""
from ._adaptive import _AdaptiveLogSoftmaxWithLoss
from ._layers import AdaptiveLogSoftmaxWithLoss, Linear  # noqa: F401

_AdaptiveLogSoftmaxWithLoss._linear = Linear
