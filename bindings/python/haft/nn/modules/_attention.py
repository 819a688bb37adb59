"""What attention of several heads and the transformer do; _attention_layers.py has the classes, with the parameters of
core/schema/modules_python.def."""
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


class NonDynamicallyQuantizableLinear(Linear):
    """The last projection of attention; PyTorch prints it under this name."""


class _MultiheadAttention(Module):
    def __init__(self, embed_dim, num_heads, dropout, bias, add_bias_kv, add_zero_attn, kdim, vdim, batch_first, device, dtype):
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


class _Layer(Module):
    """What encoder and decoder layers share: the feed-forward part and where the norms stand."""
    _attentions = ("self_attn",)
    _heads: type  # MultiheadAttention, which attention.py knows

    def __init__(self, d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device, dtype):
        super().__init__()
        where = {"device": device, "dtype": dtype}
        for name in self._attentions:
            setattr(self, name, self._heads(d_model, nhead, dropout, bias, batch_first=batch_first, **where))
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


class _EncoderLayer(_Layer):
    def forward(self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
                is_causal: bool = False) -> Tensor:
        def attend(x: Tensor) -> Tensor:
            return self.self_attn(x, x, x, src_key_padding_mask, False, src_mask, is_causal=is_causal)[0]

        x = self._residual(src, attend, self.norm1, self.dropout1)
        return self._residual(x, self._feed, self.norm2, self.dropout2)


class _DecoderLayer(_Layer):
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


class _Encoder(_Stack):
    def __init__(self, encoder_layer, num_layers, norm, enable_nested_tensor, mask_check):
        super().__init__(encoder_layer, num_layers, norm)

    def forward(self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
                is_causal: bool | None = None) -> Tensor:
        return self._through(src, mask, src_key_padding_mask, is_causal=is_causal)


class _Decoder(_Stack):
    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
                tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
                tgt_is_causal: bool | None = None, memory_is_causal: bool = False) -> Tensor:
        return self._through(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask,
                             tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal)


class _Transformer(Module):
    _parts: tuple[type, ...]  # the classes of encoders, decoders and their layers, which attention.py knows

    def __init__(self, d_model, nhead, num_encoder_layers, num_decoder_layers, dim_feedforward, dropout, activation, custom_encoder,
                 custom_decoder, layer_norm_eps, batch_first, norm_first, bias, device, dtype):
        make_encoder, encoder_layer, make_decoder, decoder_layer = self._parts
        super().__init__()
        where = {"device": device, "dtype": dtype}
        options = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        self.encoder = custom_encoder if custom_encoder is not None else make_encoder(
            encoder_layer(*options, **where), num_encoder_layers, LayerNorm(d_model, layer_norm_eps, bias=bias, **where))
        self.decoder = custom_decoder if custom_decoder is not None else make_decoder(
            decoder_layer(*options, **where), num_decoder_layers, LayerNorm(d_model, layer_norm_eps, bias=bias, **where))
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
