"""Views, shapes, joining and splitting with PyTorch's arguments."""
from sys import modules as _modules

from . import _dtype
from ._device import device as _device_type
from ._library import _haft, raw as R
from ._names import Names, called as _called, shown as _shown

Tensor = _haft.Tensor
_names = Names()
FUNCTIONS, METHODS = _names.functions, _names.methods
_function = _names.function


_squeeze = R.squeeze


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
            input = _squeeze(input, d)
        return input
    return _squeeze(input, dim)


@_function
def broadcast_to(input, size):
    """input expanded to size without a copy."""
    return R.expand(input, size)


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
        input, repeats, dim = R.arange(0, input.size(0), 1), input, 0
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
    summed = not self.dtype.is_floating_point and (size != tuple(self.shape) or not size)
    return _sum_to_size(self.to(dtype=_dtype.int64) if summed else self, size)


_sum_to_size = R.sum_to_size


def tensor_split(input, indices_or_sections, dim=0):
    """Views of nearly equal size along dim, or between the given indices."""
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = indices_or_sections.tolist()
    return (R.tensor_split if isinstance(indices_or_sections, int) else R.tensor_split_indices)(input, indices_or_sections, dim)


def hsplit(input, indices_or_sections):
    """tensor_split along the second dimension (vectors: the first)."""
    return tensor_split(input, indices_or_sections, 0 if input.ndim == 1 else 1)


def vsplit(input, indices_or_sections):
    """tensor_split along the first dimension."""
    return tensor_split(input, indices_or_sections, 0)


def dsplit(input, indices_or_sections):
    """tensor_split along the third dimension."""
    return tensor_split(input, indices_or_sections, 2)


def meshgrid(*tensors, indexing="ij"):
    """Coordinates of a grid; indexing "xy" exchanges the first two dimensions."""
    if len(tensors) == 1 and not isinstance(tensors[0], Tensor):
        tensors = tuple(tensors[0])
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f"meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {indexing}")
    return R.meshgrid(tensors, indexing == "xy")


def as_strided(input, size, stride, storage_offset=None):
    """A view with those sizes and strides; storage_offset counts from the start of the memory, without it the view begins where
    input does."""
    return _as_strided(input, size, stride, 0 if storage_offset is None else storage_offset - input.storage_offset())


def as_strided_scatter(input, src, size, stride, storage_offset=None):
    """A copy of input in which as_strided(size, stride, storage_offset) holds src."""
    return R.as_strided_scatter(input, src, size, stride, 0 if storage_offset is None else storage_offset - input.storage_offset())


_as_strided = R.as_strided


# ---- dtype, device, memory ----

def _layout():
    from . import _layout as module  # only programs that name a memory_format pay for it
    return module


def to(self, *args, dtype=None, device=None, non_blocking=False, copy=False, memory_format=None):
    """to(dtype), to(device, dtype), to(other): the tensor in another type or elsewhere; itself when neither changes."""
    for a in args[:2]:
        if isinstance(a, Tensor):
            dtype, device = a.dtype, a.device
        elif isinstance(a, _dtype.dtype) or a in (float, int, bool):
            dtype = a
        elif isinstance(a, (str, int, _device_type)):
            device = a
        elif a is not None:
            raise TypeError(f"to() received an invalid combination of arguments: {type(a).__name__}")
    if len(args) > 2:
        non_blocking = args[2]
    t = _to(self, dtype, device, non_blocking)
    if t._same_handle(self) or (t.dtype is self.dtype and t.device == self.device and t._shares_memory(self)):
        t = self
    if memory_format is not None:
        return _layout().laid(t, memory_format, copy and t is self)
    return t.clone() if copy and t is self else t


_to = R.to
for _name, _type in {"float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "int": "int32", "long": "int64",
                     "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool"}.items():
    def _cast(self, memory_format=None, _type=getattr(_dtype, _type)):
        t = self if self.dtype is _type else _to(self, _type)
        return t if memory_format is None else _layout().laid(t, memory_format)
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
               _dtype.uint8: "ByteTensor", _dtype.bool: "BoolTensor", _dtype.float8_e4m3fn: "Float8_e4m3fnTensor",
               _dtype.float8_e5m2: "Float8_e5m2Tensor"}


def type_as(self, other):
    """The tensor in the type of other."""
    return self.to(dtype=other.dtype)


def cpu(self, memory_format=None):
    """The tensor in host memory."""
    return self.to(device="cpu", memory_format=memory_format)


def cuda(self, device=None, non_blocking=False, memory_format=None):
    """The tensor on a CUDA device."""
    return self.to(device="cuda" if device is None else device, non_blocking=non_blocking, memory_format=memory_format)


def clone(input, *, memory_format=None):
    """A copy with its own memory; gradients flow through."""
    return _clone(input) if memory_format is None else _layout().laid(input, memory_format, copy=True)


_clone = R.clone


def contiguous(self, memory_format=None):
    """The tensor itself when dense and row-major, else a copy that is."""
    if memory_format is not None:
        if memory_format is _layout().preserve_format:
            raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
        return _layout().laid(self, memory_format)
    return self if _is_contiguous(self) else _contiguous(self)


