"""Views, copies, reductions, products and indexing: random arguments for parity_cases.run."""
import numpy as np
import torch

from parity_cases import ALL, FLOATS, INTS, Arg, case, every_form

NUMBERS = FLOATS + INTS
SOME = ("float32", "float64", "int64", "bool")
MOVED = ("dense", "transposed", "strided", "offset", "expanded", "empty")  # layouts of tensors with dimensions


def ranked(least=1, most=4, distinct=False, **bounds):
    """A tensor of least to most dimensions and dimensions of it."""
    def draw(d):
        n = d.size(least, most)
        shape = d.sizes(n)
        return dict(x=d.tensor(*shape, distinct=distinct, **bounds), dim=d.dim(n), other=d.dim(n), dims=d.dims(n), order=d.rng.permutation(n).tolist(),
                    shape=shape, n=n, keep=bool(d.size(0, 1)), k=d.size(1, 4), offset=d.size(-2, 2))
    return draw


_view = dict(dtypes=SOME, view=True, layouts=MOVED, second=False)
case("permute", "x.permute(order) | x.permute(*order) | h.permute(x, order)", ranked(), **_view)
case("transpose", "x.transpose(dim, other) | h.transpose(x, dim, other) | h.swapaxes(x, dim, other)", ranked(), **_view)
case("t", "x.t() | h.t(x) | x.T", ranked(1, 2), **_view)
case("movedim", "h.movedim(x, dim, other) | x.movedim(dim, other)", ranked(), **_view)
case("unsqueeze", "x.unsqueeze(dim) | h.unsqueeze(x, -1) | x.unsqueeze(n)", ranked(), **_view)
case("squeeze", "x.squeeze() | x.unsqueeze(dim).squeeze(dim) | h.squeeze(x, dim) | h.squeeze(x.unsqueeze(0))", ranked(), **_view)
case("detach", "x.detach() | h.detach(x)", ranked(0), **_view)
case("select", "x.select(dim, k - 1) | h.select(x, dim, -1) | x[-1] | x[..., 0]", ranked(), **_view)
case("slice", "x[k - 1:] | x[:-1, ...] | x[..., 1:k] | x[::k] | x[5:2] | x[-3:-1]", ranked(), **_view)
case("narrow", "x.narrow(dim, 0, 1) | h.narrow(x, dim, k - 1, 2) | x.narrow(dim, -1, 1)", ranked(), **_view)
case("diagonal", "x.diagonal() | h.diagonal(x, offset) | x.diagonal(offset, -1, -2)", ranked(2), **_view)
case("copy", "x.clone().copy_(h.ones(shape[-1:])) | h.zeros(shape).copy_(x) | x.clone().copy_(x.flip(dim)) | h.ones([k] + shape).copy_(x)", ranked(), dtypes=SOME,
     layouts=MOVED)
case("unfold", "x.unfold(dim, 2, k) | x.unfold(dim, 1, 1)", ranked(), **_view)
case("expand", "x.expand(2, *shape) | x.expand([3] + shape) | x.unsqueeze(dim).expand(-1, *[-1] * n) | x.unsqueeze(0).expand(k, *shape)", ranked(), **_view)
case("expand_as", "x.expand_as(h.zeros([2] + shape)) | x.unsqueeze(0).expand_as(h.zeros([k] + shape))", ranked(), **_view)
case("view", "x.view(-1) | x.view(shape + [1]) | x.view(1, *shape) | x.contiguous().view(-1, shape[-1]) | x.contiguous().view(shape[0], -1)", ranked(), **_view)
case("reshape", "x.reshape(-1) | h.reshape(x, (-1,)) | x.reshape(shape[0], -1) | x.reshape(-1, shape[-1]) | x.reshape([1] + shape)", ranked(), **_view)
case("flatten", "x.flatten() | h.flatten(x, 1) | x.flatten(0, 1) | h.flatten(x, start_dim=-2)", ranked(0), **_view)
case("unflatten", "x.unflatten(dim, (-1, 1)) | x.unflatten(dim, (1, -1, 1))", ranked(), **_view)
case("as_strided", "h.as_strided(x, (2, 2), (1, 1)) | x.as_strided((3, 1), (2, 1), 1) | x.as_strided((2, 3), (0, 1))",
     lambda d: dict(x=d.tensor(3, d.size(3, 7))), dtypes=SOME, view=True, layouts=("dense",))
