"""Attention of several heads, and the transformer (Vaswani et al., arXiv:1706.03762)."""
from __future__ import annotations

from copy import deepcopy
from typing import Callable

from ... import Tensor, empty, full
from .. import functional as F, init
from ..functional.attention import attended
from ..parameter import Parameter
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

__all__ = ["MultiheadAttention", "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
           "TransformerEncoderLayer"]


class NonDynamicallyQuantizableLinear(Linear):
    """The last projection of attention; PyTorch prints it under this name."""


class MultiheadAttention(Module):
    """Attention of ``num_heads`` heads: query (L, N, E), key and value (S, N, E), or batch first, or without N.

    Answers the output and, unless ``need_weights`` is false, the weights (N, L, S).

    Args:
        embed_dim: E
        num_heads: heads; divides ``embed_dim``
        dropout: probability of dropping a weight of the attention
        bias: add a learnt bias
        add_bias_kv: add a learnt element to keys and values
        add_zero_attn: add a zero to keys and values
        kdim: size of keys; None: E
        vdim: size of values; None: E
        batch_first: the batch is the first dimension
    """

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True,
                 add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None,
                 vdim: int | None = None, batch_first: bool = False, device=None, dtype=None):
        super().__init__()
        where = {"device": device, "dtype": dtype}
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        together = self._qkv_same_embed_dim
        for name, rows, cols in (("q_proj_weight", embed_dim, embed_dim), ("k_proj_weight", embed_dim, self.kdim),
                                 ("v_proj_weight", embed_dim, self.vdim)):
            self.register_parameter(name, None if together else Parameter(empty((rows, cols), **where)))
        self.register_parameter("in_proj_weight",
                                Parameter(empty((3 * embed_dim, embed_dim), **where)) if together else None)
        self.register_parameter("in_proj_bias", Parameter(empty(3 * embed_dim, **where)) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, **where)
        self.bias_k = Parameter(empty((1, 1, embed_dim), **where)) if add_bias_kv else None
        self.bias_v = Parameter(empty((1, 1, embed_dim), **where)) if add_bias_kv else None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for w in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if w is not None:
                init.xavier_uniform_(w)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for b in (self.bias_k, self.bias_v):
            if b is not None:
                init.xavier_normal_(b)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None,
                need_weights: bool = True, attn_mask: Tensor | None = None, average_attn_weights: bool = True,
                is_causal: bool = False) -> tuple[Tensor, Tensor | None]:
        if query.dim() in (2, 3) and query.size(-1) != self.embed_dim:
            raise AssertionError(f"was expecting embedding dimension of {self.embed_dim}, but got {query.size(-1)}")
        weights = (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        return attended(query, key, value, weights, self.in_proj_bias, (self.bias_k, self.bias_v),
                        (self.out_proj.weight, self.out_proj.bias), (key_padding_mask, attn_mask), (None, None), self.num_heads,
                        self.add_zero_attn, self.dropout if self.training else 0.0, is_causal, need_weights,
                        average_attn_weights, self.batch_first)


def _activation(activation: str | Callable) -> Callable:
    if not isinstance(activation, str):
        return activation
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return F.relu if activation == "relu" else F.gelu


_LAYER_ARGUMENTS = """
    Args:
        d_model: E
        nhead: heads; divides ``d_model``
        dim_feedforward: width of the feed-forward network
        dropout: probability of dropout
        activation: ``"relu"``, ``"gelu"`` or a function
        layer_norm_eps: eps of the layer norms
        batch_first: the batch is the first dimension
        norm_first: normalise before instead of after each part
        bias: add learnt biases
"""


class _Layer(Module):
    """What encoder and decoder layers share: the feed-forward part and where the norms stand."""
    _attentions = ("self_attn",)

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
                 activation: str | Callable = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
                 norm_first: bool = False, bias: bool = True, device=None, dtype=None):
        super().__init__()
        where = {"device": device, "dtype": dtype}
        for name in self._attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **where))
        self.linear1 = Linear(d_model, dim_feedforward, bias, **where)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **where)
        self.norm_first = norm_first
        parts = range(1, len(self._attentions) + 2)
        for i in parts:
            setattr(self, f"norm{i}", LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where))
        for i in parts:
            setattr(self, f"dropout{i}", Dropout(dropout))
        self.activation = _activation(activation)

    def _feed(self, x: Tensor) -> Tensor:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))

    def _residual(self, x: Tensor, part: Callable[[Tensor], Tensor], norm: Module, dropout: Module) -> Tensor:
        if self.norm_first:
            return x + dropout(part(norm(x)))
        return norm(x + dropout(part(x)))


class TransformerEncoderLayer(_Layer):
    __doc__ = "Self-attention and a feed-forward network, each with a residual and a layer norm.\n" + _LAYER_ARGUMENTS

    def forward(self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
                is_causal: bool = False) -> Tensor:
        def attend(x: Tensor) -> Tensor:
            return self.self_attn(x, x, x, src_key_padding_mask, False, src_mask, is_causal=is_causal)[0]

        x = self._residual(src, attend, self.norm1, self.dropout1)
        return self._residual(x, self._feed, self.norm2, self.dropout2)


