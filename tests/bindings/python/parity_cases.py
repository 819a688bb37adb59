"""Random arguments for the operators of ops.def, the same for haft and PyTorch: kinds of numbers, shapes, memory layouts.

A case is an expression that is read twice, with h = haft and h = torch (F = h.nn.functional), and a function that draws its
variables. Values, gradients and, in float64, second gradients are compared; where PyTorch refuses a type or a shape, nothing is."""
import warnings
import zlib

import numpy as np
import torch

import haft
import haft.nn.functional
import parity

FLOATS = ("float32", "float64")
INTS = ("int64", "int32", "int16", "int8", "uint8")
ALL = FLOATS + INTS + ("bool",)
LAYOUTS = ("dense", "transposed", "strided", "offset", "expanded", "empty", "scalar")
CASES = {}  # operator -> [Case]


class Case:
    def __init__(self, expression, draw, dtypes=FLOATS, gradients=True, view=False, limit=None, layouts=LAYOUTS, second=True, theirs=None):
        self.expression, self.draw, self.dtypes, self.gradients, self.view, self.limit = expression, draw, dtypes, gradients, view, limit
        self.layouts, self.second = layouts, second
        self.code = {haft: compile(expression, expression, "eval"), torch: compile(theirs or expression, expression, "eval")}


def expressions(text):
    """The expressions of lines that are divided by |."""
    return [e.strip() for line in text.strip().split("\n") for e in line.split(" | ") if e.strip()]


def case(operator, text, draw, **options):
    """Cases of an operator: one expression or several, over the variables that draw answers."""
    for e in expressions(text):
        CASES.setdefault(operator, []).append(Case(e, draw, **options))


class Arg:
    """A tensor of both sides: NumPy's array, and the view of it that the operator sees."""

    def __init__(self, base, view=None, grad=True):
        self.base, self.view, self.grad = base, view, grad and base.dtype.kind == "f"

    def leaf(self, h, grad):
        t = h.tensor(self.base)
        return t.requires_grad_() if grad and self.grad else t


class Draw:
    """Random numbers in one type and one layout of memory."""

    def __init__(self, rng, dtype, layout):
        self.rng, self.dtype, self.layout = rng, dtype, layout
        self.floating = dtype in FLOATS

    def size(self, low=1, high=7):
        return int(self.rng.integers(low, high + 1))

    def sizes(self, n):
        """n sizes; in the empty layout one of them is 0."""
        s = [self.size() for _ in range(n)]
        if self.layout == "empty" and n:
            s[self.size(0, n - 1)] = 0
        return s

    def shape(self, most=4):
        """Sizes of any number of dimensions: a long vector now and then, so that vector loops have whole bodies and tails."""
        if self.layout == "scalar":
            return []
        if self.layout == "dense":
            return [self.size(33, 150)]
        return self.sizes(self.size(1 if self.layout in ("empty", "strided", "offset", "expanded") else 2, most))

    def pair(self):
        """Two shapes that broadcast."""
        full = self.shape()
        other = [1 if self.rng.random() < 0.3 else n for n in full][self.size(0, len(full)):] if self.rng.random() < 0.7 else list(full)
        if self.rng.random() < 0.5:
            full, other = other, full
        return full, other

    def numbers(self, shape, low=None, high=None, dtype=None, distinct=False):
        dtype = dtype or self.dtype
        if distinct:
            n = int(np.prod(shape))
            order = self.rng.permutation(n).reshape(shape)
            return (order / max(n, 1) * 4 - 2 if dtype in FLOATS else order % 120).astype(dtype)
        if dtype == "bool":
            return np.asarray(self.rng.random(shape) < 0.5)
        if dtype in FLOATS:
            a = self.rng.standard_normal(shape) if low is None else self.rng.uniform(low, high, shape)
        else:
            low, high = (-5, 6) if low is None else (int(np.ceil(low)), max(int(np.floor(high)), int(np.ceil(low)) + 1))
            a = self.rng.integers(max(low, 0) if dtype == "uint8" else low, max(high, 1) if dtype == "uint8" else high, shape)
        return np.asarray(a, dtype=dtype)

    def tensor(self, *shape, low=None, high=None, grad=True, dtype=None, distinct=False, layout=None):
        shape, layout = list(shape), layout or self.layout
        base, view = list(shape), None
        if layout == "transposed" and len(shape) > 1:
            base[-1], base[-2], view = shape[-2], shape[-1], lambda t: t.transpose(-1, -2)
        elif layout == "strided" and shape and shape[-1]:
            base[-1], view = shape[-1] * 2, lambda t: t[..., ::2]
        elif layout == "offset" and shape and shape[-1]:
            base[-1], view = shape[-1] + 3, lambda t: t[..., 2:-1]
        elif layout == "expanded" and shape and not distinct:
            base[self.size(0, len(shape) - 1)], view = 1, lambda t: t.expand(shape)
        return Arg(self.numbers(base, low, high, dtype, distinct), view, grad)

    def integers(self, *shape, low=0, high=1):
        return Arg(np.asarray(self.rng.integers(low, max(high, low + 1), shape), dtype="int64"))

    def mask(self, *shape):
        return Arg(np.asarray(self.rng.random(shape) < 0.5))

    def pick(self, *values):
        return values[int(self.rng.integers(len(values)))]

    def number(self, *values):
        """One of the numbers that the type can hold: PyTorch wraps a negative one round for uint8."""
        return self.pick(*[v for v in values if self.dtype != "uint8" or v is None or v >= 0])

    def dim(self, n):
        """A dimension of a tensor with n, from the front or the back."""
        return self.size(-n, n - 1) if n else self.pick(0, -1)

    def dims(self, n):
        """Some different dimensions."""
        return sorted(self.rng.permutation(n)[:self.size(1, max(n, 1))].tolist())


