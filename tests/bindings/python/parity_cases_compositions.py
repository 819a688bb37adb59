"""Operators that are written with others: random arguments for parity_cases.run."""
import math

from parity_cases import ALL, FLOATS, INTS, Arg, case
from parity_cases_pointwise import one, special, two
from parity_cases_tensor import MOVED, SOME, ranked

NUMBERS = FLOATS + INTS
_copies = dict(dtypes=SOME, layouts=MOVED, second=False)

# ---- arithmetic.cpp ----
case("frac", "h.frac(x) | x.frac() | x.clone().frac_() | h.frac(x, out=h.empty_like(x))", one(), gradients=False)
case("frac", "h.frac(x)", one())
case("signbit", "h.signbit(x) | x.signbit()", one(), dtypes=ALL, gradients=False)
case("logit", "h.logit(x) | x.logit() | h.logit(x, 0.3) | x.logit(eps=0.25)", one(0.1, 0.9), limit=1e-5)
case("deg2rad", "h.deg2rad(x) | x.deg2rad()", one(-200, 200), dtypes=NUMBERS)
case("rad2deg", "h.rad2deg(x) | x.rad2deg()", one(), dtypes=NUMBERS)
case("sinc", "h.sinc(x) | x.sinc()", one(0.1, 3), dtypes=NUMBERS, limit=1e-5)
for _name in ("signbit", "sinc", "isposinf", "isneginf", "nan_to_num"):
    case(_name, f"h.{_name}(x) | x.{_name}()", special, gradients=False)
case("nan_to_num", "h.nan_to_num(x, nan=2.0) | h.nan_to_num(x, 1.0, 7.0, -7.0) | x.nan_to_num(posinf=3.0) | x.clone().nan_to_num_(0.0)", special, gradients=False)
for _name in ("isposinf", "isneginf"):
    case(_name, f"h.{_name}(x)", one(), dtypes=ALL, gradients=False)
case("heaviside", "h.heaviside(x, y) | x.round().heaviside(y)", two(), dtypes=NUMBERS, gradients=False)
for _name in ("fmax", "fmin"):
    case(_name, f"h.{_name}(x, y) | x.{_name}(y)", two(), dtypes=NUMBERS)
    case(_name, f"h.{_name}(x, x.detach() * 0.5)", one())  # PyTorch 2.15 shares the gradient of equals, 1.13 does not
    case(_name, f"h.{_name}(x, x.flip(0) if x.ndim else x)", special, gradients=False)
case("ldexp", "h.ldexp(x, y) | x.ldexp(y)", two(), dtypes=FLOATS)
case("isclose", "h.isclose(x, y) | x.isclose(y, 0.1, 0.5) | h.isclose(x, y, rtol=0, atol=1)", two(), dtypes=ALL, gradients=False)
case("isclose", "h.isclose(x, x) | h.isclose(x, x, equal_nan=True) | h.isclose(x, -x, atol=3.0)", special, gradients=False)

# ---- shapes.cpp ----
case("ravel", "x.ravel() | h.ravel(x)", ranked(0), dtypes=SOME, layouts=MOVED, second=False)
case("fliplr", "h.fliplr(x) | x.fliplr()", ranked(2), **_copies)
case("flipud", "h.flipud(x) | x.flipud()", ranked(1), **_copies)
case("rot90", "h.rot90(x) | x.rot90(k) | h.rot90(x, offset, (0, -1)) | x.rot90(-k, [1, 0]) | h.rot90(x, dims=(-1, -2))", ranked(2), **_copies)
case("tile", "h.tile(x, (2, k)) | x.tile(2, 1, k) | x.tile((k,)) | h.tile(x, (k,))", ranked(0, 3), **_copies)
case("repeat_interleave", "h.repeat_interleave(x, k) | x.repeat_interleave(2, dim) | x.repeat_interleave(r, dim=0) | h.repeat_interleave(x, h.tensor([k]), dim) | h.repeat_interleave(r)",
     lambda d: (lambda v: dict(v, r=d.integers(v["shape"][0], high=4)))(ranked(1, 3)(d)), **_copies)
for _name in ("atleast_1d", "atleast_2d", "atleast_3d"):
    case(_name, f"h.{_name}(x) | h.{_name}(x, x)[1] | h.{_name}([x, x])[0]", ranked(0), **_copies)
