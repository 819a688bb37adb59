"""Products of matrices with PyTorch's arguments."""
from ._creation import into_or_new as _out
from ._library import _haft, raw as R
from ._names import Names

Tensor = _haft.Tensor
_names = Names()
FUNCTIONS, METHODS = _names.functions, _names.methods


def tensordot(a, b, dims=2, out=None):
    """Sums of products over several dimensions: the last `dims` of a and the first of b, or two lists."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    of_a, of_b = (range(a.ndim - dims, a.ndim), range(dims)) if isinstance(dims, int) else dims
    return _out(R.tensordot(a, b, of_a, of_b), out)


@_names.function
def _scaled_mm(input, mat2, scale_a, scale_b, bias=None, scale_result=None, out_dtype=None, use_fast_accum=False):
    """scaled_mm() by PyTorch's older name, whose result has the type of input unless out_dtype says another; use_fast_accum has no effect."""
    if scale_result is not None:
        raise ValueError("_scaled_mm(): a scale of the result is one of scale_a: multiply it there")
    return R.scaled_mm(input, mat2, scale_a, scale_b, bias, out_dtype or input.dtype)


def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """p-norms of the differences of all rows: (*, P, M) and (*, R, M) -> (*, P, R). compute_mode has no effect on the result."""
    if compute_mode not in ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"):
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    return R.cdist(x1, x2, p)


def einsum(equation, *operands):
    """Einstein's sums: einsum("ij,jk->ik", a, b). Letters, "..." and implicit outputs as PyTorch reads them."""
    if len(operands) == 1 and not isinstance(operands[0], Tensor):
        operands = tuple(operands[0])
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise ValueError(f"einsum(): {len(terms)} subscripts for {len(operands)} operands")
    # Dimensions under "..." get labels that no letter has, counted from the last one.
    labels, wide = [], 0
    for term, t in zip(terms, operands):
        before, dots, after = term.partition("...")
        extra = t.ndim - len(before) - len(after)
        if extra < 0 or extra and not dots:
            raise RuntimeError(f"einsum(): the number of subscripts in '{term}' does not match the {t.ndim} dimensions of its operand")
        wide = max(wide, extra)
        labels += [*map(ord, before), *range(-extra, 0), *map(ord, after)]
    if not arrow:
        letters = left.replace(",", "").replace("...", "")
        right = "..." + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    before, dots, after = right.partition("...")
    return R.einsum(operands, labels, [*map(ord, before), *(range(-wide, 0) if dots else ()), *map(ord, after)])


_names.collect(globals())
