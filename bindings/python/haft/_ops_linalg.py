"""Products of matrices with PyTorch's arguments."""
from . import _ops
from ._creation import into_or_new as _out
from ._library import _haft, raw as R
from ._names import Names

Tensor = _haft.Tensor
_names = Names()
FUNCTIONS, METHODS = _names.functions, _names.methods


FUNCTIONS["vdot"] = _ops.dot
FUNCTIONS["ger"] = _ops.outer
METHODS["ger"] = R.outer


def inner(input, other, *, out=None):
    """Sums of products along the last dimensions."""
    if input.ndim == 0 or other.ndim == 0:
        return _out(input * other, out)
    return _out(tensordot(input, other, ([-1], [-1])), out)


METHODS["addmm_"] = lambda self, mat1, mat2, *, beta=1, alpha=1: self.copy_(R.addmm(self, mat1, mat2, beta, alpha))
METHODS["addmm_"].__doc__ = "addmm, in place."


def chain_matmul(*matrices):
    """The product of several matrices, in the cheapest order."""
    n = len(matrices)
    sizes = [matrices[0].size(0)] + [m.size(1) for m in matrices]
    cost, cut = {(i, i): 0 for i in range(n)}, {}
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            cost[i, j], cut[i, j] = min((cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j))

    def product(i, j):
        return matrices[i] if i == j else product(i, cut[i, j]) @ product(cut[i, j] + 1, j)
    return product(0, n - 1)


