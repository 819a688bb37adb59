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


def einsum(*arguments):
    """Einstein's sums: einsum("ij,jk->ik", a, b), or with numbers from 0 to 51 for letters, einsum(a, [0, 1], b, [1, 2], [0, 2]), where ... is a number, too."""
    if not isinstance(arguments[0], str):
        terms = [*arguments[1::2], *(arguments[-1:] if len(arguments) % 2 else ())]
        letters = ["".join(map(_letter, term)) for term in terms]
        count = len(arguments) // 2
        arguments = (",".join(letters[:count]) + "".join(f"->{t}" for t in letters[count:]), *arguments[0:2 * count:2])
    equation, *operands = arguments
    return R.einsum(equation, operands[0] if len(operands) == 1 and not isinstance(operands[0], Tensor) else operands)


def _letter(label) -> str:
    if label is ...:
        return "..."
    if not 0 <= label < 52:
        raise ValueError(f"einsum(): subscripts are numbers from 0 to 51, got {label}")
    return chr(65 + label if label < 26 else 71 + label)


_names.collect(globals())