case("split", "x.split(k, dim) | h.split(x, k, dim) | h.split(x, 2)", ranked(), **_view)
case("split_sizes", "x.split([1, x.size(dim) - 1], dim) | h.split(x, [0, x.size(dim)], dim) | x.split_with_sizes([x.size(0)], 0)", ranked(), **_view)
case("chunk", "x.chunk(k, dim) | h.chunk(x, k, dim=dim) | h.chunk(x, 2)", ranked(), **_view)
case("unbind", "x.unbind(dim) | h.unbind(x) | tuple(x)", ranked(), **_view)

# ---- copies ----
TYPES = tuple(getattr(torch, t) for t in ALL)
for _name in ALL:
    case("cast", f"x.to(h.{_name}) | x.type(h.{_name})", ranked(0, low=0, high=9), dtypes=ALL, second=False)
case("cast", "x.float() | x.double() | x.long() | x.int() | x.short() | x.bool() | x.half().float() | x.bfloat16().float()", ranked(0, low=0, high=9), dtypes=ALL, second=False)
case("to", "x.to(t) | x.to(dtype=t) | x.to('cpu') | x.to('cpu', t) | x.to(y) | x.to(h.device('cpu'), copy=True)",
     lambda d: dict(x=d.tensor(*d.shape(), low=0, high=9), t=d.pick(*TYPES), y=d.tensor(2, layout="dense", dtype=d.pick(*SOME))), dtypes=ALL, second=False)
case("contiguous", "x.contiguous() | x.contiguous().stride() if 0 not in shape else 0", ranked(), dtypes=ALL, layouts=MOVED, second=False)
case("clone", "x.clone() | h.clone(x)", ranked(0), dtypes=ALL)
case("fill", "h.fill(x, v) | x.clone().fill_(v) | x.clone().zero_() | x.clone().fill_(h.tensor(2, dtype=x.dtype))", lambda d: dict(ranked(0)(d), v=d.pick(1, 2, 0)), dtypes=ALL, layouts=MOVED)
# PyTorch 1.13's gradient of as_strided_scatter reads memory that was never written: index_put stands for it.
case("as_strided_scatter", "h.as_strided_scatter(x, y, (2, 2), (1, 2), 1)", lambda d: dict(x=d.tensor(3, d.size(4, 7)), y=d.tensor(2, 2)), layouts=("dense",),
     theirs="x.reshape(-1).index_put((h.tensor([[1, 3], [2, 4]]),), y).reshape(x.shape)")


def joined(d):
    n = d.size(1, 4)
    shape, dim = d.sizes(n), d.dim(n)
    rows = [d.tensor(*[d.size() if i == dim % n else s for i, s in enumerate(shape)], dtype=t) for t in (d.dtype, d.dtype, d.pick(*SOME))]
    return dict(a=rows[0], b=rows[1], c=rows[2], x=d.tensor(*shape), y=d.tensor(*shape), dim=dim, n=n)


case("cat", "h.cat([a, b], dim) | h.cat((a, b, a), dim=dim) | h.cat([a, c], dim) | h.concat([a, b], dim) | h.cat([a], dim) | h.cat([a, h.zeros(0, dtype=a.dtype)], dim)",
     joined, dtypes=SOME, layouts=MOVED, second=False)