def call(h, one, values, grad):
    """The expression on one side: results and the leaves that take gradients."""
    names, leaves = {"h": h, "F": h.nn.functional}, []
    for name, value in values.items():
        if isinstance(value, Arg):
            leaf = value.leaf(h, grad)
            if leaf.requires_grad:
                leaves.append(leaf)
            value = value.view(leaf) if value.view else leaf
        elif isinstance(value, torch.dtype):
            value = getattr(h, str(value).split(".")[1])
        names[name] = value
    return eval(one.code[h], names), leaves, names


def plain(value):
    """What is no tensor, in words that both sides share."""
    return repr(value).replace("torch.", "").replace("haft.", "")


def gradients(h, results, leaves, weights, create_graph):
    grad = h.autograd.grad
    loss = sum((r * h.tensor(w)).sum() for r, w in zip(results, weights))
    found = grad(loss, leaves, create_graph=create_graph, allow_unused=True) if loss.requires_grad else [None] * len(leaves)
    return [h.zeros_like(leaf) if g is None else g.resolve_neg() for g, leaf in zip(found, leaves)]  # PyTorch negates late


def weights_for(rng, tensors):
    return [np.asarray(rng.standard_normal(tuple(t.shape)), dtype=str(t.dtype).split(".")[-1]) for t in tensors]


def compare(one, where, draw):
    """Draws, calls both sides and compares. False: PyTorch refuses these arguments."""
    grad = one.gradients and draw.floating
    try:
        values = one.draw(draw)
        theirs, their_leaves, their_names = call(torch, one, values, grad)
    except (RuntimeError, TypeError, IndexError, ValueError):
        return False
    where = f"{where}: {one.expression}, {draw.dtype}, {draw.layout}"
    ours, our_leaves, our_names = call(haft, one, values, grad)
    a, b = parity.leaves(ours), parity.leaves(theirs)
    if not b and plain(ours) != plain(theirs):
        raise AssertionError(f"{where}: {plain(ours)}, PyTorch {plain(theirs)}")
    if len(a) != len(b):
        raise AssertionError(f"{where}: {len(a)} results, PyTorch {len(b)}")
    for x, y in zip(a, b):
        parity.check(x, y, where, one.limit)
        if x.requires_grad != y.requires_grad:
            raise AssertionError(f"{where}: requires_grad {x.requires_grad}, PyTorch {y.requires_grad}")
        if one.view:
            same_memory(where, (x, our_names["x"]), (y, their_names["x"]))
    if grad:
        compare_gradients(one, where, draw, (a, our_leaves), (b, their_leaves))
    return True


