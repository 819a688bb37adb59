"""Making tensors from Python's data, from memory of others, and filled with values; the results of operators as PyTorch gives them."""
from array import array as _array
from itertools import chain as _chain
from operator import itemgetter as _itemgetter
from sys import modules as _modules
from warnings import warn as _warn

from . import _dtype
from ._library import _haft, raw as R

__all__ = ["arange", "as_tensor", "asarray", "empty_strided", "from_dlpack", "from_numpy", "frombuffer", "scalar_tensor", "tensor", "to_dlpack"]
Tensor = _haft.Tensor
Size = _haft.Size
_TYPECODES = {_dtype.float64: "d", _dtype.float32: "f", _dtype.int64: "q", _dtype.int32: "i", _dtype.int16: "h", _dtype.int8: "b",
              _dtype.uint8: "B"}
_FLOATS = {float}
_RESULTS = {}
_FROM_NUMPY = {"float64": _dtype.float64, "float32": _dtype.float32, "float16": _dtype.float16, "int64": _dtype.int64,
               "int32": _dtype.int32, "int16": _dtype.int16, "int8": _dtype.int8, "uint8": _dtype.uint8, "bool": _dtype.bool,
               "complex64": _dtype.complex64, "complex128": _dtype.complex128}


def _finished(t, requires_grad=False, out=None, layout=None, memory_format=None, device=None):
    """What a caller may ask of a new tensor."""
    if layout is not None or memory_format is not None or device is not None:
        from . import _layout
        _layout.check_layout(layout)
        t = t if device is None else t.to(device=device)
        t = t if memory_format is None else _layout.laid(t, memory_format)
    if out is not None:
        return into(out, t)
    if requires_grad:
        t.requires_grad = True
    return t


def into(out, result, exact=False):
    """The result of an operator in the tensor that the caller gave, with `exact` one of its type; one of another size is given the result's, as
    PyTorch does."""
    if not isinstance(out, Tensor):
        raise TypeError(f"out= takes a Tensor, got {type(out).__name__}")
    if out.requires_grad and _haft.is_grad_enabled() or result.requires_grad:
        raise RuntimeError("functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad.")
    if result.dtype.is_complex and not out.dtype.is_complex:
        raise RuntimeError(f"result type {result.dtype} can't be cast to the desired output type {out.dtype}")
    if exact and out.dtype is not result.dtype and not _haft.is_autocast_enabled(result.device.type):  # whose results PyTorch does not write into out
        raise RuntimeError(f"Expected out tensor to have dtype {result.dtype}, but got {out.dtype} instead")
    if out.shape != result.shape:
        if out.numel():
            _warn(f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does not match the "
                  f"required output shape {list(result.shape)}.", stacklevel=3)
        out._set_handle(result.to(dtype=out.dtype, device=out.device).clone())
        return out
    return out.copy_(result)


def into_or_new(result, out, exact=False):
    """The result, in the tensor `out` when the caller gave one."""
    return result if out is None else into(out, result, exact)


def result(name, *fields):
    """A class of tuples with names; collections.namedtuple would cost the import a millisecond each."""
    cls = type(name, (tuple,), {f: property(_itemgetter(i)) for i, f in enumerate(fields)})
    cls.__slots__ = ()
    cls.__module__ = "haft.return_types"
    cls._fields = fields
    cls.__repr__ = lambda self: f"haft.return_types.{name}(\n" + ",\n".join(f"{f}={v!r}" for f, v in zip(fields, self)) + ")"
    cls.__reduce__ = lambda self: (_rebuild_result, (name, tuple(self)))
    _RESULTS[name] = cls
    return cls


def _rebuild_result(name, items):
    return _RESULTS[name](items)


def outs(pair, out):
    """Several results, in the tensors of their types that the caller gave if any."""
    if out is None:
        return pair
    return type(pair)(into(o, t, True) for o, t in zip(out, pair))


def not_empty(input, name, dim):
    """Refuses to look for an element where there is none."""
    if input.numel() == 0 and (dim is None or input.size(dim) == 0):
        raise IndexError(f"{name}(): Expected reduction dim {'to be specified for input.numel() == 0' if dim is None else f'{dim} to have non-zero size'}.")


