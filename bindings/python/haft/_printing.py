"""Tensors as text, as PyTorch prints them."""
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


def text(t, name="tensor"):
    """The text of repr(t)."""
    if t.is_sparse:
        parts = [text(t._indices(), "indices=tensor"), text(t._values(), "values=tensor"), f"size={tuple(t.shape)}", f"nnz={t._nnz()}"]
        return f"{name}(" + (",\n" + " " * (len(name) + 1)).join(parts) + ", layout=haft.sparse_coo)"
    notes = [] if t.device == _device.cpu else [f"device='{t.device}'"]
    if t.numel() == 0 and t.ndim != 1:
        notes.append(f"size={tuple(t.shape)}")
    usual = _haft.default_dtype()
    wide = _dtype.complex128 if usual is _dtype.float64 else _dtype.complex64
    if t.dtype is not usual and (t.numel() == 0 or t.dtype not in (_dtype.int64, _dtype.bool, wide)):
        notes.append(f"dtype={t.dtype}")
    if t.requires_grad:
        notes.append("requires_grad=True" if t.is_leaf else f"grad_fn=<{t.grad_fn.name()}>")
    o = _Options
    return _haft.tensor_text(t, name, "\n".join(notes), o.precision, min(o.threshold, 2 ** 62), o.edgeitems, o.linewidth,
                             -1 if o.sci_mode is None else int(o.sci_mode))
