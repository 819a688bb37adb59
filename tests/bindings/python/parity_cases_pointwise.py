"""Pointwise operators, activations, creation: random arguments for parity_cases.run."""
import numpy as np
import torch

from parity_cases import ALL, FLOATS, INTS, Arg, case, every_form

NUMBERS = FLOATS + INTS


def one(low=None, high=None):
    return lambda d: dict(x=d.tensor(*d.shape(), low=low, high=high))


def two(low=None, high=None, left=None):
    def draw(d):
        a, b = d.pair()
        return dict(x=d.tensor(*a, low=left if left is not None else low, high=high), y=d.tensor(*b, low=low, high=high))
    return draw


def special(d):
    """Zeros of both signs, infinities and NaN among other numbers."""
    a = d.numbers(d.shape())
    flat = a.reshape(-1)
    for v in (0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5):
        if flat.size:
            flat[d.size(0, flat.size - 1)] = v
    return dict(x=Arg(a.reshape(a.shape)))


for _name in "abs neg sign square floor ceil round trunc".split():
    every_form(_name, f"h.{_name}(x)", one(), dtypes=ALL, out=True)
for _name in "exp exp2 expm1 sin cos atan sinh cosh tanh asinh erf sigmoid".split():
    every_form(_name, f"h.{_name}(x)", one(), dtypes=ALL, out=True)
every_form("tan", "h.tan(x)", one(-1.2, 1.2), dtypes=ALL, out=True)
every_form("acosh", "h.acosh(x)", one(1.1, 4), dtypes=ALL, out=True)
for _name in "log log2 log10 sqrt rsqrt reciprocal".split():
    every_form(_name, f"h.{_name}(x)", one(0.3, 4), dtypes=ALL, out=True)
every_form("log1p", "h.log1p(x)", one(-0.5, 4), dtypes=FLOATS + ("int64", "uint8", "bool"), out=True)
for _name in "asin acos atanh".split():
    every_form(_name, f"h.{_name}(x)", one(-0.9, 0.9), dtypes=ALL, out=True)
for _name, _low, _high in (("erfc", -3, 3), ("erfinv", -0.95, 0.95), ("lgamma", 0.2, 5), ("digamma", 0.3, 5)):
    every_form(_name, f"h.{_name}(x)", one(_low, _high), dtypes=ALL if _name.startswith("erf") else FLOATS + ("int64",), out=True, limit=1e-5)
    case(_name, f"h.{_name}(x)", special, gradients=False)
case("polygamma", "h.polygamma(n, x) | x.polygamma(n) | x.clone().polygamma_(n)", lambda d: dict(one(0.5, 5)(d), n=d.size(0, 2)), limit=1e-4)
for _name in ("abs neg square floor ceil round trunc exp exp2 expm1 sin cos atan sinh cosh tanh asinh acosh atanh erf sigmoid tan log log2 log10 sqrt rsqrt "
              "reciprocal log1p asin acos isnan isinf isfinite logical_not").split():
    case(_name, f"h.{_name}(x)", special, gradients=False)
for _name in "isnan isinf isfinite logical_not".split():
    every_form(_name, f"h.{_name}(x)", one(), dtypes=ALL, gradients=False)
every_form("bitwise_not", "h.bitwise_not(x)", one(), dtypes=INTS + ("bool",), out=True)
case("bitwise_not", "~x", one(), dtypes=INTS + ("bool",))
case("neg", "-x", one(), dtypes=NUMBERS)
case("round", "h.round(x, decimals=n)", lambda d: dict(one()(d), n=d.size(-1, 3)), limit=2e-5)

# ---- two tensors ----
for _name in "add mul maximum minimum eq ne lt le gt ge logical_and logical_or logical_xor".split():
    every_form(_name, f"h.{_name}(x, y)", two(), dtypes=ALL, out=True, gradients=not _name.startswith("logical"))