def operands(input, other):
    """Two tensors, where a number may stand on the left of a function: haft.pow(2, t). Two numbers are no tensor's business."""
    if not isinstance(input, Tensor):
        if not isinstance(other, Tensor):
            raise TypeError(f"expected a Tensor, got {type(input).__name__} and {type(other).__name__}")
        return R.full((), input, other.dtype if not isinstance(input, float) or other.dtype.is_floating_point else None, other.device), other
    return input, other


def _is_numpy(data):
    np = _modules.get("numpy")
    return np is not None and isinstance(data, (np.ndarray, np.generic))


def _flattened(data):
    """Nested sequences as one list and its sizes."""
    flat, size = [data], []
    while flat and isinstance(flat[0], (list, tuple, range)):
        wanted = len(flat[0])
        for item in flat:
            if not isinstance(item, (list, tuple, range)):
                raise TypeError(f"expected a sequence at dim {len(size)}, got {type(item).__name__}")
            if len(item) != wanted:
                raise ValueError(f"expected sequence of length {wanted} at dim {len(size)} (got {len(item)})")
        size.append(wanted)
        flat = list(_chain.from_iterable(flat))
    return flat, size


def _from_complex(flat, size, dtype, device):
    """Numbers of which some are complex, as pairs."""
    dtype = dtype or (_dtype.complex128 if _haft.default_dtype() is _dtype.float64 else _dtype.complex64)
    values = [complex(item.item() if hasattr(item, "item") else item) for item in flat]
    if not dtype.is_complex and any(value.imag for value in values):
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
    pairs = _array("d", _chain.from_iterable((value.real, value.imag) for value in values))
    return R.view_as_complex(_haft.from_bytes(pairs, [*size, 2], _dtype.float64, device)).to(dtype=dtype)


def _is_complex(item):
    return isinstance(item, complex) or getattr(getattr(item, "dtype", None), "name", "")[:7] == "complex"


def _from_list(flat, size, dtype, device):
    kinds = set(map(type, flat))
    if not kinds <= {float, int, bool} and any(map(_is_complex, flat)):
        return _from_complex(flat, size, _dtype_of(dtype), device)
    inferred = None
    if not kinds <= {float, int, bool}:
        items = []
        for item in flat:
            if isinstance(item, Tensor) or _is_numpy(item):
                kind = item.dtype if isinstance(item, Tensor) else _FROM_NUMPY.get(item.dtype.name)
                item = item.item()
            else:
                kind = None
            if isinstance(item, (str, bytes, list, tuple)):
                raise TypeError(f"new(): invalid data type '{type(item).__name__}'")
            if not hasattr(item, "__float__") and not hasattr(item, "__index__"):
                raise RuntimeError(f"Could not infer dtype of {type(item).__name__}")
            if not isinstance(item, (float, int)):
                item = int(item) if hasattr(item, "__index__") else float(item)
            kind = kind or (_haft.default_dtype() if isinstance(item, float) else _dtype.bool if isinstance(item, bool) else _dtype.int64)
            inferred = kind if inferred in (None, kind) else (R.empty((0,), kind) + R.empty((0,), inferred)).dtype
            items.append(item)
        flat, kinds = items, set(map(type, items))
    if inferred is None:
        inferred = _haft.default_dtype() if float in kinds or not kinds else _dtype.int64 if int in kinds else _dtype.bool
    dtype = _dtype_of(dtype) or inferred
    floats = float in kinds
    if kinds == {bool} or dtype is _dtype.bool and not floats:
        made, kind = bytes(map(bool, flat)), _dtype.bool
    elif floats or dtype.is_floating_point:
        kind = dtype if dtype is _dtype.float32 else _dtype.float64
        made = _array(_TYPECODES[kind], flat)
    else:
        kind = dtype if dtype in _TYPECODES else _dtype.int64
        try:
            made = _array(_TYPECODES[kind], flat)
        except OverflowError:  # wraps round, as a cast does
            made, kind = _array("q", flat), _dtype.int64
    t = _haft.from_bytes(made, size, kind, device)
    return t if kind is dtype else t.cast(dtype)


_PYTHONS = {float: _dtype.float64, int: _dtype.int64, bool: _dtype.bool, complex: _dtype.complex128}


def _dtype_of(dtype):
    return _PYTHONS.get(dtype, dtype)