def tensordot(a, b, dims=2, out=None):
    """Sums of products over several dimensions: the last `dims` of a and the first of b, or two lists."""
    if isinstance(dims, int):
        of_a, of_b = list(range(a.ndim - dims, a.ndim)), list(range(dims))
    else:
        of_a, of_b = ([d] if isinstance(d, int) else list(d) for d in dims)
        of_a, of_b = [d % a.ndim for d in of_a], [d % b.ndim for d in of_b]
    keep_a, keep_b = [d for d in range(a.ndim) if d not in of_a], [d for d in range(b.ndim) if d not in of_b]
    n = 1
    for d, e in zip(of_a, of_b):
        if a.size(d) != b.size(e):
            raise RuntimeError(f"contracted dimensions need to match, but first has size {a.size(d)} in dim {d} and second has size {b.size(e)} in dim {e}")
        n *= a.size(d)
    size = [a.size(d) for d in keep_a] + [b.size(d) for d in keep_b]
    t = a.permute(keep_a + of_a).reshape(-1 if n and a.numel() else a.numel() // max(n, 1), n) @ b.permute(of_b + keep_b).reshape(n, -1 if n and b.numel() else 0)
    return _out(t.reshape(size), out)


def einsum(equation, *operands):
    """Einstein's sums: einsum("ij,jk->ik", a, b). Letters, "..." and implicit outputs as PyTorch reads them."""
    if len(operands) == 1 and not isinstance(operands[0], Tensor):
        operands = tuple(operands[0])
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise ValueError(f"einsum(): {len(terms)} subscripts for {len(operands)} operands")
    # Dimensions under "..." get names that no letter has, counted from the last one.
    wide, named = 0, []
    for term, t in zip(terms, operands):
        letters = term.replace("...", "")
        extra = t.ndim - len(letters)
        if "..." in term:
            wide = max(wide, extra)
            at = term.index("...")
            named.append(list(term[:at]) + [-extra + i for i in range(extra)] + list(term[at + 3:]))
        else:
            if extra:
                raise RuntimeError(f"einsum(): the number of subscripts in '{term}' does not match the {t.ndim} dimensions of its operand")
            named.append(list(term))
    dots = list(range(-wide, 0))
    if arrow:
        at = right.find("...")
        wanted = list(right) if at < 0 else list(right[:at]) + dots + list(right[at + 3:])
    else:
        letters = left.replace(",", "").replace("...", "")
        wanted = dots + sorted(c for c in set(letters) if letters.count(c) == 1)
    sizes = {}
    for names, t in zip(named, operands):
        for name, n in zip(names, t.shape):
            if sizes.get(name, 1) not in (1, n) and n != 1:
                raise RuntimeError(f"einsum(): operands do not broadcast: subscript {name} has sizes {sizes[name]} and {n}")
            sizes[name] = n if sizes.get(name, 1) == 1 else sizes[name]
    unknown = [c for c in wanted if c not in sizes]
    if unknown or len(set(wanted)) != len(wanted):
        raise RuntimeError(f"einsum(): the output '{right}' has a subscript that no operand has, or one twice")
    parts = []
    for names, t in zip(named, operands):  # repeated letters: the diagonal
        names = list(names)
        for name in [c for c in names if names.count(c) > 1]:
            while names.count(name) > 1:
                i = names.index(name)
                j = names.index(name, i + 1)
                t = t.diagonal(0, i, j)
                names = [c for k, c in enumerate(names) if k not in (i, j)] + [name]
        parts.append((names, t))
    while len(parts) > 1:
        (a_names, a), (b_names, b) = parts.pop(0), parts.pop(0)
        later = set(wanted).union(*(set(n) for n, _ in parts))
        parts.insert(0, _contract(a_names, a, b_names, b, later))
    names, t = parts[0]
    gone = [i for i, c in enumerate(names) if c not in wanted]
    if gone:
        t = t.sum(gone)
        names = [c for c in names if c in wanted]
    return t.permute([names.index(c) for c in wanted]) if names != wanted else t


def _contract(a_names, a, b_names, b, later):
    # What only one of them has and nobody wants is summed first; then one batched product.
    def alone(names, t, others):
        gone = [i for i, c in enumerate(names) if c not in others and c not in later]
        return ([c for i, c in enumerate(names) if i not in gone], t.sum(gone)) if gone else (names, t)
    a_names, a = alone(a_names, a, b_names)
    b_names, b = alone(b_names, b, a_names)
    size = dict(zip(a_names, a.shape))
    for c, n in zip(b_names, b.shape):
        size[c] = n if size.get(c, 1) == 1 else size[c]
    both = [c for c in a_names if c in b_names]
    batch, summed = [c for c in both if c in later], [c for c in both if c not in later]
    only_a, only_b = [c for c in a_names if c not in both], [c for c in b_names if c not in both]

    def arranged(names, t, order, groups):
        t = t.permute([names.index(c) for c in order])
        return t.expand([size[c] for c in order]).reshape(groups)

    def count(cs):
        n = 1
        for c in cs:
            n *= size[c]
        return n
    nb, ns = count(batch), count(summed)
    x = arranged(a_names, a, batch + only_a + summed, [nb, count(only_a), ns])
    y = arranged(b_names, b, batch + summed + only_b, [nb, ns, count(only_b)])
    names = batch + only_a + only_b
    return names, R.bmm(x, y).reshape([size[c] for c in names])


def matrix_power(input, n):
    """A square matrix to a power that is no negative number."""
    if n < 0:
        raise ValueError("matrix_power: a negative power needs the inverse, which this engine does not compute")
    result = None
    while n:
        if n & 1:
            result = input if result is None else result @ input
        input, n = input @ input, n >> 1
    if result is None:
        eye = R.eye(input.size(-1), -1, input.dtype, input.device)
        return eye.expand(input.shape).clone()
    return result


def dist(input, other, p=2):
    """p-norm of input - other."""
    return R.norm(input - other, p)


def kron(input, other):
    """The Kronecker product: every element of input times other."""
    n = max(input.ndim, other.ndim)
    a, b = (t.reshape((1,) * (n - t.ndim) + tuple(t.shape)) for t in (input, other))
    x = a.reshape([m for d in a.shape for m in (d, 1)])
    y = b.reshape([m for d in b.shape for m in (1, d)])
    return (x * y).reshape([c * d for c, d in zip(a.shape, b.shape)])


def cdist(x1, x2, p=2.0):
    """p-norms of all differences of rows."""
    return R.norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)


def renorm(input, p, dim, maxnorm):
    """Slices along dim scaled to a p-norm of at most maxnorm."""
    others = [d for d in range(input.ndim) if d != dim % input.ndim]
    norm = R.norm(input, p, others, True)
    return input * R.where(norm > maxnorm, maxnorm / (norm + 1e-7), R.ones((), input.dtype))


_names.collect(globals())