case("stack", "h.stack([x, y], dim) | h.stack((x, y, x), dim=n) | h.stack([x])", joined, dtypes=SOME, layouts=MOVED, second=False)
case("flip", "h.flip(x, dims) | x.flip(dims) | x.flip(*dims)", ranked(), dtypes=SOME, layouts=MOVED)
case("roll", "h.roll(x, k, dim) | x.roll(offset) | h.roll(x, (k, offset), (0, -1))", ranked(2), dtypes=SOME, layouts=MOVED)
case("repeat", "x.repeat(2, *[k] * n) | x.repeat([1] * n) | x.repeat(*[2] * n) | x.repeat([0] + [1] * n)", ranked(1, 3), dtypes=SOME, layouts=MOVED)
for _name in ("tril", "triu"):
    every_form(_name, f"h.{_name}(x, offset)", ranked(2), dtypes=SOME, layouts=MOVED, out=True)
    case(_name, f"x.{_name}() | h.{_name}(x, diagonal=offset)", ranked(2), dtypes=SOME, layouts=MOVED)

# ---- reductions ----
case("sum", "h.sum(x) | x.sum(dim) | x.sum(dims, keepdim=keep) | h.sum(x, dim, keep) | x.sum(dim, dtype=h.float64) | x.sum(())", ranked(0), dtypes=ALL)
case("sum", "h.sum(x, dim, out=h.empty(0, dtype=t))", lambda d: dict(ranked()(d), t=torch.float32 if d.dtype == "float32" else torch.float64 if d.floating else torch.int64), dtypes=ALL, gradients=False)
case("mean", "h.mean(x) | x.mean(dim) | x.mean(dims, keepdim=keep) | h.mean(x, dim, keep) | x.mean(dtype=h.float64)", ranked(0), dtypes=FLOATS + ("int64",))
case("prod", "h.prod(x) | x.prod(dim) | h.prod(x, dim, keep)", ranked(0, low=0.5, high=2), dtypes=ALL)
case("prod", "h.prod(x) | x.prod(dim)", lambda d: dict(x=Arg(d.numbers((3, 4)) * (d.rng.random((3, 4)) < 0.8)), dim=d.dim(2)), layouts=("dense",) * 3)  # zeros
for _name in ("amax", "amin"):
    case(_name, f"h.{_name}(x) | x.{_name}(dim) | x.{_name}(dims, keepdim=keep) | h.{_name}(x, dim, keep)", ranked(0), dtypes=ALL)
    case(_name, f"h.{_name}(x.round(), dim)", ranked(1), second=False)  # ties share the gradient
    _n = _name[1:]
    case(_n + "_dim", f"h.{_n}(x, dim) | x.{_n}(dim, keepdim=keep) | h.{_n}(x, dim, keep).values | x.{_n}(dim).indices", ranked(0, distinct=True), dtypes=NUMBERS)
    case(_name, f"h.{_n}(x) | x.{_n}()", ranked(0, distinct=True), dtypes=NUMBERS)
    case("arg" + _n, f"h.arg{_n}(x) | x.arg{_n}(dim) | h.arg{_n}(x, dim, keep) | x.arg{_n}(dim=dim, keepdim=True)", ranked(0, distinct=True), dtypes=NUMBERS)
for _name in ("any", "all"):
    case(_name, f"h.{_name}(x) | x.{_name}(dim) | h.{_name}(x, dim, keep) | x.{_name}()", ranked(0), dtypes=ALL)
for _name in ("var", "std"):
    case(_name, f"h.{_name}(x) | x.{_name}(dim) | x.{_name}(dims, keepdim=keep) | h.{_name}(x, dim, False) | x.{_name}(dim, unbiased=False, keepdim=keep) | h.{_name}(x, False)",
         ranked(), layouts=("dense", "transposed", "strided", "offset"), limit=1e-4)
    case(_name, f"h.{_name}(x, dim, correction=k, keepdim=keep)", lambda d: dict(ranked()(d), x=d.tensor(*[d.size(6, 9) for _ in range(2)]), dim=d.dim(2)), limit=1e-4, layouts=("dense", "transposed", "strided", "offset"))
