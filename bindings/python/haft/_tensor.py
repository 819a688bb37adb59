"""What haft.Tensor has in Python: conversions, gradients, pickling. bindings/python/*.hpp has the rest."""
from . import _creation, _device, _dtype, _errors
from ._library import _haft, raw as R

Tensor = _haft.Tensor
METHODS = {}


def _method(function, name=None):
    METHODS[name or function.__name__] = function
    return function


# ---- construction, printing: called by the shim ----

def _construct(*args, dtype=None, device=None, requires_grad=False):
    # haft.Tensor(2, 3) is uninitialised, haft.Tensor([2, 3]) holds 2 and 3, in the default dtype.
    if len(args) == 1 and isinstance(args[0], Tensor):
        return args[0]
    if not args:
        return R.empty((0,), dtype, device)
    if all(isinstance(a, int) for a in args) or isinstance(args[0], _haft.Size):
        return R.empty(args[0] if isinstance(args[0], _haft.Size) else args, dtype, device)
    t = _creation.tensor(args[0], dtype=dtype or _haft.default_dtype(), device=device)
    if requires_grad:
        t.requires_grad = True
    return t


def _as_index(data):
    t = _creation.as_tensor(data)
    return t.cast(_dtype.int64) if t.numel() == 0 and t.dtype.is_floating_point else t


def _repr(self):
    from . import _printing
    return _printing.text(self)


@_method
def __format__(self, spec):
    if self.ndim == 0 and not self.requires_grad:
        return format(self.item(), spec)
    return str(self) if not spec else format(self.item(), spec) if self.ndim == 0 else object.__format__(self, spec)


# ---- values ----

@_method
def tolist(self):
    """The elements as nested lists, or as a number."""
    if self.ndim == 0:
        return self.item()
    t = self.detach()
    if t.dtype.is_complex:
        return _joined(R.view_as_real(t).tolist(), t.ndim)
    if t.dtype.is_floating_point and t.dtype.itemsize < 4:
        t = t.cast(_dtype.float32)
    # Of a copy: memory that a buffer has lent counts as known outside for good.
    return memoryview(t.to(device="cpu").clone()).tolist() if t.numel() else _empty_lists(t.shape)


def _joined(pairs, depth):
    return [_joined(item, depth - 1) for item in pairs] if depth else complex(*pairs)


def _empty_lists(shape):
    return [] if shape[0] == 0 or len(shape) == 1 else [_empty_lists(shape[1:]) for _ in range(shape[0])]


@_method
def numpy(self, *, force=False):
    """An array over the same memory. force: a copy where one is needed."""
    if self.requires_grad and not force:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    t = self.detach()
    if t.device != _device.cpu:
        if not force:
            raise TypeError(f"can't convert {t.device} device type tensor to numpy. Use R.cpu() to copy the tensor to host memory first.")
        t = t.to(device="cpu")
    if t.dtype is _dtype.bfloat16 or t.dtype in _dtype.FLOAT8:
        raise TypeError(f"Got unsupported ScalarType {'BFloat16' if t.dtype is _dtype.bfloat16 else t.dtype.name.capitalize()}: NumPy has none, "
                        "use float() first")
    from numpy import asarray
    return asarray(memoryview(t)) if t.numel() else asarray(memoryview(t), dtype=t.dtype.name).reshape(t.shape)


@_method
def __array__(self, dtype=None, *, copy=None):
    a = self.numpy()
    if copy is False and dtype is not None and a.dtype != dtype:
        raise ValueError(f"Unable to avoid copy: {a.dtype} to {dtype} needs one")
    return a.astype(dtype or a.dtype, copy=bool(copy))


@_method
def __array_wrap__(self, array, context=None):
    return _creation.as_tensor(array)


METHODS["__array_priority__"] = 1000


@_method
def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    """A DLPack capsule over the memory. stream: of a CUDA tensor the stream that will use it (a cudaStream_t as a number), which waits for what
    this thread's current stream has been given; None or 1: CUDA's legacy default stream, 2: that of the thread, -1: nobody waits."""
    if stream is not None and type(stream) is not int:
        raise TypeError(f"__dlpack__: stream must be an int or None, got {type(stream).__name__}")
    if dl_device is not None and dl_device != _haft.dlpack_device(self):
        raise BufferError(f"__dlpack__: the tensor lives on DLPack device {_haft.dlpack_device(self)}, not on {dl_device}")
    t = self.clone() if copy else self
    if self.device.type != "cuda":
        if stream not in (None, -1):
            raise ValueError(f"__dlpack__: {self.device} has no streams to wait on, got stream={stream}")
    elif stream != -1:
        if stream == 0:
            raise ValueError("__dlpack__: stream 0 may be the legacy default stream or the thread's: give 1 or 2")
        _order_behind(self.device, 1 if stream is None else stream)
    return _haft.to_dlpack(t, max_version is not None and max_version[0] >= 1)


