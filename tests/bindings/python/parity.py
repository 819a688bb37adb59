"""haft beside Debian's PyTorch: the same numbers go into both, what comes out is compared and written down.

HAFT_PARITY_OUT names a file that takes one JSON line a comparison; tools/parity makes docs/parity.md of them.
HAFT_TEST_SEED repeats a run: the seed stands in every failure."""
import json
import os

import numpy as np
import torch

import haft
from seeds import SEED

# Results may differ by this much of the largest value: other orders of summation, other exponentials.
LIMITS = {"float32": 2e-5, "float64": 1e-10}
_rng = np.random.default_rng(SEED)
_checks = []  # (where, dtype, error, limit) since the last record


def rng():
    return _rng


def record(kind, name, max_error, **more):
    """One line of the table: kind ("module", "loss", "optimizer", ...), name, and the largest difference seen.

    What check() has seen under this name since the last line comes along: how often, types, values and gradients apart."""
    path = os.environ.get("HAFT_PARITY_OUT")
    if not path:
        return
    mine = [c for c in _checks if c[0].startswith(name)]
    _checks.clear()
    values, gradients = ([c for c in mine if ("gradient" in c[0]) == g] for g in (False, True))
    line = dict(kind=kind, name=name, max_error=float(max_error), checks=len(mine), dtypes=sorted({c[1] for c in mine}))
    for part, found in (("values", values), ("gradients", gradients)):
        if found:
            line[part] = max(c[2] for c in found)
            line[part + "_limit"] = max(c[3] for c in found)
    with open(path, "a") as f:
        f.write(json.dumps({**line, **more}) + "\n")


def real(*shape, dtype="float32", low=None, high=None):
    """Random numbers: normal, or uniform in [low, high)."""
    a = _rng.standard_normal(shape) if low is None else _rng.uniform(low, high, shape)
    return np.asarray(a, dtype=dtype)


def spread(*shape, dtype="float32"):
    """Different numbers with gaps between them, so that no maximum is in doubt."""
    n = int(np.prod(shape))
    return (_rng.permutation(n).reshape(shape) / max(n, 1) * 4 - 2).astype(dtype)


def ints(*shape, low=0, high=10):
    return np.asarray(_rng.integers(low, high, shape), dtype="int64")


def as_haft(a, grad=False):
    if not isinstance(a, np.ndarray):
        return a
    t = haft.tensor(a)
    return t.requires_grad_() if grad and a.dtype.kind == "f" else t


def as_torch(a, grad=False):
    if not isinstance(a, np.ndarray):
        return a
    t = torch.tensor(a)
    return t.requires_grad_() if grad and a.dtype.kind == "f" else t


def array(t):
    """NumPy's array of a tensor of either side."""
    if isinstance(t, np.ndarray):
        return t
    if isinstance(t, torch.Tensor) and t._is_zerotensor():  # PyTorch's zeros without memory
        t = torch.zeros(t.shape, dtype=t.dtype)
    return t.detach().numpy()


def leaves(value):
    """The tensors in nested tuples, lists and dicts."""
    if isinstance(value, (haft.Tensor, torch.Tensor)):
        return [value]
    if isinstance(value, dict):
        value = [value[k] for k in sorted(value)]
    if isinstance(value, (tuple, list)):
        return [t for v in value for t in leaves(v)]
    return []


def difference(ours, theirs, where=""):
    """Largest difference as a part of the largest value; shapes, kinds of numbers, NaN and infinities must agree."""
    a, b = (x if isinstance(x, np.ndarray) else array(x) for x in (ours, theirs))
    if a.shape != b.shape:
        raise AssertionError(f"{where}: shape {a.shape}, PyTorch {b.shape}")
    if a.dtype != b.dtype:
        raise AssertionError(f"{where}: dtype {a.dtype}, PyTorch {b.dtype}")
    if a.size == 0:
        return 0.0
    if a.dtype.kind != "f":
        if not np.array_equal(a, b):
            raise AssertionError(f"{where}:\n{a}\nPyTorch:\n{b}")
        return 0.0
    a, b = a.astype("float64"), b.astype("float64")
    odd = ~np.isfinite(b)
    if not np.array_equal(a[odd], b[odd], equal_nan=True) or not np.array_equal(odd, ~np.isfinite(a)):
        raise AssertionError(f"{where}: NaN or infinity in other places:\n{a}\nPyTorch:\n{b}")
    if odd.all():
        return 0.0
    a, b = a[~odd], b[~odd]
    return float(np.max(np.abs(a - b)) / max(1.0, np.max(np.abs(b))))


