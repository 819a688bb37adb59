"""Views, shapes, joining and splitting with PyTorch's arguments."""
from math import prod as _prod
from sys import modules as _modules

from . import _dtype
from ._arguments import laid as _laid
from ._device import device as _device_type
from ._library import _haft, raw as R
from ._names import Names, called as _called, shown as _shown

Tensor = _haft.Tensor
_names = Names()
FUNCTIONS, METHODS = _names.functions, _names.methods


def squeeze(input, dim=None):
    """Without dimension dim if it has size 1; without dim: without all of size 1."""
    if isinstance(dim, (tuple, list)):
        n = max(input.ndim, 1)
        wrong = [d for d in dim if not -n <= d < n]
        if wrong:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {wrong[0]})")
        places = sorted((d % n for d in dim), reverse=True)
        if len(set(places)) < len(places):
            raise RuntimeError(f"squeeze: dim {tuple(dim)} names a dimension twice")
        for d in places:
            input = R.squeeze(input, d)
        return input
    return R.squeeze(input, dim)


METHODS["broadcast_to"] = lambda self, size: R.expand(self, size)


def broadcast_shapes(*shapes):
    """The size that tensors of these sizes broadcast to."""
    size = []
    for shape in shapes:
        shape = [shape] if isinstance(shape, int) else list(shape)
        size = [1] * (len(shape) - len(size)) + size
        for i in range(1, len(shape) + 1):
            if size[-i] == 1:
                size[-i] = shape[-i]
            elif shape[-i] not in (1, size[-i]):
                raise RuntimeError("Shape mismatch: objects cannot be broadcast to a single shape")
    return _haft.Size(size)


def repeat_interleave(input, repeats=None, dim=None, *, output_size=None):
    """Each element (or slice along dim) repeated; repeats is a number or one for each."""
    if repeats is None:
        input, repeats, dim = R.arange(0, input.size(0), 1, input.dtype, input.device), input, 0
    return R.repeat_interleave(input, repeats if isinstance(repeats, Tensor) else R.full((), repeats, _dtype.int64, input.device), dim)


# ---- joining and splitting ----

def _at_least(one):
    def fn(*tensors):
        if len(tensors) == 1:
            return one(tensors[0]) if isinstance(tensors[0], Tensor) else tuple(map(one, tensors[0]))
        return tuple(map(one, tensors))
    FUNCTIONS[one.__name__] = _called(one.__name__, one.__doc__, fn)


_at_least(R.atleast_1d), _at_least(R.atleast_2d), _at_least(R.atleast_3d)


def split(tensor, split_size_or_sections, dim=0):
    """Views of that size along dim (the last may be smaller), or of the given sizes."""
    if isinstance(split_size_or_sections, int):
        return R.split(tensor, split_size_or_sections, dim)
    return R.split_sizes(tensor, split_size_or_sections, dim)


METHODS["split"] = lambda self, split_size, dim=0: split(self, split_size, dim)
METHODS["split"].__doc__ = split.__doc__


def sum_to_size(self, *size):
    """The tensor summed over the dimensions that broadcasting from size had added."""
    size = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
    summed = not self.dtype.is_floating_point and not self.dtype.is_complex and (size != tuple(self.shape) or not size)
    return R.sum_to_size(self.to(dtype=_dtype.int64) if summed else self, size)



# ---- dtype, device, memory ----

def to(self, *args, dtype=None, device=None, non_blocking=False, copy=False, memory_format=None):
    """to(dtype), to(device, dtype), to(other), then non_blocking and copy: the tensor in another type or elsewhere; itself when neither changes."""
    named = next((i for i, a in enumerate(args) if isinstance(a, bool)), len(args))
    if named > 2 or len(args) > named + 2:
        raise TypeError(f"to() received an invalid combination of arguments: {', '.join(map(repr, args))}")
    non_blocking, copy = (*args[named:], *(non_blocking, copy)[len(args) - named:])
    for a in args[:named]:
        if isinstance(a, Tensor):
            dtype, device = a.dtype, a.device
        elif isinstance(a, _dtype.dtype) or a in (float, int, bool):
            dtype = a
        elif isinstance(a, (str, int, _device_type)):
            device = a
        elif a is not None:
            raise TypeError(f"to() received an invalid combination of arguments: {type(a).__name__}")
    t = R.to(self, dtype, device, non_blocking)
    if t._same_handle(self) or (t.dtype is self.dtype and t.device == self.device and t._shares_memory(self)):
        t = self
    if memory_format is not None:
        return _laid(t, memory_format, copy and t is self)
    return t.clone() if copy and t is self else t


for _name, _type in {"float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "int": "int32", "long": "int64",
                     "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool"}.items():
    def _cast(self, memory_format=None, _type=getattr(_dtype, _type)):
        t = self if self.dtype is _type else R.to(self, _type)
        return t if memory_format is None else _laid(t, memory_format)
    METHODS[_name] = _called(_name, f"The tensor as {_type}.", _cast)
del _name, _type, _cast


