"""Products of 8-bit floats whose scales are tensors."""
from __future__ import annotations

import enum as _enum

from ... import Tensor, _dtype
from ..._library import raw as R

__all__ = ["ScalingType", "SwizzleType", "scaled_mm"]


class ScalingType(_enum.IntEnum):
    """What a scale is of: haft multiplies by one of a tensor, or one a row."""
    TensorWise = 0
    RowWise = 1
    BlockWise1x16 = 2
    BlockWise1x32 = 3
    BlockWise1x128 = 4
    BlockWise128x128 = 5


class SwizzleType(_enum.IntEnum):
    """In which order scales of blocks lie; the scales of haft's recipes have none."""
    NO_SWIZZLE = 0
    SWIZZLE_32_4_4 = 1


def scaled_mm(mat_a: Tensor, mat_b: Tensor, scale_a: Tensor, scale_recipe_a: ScalingType, scale_b: Tensor, scale_recipe_b: ScalingType,
              swizzle_a: SwizzleType | None = None, swizzle_b: SwizzleType | None = None, bias: Tensor | None = None,
              output_dtype: _dtype.dtype | None = _dtype.bfloat16, contraction_dim: tuple[int, ...] = (),
              use_fast_accum: bool = False) -> Tensor:
    """``(mat_a * scale_a) @ (mat_b * scale_b) + bias`` of 8-bit floats (M, K) and (K, N), summed in float32.

    Args:
        scale_a, scale_b: float32: one number by ``ScalingType.TensorWise``, (M, 1) and (1, N) by ``ScalingType.RowWise``
        swizzle_a, swizzle_b: ``None`` or ``NO_SWIZZLE``
        output_dtype: ``bfloat16``, ``float16``, ``float32``, an 8-bit float, or ``None`` for that of ``mat_a``
        contraction_dim: empty or ``(1, 0)``
        use_fast_accum: has no effect: sums are float32's
    """
    for name, recipe, scale, rows in (("a", scale_recipe_a, scale_a, mat_a.shape[0]), ("b", scale_recipe_b, scale_b, mat_b.shape[-1])):
        one = recipe[0] if isinstance(recipe, (list, tuple)) and len(recipe) == 1 else recipe
        if one not in (ScalingType.TensorWise, ScalingType.RowWise):
            raise ValueError(f"scaled_mm: scale_recipe_{name} is {recipe!r}; wanted ScalingType.TensorWise or ScalingType.RowWise")
        scale = scale[0] if isinstance(scale, (list, tuple)) else scale
        if scale.numel() != (1 if one == ScalingType.TensorWise else rows):
            raise ValueError(f"scaled_mm: scale_{name} has {scale.numel()} numbers, {ScalingType(one).name} wants "
                             f"{1 if one == ScalingType.TensorWise else rows}")
        if name == "a":
            scale_a = scale
        else:
            scale_b = scale
    for swizzle in (swizzle_a, swizzle_b):
        if swizzle not in (None, SwizzleType.NO_SWIZZLE, [], [SwizzleType.NO_SWIZZLE]):
            raise ValueError(f"scaled_mm: the scales of haft's recipes are not swizzled, got {swizzle!r}")
    if tuple(d % 2 for d in contraction_dim) not in ((), (1, 0)):
        raise ValueError(f"scaled_mm: contraction_dim is {contraction_dim}; wanted () or (1, 0): transpose with t()")
    return R.scaled_mm(mat_a, mat_b, scale_a, scale_b, bias, mat_a.dtype if output_dtype is None else output_dtype)
