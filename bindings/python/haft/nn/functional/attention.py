"""Attention."""
from __future__ import annotations

from ... import Tensor
from ..._library import raw as R

__all__ = ["multi_head_attention_forward"]


def attended(query: Tensor, key: Tensor, value: Tensor, projections: tuple, in_proj_bias: Tensor | None,
             biases: tuple, out_proj: tuple, masks: tuple, static: tuple, num_heads: int, add_zero_attn: bool, dropout_p: float,
             is_causal: bool, need_weights: bool, average_attn_weights: bool, batch_first: bool) -> tuple[Tensor, Tensor | None]:
    """The operator, and what PyTorch refuses in words of its own. masks: key_padding_mask and attn_mask."""
    if query.dim() not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query "
                             "tensor")
    padding, mask = masks
    if mask is not None and mask.dim() not in (2, 3):
        raise RuntimeError(f"attn_mask's dimension {mask.dim()} is not supported")
    if is_causal:
        # A hint, as PyTorch has it: the mask is the triangle.
        if mask is None:
            raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
        is_causal = padding is None and not need_weights
        mask = None if is_causal else mask
    out, weights = R.multi_head_attention(
        query, key, value, *projections, in_proj_bias, *biases, *out_proj, padding, mask, *static, num_heads, add_zero_attn,
        dropout_p, is_causal, need_weights, average_attn_weights, batch_first, None)
    return out, weights if need_weights else None


def multi_head_attention_forward(
        query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int,
        in_proj_weight: Tensor | None, in_proj_bias: Tensor | None, bias_k: Tensor | None, bias_v: Tensor | None,
        add_zero_attn: bool, dropout_p: float, out_proj_weight: Tensor, out_proj_bias: Tensor | None,
        training: bool = True, key_padding_mask: Tensor | None = None, need_weights: bool = True,
        attn_mask: Tensor | None = None, use_separate_proj_weight: bool = False, q_proj_weight: Tensor | None = None,
        k_proj_weight: Tensor | None = None, v_proj_weight: Tensor | None = None, static_k: Tensor | None = None,
        static_v: Tensor | None = None, average_attn_weights: bool = True,
        is_causal: bool = False) -> tuple[Tensor, Tensor | None]:
    """Attention of several heads (Vaswani et al., arXiv:1706.03762): query (L, N, E), key and value (S, N, E), or
    without N. Answers (L, N, E) and, when needed, the weights (N, L, S), or (N, heads, L, S) when not averaged.
    ``is_causal`` says that ``attn_mask`` hides what comes later; a query that may see no key gets zeros."""
    e = query.size(-1)
    if query.dim() in (2, 3) and e != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {e}")
    if e % num_heads:
        raise AssertionError(f"embed_dim {e} not divisible by num_heads {num_heads}")
    separate = (None, q_proj_weight, k_proj_weight, v_proj_weight)
    return attended(query, key, value, separate if use_separate_proj_weight else (in_proj_weight, None, None, None), in_proj_bias,
                    (bias_k, bias_v), (out_proj_weight, out_proj_bias), (key_padding_mask, attn_mask), (static_k, static_v),
                    num_heads, add_zero_attn, dropout_p if training else 0.0, is_causal, need_weights, average_attn_weights, False)