def type(self, dtype=None, non_blocking=False):
    """The name of the type, or the tensor in another one."""
    if dtype is None:
        return f"{_shown()}.{'' if self.device.type == 'cpu' else self.device.type + '.'}{_TYPE_NAMES[self.dtype]}"
    if isinstance(dtype, str):
        from ._legacy import named
        dtype = named(dtype)
    elif dtype is Tensor:  # the class that was the name of the default type
        return self.to(dtype=_haft.default_dtype())
    if isinstance(dtype, _dtype.dtype):
        return self.to(dtype=dtype)
    if not isinstance(getattr(dtype, "dtype", None), _dtype.dtype):
        raise TypeError("dtype must be a type, str, or dtype object")
    return self.to(dtype=dtype.dtype, device=dtype.device_type if self.device.type != dtype.device_type else None)


_TYPE_NAMES = {_dtype.float32: "FloatTensor", _dtype.float64: "DoubleTensor", _dtype.float16: "HalfTensor", _dtype.bfloat16: "BFloat16Tensor",
               _dtype.int64: "LongTensor", _dtype.int32: "IntTensor", _dtype.int16: "ShortTensor", _dtype.int8: "CharTensor",
               _dtype.uint8: "ByteTensor", _dtype.bool: "BoolTensor", _dtype.complex64: "ComplexFloatTensor", _dtype.complex128: "ComplexDoubleTensor", _dtype.float8_e4m3fn: "Float8_e4m3fnTensor",
               _dtype.float8_e5m2: "Float8_e5m2Tensor"}



def contiguous(self, memory_format=None):
    """The tensor itself when dense and row-major, else a copy that is."""
    if memory_format is not None:
        _lies(self, memory_format, "contiguous")
        return _laid(self, memory_format)
    return self if R.is_contiguous(self) else R.contiguous(self)


def is_contiguous(self, memory_format=None):
    """Whether the elements lie dense in row-major order."""
    return R.is_contiguous(self) if memory_format is None else _lies(self, memory_format, "is_contiguous")


def _lies(self, memory_format, name):
    from . import _layout
    answer = _layout.lies(self, memory_format)
    if answer is None:
        raise RuntimeError(f"preserve memory format is unsupported by the {name} operator")
    return answer


def pin_memory(self, device=None):
    """A copy in memory that devices read and write by themselves, so that copies need not wait; itself where there is none."""
    if _haft.is_pinned(self) or device is None and _haft.device_count("cuda") == 0:
        return self
    return _haft.pin_memory(self, _device_type(device or "cuda"))


def resize_(self, *sizes):
    """Another size in place; what fits of the elements stays."""
    sizes = sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes
    n = _prod(sizes)
    flat = self.detach().reshape(-1)
    if n > flat.numel():
        flat = R.cat([flat, R.empty((n - flat.numel(),), self.dtype, self.device)], 0)
    self._set_handle(flat[:n].reshape(sizes))
    return self


def as_strided_(self, size, stride, storage_offset=None):
    """as_strided, in place."""
    self._set_handle(self.as_strided(size, stride, storage_offset))
    return self


def set_(self, source=None, storage_offset=0, size=None, stride=None):
    """Gives the tensor the memory of another one, or a storage's, with those sizes and strides (left out: dense); of nothing: none."""
    if self.requires_grad and self.is_leaf and _haft.is_grad_enabled():
        raise RuntimeError("set_: a leaf that requires a gradient is given other memory under no_grad() only")
    if source is None:
        self.data = R.empty((0,), self.dtype, self.device)
        return self
    flat = source if isinstance(source, Tensor) else source._flat
    if not isinstance(source, Tensor) and flat.dtype is _dtype.uint8:  # bytes
        flat = flat.view(self.dtype)
    if flat.dtype is not self.dtype:
        raise RuntimeError(f"Could not set tensor of type {flat.dtype.name} to a tensor of type {self.dtype.name}")
    flat = flat.detach()
    if size is not None:
        size = [size] if isinstance(size, int) else list(size)
        stride = stride or [_prod(size[i + 1:]) for i in range(len(size))]
        flat = flat.as_strided(size, stride, storage_offset)
    self.data = flat
    return self


def _new(name, what):
    make = getattr(R, name)

    def fn(self, *size, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False, **kwargs):
        wanted = kwargs.get("size", size[0] if len(size) == 1 and not isinstance(size[0], int) else size)
        t = make(wanted, dtype or self.dtype, device or self.device)
        if requires_grad:
            t.requires_grad = True
        return t
    METHODS["new_" + name] = _called("new_" + name, f"{what} in this tensor's type and on its device.", fn)


_new("zeros", "Zeros"), _new("ones", "Ones"), _new("empty", "Undefined content")


def is_shared(self):
    """Whether the memory is shared with other processes that know it."""
    shared = _modules.get(__package__ + ".multiprocessing._shared")
    return shared is not None and shared.memory_of(self) is not None


def _in_place_shape(name, plain):
    def fn(self, *args, **kwargs):
        self._set_handle(plain(self, *args, **kwargs))
        return self
    METHODS[name] = _called(name, f"{name[:-1]}, in place.", fn)


_names.collect(globals())
for _name in ("unsqueeze", "squeeze", "t", "transpose"):
    _in_place_shape(_name + "_", METHODS.get(_name) or getattr(R, _name))
del _name