case("norm", "h.norm(x, 0) | x.norm(0, dim)", ranked(), gradients=False)
case("norm", "h.norm(x) | x.norm() | h.norm(x, p) | x.norm(p, dim) | h.norm(x, p, dims, keep) | h.norm(x, dim=dim)",
     lambda d: dict(ranked(0, low=0.2, high=3)(d), p=d.pick(1, 2, 3, 1.5, *([float("inf"), -float("inf")] if d.layout != "empty" else []))), layouts=MOVED)
case("logsumexp", "h.logsumexp(x, dim) | x.logsumexp(dims, keepdim=keep)", ranked())
for _name in ("cumsum", "cumprod"):
    every_form(_name, f"h.{_name}(x, dim)", ranked(0, low=0.5, high=2), dtypes=NUMBERS)
    case(_name, f"h.{_name}(x, dim)", ranked(0), dtypes=("bool",))  # in place refused, as PyTorch does since 2
case("cumprod", "h.cumprod(x, 1)", lambda d: dict(x=Arg(d.numbers((3, 4)) * (d.rng.random((3, 4)) < 0.8))), layouts=("dense",) * 3, second=False)  # zeros
for _name in ("cummax", "cummin"):
    case(_name, f"h.{_name}(x, dim) | x.{_name}(dim) | h.{_name}(x, dim=dim).indices", ranked(0), dtypes=ALL)
    case(_name, f"h.{_name}(x, 0, out=(h.empty(0, dtype=x.dtype), h.empty(0, dtype=h.int64)))", ranked(0), dtypes=ALL, gradients=False)
case("logcumsumexp", "h.logcumsumexp(x, dim) | x.logcumsumexp(dim)", ranked(0))
case("logcumsumexp", "h.logcumsumexp(x, 0, out=h.empty(0, dtype=x.dtype))", ranked(0), gradients=False)
case("count_nonzero", "h.count_nonzero(x) | x.count_nonzero(dim) | h.count_nonzero(x, dim=dims)", ranked(), dtypes=ALL)
case("sum_to_size", "x.sum_to_size(*size) | x.sum_to_size(size)", lambda d: (lambda s: dict(x=d.tensor(*s), size=[d.pick(1, n) for n in s][d.size(0, len(s) - 1):]))(d.sizes(d.size(1, 4))), dtypes=ALL, layouts=MOVED)


# ---- products ----
def product(*batch):
    def draw(d):
        m, k, n = d.sizes(3)
        b = list(batch) and [d.size()]
        return dict(x=d.tensor(*b, m, k), y=d.tensor(*b, k, n), v=d.tensor(k), u=d.tensor(k), w=d.tensor(n), bias=d.tensor(*d.pick([n], [m, n], [1, n], [m, 1], *([b + [m, n]] if b else []))),
                    beta=d.pick(1, 2, 3) if not d.floating else d.pick(1, 0.5, -2), alpha=d.pick(1, 2) if not d.floating else d.pick(1, 1.5, -1))
    return draw


_mm = dict(dtypes=FLOATS + ("int64",), layouts=MOVED)
every_form("mm", "h.mm(x, y)", product(), out=True, **_mm)
every_form("bmm", "h.bmm(x, y)", product(1), out=True, **_mm)


def _eights(d):
    """Whole numbers that 8 bits hold; the PyTorch of these tests has no such type and multiplies them in float32."""
    m, k, n = d.size(), d.size(), d.size()
    whole = lambda *sizes: Arg(d.rng.integers(-8, 9, sizes).astype("float32"), grad=False)
    one = lambda *sizes: Arg(d.rng.uniform(0.5, 2, sizes).astype("float32"), grad=False)
    return dict(x=whole(m, k), y=whole(k, n), s=one(), t=one(1), rows=one(m, 1), columns=one(1, n), bias=one(n))


for _ours, _theirs in (("s, t, out_dtype=h.float32", "x @ y * s * t"), ("rows, columns, bias, out_dtype=h.float32", "x @ y * rows * columns + bias"),
                       ("s, columns, out_dtype=h.float32", "x @ y * s * columns")):
    case("scaled_mm", f"h.scaled_mm(x.to(h.float8_e4m3fn), y.to(h.float8_e4m3fn), {_ours})", _eights,
         theirs=_theirs, dtypes=("float32",), layouts=("dense",), gradients=False)