def check(ours, theirs, where="", limit=None):
    """The difference, which must be within the limit of the type."""
    e = difference(ours, theirs, where)
    dtype = str(array(theirs).dtype if not isinstance(theirs, np.ndarray) else theirs.dtype)
    limit = LIMITS.get(dtype, 0.0) if limit is None else limit
    if os.environ.get("HAFT_PARITY_OUT"):
        _checks.append((where, dtype, e, limit))
    if not e <= limit:
        raise AssertionError(f"{where}: differs by {e:.3g} (limit {limit:g}; HAFT_TEST_SEED={SEED})\n{array(ours)}\nPyTorch:\n{array(theirs)}")
    return e


def call_both(ours, theirs, inputs, where="", limit=None, kwargs=None, grads=True, parameters=()):
    """Calls both functions with the same arrays; compares results, and gradients for a random direction.

    ours, theirs: callables; inputs: arrays and other values; parameters: pairs of further tensors, ours and theirs,
    whose gradients are compared. Returns the largest difference."""
    kwargs = kwargs or {}
    x = [as_haft(a, grads) for a in inputs]
    y = [as_torch(a, grads) for a in inputs]
    out = leaves(ours(*x, **{k: as_haft(v) for k, v in kwargs.items()}))
    ref = leaves(theirs(*y, **{k: as_torch(v) for k, v in kwargs.items()}))
    if len(out) != len(ref):
        raise AssertionError(f"{where}: {len(out)} results, PyTorch {len(ref)}")
    worst = max((check(a, b, f"{where}, result {i}", limit) for i, (a, b) in enumerate(zip(out, ref))), default=0.0)
    if not grads:
        return worst
    loss, loss_ref = 0, 0
    for a, b in zip(out, ref):
        if b.requires_grad != a.requires_grad:
            raise AssertionError(f"{where}: requires_grad {a.requires_grad}, PyTorch {b.requires_grad}")
        if b.requires_grad:
            seed = np.asarray(_rng.standard_normal(tuple(b.shape)), dtype=str(b.dtype).split(".")[-1])
            loss = loss + (a * haft.tensor(seed)).sum()
            loss_ref = loss_ref + (b * torch.tensor(seed)).sum()
    if isinstance(loss_ref, int):
        return worst
    loss.backward()
    loss_ref.backward()
    pairs = [(f"input {i}", a, b) for i, (a, b) in enumerate(zip(x, y)) if isinstance(b, torch.Tensor)]
    for name, a, b in [*pairs, *parameters]:
        if (a.grad is None) != (b.grad is None):
            raise AssertionError(f"{where}, gradient of {name}: {'no gradient' if a.grad is None else 'a gradient'}, PyTorch not so")
        if b.grad is not None:
            worst = max(worst, check(a.grad, b.grad, f"{where}, gradient of {name}", limit and limit * 5))
    return worst


def copy_state(theirs, ours):
    """PyTorch's weights into our module, keys and all."""
    state = {k: haft.tensor(v.detach().numpy()) for k, v in theirs.state_dict().items()}
    keys = ours.load_state_dict(state)
    assert not keys.missing_keys and not keys.unexpected_keys, keys


def modules(make, inputs, name, kind="module", training=(True, False), limit=None, grads=True, double=False):
    """Builds the module of both sides, copies the weights, and compares outputs, gradients and buffers."""
    worst = 0.0
    for mode in training:
        ref, own = make(torch.nn), make(haft.nn)
        if double:
            ref.double(), own.double()
        if list(ref.state_dict()) != list(own.state_dict()):
            raise AssertionError(f"{name}: keys {list(own.state_dict())}, PyTorch {list(ref.state_dict())}")
        if repr(own) != repr(ref):
            raise AssertionError(f"{name} prints as\n{own}\nPyTorch:\n{ref}")
        for p in ref.parameters():  # biases and weights of norms start as constants: other numbers say more
            p.data.add_(torch.randn_like(p) * 0.1)
        copy_state(ref, own)
        ref.train(mode)
        own.train(mode)
        pairs = [(n, a, b) for (n, a), b in zip(own.named_parameters(), ref.parameters())]
        arrays = inputs() if callable(inputs) else inputs
        worst = max(worst, call_both(own, ref, arrays, f"{name}, train({mode})", limit, grads=grads, parameters=pairs))
        for (n, a), b in zip(own.named_buffers(), ref.buffers()):
            worst = max(worst, check(a, b, f"{name}, buffer {n}", limit))
    record(kind, name, worst)
    return worst


def same_error(case, ours, theirs):
    """Both raise, an exception of the same built-in kind, with the same words (haft for torch)."""
    texts = []
    for f in (ours, theirs):
        try:
            f()
        except Exception as e:  # noqa: BLE001: whatever PyTorch raises
            texts.append((e, str(e).replace("torch.", "haft.").strip()))
        else:
            case.fail("nothing was raised")
    (a, said), (b, wanted) = texts
    case.assertIsInstance(a, type(b))
    case.assertEqual(said, wanted)