def is_contiguous(self, memory_format=None):
    """Whether the elements lie dense in row-major order."""
    if memory_format is None:
        return _is_contiguous(self)
    answer = _layout().lies(self, memory_format)
    if answer is None:
        raise RuntimeError("preserve memory format is unsupported by the is_contiguous operator")
    return answer


_contiguous, _is_contiguous = R.contiguous, R.is_contiguous


def pin_memory(self, device=None):
    """A copy in memory that devices read and write by themselves, so that copies need not wait; itself where there is none."""
    if _haft.is_pinned(self) or device is None and _haft.device_count("cuda") == 0:
        return self
    return _haft.pin_memory(self, _device_type(device or "cuda"))


def is_pinned(self, device=None):
    """Whether it lies in memory that devices read and write by themselves."""
    return _haft.is_pinned(self)


def record_stream(self, stream):
    """Keeps its memory until the stream's present work has run, also when the tensor goes before."""
    _haft.record_stream(self, stream._stream)


def element_size(self):
    """Bytes of an element."""
    return self.itemsize


def is_floating_point(input):
    """Whether the elements are floating numbers."""
    return input.dtype.is_floating_point


def is_complex(input):
    """False: there are no complex tensors."""
    return False


def is_signed(input):
    """Whether the type has a sign."""
    return input.dtype.is_signed


def is_nonzero(input):
    """Whether the only element is not 0."""
    if input.numel() != 1:
        raise RuntimeError("Boolean value of Tensor with " + ("no values" if input.numel() == 0 else "more than one value") + " is ambiguous")
    return bool(input.item())


def is_same_size(input, other):
    """Whether both have the same sizes."""
    return input.shape == other.shape


def is_tensor(obj):
    """Whether obj is a Tensor."""
    return isinstance(obj, Tensor)


@_function
def numel(input):
    """Number of elements."""
    return input.numel()


def result_type(tensor1, tensor2):
    """The dtype of an operator of both."""
    if not isinstance(tensor1, Tensor) and not isinstance(tensor2, Tensor):
        raise TypeError("result_type() takes at least one Tensor")
    if not isinstance(tensor1, Tensor):
        tensor1, tensor2 = tensor2, tensor1
    empty = R.empty((0,) if tensor1.ndim else (), tensor1.dtype)
    if isinstance(tensor2, Tensor):
        tensor2 = R.empty((0,) if tensor2.ndim else (), tensor2.dtype)
    return (empty + tensor2).dtype


def promote_types(type1, type2):
    """The dtype that both are promoted to."""
    return (R.empty((0,), type1) + R.empty((0,), type2)).dtype


def can_cast(from_, to):
    """Whether PyTorch's rules allow a result of one type to be written into the other."""
    rank = lambda d: 2 if d.is_floating_point else 0 if d is _dtype.bool else 1
    return rank(from_) <= rank(to)


def view_as(self, other):
    """A view with the shape of other."""
    return self.view(other.shape)


def reshape_as(self, other):
    """The tensor with the shape of other."""
    return self.reshape(other.shape)


def resize_(self, *sizes):
    """Another size in place; what fits of the elements stays."""
    sizes = sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes
    n = 1
    for s in sizes:
        n *= s
    flat = self.detach().reshape(-1)
    if n > flat.numel():
        flat = R.cat([flat, R.empty((n - flat.numel(),), self.dtype, self.device)], 0)
    self._set_handle(flat[:n].reshape(sizes))
    return self


def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False):
    """haft.tensor(data) in this tensor's type and on its device."""
    from ._creation import tensor
    return tensor(data, dtype=dtype or self.dtype, device=device or self.device, requires_grad=requires_grad)


def _new(name, doc):
    make = getattr(R, name)

    def fn(self, *size, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False, **kwargs):
        wanted = kwargs.get("size", size[0] if len(size) == 1 and not isinstance(size[0], int) else size)
        t = make(wanted, dtype or self.dtype, device or self.device)
        if requires_grad:
            t.requires_grad = True
        return t
    METHODS["new_" + name] = _called("new_" + name, doc, fn)


_new("zeros", "Zeros in this tensor's type and on its device.")
_new("ones", "Ones in this tensor's type and on its device.")
_new("empty", "Undefined content in this tensor's type and on its device.")


def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False):
    """fill_value in this tensor's type and on its device."""
    t = R.full(size, fill_value, dtype or self.dtype, device or self.device)
    if requires_grad:
        t.requires_grad = True
    return t


def zero_(self):
    """Fills the tensor with 0."""
    return R.fill_(self, 0)


def detach_(self):
    """Cuts the tensor from the graph that made it, in place."""
    self._set_handle(self.detach())
    return self


def share_memory_(self):
    """Moves the memory to where other processes get it through haft.multiprocessing, started by fork or spawn; answers the
    tensor. Views made before keep the old memory."""
    from .multiprocessing import _shared
    return _shared.share(self)


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
