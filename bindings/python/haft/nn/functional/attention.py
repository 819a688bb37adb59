"""Attention."""
from __future__ import annotations

import math

from ... import Tensor, cat, zeros
from .activation import dropout
from .conv import linear

__all__ = ["multi_head_attention_forward", "scaled_dot_product_attention"]


def _additive(mask: Tensor, like: Tensor) -> Tensor:
    """A bool mask (True: not attended to) as numbers to add."""
    if mask.dtype.is_floating_point:
        return mask
    return zeros(mask.shape, dtype=like.dtype, device=like.device).masked_fill(mask, float("-inf"))


def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None,
                                 dropout_p: float = 0.0, is_causal: bool = False, scale: float | None = None,
                                 enable_gqa: bool = False) -> Tensor:
    """``softmax(query @ key.T * scale + mask) @ value``: (\\*, L, E), (\\*, S, E), (\\*, S, Ev) -> (\\*, L, Ev), in tiles,
    so that memory is linear in L and S. A query that may see no key is answered with zeros.

    Args:
        attn_mask: bool (True: take part) or numbers to add, broadcast to (\\*, L, S)
        dropout_p: probability of dropping a weight; there is no evaluation mode here
        is_causal: position i sees positions up to i only
        scale: 1 / sqrt(E) unless given
        enable_gqa: key and value may have fewer heads (dimension -3), a divisor of query's
    """
    return query.scaled_dot_product_attention(key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)


def _project(query, key, value, in_proj_weight, separate, in_proj_bias):
    e = query.size(-1)
    if separate is not None:
        bias = [None] * 3 if in_proj_bias is None else in_proj_bias.split(e)
        return [linear(x, w, b) for x, w, b in zip((query, key, value), separate, bias)]
    if query is key and key is value:
        # (E + E + E): one product for all three.
        return list(linear(query, in_proj_weight, in_proj_bias).split(e, -1))
    bias = [None] * 3 if in_proj_bias is None else in_proj_bias.split(e)
    return [linear(x, w, b) for x, w, b in zip((query, key, value), in_proj_weight.split(e), bias)]


def multi_head_attention_forward(
        query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int,
        in_proj_weight: Tensor | None, in_proj_bias: Tensor | None, bias_k: Tensor | None, bias_v: Tensor | None,
        add_zero_attn: bool, dropout_p: float, out_proj_weight: Tensor, out_proj_bias: Tensor | None,
        training: bool = True, key_padding_mask: Tensor | None = None, need_weights: bool = True,
        attn_mask: Tensor | None = None, use_separate_proj_weight: bool = False, q_proj_weight: Tensor | None = None,
        k_proj_weight: Tensor | None = None, v_proj_weight: Tensor | None = None, static_k: Tensor | None = None,
        static_v: Tensor | None = None, average_attn_weights: bool = True) -> tuple[Tensor, Tensor | None]:
    """Attention of several heads (Vaswani et al., arXiv:1706.03762): query (L, N, E), key and value (S, N, E), or
    without N. Answers (L, N, E) and, when needed, the weights (N, L, S), or (N, heads, L, S) when not averaged."""
    single = query.dim() == 2
    if single:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    elif query.dim() != 3:
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query "
                             "tensor")
    length, batch, e = query.shape
    if e != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {e}")
    head = e // num_heads
    if head * num_heads != e:
        raise AssertionError(f"embed_dim {e} not divisible by num_heads {num_heads}")
    separate = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    q, k, v = _project(query, key, value, in_proj_weight, separate, in_proj_bias)

    if attn_mask is not None:
        wanted = {2: (length, key.size(0)), 3: (batch * num_heads, length, key.size(0))}.get(attn_mask.dim())
        if wanted is None or tuple(attn_mask.shape) != wanted:
            raise RuntimeError(f"The shape of the {attn_mask.dim()}D attn_mask is {tuple(attn_mask.shape)}, but should "
                               f"be {wanted or (length, key.size(0))}.")
        attn_mask = _additive(attn_mask, q)
        attn_mask = attn_mask.unsqueeze(0) if attn_mask.dim() == 2 else attn_mask
    if key_padding_mask is not None:
        key_padding_mask = _additive(key_padding_mask, q)

    def more(mask: Tensor | None) -> Tensor | None:
        """One more column of zeros: a key that everybody may see."""
        return None if mask is None else cat([mask, zeros(*mask.shape[:-1], 1, dtype=mask.dtype,
                                                          device=mask.device)], -1)

    if bias_k is not None:
        k = cat([k, bias_k.expand(1, batch, bias_k.size(-1))])
        v = cat([v, bias_v.expand(1, batch, bias_v.size(-1))])
        attn_mask, key_padding_mask = more(attn_mask), more(key_padding_mask)
    q = q.reshape(length, batch * num_heads, head).transpose(0, 1)
    k = static_k if static_k is not None else k.reshape(k.size(0), batch * num_heads, head).transpose(0, 1)
    v = static_v if static_v is not None else v.reshape(v.size(0), batch * num_heads, head).transpose(0, 1)
    if add_zero_attn:
        extra = zeros(batch * num_heads, 1, head, dtype=k.dtype, device=k.device)
        k, v = cat([k, extra], 1), cat([v, extra], 1)
        attn_mask, key_padding_mask = more(attn_mask), more(key_padding_mask)
    source = k.size(1)
    if key_padding_mask is not None:
        padding = key_padding_mask.reshape(batch, 1, 1, source)
        attn_mask = padding if attn_mask is None else padding + (
            attn_mask if attn_mask.size(0) == 1 else attn_mask.reshape(batch, num_heads, length, source))
    elif attn_mask is not None and attn_mask.size(0) != 1:
        attn_mask = attn_mask.reshape(batch, num_heads, length, source)
    if not need_weights:
        heads = (x.reshape(batch, num_heads, -1, head) for x in (q, k, v))
        out = scaled_dot_product_attention(*heads, attn_mask, dropout_p if training else 0.0)
        out = linear(out.permute(2, 0, 1, 3).reshape(length, batch, e), out_proj_weight, out_proj_bias)
        return (out.squeeze(1) if single else out), None
    scores = (q / math.sqrt(head)).matmul(k.transpose(1, 2)).reshape(batch, num_heads, length, source)
    if attn_mask is not None:
        scores = scores + attn_mask
    scores = scores.reshape(batch * num_heads, length, source)
    weights = scores.softmax(-1)
    if dropout_p > 0 and training:
        weights = dropout(weights, dropout_p)
    out = weights.matmul(v).transpose(0, 1).reshape(length * batch, e)
    out = linear(out, out_proj_weight, out_proj_bias).reshape(length, batch, -1)
    weights = weights.reshape(batch, num_heads, length, source)
    weights = weights.mean(1) if average_attn_weights else weights
    return (out.squeeze(1), weights.squeeze(0)) if single else (out, weights)
