"""Log-probabilities of many classes, of which few are frequent."""
from ._layers import AdaptiveLogSoftmaxWithLoss  # noqa: F401