case("addmm", "h.addmm(bias, x, y) | h.addmm(bias, x, y, beta=beta, alpha=alpha) | bias.addmm(x, y) | h.addmm(bias, x, y, beta=0)", product(), **_mm)
case("addmm", "bias.clone().addmm_(x, y, beta=beta, alpha=alpha)", product(), **_mm)
case("baddbmm", "h.baddbmm(bias, x, y) | bias.baddbmm(x, y, beta=beta, alpha=alpha)", product(1), **_mm)
case("addbmm", "h.addbmm(bias[-1:], x, y) | bias[-1:].reshape(-1)[:1].addbmm(x, y, beta=beta, alpha=alpha)", product(1), **_mm)
case("addmv", "h.addmv(x.sum(1), x, v) | x.sum(1).addmv(x, v, beta=beta, alpha=alpha)", product(), **_mm)
case("addr", "h.addr(w, v, w) | w.addr(v, w, beta=beta, alpha=alpha)", product(), **_mm)
case("cross", "h.cross(a, b, dim=1) | a.cross(b, 1) | h.cross(b, a)", lambda d: (lambda m, n: dict(a=d.tensor(m, 3, n), b=d.tensor(m, 3, n)))(d.pick(1, 2, 4), d.size()), **_mm)
case("linear", "F.linear(x, y.transpose(0, 1)) | F.linear(x, y.transpose(0, 1), w) | F.linear(v, y.transpose(0, 1), w)", product(), **_mm)
case("linear", "F.linear(x, a, w)", lambda d: (lambda k, n: dict(x=d.tensor(2, d.size(), k), a=d.tensor(n, k), w=d.tensor(n)))(d.size(), d.size()), layouts=MOVED)
case("mv", "h.mv(x, v) | x.mv(v)", product(), **_mm)
case("dot", "h.dot(v, u) | v.dot(u)", product(), **_mm)
case("outer", "h.outer(v, w) | v.outer(w) | h.ger(w, v)", product(), **_mm)
case("matmul", "x @ y | h.matmul(x, v) | h.matmul(v, y) | v @ u | x.matmul(y)", product(), **_mm)
case("matmul", "x @ y | h.matmul(x, y[0]) | h.matmul(x[0], y) | x @ v | h.matmul(v, y) | x.unsqueeze(1) @ y", product(1), **_mm)


# ---- indexing ----
def indexed(d):
    n = d.size(1, 4)
    shape = [d.size() for _ in range(n)]
    dim = d.dim(n)
    at = dim % n
    count = d.size(0 if d.layout == "empty" else 1, 6)
    part = [s if i == at else d.size(1, s) for i, s in enumerate(shape)]
    part[at] = count
    once = [s for s in part]
    once[at] = d.size(1, shape[at])
    places = d.rng.permuted(d.rng.permuted(counted(shape[at], once, at), axis=at), axis=at) if n else None
    places = places.take(range(once[at]), axis=at)
    slices = list(shape)
    slices[at] = count
    return dict(x=d.tensor(*shape, distinct=d.floating), dim=dim, index=d.integers(count, high=shape[at]), grid=d.integers(*part, high=shape[at]), source=d.tensor(*part),
                once=Arg(places.astype("int64")), written=d.tensor(*once), slices=d.tensor(*slices), mask=d.mask(*shape), row=d.mask(shape[0]), v=d.pick(2, 1),
                i=d.integers(count, high=shape[0]), j=d.integers(d.size(), count, high=shape[0]), back=d.integers(count, low=-shape[0], high=shape[0]),
                k=d.size(1, shape[at]), down=bool(d.size(0, 1)), many=d.tensor(d.size(60, 1200) * 7 + shape[0] * 800), n=n, shape=shape)


def counted(n, shape, at):
    """0..n-1 along one dimension of otherwise that shape."""
    size = list(shape)
    size[at] = n
    line = np.arange(n).reshape([-1 if i == at else 1 for i in range(len(size))])
    return np.broadcast_to(line, size).copy()