def compare_gradients(one, where, draw, ours, theirs):
    pick = [i for i, t in enumerate(theirs[0]) if t.requires_grad]
    if not pick:
        return
    results = [[side[0][i] for i in pick] for side in (ours, theirs)]
    weights = weights_for(draw.rng, results[1])
    second = one.second and draw.dtype == "float64"
    limit = (one.limit or parity.LIMITS[draw.dtype]) * 5
    try:
        wanted = gradients(torch, results[1], theirs[1], weights, second)
    except RuntimeError:  # PyTorch fails at some layouts and sizes
        return
    first = [gradients(haft, results[0], ours[1], weights, second), wanted]
    for i, (x, y) in enumerate(zip(*first)):
        # An input of another dtype has a gradient in its own.
        own = one.limit or parity.LIMITS.get(str(y.dtype).split(".")[-1], 0.0) if y is not None else 0.0
        parity.check(x, y, f"{where}, gradient of input {i}", max(limit, own * 5))
    pick = [i for i, t in enumerate(first[1]) if t.requires_grad] if second else []
    if not pick:
        return
    weights = weights_for(draw.rng, [first[1][i] for i in pick])
    try:
        wanted = gradients(torch, [first[1][i] for i in pick], theirs[1], weights, False)
    except RuntimeError:  # PyTorch has no second gradient here
        return
    found = gradients(haft, [first[0][i] for i in pick], ours[1], weights, False)
    for i, (x, y) in enumerate(zip(found, wanted)):
        parity.check(x, y, f"{where}, second gradient of input {i}", limit * 5)


def same_memory(where, ours, theirs):
    """A view of a tensor lies where PyTorch's lies: the same steps and offset, where they matter."""
    is_view = theirs[0].storage().data_ptr() == theirs[1].storage().data_ptr()
    found = [([s for s, n in zip(t.stride(), t.shape) if n > 1], (t.data_ptr() - base.data_ptr()) // t.element_size() if is_view else 0)
             for t, base in (ours, theirs)]
    if theirs[0].numel() and found[0] != found[1]:
        raise AssertionError(f"{where}: strides and offset {found[0]}, PyTorch {found[1]}")


def forms(operator, expression):
    """The expression and, where PyTorch has them, its method, its in-place form and its out= form."""
    found = [expression]
    if expression.startswith("h.") and expression.endswith(")"):
        name, arguments = expression[2:-1].split("(", 1)
        first, _, rest = arguments.partition(", ")
        if hasattr(torch.Tensor, name):
            found.append(f"{first}.{name}({rest})")
        if hasattr(torch.Tensor, name + "_"):
            found.append(f"{first}.clone().{name}_({rest})")
    return found


def with_out(expression):
    """The expression with out=, on tensors that need no gradient."""
    return expression[:-1] + ", out=h.empty(0, dtype=out_type))"


def every_form(operator, expression, draw, out=False, **options):
    """The function, its method, its in-place form and with out= the one that writes into a tensor."""
    for e in forms(operator, expression):
        case(operator, e, draw, **options)
    if out:
        def typed(d):
            values = draw(d)
            one = Case(expression, None)
            return {**values, "out_type": call(torch, one, values, False)[0].dtype}
        case(operator, with_out(expression), typed, **{**options, "gradients": False})


def run(operator, cases, seed):
    """All cases of an operator; answers how many random calls were compared, and in which types."""
    count, dtypes = 0, set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, one in enumerate(cases):
            rng = np.random.default_rng([seed, zlib.crc32(f"{operator} {i}".encode())])
            compared = 0
            for dtype in one.dtypes:
                for layout in one.layouts:
                    if compare(one, operator, Draw(rng, dtype, layout)):
                        compared += 1
                        dtypes.add(dtype)
            if not compared:
                raise AssertionError(f"{operator}: PyTorch refuses all of {one.expression}")
            count += compared
    return count, dtypes
