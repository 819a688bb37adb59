"""Pooling and unpooling."""
from ._functions import *  # noqa: F401,F403 - torch.nn.modules.pooling has all of them
from ._layers import FractionalMaxPool2d, FractionalMaxPool3d  # noqa: F401