_index = dict(dtypes=FLOATS + ("int64", "int32"), layouts=MOVED)
case("index_select", "h.index_select(x, dim, index) | x.index_select(dim, index)", indexed, **_index)
case("gather", "h.gather(x, dim, grid) | x.gather(dim, grid)", indexed, **_index)
case("scatter", "h.scatter(x, dim, once, written) | x.scatter(dim, once, written) | x.scatter(dim, grid, v) | x.clone().scatter_(dim, once, written)", indexed, **_index)
case("scatter_add", "h.scatter_add(x, dim, grid, source) | x.scatter_add(dim, grid, source) | x.clone().scatter_add_(dim, grid, source)", indexed, **_index)
case("index_add", "h.index_add(x, dim, index, slices) | x.index_add(dim, index, slices, alpha=v) | x.clone().index_add_(dim, index, slices)", indexed, **_index)
case("index", "x[i] | x[:, i] if n > 1 and shape[1] >= shape[0] else x[i] | x[back] | x[mask] | x[row] | x[j] | x[i, ..., 0] | x[i, None] | x[i.tolist()] | x[..., :1][i] | x[mask|row.any()]", indexed, **_index)
case("index_put", "x.index_put((i,), h.tensor(v, dtype=x.dtype)) | x.index_put((i,), slices.sum(dtype=x.dtype), accumulate=True) | x.clone().index_put_((mask,), h.tensor(v, dtype=x.dtype)) | x.index_put((back,), x[:1], accumulate=True)",
     indexed, second=False, **_index)
# PyTorch 1.13 goes through transposed tensors in the order of memory: dense copies stand for them.
for _e, _theirs in {"h.masked_select(x, mask)": "h.masked_select(x.contiguous(), mask)", "x.masked_select(mask)": "x.contiguous().masked_select(mask)",
                    "x.masked_select(x > 0)": "x.contiguous().masked_select(x.contiguous() > 0)"}.items():
    case("masked_select", _e, indexed, theirs=_theirs, **_index)
case("nonzero", "h.nonzero(mask) | x.nonzero() | h.nonzero(mask, as_tuple=True) | h.where(mask)", indexed, **_index)
for _e, _theirs in {"h.masked_scatter(x, mask, many)": "h.masked_scatter(x.contiguous(), mask, many.contiguous())", "x.masked_scatter(mask, many)": "x.contiguous().masked_scatter(mask, many.contiguous())",
                    "x.clone().masked_scatter_(mask, many)": "x.contiguous().clone().masked_scatter_(mask, many.contiguous())"}.items():
    case("masked_scatter", _e, indexed, second=False, theirs=_theirs, **_index)
case("one_hot", "F.one_hot(i) | F.one_hot(i, 9) | F.one_hot(j, 12)", indexed, dtypes=("float32",))
_sorted = dict(dtypes=NUMBERS)
case("sort", "h.sort(x, dim) | x.sort(dim, descending=keep) | h.sort(x).values | x.sort(dim=dim).indices", ranked(0, distinct=True), **_sorted)
case("sort", "h.sort(x, dim=dim, stable=True) | h.sort(x, dim=dim, descending=True, stable=True).indices", ranked(1), gradients=False, **_sorted)  # ties
case("argsort", "h.argsort(x, dim) | x.argsort(descending=keep) | x.argsort(dim)", ranked(0, distinct=True), **_sorted)
case("topk", "h.topk(x, k, dim) | x.topk(k, dim, largest=down) | x.topk(1) | h.topk(x, k, dim).indices", indexed, dtypes=NUMBERS[:2])
# Integers repeat beyond 120 elements, and of equal ones PyTorch names any.
_few = dict(dtypes=NUMBERS, layouts=("dense", "transposed", "strided"))
case("kthvalue", "h.kthvalue(x, k, dim) | x.kthvalue(k, dim, True) | x.kthvalue(k, dim=dim, keepdim=keep).indices",
     lambda d: (lambda v: dict(v, k=d.size(1, v["shape"][v["dim"]])))(ranked(1, 2, distinct=True)(d)), **_few)