def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A tensor with a copy of data: a number, nested sequences of numbers, an array, or a tensor."""
    if type(data) is list and data and type(data[0]) is float and set(map(type, data)) == _FLOATS:
        dtype = _dtype_of(dtype) or _haft.default_dtype()
        kind = dtype if dtype is _dtype.float32 else _dtype.float64
        t = _haft.from_bytes(_array(_TYPECODES[kind], data), len(data), kind, device)
        t = t if kind is dtype else R.cast(t, dtype)
    elif isinstance(data, Tensor):
        _warn("To copy construct from a tensor, it is recommended to use sourceTensor.clone().detach() or "
              "sourceTensor.clone().detach().requires_grad_(True), rather than haft.tensor(sourceTensor).", stacklevel=2)
        t = data.detach().to(dtype=_dtype_of(dtype), device=device).clone()
    elif isinstance(data, (float, int)) and not _is_numpy(data):
        t = R.full((), data, _dtype_of(dtype), device)
    elif isinstance(data, complex) and not _is_numpy(data):
        t = _from_complex([data], [], _dtype_of(dtype), device)
    elif isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    elif _is_numpy(data) or hasattr(data, "__array_interface__") or isinstance(data, (bytearray, memoryview, _array)):
        t = as_tensor(data).to(dtype=_dtype_of(dtype), device=device).clone()
    elif hasattr(data, "__cuda_array_interface__"):
        t = _from_cuda_array(data).to(dtype=_dtype_of(dtype), device=device).clone()
    elif hasattr(data, "__dlpack__"):
        t = from_dlpack(data).to(dtype=_dtype_of(dtype), device=device).clone()
    else:
        if not isinstance(data, (list, tuple, range)):
            if not hasattr(data, "__len__") or not hasattr(data, "__getitem__") or isinstance(data, dict):
                raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
            data = list(data)
        flat, size = _flattened(data)
        # A tensor of one element is a number, whatever its shape.
        flat = [item.reshape(()) if isinstance(item, Tensor) and item.ndim and item.numel() == 1 else item for item in flat]
        if flat and (isinstance(flat[0], Tensor) and flat[0].ndim or _is_numpy(flat[0]) and getattr(flat[0], "ndim", 0)):
            t = R.stack([as_tensor(item).detach() for item in flat], 0)
            t = t.reshape(size + list(t.shape[1:])).to(dtype=_dtype_of(dtype), device=device)
        else:
            t = _from_list(flat, size, dtype, device)
    return _finished(t, requires_grad)


def _check_array(a):
    if a.dtype.name not in _FROM_NUMPY:
        raise TypeError(f"can't convert np.ndarray of type {a.dtype}. The only supported types are: complex128, complex64, float64, float32, float16, "
                        "int64, int32, int16, int8, uint8, and bool.")


def as_tensor(data, dtype=None, device=None):
    """data as a tensor; memory of tensors and arrays is shared where dtype and device stay."""
    if isinstance(data, Tensor):
        return data.to(dtype=_dtype_of(dtype), device=device) if dtype is not None or device is not None else data
    if _is_numpy(data):
        import numpy as np
        if isinstance(data, np.generic):
            data = np.asarray(data)
        _check_array(data)
        if any(s < 0 for s in data.strides):
            data = data.copy()
        t = _haft.from_buffer(data)
    elif isinstance(data, (bytearray, memoryview, _array)):
        t = _haft.from_buffer(data)
    elif hasattr(data, "__cuda_array_interface__"):
        t = _from_cuda_array(data)
    else:
        return tensor(data, dtype=dtype, device=device)
    return t.to(dtype=_dtype_of(dtype), device=device) if dtype is not None or device is not None else t


asarray = as_tensor


def from_numpy(ndarray):
    """A tensor over the array's memory."""
    if not _is_numpy(ndarray) or not hasattr(ndarray, "flags"):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    _check_array(ndarray)
    if not ndarray.flags.writeable:
        _warn("The given NumPy array is not writable. Writing to this tensor is undefined behaviour.", stacklevel=2)
    return _haft.from_buffer(ndarray)


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """A vector over the memory of an object with the buffer protocol."""
    view = memoryview(buffer).cast("B")
    length = len(view) - offset
    if offset < 0 or length < 0 or length == 0:
        raise ValueError(f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({len(view)} bytes) minus 1")
    if count < 0 and length % dtype.itemsize:
        raise ValueError(f"buffer length ({length} bytes) after offset ({offset} bytes) must be a multiple of element size ({dtype.itemsize})")
    count = length // dtype.itemsize if count < 0 else count
    if count * dtype.itemsize > length:
        raise ValueError(f"requested buffer length ({count} * {dtype.itemsize} bytes) after offset ({offset} bytes) must not be greater "
                         f"than actual buffer length ({len(view)} bytes)")
    # bfloat16 and 8-bit floats have no letter among the formats of buffers.
    code = _TYPECODES.get(dtype) or {_dtype.bool: "?", _dtype.float16: "e", _dtype.bfloat16: "h"}.get(dtype, "B")
    t = _haft.from_buffer(view[offset:offset + count * dtype.itemsize].cast(code))
    return _finished(t.view(dtype) if dtype in (_dtype.bfloat16, *_dtype.FLOAT8) else t, requires_grad)


def from_dlpack(ext_tensor):
    """A tensor over the memory of another library's, by DLPack. On a CUDA device this thread's current stream waits for the work that the other
    library has given the memory; a capsule says nothing of that."""
    if not hasattr(ext_tensor, "__dlpack__"):
        return _haft.from_dlpack(ext_tensor)
    stream = {}
    if hasattr(ext_tensor, "__dlpack_device__"):
        kind, index = ext_tensor.__dlpack_device__()
        if kind == 2:  # CUDA
            stream["stream"] = _haft.current_stream(f"cuda:{index}").native_handle()
    try:
        capsule = ext_tensor.__dlpack__(max_version=(1, 0), **stream)
    except TypeError:  # a library from before DLPack 1.0
        capsule = ext_tensor.__dlpack__(**stream)
    return _haft.from_dlpack(capsule)


def _from_cuda_array(data):
    # Memory that Numba, CuPy and others show by __cuda_array_interface__.
    shown = data.__cuda_array_interface__
    kind = shown["typestr"].lstrip("|<=")
    dtype = next((d for d in _FROM_NUMPY.values() if kind == f"{'b' if d is _dtype.bool else 'f' if d.is_floating_point else 'u' if d is _dtype.uint8 else 'i'}{d.itemsize}"), None)
    if dtype is None or shown["typestr"][0] == ">":
        raise TypeError(f"__cuda_array_interface__: haft has no dtype for elements of type {shown['typestr']!r}")
    if shown.get("mask") is not None:
        raise TypeError("__cuda_array_interface__: arrays with a mask are not taken")
    shape, strides = tuple(shown["shape"]), shown.get("strides")
    if strides is not None:
        if any(s % dtype.itemsize or s < 0 for s in strides):
            raise ValueError(f"__cuda_array_interface__: strides {tuple(strides)} are no positive multiples of {dtype.itemsize} bytes")
        strides = tuple(s // dtype.itemsize for s in strides)
    address, read_only = shown["data"]
    if not address or 0 in shape:
        return R.empty(shape, dtype, "cuda")
    device = getattr(getattr(data, "device", None), "id", None)  # CuPy's; the interface itself names none
    device = f"cuda:{device}" if isinstance(device, int) else "cuda"
    if (stream := shown.get("stream")) is not None:
        done = _haft.Event(device, False)
        done.record(_haft.Stream.from_native_handle(device, stream))
        _haft.current_stream(device).wait(done)
    t = _haft.from_address(address, shape, strides, dtype, device, data)
    return t.clone() if read_only else t


def to_dlpack(tensor):
    """A DLPack capsule over the tensor's memory."""
    return _haft.to_dlpack(tensor, False)


def _size(name, size, more):
    """Sizes that came one by one, as a sequence, or by name."""
    wanted = more.pop("size", None)
    if more:
        raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(more))}'")
    return wanted if wanted is not None else size[0] if len(size) == 1 and not isinstance(size[0], int) else size


def arange(start, end=None, step=1, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """start, start + step, ... below end (arange(end) starts at 0); int64 when all are integers."""
    if end is None:
        start, end = 0, start
    return _finished(R.arange(start, end, step, dtype, device), requires_grad, out)


def scalar_tensor(s, *, dtype=None, layout=None, device=None, requires_grad=False):
    """A number as a tensor without dimensions, in the default dtype."""
    return _finished(R.full([], s, dtype=dtype or _haft.default_dtype()), requires_grad, None, layout, device=device)


def empty_strided(size, stride, *, dtype=None, layout=None, device=None, requires_grad=False):
    """Undefined content with those strides."""
    room = 1 + sum((n - 1) * s for n, s in zip(size, stride)) if all(size) else 0
    return _finished(R.empty((room,), dtype, device).as_strided(size, stride), requires_grad)
