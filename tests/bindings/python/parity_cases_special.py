"""Special functions, forms with tensors for numbers, and what belongs to them: random arguments for parity_cases.run."""
from parity_cases import FLOATS, INTS, case
from parity_cases_pointwise import one, special, three, two

NUMBERS = FLOATS + INTS

# ---- special.cpp ----
for _name, _low, _high in (("ndtr", -4, 4), ("log_ndtr", -4, 3), ("erfcx", -2, 5), ("i0e", -9, 9), ("i1e", -9, 9)):
    case(_name, f"h.special.{_name}(x)", one(_low, _high), dtypes=FLOATS + ("int64",), second=False, limit=1e-4)
    case(_name, f"h.special.{_name}(x)", special, gradients=False)
case("ndtri", "h.special.ndtri(x)", one(0.02, 0.98), second=False, limit=1e-4)
case("ndtri", "h.special.ndtri(x.abs())", special, gradients=False)
case("entr", "h.special.entr(x)", one(0.2, 3), second=False)
case("entr", "h.special.entr(x)", special, gradients=False)
case("xlog1py", "h.special.xlog1py(x, y)", two(-0.5, 3, left=-3))
case("xlog1py", "h.special.xlog1py(2, x)", one(0.3, 3))
case("xlog1py", "h.special.xlog1py(h.zeros_like(x), x)", special, gradients=False)
for _name in ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_k0", "modified_bessel_k1", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1"):
    case(_name, f"h.special.{_name}(x)", one(0.1, 20), gradients=False, limit=1e-4)  # PyTorch has no gradients here
for _name in ("igamma", "igammac"):
    case(_name, f"h.{_name}(x, y) | x.{_name}(y) | x.clone().{_name}_(y) | h.special.{_name.replace('igamma', 'gammainc')}(x, y)",
         lambda d: (lambda s: dict(x=d.tensor(*s, low=0.2, high=9), y=d.tensor(*s, low=0.1, high=12)))(d.shape()), gradients=False, limit=1e-4)
    case(_name, f"h.{_name}(x.detach(), y)", lambda d: (lambda s: dict(x=d.tensor(*s, low=0.2, high=9), y=d.tensor(*s, low=0.3, high=9)))(d.shape()), second=False, limit=1e-4)
case("mvlgamma", "h.mvlgamma(x, p=2) | x.mvlgamma(3) | x.clone().mvlgamma_(2) | h.special.multigammaln(x, 2)", one(2, 6), second=False, limit=1e-4)
case("frexp", "h.frexp(x) | x.frexp() | h.frexp(x).mantissa | h.frexp(x)[1]", one(), gradients=False)
case("frexp", "h.frexp(x)", special, gradients=False)
case("nextafter", "h.nextafter(x, y) | x.nextafter(y) | h.nextafter(x, x) | x.clone().nextafter_(x + 1) | h.nextafter(x, y, out=h.empty(0, dtype=x.dtype))", two(), gradients=False)
case("nextafter", "h.nextafter(x, -x) | h.nextafter(x, h.zeros_like(x))", special, gradients=False)

# ---- forms.cpp ----
case("clamp_tensor", "h.clamp(x, min=y) | h.clamp(x, y, y + 1) | x.clamp(max=y) | x.clone().clamp_(y, y + 2)", lambda d: (lambda s: dict(x=d.tensor(*s), y=d.tensor(*s)))(d.shape()))
case("clamp_tensor", "h.clamp(x, x, -x) | h.clamp(-x, min=x)", special, gradients=False)
case("lerp_tensor", "h.lerp(x, y, z)", three(0.1, 0.9))
case("div_rounded", "h.div(x, y, rounding_mode='floor') | h.div(x, y, rounding_mode='trunc')", two(1, 6, left=-9), dtypes=NUMBERS)
case("allclose", "h.allclose(x, y) | h.allclose(x, x) | x.allclose(x + 1e-9) | h.allclose(x, y, atol=10)", lambda d: (lambda s: dict(x=d.tensor(*s), y=d.tensor(*s)))(d.shape()), gradients=False)
case("equal", "h.equal(x, y) | h.equal(x, x) | x.equal(x.unsqueeze(0)) | x.equal(x + 0)", two(), dtypes=NUMBERS, gradients=False)