def _order_behind(device, native):
    # What other code gives its stream from now on runs behind what this thread's has been given.
    event = _haft.Event(device, False)
    event.record(_haft.current_stream(device))
    _haft.Stream.from_native_handle(device, native).wait(event)


@property
def __cuda_array_interface__(self):
    """The memory of a CUDA tensor for Numba, CuPy and others, version 3: who takes it works behind ``stream``."""
    if self.device.type != "cuda":
        raise AttributeError(f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {self.device}. Use tensor.cuda() first")
    if self.requires_grad:
        raise RuntimeError("Can't get __cuda_array_interface__ on Variable that requires grad. If gradients aren't required, use var.detach()")
    if self.dtype is _dtype.bfloat16 or self.dtype in _dtype.FLOAT8:
        raise AttributeError(f"__cuda_array_interface__ has no type for {self.dtype}; share it by DLPack")
    code = "b" if self.dtype is _dtype.bool else "c" if self.dtype.is_complex else "f" if self.dtype.is_floating_point else "u" if self.dtype is _dtype.uint8 else "i"
    size = self.dtype.itemsize
    return {"typestr": f"{'|' if size == 1 else '<'}{code}{size}", "shape": tuple(self.shape), "version": 3,
            "strides": None if self.is_contiguous() else tuple(s * size for s in self.stride()),
            "data": (self.data_ptr() if self.numel() else 0, False), "stream": _haft.current_stream(self.device).native_handle()}


METHODS["__cuda_array_interface__"] = __cuda_array_interface__


@_method
def get_device(self):
    """The number of the CUDA device that it is on; -1 on the CPU."""
    return -1 if self.device.type == "cpu" else self.device.index


@_method
def __dlpack_device__(self):
    return _haft.dlpack_device(self)


@_method
def apply_(self, callable):
    """Replaces every element by what a function of a number answers; slow, and never recorded."""
    if self.requires_grad:
        raise RuntimeError("Can't call apply_() on Variable that requires grad. Use var.detach().apply_() instead.")
    return _filled(self, map(callable, self.reshape(-1).tolist()))


@_method
def map_(self, other, callable):
    """Replaces every element by what a function of it and its neighbour in another tensor answers; slow, and never recorded."""
    if self.requires_grad or other.requires_grad:
        raise RuntimeError("Can't call map_() on Variable that requires grad. Use var.detach().map_() instead.")
    return _filled(self, map(callable, self.reshape(-1).tolist(), other.expand_as(self).reshape(-1).tolist()))


def _filled(t, values):
    from ._creation import tensor
    return t.copy_(tensor(list(values), dtype=t.dtype).reshape(t.shape))


@_method
def new(self, *args, device=None):
    """A tensor of this dtype and device: undefined with the given sizes, or a copy of data."""
    from ._creation import tensor
    from ._made import empty
    device = self.device if device is None else device
    if len(args) == 1 and not isinstance(args[0], (int, _haft.Size)):
        return tensor(args[0], dtype=self.dtype, device=device)
    return empty(*args or (0,), dtype=self.dtype, device=device)


@_method
def __reversed__(self):
    return self.flip(0) if self.ndim else self


# ---- gradients ----

def _layout_of(t):
    from . import _layout
    return _layout.sparse_coo if t.is_sparse else _layout.strided


def _grad_fn(self):
    if self.is_leaf:
        return None
    from .autograd.graph import node_of
    return node_of(_haft.grad_fn(self))


METHODS["grad_fn"] = property(_grad_fn, doc="The node that made this tensor; None for leaves.")
METHODS["is_cuda"] = property(lambda self: self.device.type == "cuda", doc="Whether the memory is on a CUDA device.")
METHODS["is_cpu"] = property(lambda self: self.device == _device.cpu, doc="Whether the memory is the host's.")
for _name in "hpu ipu maia meta mkldnn mps mtia nested quantized sparse_csr vulkan xla xpu".split():
    METHODS["is_" + _name] = property(lambda self: False, doc="False: no tensor of haft is one.")


def _volatile(self):
    from warnings import warn
    warn("volatile was removed (Variable.volatile is always False)", stacklevel=2)
    return False


METHODS["volatile"] = property(_volatile, doc="False, with a warning: haft.no_grad() is what it was.")
METHODS["output_nr"] = property(lambda self: 0)
METHODS["names"] = property(lambda self: (None,) * self.ndim)
METHODS["H"] = property(lambda self: self.mT.conj(), doc="The transpose of a matrix, conjugated.")
METHODS["mH"] = property(R.adjoint, doc="The last two dimensions exchanged, conjugated.")
METHODS["real"] = property(R.real, lambda self, value: R.real(self).copy_(value), doc="The real part, a view.")
METHODS["imag"] = property(R.imag, lambda self, value: R.imag(self).copy_(value), doc="The imaginary part of a complex tensor, a view.")
METHODS["layout"] = property(lambda self: _layout_of(self), doc="haft.strided, or haft.sparse_coo of a gradient of rows.")
# ---- gradients of rows: what embeddings made with sparse=True give their table ----

METHODS["is_sparse"] = property(R._is_sparse, doc="Whether this is a gradient of rows, which operators refuse.")


def _parts(self, name):
    if not R._is_sparse(self):
        raise RuntimeError(f"{name} expected sparse coordinate tensor layout but got Strided")
    if not R._is_coalesced(self) and name in ("indices", "values"):
        raise RuntimeError(f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first")
    return R._sparse_values(self) if name.endswith("values") else R._sparse_indices(self).unsqueeze(0)


for _name, _doc in (("indices", "The rows, (1, n), of a coalesced gradient of rows."), ("values", "Their numbers, (n, *)."),
                    ("_indices", "The rows, (1, n), as they came."), ("_values", "Their numbers, (n, *), as they came.")):
    METHODS[_name] = _method(lambda self, name=_name: _parts(self, name), _name)
    METHODS[_name].__doc__ = _doc


@_method
def _nnz(self):
    return R._sparse_indices(self).numel()


METHODS["retains_grad"] = property(lambda self: getattr(self, "_retains_grad", False) and not self.is_leaf, doc="Whether .grad of this non-leaf is kept.")


@_method
def retain_grad(self):
    """Keeps .grad of this tensor, which is no leaf."""
    if not self.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if not self.is_leaf:
        _raw_retain_grad(self)
        self._retains_grad = True


_raw_retain_grad = R.retain_grad


kinds_changed = 0  # how often .data has given a tensor another dtype, size or device; optimizers look


def _set_data(self, value):
    global kinds_changed
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    changes = value.dtype is not self.dtype or value.shape != self.shape or value.device != self.device
    self._set_data(value)
    kinds_changed += changes


METHODS["data"] = property(Tensor.detach, _set_data, doc="The same memory without history; assigning gives this tensor the memory of another.")


# ---- copies, pickling ----

def _rebuild(data, size, dtype, requires_grad, cls=None, state=None, device="cpu"):
    t = _haft.from_bytes(data, size, dtype, _device.cpu)
    t = _device.restored(t, device)
    if requires_grad:
        t.requires_grad = True
    if cls is not None:
        t = t.as_subclass(cls)
    if state:
        t.__dict__.update(state)
    return t


@_method
def __reduce_ex__(self, protocol):
    if not self.is_leaf:
        raise RuntimeError("Only leaf tensors (no recorded operator made them) can be pickled; use detach()")
    cls = None if type(self) is Tensor else type(self)
    t = self.detach()
    return _rebuild, (_haft.to_bytes(t), tuple(t.shape), t.dtype, self.requires_grad, cls, _attributes(self), str(t.device))


def _attributes(t):
    try:
        return dict(t.__dict__) or None
    except AttributeError:
        return None


@_method
def __copy__(self):
    t = self.as_subclass(type(self))
    state = _attributes(self)
    if state:
        t.__dict__.update(state)
    return t


@_method
def __deepcopy__(self, memo):
    if not self.is_leaf:
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment")
    if id(self) in memo:
        return memo[id(self)]
    t = self.detach().clone()
    if self.requires_grad:
        t.requires_grad = True
    if type(self) is not Tensor:
        t = t.as_subclass(type(self))
    memo[id(self)] = t
    state = _attributes(self)
    if state:
        from copy import deepcopy
        t.__dict__.update(deepcopy(state, memo))
    if self.grad is not None:
        t.grad = self.grad.detach().clone()
    return t


# ---- the shim's registration ----

_haft.register_objects(_dtype.ALL, _device.device, _device.cpu, _repr, _construct, _as_index, _errors.BY_STATUS)