case("diag_embed", "h.diag_embed(x) | x.diag_embed(offset) | h.diag_embed(x, offset, 0, -1) | h.diag_embed(x, dim1=-1, dim2=-2)", ranked(1, 3), **_copies)
case("diag", "h.diag(x) | x.diag(offset) | h.diag(x, diagonal=offset)", ranked(1, 2), **_copies)
case("diagflat", "h.diagflat(x) | x.diagflat(offset)", ranked(1, 2), **_copies)
case("trace", "h.trace(x) | x.trace()", ranked(2, 2), dtypes=ALL, gradients=False)
case("trace", "h.trace(x @ x.t())", ranked(2, 2))  # of tall matrices PyTorch 1.13 has a wrong gradient
for _name in ("tril_indices", "triu_indices"):
    case(_name, f"h.{_name}(m, n) | h.{_name}(m, n, offset) | h.{_name}(m, n, offset=offset, dtype=h.int32)",
         lambda d: dict(m=d.size(0, 5), n=d.size(0, 5), offset=d.size(-4, 4)), dtypes=("int64",), gradients=False)
case("tensor_split", "h.tensor_split(x, k, dim) | x.tensor_split(k) | x.tensor_split(3, dim=dim) | h.hsplit(x, k) | h.vsplit(x, 1)", ranked(), view=False, dtypes=SOME, layouts=MOVED, second=False)
case("tensor_split_indices", "h.tensor_split(x, (1, k), dim) | x.tensor_split([0, -1], dim) | x.tensor_split(h.tensor([1])) | h.dsplit(x, [1]) | x.tensor_split((3, 1))", ranked(), **_copies)

# ---- joins.cpp ----
_pair = lambda d: (lambda n: (lambda s: dict(x=d.tensor(*s), y=d.tensor(*s), z=d.tensor(*s)))(d.sizes(n)))(d.size(0, 3))
for _name in ("hstack", "vstack", "dstack", "column_stack"):
    case(_name, f"h.{_name}((x, y)) | h.{_name}([x, y, z]) | h.{_name}((x,))" + (" | h.row_stack((x, y))" if _name == "vstack" else ""), _pair, **_copies)
    case(_name, f"h.{_name}((x, y), out=h.empty(0, dtype=x.dtype))", _pair, dtypes=SOME, gradients=False)
case("broadcast_tensors", "h.broadcast_tensors(x, y) | h.broadcast_tensors(x, y, x[..., :1])", two(), dtypes=SOME, second=False)
_lines = lambda d: dict(a=d.tensor(d.size(0 if d.layout == "empty" else 1, 4)), b=d.tensor(d.size(1, 4)), c=d.tensor())
case("meshgrid", "h.meshgrid(a, b, indexing='ij') | h.meshgrid([a, b], indexing='xy') | h.meshgrid(a, c, b, indexing='xy') | h.meshgrid(a, indexing='ij')", _lines, **_copies)
case("cartesian_prod", "h.cartesian_prod(a, b) | h.cartesian_prod(a, b, a) | h.cartesian_prod(a)", _lines, **_copies)
case("combinations", "h.combinations(a) | h.combinations(a, 3) | h.combinations(b, 2, True) | h.combinations(a, r=1) | h.combinations(a, r=3, with_replacement=True)", _lines, **_copies)
case("block_diag", "h.block_diag(a, b.reshape(-1, 1), c) | h.block_diag(b)", _lines, **dict(_copies, layouts=MOVED[:-1]))  # nor has it of empty blocks

_lengths = dict(dtypes=("float32",), gradients=False, layouts=("dense",))
for _name in ("bartlett_window", "blackman_window", "hann_window", "hamming_window", "kaiser_window"):
    case(_name, f"h.{_name}(n) | h.{_name}(n, False) | h.{_name}(n, periodic=True, dtype=h.float64)", lambda d: dict(n=d.size(0, 40)), limit=1e-4, **_lengths)
case("hamming_window", "h.hamming_window(n, False, 0.5, 0.4)", lambda d: dict(n=d.size(0, 40)), **_lengths)
case("kaiser_window", "h.kaiser_window(n, False, 5.0)", lambda d: dict(n=d.size(0, 40)), limit=1e-4, **_lengths)
case("unravel_index", "h.unravel_index(x, (3, 4)) if hasattr(h, 'unravel_index') else (x // 4, x % 4)", lambda d: dict(x=d.tensor(*d.shape(), low=0, high=12)), dtypes=("int64",),
     gradients=False, layouts=("dense",))  # newer than Debian's PyTorch
case("vander", "h.vander(a) | h.vander(a, 3) | h.vander(a, N=2, increasing=True) | h.vander(a[:1]) | h.vander(a, 0)", _lines, dtypes=("float64", "int64"), layouts=("dense",), second=False)
case("pdist", "h.nn.functional.pdist(x) | h.pdist(x, 1.0) | h.nn.functional.pdist(x, p=3.0)", ranked(2, 2), dtypes=("float32", "float64"), layouts=("dense",), second=False, limit=1e-4)

