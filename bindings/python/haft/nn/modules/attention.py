"""Attention of several heads, and the transformer."""
from . import _attention_layers
from ._attention import NonDynamicallyQuantizableLinear  # noqa: F401
from ._attention_layers import *  # noqa: F401,F403

__all__ = _attention_layers.__all__
