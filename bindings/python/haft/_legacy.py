"""What older programs use: FloatTensor, LongTensor, cuda.FloatTensor and the like, names of a dtype and a device type together; haft.range."""
from warnings import warn

from . import _creation, _dtype
from ._device import device as device_class, look_for_cuda
from ._library import _haft, raw as R
from ._names import shown

Tensor = _haft.Tensor
NAMES = {"FloatTensor": _dtype.float32, "DoubleTensor": _dtype.float64, "HalfTensor": _dtype.float16, "BFloat16Tensor": _dtype.bfloat16,
         "LongTensor": _dtype.int64, "IntTensor": _dtype.int32, "ShortTensor": _dtype.int16, "CharTensor": _dtype.int8,
         "ByteTensor": _dtype.uint8, "BoolTensor": _dtype.bool}


class tensortype(type):
    """The class of these names. They have no instances of their own: isinstance() asks for dtype and device."""

    def __instancecheck__(cls, x):
        return isinstance(x, Tensor) and x.dtype is cls.dtype and x.device.type == cls.device_type

    def __repr__(cls):
        return f"<class '{cls._text()}'>"

    def _text(cls):
        return f"{shown()}.{'cuda.' if cls.is_cuda else ''}{cls.__name__}"

    def __call__(cls, *args, device=None):
        """Undefined content with those sizes, a copy of data, or a tensor of this type itself."""
        if cls.is_cuda:
            count, why = look_for_cuda()
            if not count:
                raise TypeError(f"type {cls._text()} not available: {why}")
        if device is not None:
            device = device_class(device)
            if device.type != cls.device_type:
                raise RuntimeError(f"legacy constructor expects device type: {cls.device_type} but device type: {device.type} was passed")
        where = device or cls.device_type
        if not args:
            return R.empty((0,), cls.dtype, where)
        if len(args) == 1 and not isinstance(args[0], int):
            data = args[0]
            if isinstance(data, Tensor):
                if not isinstance(data, cls):
                    raise TypeError(f"expected {cls._text()} (got {data.type()})")
                return data.detach()
            if isinstance(data, _haft.Size):
                return R.empty(data, cls.dtype, where)
            if isinstance(data, (str, bytes)):
                raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
            if not hasattr(data, "__len__"):
                raise TypeError(f"new(): data must be a sequence (got {type(data).__name__})")
            return _creation.tensor(data, dtype=cls.dtype, device=where)
        for i, n in enumerate(args):
            if not hasattr(n, "__index__"):
                raise TypeError(f"new(): argument 'size' must be tuple of ints, but found element of type {type(n).__name__} at pos {i + 1}")
        return R.empty(args, cls.dtype, where)


def _made(name, dtype, device_type):
    return tensortype(name, (), {"dtype": dtype, "device_type": device_type, "is_cuda": device_type == "cuda", "is_sparse": False,
                                 "__module__": "haft.cuda" if device_type == "cuda" else "haft",
                                 "__doc__": f"Tensors of {dtype.name} in {'CUDA' if device_type == 'cuda' else 'host'} memory."})


CPU = {name: _made(name, dtype, "cpu") for name, dtype in NAMES.items()}
CUDA = {name: _made(name, dtype, "cuda") for name, dtype in NAMES.items()}
(FloatTensor, DoubleTensor, HalfTensor, BFloat16Tensor, LongTensor, IntTensor, ShortTensor, CharTensor, ByteTensor,
 BoolTensor) = CPU.values()


def named(text):
    """'torch.FloatTensor', 'haft.cuda.HalfTensor' or 'FloatTensor' as its class."""
    front, _, name = text.rpartition(".")
    if front in ("", "haft", "torch") and name in CPU:
        return CPU[name]
    if front in ("cuda", "haft.cuda", "torch.cuda") and name in CUDA:
        return CUDA[name]
    raise ValueError(f"invalid type: '{text}'")


def range(start=0, end=None, step=1, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """start, start + step, ... up to end, which counts, in the default dtype. Deprecated: arange leaves the end out, as Python does."""
    warn("haft.range is deprecated, as it is in PyTorch: arange() leaves the end out, as Python's range does", UserWarning, stacklevel=2)
    start, end = (0, start) if end is None else (start, end)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    t = R.arange(0, int((end - start) / step + 1), 1, dtype=_dtype.float64) * step + start
    return _creation._finished(t.to(dtype or _haft.default_dtype()), requires_grad, out, layout, device=device)