# ---- reductions, products, searches ----
_matrix = lambda d: dict(x=d.tensor(*d.sizes(3)), dim=d.pick(-1, 0, 1), k=d.pick(0, 1, 2))
# More rows than a correction takes off.
_spread = lambda d: dict(_matrix(d), x=d.tensor(*[d.size(3, 6) for _ in range(3)]))
case("var_mean", "h.var_mean(x, dim) | h.var_mean(x) | h.var_mean(x, dim, correction=k, keepdim=True)", _spread, layouts=("dense", "transposed", "strided"))
case("std_mean", "h.std_mean(x, dim) | h.std_mean(x) | h.std_mean(x, dim, correction=0, keepdim=True)", _spread, layouts=("dense", "transposed", "strided"), second=False)
case("matrix_norm", "h.linalg.matrix_norm(x) | h.linalg.matrix_norm(x, 1) | h.linalg.matrix_norm(x, -1, (0, 1)) | h.linalg.matrix_norm(x, float('inf'), (2, 0), keepdim=True)", _matrix,
     layouts=("dense", "transposed", "strided"), second=False)
case("normalize", "F.normalize(x) | F.normalize(x, 1.0, dim) | F.normalize(x, dim=(0, 2)) | F.normalize(x, eps=3.0)", _matrix, layouts=("dense", "transposed", "strided"), second=False)
case("vecdot", "h.linalg.vecdot(x, y) | h.linalg.vecdot(x, y, dim=0)", lambda d: (lambda s: dict(x=d.tensor(*s), y=d.tensor(*s)))(d.sizes(2)))
case("searchsorted_by", "h.searchsorted(x, y, sorter=h.argsort(x)) | h.searchsorted(x, y, sorter=x.argsort(), right=True)",
     lambda d: dict(x=d.tensor(d.size(2, 9)), y=d.tensor(d.size(2, 9))), dtypes=NUMBERS, layouts=("dense",), gradients=False)
case("histogram", "h.histogram(x, 4) | h.histogram(x, 5, range=(-1.0, 1.0)) | x.histogram(h.tensor([-2.0, 0.0, 0.5, 2.0], dtype=x.dtype)) | h.histogram(x, 3, weight=x.abs(), density=True)",
     lambda d: dict(x=d.tensor(d.size(3, 40))), layouts=("dense",), gradients=False)
case("histogramdd", "h.histogramdd(x, 3)[0] | h.histogramdd(x, [2, 4], range=[-1.0, 1.0, -2.0, 2.0])[0] | h.histogramdd(x, 2, weight=x[:, 0].abs(), density=True)[0] | "
     "h.histogramdd(x, [h.tensor([-2.0, 0.0, 0.5], dtype=x.dtype), h.tensor([-1.0, 1.0], dtype=x.dtype)]).hist | h.histogramdd(x, [2, 3]).bin_edges",
     lambda d: dict(x=d.tensor(d.size(3, 40), 2)), layouts=("dense",), gradients=False)
_sampled = lambda d: dict(x=d.tensor(d.size(3, 6), d.size(3, 6)), c=d.tensor(6, distinct=True, grad=False), k=d.pick(0.5, 2))
case("gradient", "h.gradient(x) | h.gradient(x, spacing=k, dim=1) | h.gradient(x, dim=(1, 0), edge_order=2) | h.gradient(x, spacing=(1.5, k)) | "
     "h.gradient(x[0], spacing=(c.sort()[0][:x.size(1)],))", _sampled, layouts=("dense", "transposed", "strided"))
case("segment_reduce", " | ".join(f"h.segment_reduce(x, '{r}', lengths=h.tensor([2, 0, x.size(0) - 2])) | h.segment_reduce(x, '{r}', lengths=h.tensor([x.size(0)]), initial=1.5)"
                                  for r in ("sum", "mean", "max", "min")), lambda d: dict(x=d.tensor(d.size(3, 6), d.size(1, 3))), layouts=("dense",), second=False)