for _name in ("median", "nanmedian"):
    case(_name, f"h.{_name}(x) | x.{_name}()", ranked(0, distinct=True), dtypes=NUMBERS, layouts=("dense", "transposed", "strided", "offset", "scalar"))
    case(_name, f"h.{_name}(x) | x.{_name}()", ranked(distinct=True), layouts=("empty",))
    case(_name + "_dim", f"h.{_name}(x, dim) | x.{_name}(dim, keepdim=keep) | h.{_name}(x, dim=dim).values", ranked(1, 2, distinct=True), **_few)
_vectors = lambda d: dict(x=d.tensor(*d.sizes(2)), edges=d.tensor(d.size(1, 7)), weights=d.tensor(9), index=d.integers(9, high=5), rows=d.tensor(3, 5), three=d.tensor(3, 2))
_plain = dict(gradients=False, layouts=("dense", "transposed", "strided"))
for _more in ("", ", right=True", ", out_int32=True", ", side='right'"):
    case("searchsorted", f"h.searchsorted(edges.sort().values, x{_more}) | h.searchsorted(rows.sort().values, three{_more}) | h.searchsorted(rows, three, sorter=rows.argsort(){_more})",
         _vectors, dtypes=NUMBERS, **_plain)
case("bucketize", "h.bucketize(x, edges.sort().values) | h.bucketize(x, edges.sort().values, right=True) | h.bucketize(x, edges.sort().values, out_int32=True)", _vectors, dtypes=NUMBERS, **_plain)
case("searchsorted", "h.searchsorted(edges.sort().values, 1) | h.searchsorted(edges.sort().values, 0.5) | h.searchsorted(edges.sort().values, index) | h.bucketize(0.5, edges.sort().values)", _vectors, dtypes=NUMBERS, **_plain)
case("isin", "h.isin(x, edges) | h.isin(x, edges, invert=True) | h.isin(x, x[:1]) | h.isin(x, 2) | h.isin(2, x) | h.isin(x, edges, assume_unique=True)", _vectors, dtypes=NUMBERS, **_plain)
case("bincount", "h.bincount(index) | index.bincount(minlength=8) | h.bincount(index, weights)", _vectors, dtypes=NUMBERS, **_plain)
# Not 4 bins, between which a single element would lie, nor 7, of which PyTorch may lose the largest element.
case("histc", "h.histc(x, 5, -2, 2) | x.histc(5) | h.histc(x, bins=3) | h.histc(x, 5, out=h.empty(0, dtype=x.dtype))", _vectors, dtypes=FLOATS, **_plain)
_reduced = dict(second=False, layouts=("dense", "transposed", "strided", "offset"))
for _reduce in ("sum", "prod", "mean", "amax", "amin"):
    for _self in (True, False):
        _how = f"'{_reduce}', include_self={_self})"
        case("scatter_reduce", f"h.scatter_reduce(x, dim, grid, source, {_how} | x.scatter_reduce(dim, grid, source, {_how} | x.clone().scatter_reduce_(dim, grid, source, {_how}", indexed,
             dtypes=FLOATS + ("int64", "int32"), **_reduced)
        if _reduce != "sum":
            case("index_reduce", f"h.index_reduce(x, dim, index, slices, {_how} | x.index_reduce(dim, index, slices, {_how} | x.clone().index_reduce_(dim, index, slices, {_how}", indexed,
                 dtypes=FLOATS + ("int64", "int32"), **_reduced)
case("embedding", "F.embedding(rows, w) | F.embedding(rows, w, padding_idx=p) | F.embedding(rows, w, padding_idx=-1)",
     lambda d: (lambda n: dict(w=d.tensor(n, d.size()), rows=d.integers(*d.sizes(d.size(0, 3)), high=n), p=d.size(0, n - 1)))(d.size(2, 9)), layouts=MOVED)
