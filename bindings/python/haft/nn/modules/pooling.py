"""Pooling and unpooling."""
from ._functions import *  # noqa: F401,F403 - torch.nn.modules.pooling has all of them