every_form("sub", "h.sub(x, y)", two(), dtypes=NUMBERS, out=True)
for _name, _sign in {"add": "+", "mul": "*", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
    case(_name, f"x {_sign} y", two(), dtypes=ALL)
case("add", "h.add(x, y, alpha=n) | x.add(y, alpha=n) | x.clone().add_(y, alpha=n)", lambda d: dict(two()(d), n=d.size(-3, 3)), dtypes=NUMBERS)
case("add_scalar", "h.add(x, s, alpha=2)", lambda d: dict(one()(d), s=d.pick(2, -3)), dtypes=NUMBERS)
case("sub", "x - y | h.sub(x, y, alpha=n)", lambda d: dict(two()(d), n=d.size(-3, 3)), dtypes=NUMBERS)
every_form("div", "h.div(x, y)", two(0.5, 6, left=-6), dtypes=ALL, out=True)
case("div", "x / y | h.true_divide(x, y)", two(0.5, 6, left=-6), dtypes=ALL)
case("div", "h.div(x, y, rounding_mode=m) | x.clone().div_(y, rounding_mode=m)", lambda d: dict(two(1, 6, left=-9)(d), m=d.pick("floor", "trunc")), dtypes=NUMBERS)
every_form("pow", "h.pow(x, y)", two(0.3, 3), dtypes=NUMBERS, out=True)
case("pow", "x ** y", two(0, 3.5), dtypes=NUMBERS)
for _name, _sign in {"fmod": None, "remainder": "%", "floor_divide": "//"}.items():
    _more = dict(dtypes=NUMBERS, gradients=_name != "floor_divide", second=False)
    every_form(_name, f"h.{_name}(x, y)", two(1, 5, left=-9), out=True, **_more)
    if _sign:
        case(_name, f"x {_sign} y", two(1, 5, left=-9), **_more)
every_form("atan2", "h.atan2(x, y)", two(0.3, 3, left=-3), dtypes=ALL, out=True)
every_form("hypot", "h.hypot(x, y)", two(0.3, 3, left=-3), out=True)
for _name in ("copysign", "xlogy"):
    every_form(_name, f"h.{_name}(x, y)", two(0.3, 3, left=-3), dtypes=ALL, out=True)
    case(_name, f"h.{_name}(x, s) | x.{_name}(s) | x.clone().{_name}_(s)", lambda d: dict(one()(d), s=d.number(2, 0.75, -1.5, 0)), dtypes=ALL)
case("xlogy", "h.xlogy(2, x) | h.xlogy(1.5, x)", one(0.3, 3), dtypes=ALL)
case("xlogy", "h.xlogy(h.zeros_like(x), x)", special, gradients=False)
case("copysign", "h.copysign(h.ones_like(x), x) | h.copysign(x, -0.0)", special, gradients=False)
for _name in ("logaddexp", "logaddexp2"):
    every_form(_name, f"h.{_name}(x, y)", two(), out=True)
    case(_name, f"h.{_name}(x, x) | h.{_name}(x, -x)", special, gradients=False)
for _name, _sign in {"bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"}.items():
    every_form(_name, f"h.{_name}(x, y)", two(), dtypes=INTS + ("bool",), out=True)
    case(_name, f"x {_sign} y" if _sign != "|" else "x|y", two(), dtypes=INTS + ("bool",))
case("i0", "h.i0(x) | x.i0() | x.clone().i0_()", one(-9, 9), gradients=False, limit=1e-5)
case("i0", "h.i0(x)", one(-9, 9), second=False, limit=1e-4)
case("i1", "h.special.i1(x)", one(-9, 9), second=False, limit=1e-4)
_small = lambda d: (lambda s: dict(x=d.tensor(*s), y=d.tensor(*s, low=0, high=5)))(d.shape())
for _name in ("bitwise_left_shift", "bitwise_right_shift"):
    case(_name, f"h.{_name}(x, y) | x.{_name}(y) | x.clone().{_name}_(y)", _small, dtypes=INTS, gradients=False)
for _name in ("gcd", "lcm"):
    case(_name, f"h.{_name}(x, y) | x.{_name}(y) | x.clone().{_name}_(y)", two(), dtypes=INTS, gradients=False)


# ---- a tensor and a number ----
def number(low=None, high=None, numbers=(2, -3, 0.75, -1.5, True, 0)):
    return lambda d: dict(x=d.tensor(*d.shape(), low=low, high=high), s=d.number(*numbers))


_divisors = (2, 3, 1.5, 0.75, 4)
for _name, _expressions, _draw, _dtypes in (
        ("add_scalar", "x + s | s + x | h.add(x, s) | x.clone().add_(s)", number(), ALL),
        ("sub_scalar", "x - s | h.sub(x, s) | x.clone().sub_(s)", number(numbers=(2, -3, 0.75, 0)), NUMBERS),
        ("rsub_scalar", "s - x | h.rsub(x, s)", number(numbers=(2, -3, 0.75, 0)), NUMBERS),
        ("mul_scalar", "x * s | s * x | h.mul(x, s) | x.clone().mul_(s)", number(), ALL),
        ("div_scalar", "x / s | h.div(x, s) | x.clone().div_(s)", number(numbers=_divisors), ALL),
        ("rdiv_scalar", "s / x", number(0.5, 4), NUMBERS),
        ("pow_scalar", "x ** s | h.pow(x, s) | x.clone().pow_(s)", number(0.5, 3, (0, 1, 2, 3, 0.5, 2.5)), NUMBERS),
        ("pow_scalar", "x ** s", number(numbers=(0, 1, 2, 3, 4)), NUMBERS),
        ("pow_scalar", "x ** s", number(0.5, 3, (-1, -2, -0.5)), FLOATS),
        ("rpow_scalar", "s ** x | h.pow(s, x)", number(0, 3, (2, 3, 0.5, 1.5)), NUMBERS),
        ("fmod_scalar", "h.fmod(x, s) | x.clone().fmod_(s)", number(-9, 9, _divisors), NUMBERS),
        ("remainder_scalar", "x % s | h.remainder(x, s) | x.clone().remainder_(s)", number(-9, 9, _divisors), NUMBERS),
        ("eq_scalar", "x == s | h.eq(x, s) | x.clone().eq_(s)", number(), ALL), ("ne_scalar", "x != s | h.ne(x, s)", number(), ALL),
        ("lt_scalar", "x < s | h.lt(x, s)", number(), ALL), ("le_scalar", "x <= s | h.le(x, s)", number(), ALL),
        ("gt_scalar", "x > s | h.gt(x, s)", number(), ALL), ("ge_scalar", "x >= s | h.ge(x, s)", number(), ALL)):
    case(_name, _expressions, _draw, dtypes=_dtypes)
case("floor_divide_scalar", "x // s | h.floor_divide(x, s) | x.clone().floor_divide_(s)", number(-9, 9, _divisors), dtypes=NUMBERS, gradients=False)


def bounds(d):
    low = d.number(None, -2, -0.5, 0)
    return dict(x=d.tensor(*d.shape()), low=low, high=d.pick(None, 1, 0.75, 2) if low is not None else d.pick(1, 0.75, 2))


for _name in ("clamp", "clip"):
    every_form("clamp", f"h.{_name}(x, low, high)", bounds, dtypes=NUMBERS)
case("clamp", "h.clamp(x, max=high) | x.clamp(min=low, max=high)", bounds, dtypes=NUMBERS)
case("clamp", "h.clamp(x, min=y) | h.clamp(x, y, y + 1)", two())
case("clamp", "h.clamp(x, -1, 1)", special, gradients=False)


# ---- three ----
def three(low=None, high=None):
    def draw(d):
        a, b = d.pair()
        return dict(x=d.tensor(*a), y=d.tensor(*b), z=d.tensor(*d.pick(a, b), low=low, high=high), m=d.mask(*d.pick(a, b)), v=d.pick(1, -2, 0.5) if d.floating else 2)
    return draw


case("where", "h.where(m, x, y) | x.where(m, y) | h.where(m, x, x)", three(), dtypes=ALL)
case("where", "h.where(m, x, 1.5) | h.where(m, 2.0, x) | h.where(m, 1.0, 2.0)", three())
case("where", "h.where(m, True, 2)", three(), gradients=False)
every_form("masked_fill", "h.masked_fill(x, m, v)", three(), dtypes=NUMBERS)
case("masked_fill", "h.masked_fill(x, m, s) | x.masked_fill(x > 0, s)", lambda d: dict(three()(d), s=d.tensor(layout="dense")), second=False)
case("masked_fill", "x.masked_fill(m, True)", three(), dtypes=("bool",))
every_form("addcmul", "h.addcmul(x, y, z, value=v)", three(), dtypes=NUMBERS, out=True)
every_form("addcdiv", "h.addcdiv(x, y, z, value=v)", three(0.5, 3), out=True)
every_form("lerp", "h.lerp(x, y, v)", three(), out=True)
case("prelu", "h.prelu(x, w) | x.prelu(w) | F.prelu(x, w[:1])", lambda d: (lambda c: dict(x=d.tensor(d.size(), c, *d.sizes(d.size(1, 2) - 1)), w=d.tensor(c, layout="dense")))(d.size()))
case("lerp", "h.lerp(x, y, z) | h.lerp(x, y, h.tensor(0.25, dtype=x.dtype))", three())

# ---- activations ----
for _name in "relu silu mish hardsigmoid hardswish".split():  # PyTorch's 1/6 is a float32
    case(_name, f"F.{_name}(x) | F.{_name}(x.clone(), inplace=True)", one(-5, 5), limit=1e-6 if _name == "hardsigmoid" else None)
case("relu", "h.relu(x) | x.relu() | x.clone().relu_() | h.relu_(x.clone())", one(), dtypes=NUMBERS)
case("relu", "h.relu(x)", special, gradients=False)
case("gelu", "F.gelu(x) | F.gelu(x, approximate='tanh')", one(-5, 5))
case("softplus", "F.softplus(x) | F.softplus(x, n, t)", lambda d: dict(one(-5, 5)(d), n=d.pick(0.5, 2, 3), t=d.pick(1, 5, 20)))
for _name in ("softsign", "tanhshrink"):
    case(_name, f"F.{_name}(x)", one(-5, 5))
case("selu", "F.selu(x) | F.selu_(x.clone()) | h.selu(x)", one(-5, 5))
case("celu", "F.celu(x) | F.celu(x, n) | F.celu_(x.clone(), n) | h.celu(x, alpha=n)", lambda d: dict(one(-5, 5)(d), n=d.pick(0.5, 2.0, 4.0)))  # PyTorch's 1/alpha is a float32
for _name in ("hardshrink", "softshrink"):
    case(_name, f"F.{_name}(x) | F.{_name}(x, n)", lambda d: dict(one(-3, 3)(d), n=d.pick(0.0, 0.2, 1.3)))
case("threshold", "F.threshold(x, n, 7.0) | F.threshold_(x.clone(), n, -2.0) | h.threshold(x, n, 0.5)", lambda d: dict(one(-3, 3)(d), n=d.pick(0.0, 0.2, -1.3)))
case("elu", "F.elu(x) | F.elu(x, n) | F.elu(x.clone(), n, inplace=True)", lambda d: dict(one(-5, 5)(d), n=d.pick(0.5, 2.0, 1.3)))
case("leaky_relu", "F.leaky_relu(x) | F.leaky_relu(x, n) | F.leaky_relu_(x.clone(), n)", lambda d: dict(one(-5, 5)(d), n=d.pick(0.1, 0.3)))
case("hardtanh", "F.hardtanh(x) | F.hardtanh(x, a, b) | F.hardtanh_(x.clone(), a, b) | F.relu6(x)", lambda d: dict(one(-8, 8)(d), a=d.pick(-0.5, -3.), b=d.pick(0.5, 2.)))
case("logsigmoid", "F.logsigmoid(x)", one(-9, 9))

# ---- creation ----
TYPES = (None, torch.float32, torch.float64, torch.int64, torch.int32, torch.uint8, torch.int8, torch.int16, torch.bool)


def made(d):
    return dict(size=tuple(d.sizes(d.size(0, 4))), value=d.pick(0, 3, 1.5, True, 7), t=d.pick(*TYPES), x=d.tensor(*d.shape()))


_made = dict(dtypes=ALL, gradients=False)
case("full", "h.full(size, value) | h.full(size, value, dtype=t) | x.new_full(size, value)", made, **_made)
for _name in ("zeros", "ones"):
    case(_name, f"h.{_name}(size) | h.{_name}(*size) if size else h.{_name}(()) | h.{_name}(size, dtype=t) | x.new_{_name}(size) | h.{_name}(size, requires_grad=True)", made, **_made)
    case(_name + "_like", f"h.{_name}_like(x) | h.{_name}_like(x, dtype=t)", made, **_made)
case("empty", "h.empty(size).shape | h.empty(size, dtype=t).fill_(1) | x.new_empty(size).zero_() | h.empty(size).stride()", made, **_made)
case("empty_like", "h.empty_like(x).fill_(1) | h.empty_like(x, dtype=t).zero_()", made, **_made)
case("full_like", "h.full_like(x, value) | h.full_like(x, value, dtype=t)", made, **_made)
case("arange", "h.arange(n) | h.arange(a, n) | h.arange(a, n, s) | h.arange(b, n, r) | h.arange(n, a, -s) | h.arange(0, n, s, dtype=h.float64) | h.arange(n, dtype=t)",
     lambda d: dict(n=d.size(0, 40), a=d.size(-9, 0), s=d.size(1, 5), b=-0.25 * d.size(), r=d.pick(0.25, 0.5, 1.75), t=d.pick(*TYPES[:-1])), dtypes=("float32",), gradients=False)
_line = dict(dtypes=("float32",) * 3, gradients=False, limit=2e-6)
case("linspace", "h.linspace(a, b, n) | h.linspace(a, b, n, dtype=h.float64) | h.linspace(b, a, n)", lambda d: dict(a=d.pick(-3, 0, 0.5, -1.25), b=d.pick(1, 7, 2.5), n=d.size(0, 60)), **_line)
case("logspace", "h.logspace(a, b, n) | h.logspace(a, b, n, base=2, dtype=h.float64) | h.logspace(a, b, n, 3.5)", lambda d: dict(a=d.pick(-3, 0, 0.5), b=d.pick(1, 2, 2.5), n=d.size(0, 60)), **_line)
case("eye", "h.eye(n) | h.eye(n, m) | h.eye(n, m, dtype=t)", lambda d: dict(n=d.size(0, 9), m=d.size(0, 9), t=d.pick(*TYPES)), dtypes=("float32",), gradients=False)
