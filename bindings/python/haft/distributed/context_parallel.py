"""Attention over sequences of which each process has a part."""
from .. import _haft
from . import _of

__all__ = ["ring_attention"]


def ring_attention(query, key, value, is_causal=False, scale=None, group=None):
    """scaled_dot_product_attention over the whole sequence, of which rank r has the r-th part of positions (dimension -2).

    Keys and values go around the ranks, so that nobody holds those of the whole. All ranks call it, with tensors of one shape.
    """
    return _haft.ring_attention(_of(group)._native, query, key, value, is_causal, 0 if scale is None else scale)