# ---- statistics.cpp ----
case("nansum", "h.nansum(x) | x.nansum(dim) | h.nansum(x, dims, keepdim=keep) | h.nansum(x, dim, dtype=h.float64)", ranked(0), dtypes=ALL)
case("nanmean", "h.nanmean(x) | x.nanmean(dim) | h.nanmean(x, dims, keep)", ranked())
for _name in ("nansum", "nanmean"):
    case(_name, f"h.{_name}(h.where(x.isinf(), h.zeros_like(x), x), -1)", special, gradients=False)
case("aminmax", "h.aminmax(x) | x.aminmax(dim=dim) | h.aminmax(x, dim=dim, keepdim=keep).max | x.aminmax(dim=dim).min", ranked(1, distinct=True), dtypes=NUMBERS)
case("msort", "h.msort(x) | x.msort()", ranked(1, distinct=True), dtypes=NUMBERS)
case("diff", "h.diff(x) | x.diff(k, dim) | h.diff(x, dim=dim, prepend=x) | x.diff(1, dim, append=x, prepend=x)", ranked(1), dtypes=ALL)
_q = lambda d: dict(ranked(1, 3, distinct=True)(d), q=Arg(d.rng.random(d.size(1, 3)).astype(d.dtype), grad=False), p=float(d.rng.random()))
for _way in ("linear", "lower", "higher", "midpoint", "nearest"):
    case("quantile", f"h.quantile(x, p, interpolation='{_way}') | x.quantile(q, dim, interpolation='{_way}') | h.quantile(x, q, dim, True, interpolation='{_way}') | h.quantile(x, p, keepdim=True, interpolation='{_way}')",
         _q, layouts=("dense", "transposed", "strided", "offset"), second=False)
case("quantile", "h.quantile(x.nan_to_num(h.nan, 9, -9), 0.5) | h.quantile(x.nan_to_num(h.nan, 9, -9), 0.25, -1)", special, gradients=False)
case("nanquantile", "h.nanquantile(x.nan_to_num(h.nan, 9, -9), 0.5) | h.nanquantile(x.nan_to_num(h.nan, 9, -9), 0.25, -1)", special, gradients=False)
case("nanquantile", "h.nanquantile(x, p) | x.nanquantile(q, dim) | h.nanquantile(x, q, dim, True, interpolation='higher')", _q,
     layouts=("dense", "transposed", "strided", "offset"), second=False)
case("mode", "h.mode(x, dim)[0] | x.round().mode(dim, keep)[0]", ranked(), gradients=False, layouts=("dense", "transposed", "strided"))
_observed = lambda d: (lambda n: dict(x=d.tensor(d.size(1, 4), n), w=Arg(d.rng.random(n).astype(d.dtype) + 0.5, grad=False), f=Arg(d.rng.integers(1, 4, n), grad=False)))(d.size(3, 6))
case("cov", "h.cov(x) | x.cov(correction=0) | h.cov(x, fweights=f) | h.cov(x, aweights=w) | h.cov(x, fweights=f, aweights=w) | h.cov(x[0])", _observed, dtypes=("float32", "float64"), layouts=("dense",), limit=1e-4)
case("corrcoef", "h.corrcoef(x) | x.corrcoef()", _observed, dtypes=("float64",), layouts=("dense",), second=False)
for _name in ("trapezoid", "cumulative_trapezoid"):
    case(_name, f"h.{_name}(x) | h.{_name}(x, dim=dim) | h.{_name}(x, dx=0.5, dim=dim) | h.{_name}(x, x.detach().cumsum(dim), dim=dim)", ranked(), dtypes=("float32", "float64"),
         layouts=("dense", "transposed", "strided"), limit=1e-4)
_plain = dict(dtypes=ALL, gradients=False, layouts=("dense", "transposed", "strided", "offset", "expanded"))
case("unique", "h.unique(x) | x.unique(return_inverse=True) | h.unique(x, return_counts=True) | x.unique(True, True, True) | h.unique(x, dim=0) | x.unique(dim=dim, return_inverse=True, return_counts=True)", ranked(1, 2), **_plain)
case("unique_consecutive", "h.unique_consecutive(x) | x.unique_consecutive(return_inverse=True, return_counts=True) | h.unique_consecutive(x, dim=dim) | x.unique_consecutive(True, True, dim=0)", ranked(1, 3), **_plain)


# ---- contraction.cpp ----
def products(d):
    i, j, k, n = d.sizes(4)
    return dict(x=d.tensor(i, j, k), y=d.tensor(k, j, n), a=d.tensor(i, j), b=d.tensor(j, k), c=d.tensor(k, n), s=d.tensor(j, j), v=d.tensor(j), p=d.size(1, 4))


