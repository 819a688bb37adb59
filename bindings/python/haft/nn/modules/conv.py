"""Convolutions and transposed convolutions."""
from ._conv import _ConvNd, _ConvTransposeNd  # noqa: F401
from ._functions import Fold, Unfold  # noqa: F401
from ._layers import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d  # noqa: F401
