"""Attention of several heads, and the transformer."""
from . import _attention_layers
from ._attention import NonDynamicallyQuantizableLinear, _Layer, _Transformer  # noqa: F401
from ._attention_layers import *  # noqa: F401,F403
from ._attention_layers import MultiheadAttention, TransformerDecoder, TransformerDecoderLayer, TransformerEncoder, TransformerEncoderLayer

__all__ = _attention_layers.__all__

# Layers that bases are made of are made over bases themselves.
_Layer._heads = MultiheadAttention
_Transformer._parts = TransformerEncoder, TransformerEncoderLayer, TransformerDecoder, TransformerDecoderLayer