class TransformerDecoderLayer(_Layer):
    __doc__ = "Self-attention, attention to the encoder's output and a feed-forward network.\n" + _LAYER_ARGUMENTS
    _attentions = ("self_attn", "multihead_attn")

    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
                tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
                tgt_is_causal: bool = False, memory_is_causal: bool = False) -> Tensor:
        def attend(x: Tensor) -> Tensor:
            return self.self_attn(x, x, x, tgt_key_padding_mask, False, tgt_mask, is_causal=tgt_is_causal)[0]

        def look(x: Tensor) -> Tensor:
            return self.multihead_attn(x, memory, memory, memory_key_padding_mask, False, memory_mask,
                                       is_causal=memory_is_causal)[0]

        x = self._residual(tgt, attend, self.norm1, self.dropout1)
        x = self._residual(x, look, self.norm2, self.dropout2)
        return self._residual(x, self._feed, self.norm3, self.dropout3)


class _Stack(Module):
    """Copies of a layer, each reading the one before, and perhaps a last norm."""

    def __init__(self, layer: Module, num_layers: int, norm: Module | None):
        super().__init__()
        self.layers = ModuleList([deepcopy(layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def _through(self, x: Tensor, *arguments, **hints) -> Tensor:
        hints = {name: True for name, on in hints.items() if on}  # layers of the user's own may not know them
        for layer in self.layers:
            x = layer(x, *arguments, **hints)
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(_Stack):
    """``num_layers`` copies of an encoder layer.

    Args:
        encoder_layer: the layer that is copied
        num_layers: layers, each reading the one before
        norm: a last normalisation
        enable_nested_tensor: taken and without effect
        mask_check: taken and without effect
    """

    def __init__(self, encoder_layer: Module, num_layers: int, norm: Module | None = None,
                 enable_nested_tensor: bool = True, mask_check: bool = True):
        super().__init__(encoder_layer, num_layers, norm)

    def forward(self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
                is_causal: bool | None = None) -> Tensor:
        return self._through(src, mask, src_key_padding_mask, is_causal=is_causal)


class TransformerDecoder(_Stack):
    """``num_layers`` copies of a decoder layer.

    Args:
        decoder_layer: the layer that is copied
        num_layers: layers, each reading the one before
        norm: a last normalisation
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None):
        super().__init__(decoder_layer, num_layers, norm)

    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
                tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
                tgt_is_causal: bool | None = None, memory_is_causal: bool = False) -> Tensor:
        return self._through(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask,
                             tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal)


class Transformer(Module):
    """Encoder and decoder: src (S, N, E), tgt (T, N, E) -> (T, N, E), or batch first.

    Args:
        d_model: E
        nhead: heads; divides ``d_model``
        num_encoder_layers: layers of the encoder
        num_decoder_layers: layers of the decoder
        dim_feedforward: width of the feed-forward network
        dropout: probability of dropout
        activation: ``"relu"``, ``"gelu"`` or a function
        custom_encoder: in place of the encoder
        custom_decoder: in place of the decoder
        layer_norm_eps: eps of the layer norms
        batch_first: the batch is the first dimension
        norm_first: normalise before instead of after each part
        bias: add learnt biases
    """

    def __init__(self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6,
                 dim_feedforward: int = 2048, dropout: float = 0.1, activation: str | Callable = F.relu,
                 custom_encoder: Module | None = None, custom_decoder: Module | None = None,
                 layer_norm_eps: float = 1e-5, batch_first: bool = False, norm_first: bool = False, bias: bool = True,
                 device=None, dtype=None):
        super().__init__()
        where = {"device": device, "dtype": dtype}
        options = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        self.encoder = custom_encoder if custom_encoder is not None else TransformerEncoder(
            TransformerEncoderLayer(*options, **where), num_encoder_layers, LayerNorm(d_model, layer_norm_eps, bias=bias, **where))
        self.decoder = custom_decoder if custom_decoder is not None else TransformerDecoder(
            TransformerDecoderLayer(*options, **where), num_decoder_layers, LayerNorm(d_model, layer_norm_eps, bias=bias, **where))
        for p in self.parameters():
            if p.dim() > 1:
                init.xavier_uniform_(p)
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(self, src: Tensor, tgt: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None,
                memory_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
                tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
                src_is_causal: bool | None = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False) -> Tensor:
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch) != tgt.size(batch):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        decoder = {name: True for name, on in (("tgt_is_causal", tgt_is_causal), ("memory_is_causal", memory_is_causal)) if on}
        memory = self.encoder(src, src_mask, src_key_padding_mask, **({"is_causal": True} if src_is_causal else {}))
        return self.decoder(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, **decoder)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device=None) -> Tensor:
        """-inf above the diagonal, 0 elsewhere: nobody sees what comes later."""
        return full((sz, sz), float("-inf"), device=device).triu(1)
