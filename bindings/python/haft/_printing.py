"""Tensors as text, as PyTorch prints them."""
from math import ceil as _ceil, isfinite as _isfinite

from . import _device, _dtype
from ._library import _haft


class _Options:
    precision = 4
    threshold = 1000
    edgeitems = 3
    linewidth = 80
    sci_mode = None


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """How tensors print: digits, when to shorten, items at each edge, columns; profile "default", "short" or "full"."""
    if profile is not None:
        if profile not in ("default", "short", "full"):
            raise ValueError(f"unknown profile '{profile}'")
        _Options.precision = 2 if profile == "short" else 4
        _Options.threshold = {"default": 1000, "short": 1000, "full": float("inf")}[profile]
        _Options.edgeitems = 2 if profile == "short" else 3
        _Options.linewidth = 80
    for name, value in (("precision", precision), ("threshold", threshold), ("edgeitems", edgeitems), ("linewidth", linewidth)):
        if value is not None:
            setattr(_Options, name, value)
    _Options.sci_mode = sci_mode


class _Formatter:
    # The width that all shown elements need, and whether they print as integers or with an exponent.
    def __init__(self, values, floating):
        self.floating, self.integers, self.exponent, self.width = floating, True, False, 1
        if not floating:
            self.width = max((len(str(v)) for v in values), default=1)
            return
        shown = [v for v in values if _isfinite(v) and v != 0]
        if shown:
            small, large = min(abs(v) for v in shown), max(abs(v) for v in shown)
            self.integers = all(v == _ceil(v) for v in shown)
            self.exponent = large / small > 1000.0 or large > 1.0e8 or not self.integers and small < 1.0e-4
            kind = f".{_Options.precision}e" if self.exponent else ".0f" if self.integers else f".{_Options.precision}f"
            self.width = max(len(format(v, kind)) for v in shown) + (self.integers and not self.exponent)
            if _Options.sci_mode is not None:
                self.exponent = _Options.sci_mode

    def __call__(self, v):
        if not self.floating:
            s = str(v)
        elif self.exponent:
            s = f"{v:.{_Options.precision}e}"
        elif self.integers:
            s = f"{v:.0f}" + ("." if _isfinite(v) else "")
        else:
            s = f"{v:.{_Options.precision}f}"
        return " " * (self.width - len(s)) + s


def _edges(t):
    # Only what will be shown, as nested lists.
    e = _Options.edgeitems
    for d in range(t.ndim):
        n = t.size(d)
        if n > 2 * e:
            t = _joined(t, d, e, n)
    return t


def _joined(t, d, e, n):
    from ._library import raw
    return raw.cat([t.narrow(d, 0, e), t.narrow(d, n - e, e)], d)


def _vector(items, indent, whole, formatter):
    width = max(1, (_Options.linewidth - indent) // (formatter.width + 2))
    cells = [formatter(v) for v in items]
    if whole > 2 * _Options.edgeitems and len(items) < whole:
        cells = cells[:_Options.edgeitems] + [" ..."] + cells[_Options.edgeitems:]
    lines = [", ".join(cells[i:i + width]) for i in range(0, len(cells), width)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _nested(items, indent, shape, formatter):
    if not shape:
        return formatter(items)
    if len(shape) == 1:
        return _vector(items, indent, shape[0], formatter)
    rows = [_nested(row, indent + 1, shape[1:], formatter) for row in items]
    if len(items) < shape[0]:
        rows = rows[:_Options.edgeitems] + ["..."] + rows[_Options.edgeitems:]
    return "[" + ("," + "\n" * (len(shape) - 1) + " " * (indent + 1)).join(rows) + "]"


def _flat(items, depth):
    for _ in range(depth - 1):
        items = [v for row in items for v in row]
    return items if depth else [items]


def text(t, name="tensor"):
    """The text of repr(t)."""
    suffixes = []
    if t.is_sparse:
        parts = [text(t._indices(), "indices=tensor"), text(t._values(), "values=tensor"), f"size={tuple(t.shape)}", f"nnz={t._nnz()}"]
        return f"{name}(" + (",\n" + " " * (len(name) + 1)).join(parts) + ", layout=haft.sparse_coo)"
    if t.device != _device.cpu:
        suffixes.append(f"device='{t.device}'")
    if t.numel() == 0:
        if t.ndim != 1:
            suffixes.append(f"size={tuple(t.shape)}")
        if t.dtype is not _haft.default_dtype():
            suffixes.append(f"dtype={t.dtype}")
        body = "[]"
    else:
        if t.dtype not in (_haft.default_dtype(), _dtype.int64, _dtype.bool):
            suffixes.append(f"dtype={t.dtype}")
        plain = t.detach()
        if t.numel() > _Options.threshold:
            plain = _edges(plain)
        items = plain.tolist()
        formatter = _Formatter(_flat(items, t.ndim), t.dtype.is_floating_point)
        body = _nested(items, len(name) + 1, tuple(t.shape), formatter)
    if t.requires_grad:
        suffixes.append(f"grad_fn=<{t.grad_fn.name()}>" if not t.is_leaf else "requires_grad=True")
    return _with_suffixes(f"{name}({body}", suffixes, len(name) + 1)


def _with_suffixes(s, suffixes, indent):
    last = len(s) - s.rfind("\n") - 1
    for suffix in suffixes:
        if last + len(suffix) + 2 > _Options.linewidth:
            s += ",\n" + " " * indent + suffix
            last = indent + len(suffix)
        else:
            s += ", " + suffix
            last += len(suffix) + 2
    return s + ")"