_sums = dict(dtypes=FLOATS + ("int64",), layouts=MOVED, limit=5e-5)
case("einsum", "h.einsum('ij,jk->ik', a, b) | h.einsum('ijk,kjn->in', x, y) | h.einsum('ij,jk,kn', a, b, c) | h.einsum('ij->j', a) | h.einsum('ii->i', s) | h.einsum('ii,i', s, v) | h.einsum('...jk,kn->n...j', x, c) | h.einsum('ij,j->ij', a, v) | h.einsum('kn,jk,ij->in', c, b, a) | h.einsum('i...,...', a, v)",
     products, **_sums)
case("tensordot", "h.tensordot(x, y, 1) | h.tensordot(x, y, ([1, 2], [1, 0])) | h.tensordot(a, b, dims=([1], [0])) | h.tensordot(a, c, 0)", products, **_sums)
case("inner", "h.inner(a, s) | v.inner(s) | h.inner(v, v)", products, **_sums)
case("chain_matmul", "h.chain_matmul(a, b, c) | h.chain_matmul(a, s, s, b) | h.linalg.multi_dot([v, s, b]) | h.linalg.multi_dot((a, s, v))", products, dtypes=FLOATS, layouts=MOVED, limit=1e-4)
case("matrix_power", "h.matrix_power(s, p) | s.matrix_power(2) | h.matrix_power(s.expand(2, -1, -1), 3) | h.matrix_power(s.detach(), 0)", products, dtypes=FLOATS, layouts=MOVED, limit=1e-3)
case("kron", "h.kron(a, c) | v.kron(a) | h.kron(v, v)", products, **dict(_sums, dtypes=SOME))
case("dist", "h.dist(a, a[:1] + 1) | a.dist(v, 1) | h.dist(a, v, 3)", products, layouts=("dense", "transposed", "strided", "offset"), limit=1e-4)
case("cdist", "h.cdist(a, s) | h.cdist(a, s, p=1.0) | h.cdist(a, s, 3.0)", products, layouts=("dense", "transposed", "strided", "offset"), limit=2e-3, second=False)
case("renorm", "h.renorm(x, 2, 0, 1.0) | x.renorm(1, -1, 0.5) | h.renorm(a, 2, 1, 100)", products, layouts=("dense", "transposed", "strided", "offset"), limit=1e-4, second=False)


# ---- index.cpp ----
def placed(d):
    n = d.size(1, 3)
    shape = d.sizes(n)
    dim = d.dim(n)
    count = int(max(1, math.prod(shape)))
    m = shape[dim]
    grid = [1 if d.size(0, 1) else s for s in shape]
    grid[dim] = 0 if d.layout == "empty" else d.size(1, 5)
    once = d.size(0 if d.layout == "empty" else 1, m) if m else 0
    slices = list(shape)
    slices[dim] = once
    return dict(x=d.tensor(*shape), dim=dim, at=d.integers(d.size(), d.size(), low=-count, high=count), flat=d.integers(5, high=count),
                grid=d.integers(*grid, high=m), once=Arg(d.rng.permutation(m)[:once].astype("int64")), slices=d.tensor(*slices),
                one=d.tensor(*(s for k, s in enumerate(shape) if k != dim % n)), five=d.tensor(5))


_index = dict(dtypes=FLOATS + ("int64", "bool"), layouts=("dense", "transposed", "strided", "offset"))
case("take", "h.take(x, at) | x.take(flat)", placed, **_index)
case("take_along_dim", "h.take_along_dim(x, grid, dim) | x.take_along_dim(flat) | h.take_along_dim(x, grid, dim=dim)", placed, **_index)
case("index_copy", "h.index_copy(x, dim, once, slices) | x.index_copy(dim, once, slices) | x.clone().index_copy_(dim, once, slices)", placed, **_index)
case("index_fill", "h.index_fill(x, dim, once, 1) | x.index_fill(dim, once, 0) | x.clone().index_fill_(dim, once, 1) | x.index_fill(dim, once, one.sum().to(x.dtype).detach())",
     placed, **_index)
case("put", "h.put(x, flat, five, True) | x.put(flat[:1], five[:1]) | x.clone().put_(flat, five, accumulate=True)", placed, **dict(_index, dtypes=FLOATS + ("int64",)))
case("select_scatter", "h.select_scatter(x, one, dim, -1) | x.select_scatter(one, dim, 0)", placed, **_index)
# The step is said: PyTorch 1.13 reads one that is not there, and refuses what it finds.
case("slice_scatter", "h.slice_scatter(x, slices, dim, 0, slices.shape[dim], 1) | x.slice_scatter(slices, dim, x.shape[dim] - slices.shape[dim], x.shape[dim], 1)", placed, **_index)
case("diagonal_scatter", "h.diagonal_scatter(s, v) | s.diagonal_scatter(v, 0, 1, 0)", products, **_sums)
