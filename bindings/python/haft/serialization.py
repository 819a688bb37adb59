"""haft.save and haft.load: PyTorch's files, both ways, and safetensors.

A file is a zip archive of one pickle and the memory of every tensor. load() runs none of the pickle's code: it knows the
few names that tensors, sizes, dtypes and plain containers need, the modules of haft.nn, and the nn.Module classes that the
program has defined already; it refuses every other with its name.
"""
import io as _io
import os as _os
import pickle as _pickle
import sys as _sys
import zipfile as _zipfile
from collections import Counter as _Counter, OrderedDict as _OrderedDict, defaultdict as _defaultdict
from contextlib import contextmanager as _contextmanager

from . import _device, _dtype
from ._made import empty as _empty
from ._library import _haft

Tensor = _haft.Tensor
_STORAGES = {_dtype.float32: "FloatStorage", _dtype.float64: "DoubleStorage", _dtype.float16: "HalfStorage", _dtype.complex64: "ComplexFloatStorage", _dtype.complex128: "ComplexDoubleStorage",
             _dtype.bfloat16: "BFloat16Storage", _dtype.int64: "LongStorage", _dtype.int32: "IntStorage", _dtype.int16: "ShortStorage",
             _dtype.int8: "CharStorage", _dtype.uint8: "ByteStorage", _dtype.bool: "BoolStorage"}
_BY_STORAGE = {name: dtype for dtype, name in _STORAGES.items()}


class _Named:
    # Pickled as a global of another package, which need not be there.
    def __init__(self, module, name):
        self.module, self.name = module, name

    def __call__(self):
        raise TypeError("a name in a file is not called")


_REBUILD = _Named("torch._utils", "_rebuild_tensor_v2")
_REBUILD_TYPED = _Named("torch._utils", "_rebuild_tensor_v3")  # types without a storage class of their own: bytes and the dtype
_PARAMETER = _Named("torch._utils", "_rebuild_parameter")


class _Stored:
    # Stands for the memory of a tensor; the pickle holds its key.
    def __init__(self, key, tensor, device):
        kind = _STORAGES.get(tensor.dtype)
        self.id = ("storage", _Named("torch", kind) if kind else _Named("torch.storage", "UntypedStorage"), key, device,
                   tensor.numel() if kind else tensor.nbytes)


class _Pickler(_pickle._Pickler):
    def __init__(self, file, protocol):
        super().__init__(file, protocol)
        self.stored = []  # by key; what shares memory is written once
        self.alike = {}  # keys, and tensors where they are, that may be the same memory

    def persistent_id(self, obj):
        return obj.id if isinstance(obj, _Stored) else None

    def save(self, obj, save_persistent_id=True):
        if isinstance(obj, _Named):
            self.write(_pickle.GLOBAL + f"{obj.module}\n{obj.name}\n".encode())
            return
        super().save(obj, save_persistent_id)

    def reducer_override(self, obj):
        if isinstance(obj, Tensor):
            return self._tensor(obj)
        if isinstance(obj, _haft.Size):
            return _Named("torch", "Size"), (tuple(obj),)
        if isinstance(obj, _device.device):
            return _Named("torch", "device"), ((obj.type,) if obj.index is None else (obj.type, obj.index))
        return NotImplemented

    def _tensor(self, t):
        there = t.detach().contiguous()
        # Not by address: the engine keeps no packed copies of memory whose address is known.
        keys = self.alike.setdefault((there.device, there.dtype, there.numel(), there.storage_offset(), there._version), [])
        key = next((k for k, other in keys if other._shares_memory(there)), None) if there.numel() else None
        if key is None:
            key = len(self.stored)
            self.stored.append(there.to(device="cpu"))
            keys.append((key, there))
        plain = (_Stored(str(key), there, str(t.device)), 0, tuple(there.shape), there.stride(), t.requires_grad, _OrderedDict())
        if type(t) is not Tensor and type(t).__name__ == "Parameter":
            return _PARAMETER, (t.detach(), t.requires_grad, _OrderedDict())
        return (_REBUILD, plain) if t.dtype in _STORAGES else (_REBUILD_TYPED, (*plain, t.dtype))

    # A dtype is a global of its package.
    dispatch = dict(_pickle._Pickler.dispatch)

    def _save_dtype(self, obj):
        self.save(_Named("torch", obj.name))
    dispatch[_dtype.dtype] = _save_dtype


def save(obj, f, pickle_module=None, pickle_protocol=2):
    """Writes obj (tensors in any nesting of dicts, lists and plain values, or a whole module) to a path or an open file, in
    PyTorch's format. Of a module its class is written by name: a state_dict outlives a class that moves."""
    pickled = _io.BytesIO()
    pickler = _Pickler(pickled, pickle_protocol)
    pickler.dump(obj)
    if hasattr(f, "write"):
        _write(f, pickled.getvalue(), pickler.stored)
        return
    path = _os.fspath(f)
    if not _os.path.isdir(_os.path.dirname(path) or "."):
        raise FileNotFoundError(2, "the folder of the file does not exist", path)
    with _whole(path) as file:
        _write(file, pickled.getvalue(), pickler.stored)


@_contextmanager
def _whole(path):
    """A file to write, which takes the place of the old one when all is written."""
    beside = f"{path}.{_os.getpid()}.part"
    try:
        with open(beside, "wb") as file:
            yield file
        _os.replace(beside, path)
    except BaseException:
        if _os.path.exists(beside):
            _os.unlink(beside)
        raise


def _write(file, pickled, stored):
    with _zipfile.ZipFile(file, "w", _zipfile.ZIP_STORED) as archive:
        archive.writestr("archive/data.pkl", pickled)
        for key, t in enumerate(stored):
            archive.writestr(f"archive/data/{key}", _haft.to_bytes(t))
        archive.writestr("archive/version", b"3\n")
        archive.writestr("archive/byteorder", b"little")


def _rebuild_tensor(flat, offset, size, stride, requires_grad=False, hooks=None, metadata=None):
    for n in (offset, *size, *stride):
        if type(n) is not int or n < 0:
            raise _pickle.UnpicklingError("a tensor has an impossible size, stride or offset")
    if size and all(size) and offset + sum((n - 1) * s for n, s in zip(size, stride)) >= flat.numel():
        raise _pickle.UnpicklingError("a tensor reaches beyond its memory")
    t = flat.as_strided(size, stride, offset) if flat.numel() else flat.reshape(size)
    if requires_grad:
        t.requires_grad = True
    return t


def _rebuild_typed_tensor(flat, offset, size, stride, requires_grad, hooks, dtype, metadata=None):
    if dtype not in _dtype.NAMES.values() or flat.numel() % dtype.itemsize:
        raise _pickle.UnpicklingError(f"the memory of a tensor holds no whole number of elements of {dtype}")
    return _rebuild_tensor(flat.view(dtype) if dtype is not flat.dtype else flat, offset, size, stride, requires_grad)


def _rebuild_parameter(data, requires_grad, hooks=None):
    from .nn import Parameter
    return Parameter(data, requires_grad)


class _StorageType:
    def __init__(self, dtype):
        self.dtype = dtype


_SAFE = {
    ("torch._utils", "_rebuild_tensor_v2"): _rebuild_tensor, ("torch._utils", "_rebuild_tensor"): _rebuild_tensor,
    ("torch._utils", "_rebuild_tensor_v3"): _rebuild_typed_tensor, ("torch.storage", "UntypedStorage"): _StorageType(_dtype.uint8),
    ("torch._utils", "_rebuild_parameter"): _rebuild_parameter, ("torch", "Size"): _haft.Size, ("torch", "device"): _device.device,
    ("collections", "OrderedDict"): _OrderedDict, ("builtins", "set"): set, ("builtins", "frozenset"): frozenset,
    ("__builtin__", "set"): set, ("builtins", "slice"): slice, ("builtins", "range"): range, ("builtins", "complex"): complex,
    ("builtins", "bytearray"): bytearray, ("collections", "Counter"): _Counter, ("collections", "defaultdict"): _defaultdict,
    ("builtins", "dict"): dict, ("_codecs", "encode"): lambda text, encoding: text.encode(encoding),
}
_SAFE.update({("torch", name): _StorageType(dtype) for name, dtype in _BY_STORAGE.items()})
_SAFE.update({("torch", name): dtype for name, dtype in _dtype.NAMES.items()})


_added = {}  # what the program has added, by module and name in one


def add_safe_globals(safe_globals):
    """Classes and functions that load() may call from now on; a pair with a text is one under that full name. The last of a name counts."""
    for entry in safe_globals:
        if isinstance(entry, tuple):
            if len(entry) != 2:
                raise ValueError(f"add_safe_globals: a pair is (class or function, full name), got {len(entry)} entries")
            if not isinstance(entry[1], str):
                raise TypeError(f"add_safe_globals: the second of a pair is the full name, got {type(entry[1]).__name__}")
            name = entry[1]
        else:
            name = f"{entry.__module__}.{entry.__qualname__}"
        _added[name] = entry


def get_safe_globals():
    """What add_safe_globals() and safe_globals() have added."""
    return list(_added.values())


def clear_safe_globals():
    """Takes away what add_safe_globals() has added."""
    _added.clear()


def _added_class(module, name):
    found = _added.get(f"{module}.{name}")
    return found[0] if isinstance(found, tuple) else found


class safe_globals:
    """``with safe_globals([...]):`` within which load() may call these classes and functions."""

    def __init__(self, safe_globals):
        self._names = list(safe_globals)

    def __enter__(self):
        self._before = get_safe_globals()
        add_safe_globals(self._names)

    def __exit__(self, *error):
        clear_safe_globals()
        add_safe_globals(self._before)


def _module_class(module, name):
    """A class of haft.nn or haft.vision.models, or a function of haft.nn.functional, under haft's or PyTorch's name, or None."""
    own = __name__.partition(".")[0]
    top, _, rest = module.partition(".")
    path = {own: rest, "torch": rest, "torchvision": "vision." + rest}.get(top, "")
    if path.startswith("nn.modules.") or path == "nn":
        from .nn import modules as home
        found = getattr(home, name, None) or getattr(home.attention, name, None)
        return found if isinstance(found, type) and issubclass(found, home.Module) else None
    if (path, name) == ("_C._nn", "gelu"):
        path = "nn.functional"
    if path == "nn.functional" or path.startswith("nn.functional."):
        from .nn import functional
        return getattr(functional, name) if name in functional.__all__ else None
    if path.startswith(("nn.utils.", "vision.models.")):
        from importlib import import_module
        try:
            found = vars(import_module(f"{own}.{path}")).get(name)
        except ModuleNotFoundError:
            return None
        return found if isinstance(found, type) and found.__module__.startswith(own + ".") else None
    return None


def _program_class(module, name):
    """An nn.Module that the program has defined, or None; nothing is imported for it."""
    nn = _sys.modules.get(__name__.partition(".")[0] + ".nn")
    found = getattr(_sys.modules.get(module), "__dict__", {}).get(name)
    return found if nn is not None and isinstance(found, type) and issubclass(found, nn.Module) else None


class _Unpickler(_pickle.Unpickler):
    def __init__(self, file, storage, weights_only, encoding="utf-8"):
        super().__init__(file, encoding=encoding)
        self._storage, self._weights_only = storage, weights_only

    def find_class(self, module, name):
        found = _SAFE.get((module, name)) or _added_class(module, name) or _module_class(module, name)
        if found is None and self._weights_only is None:
            found = _program_class(module, name)
        if found is not None:
            return found
        if self._weights_only is not False:
            raise _pickle.UnpicklingError(
                f"load() runs no code from files, and this one names {module}.{name}. An nn.Module of your own is defined or "
                "imported before load(). For other names, if you trust the file, use "
                "haft.serialization.add_safe_globals([...]), or load(..., weights_only=False).")
        return super().find_class(module, name)

    def persistent_load(self, saved):
        if isinstance(saved, tuple) and len(saved) > 1 and saved[0] == "module" and isinstance(saved[1], type):
            return saved[1]  # older files name a module's class so, with its source
        if not isinstance(saved, tuple) or len(saved) < 5 or saved[0] != "storage" or not isinstance(saved[1], _StorageType):
            raise _pickle.UnpicklingError(f"unknown kind of stored memory: {saved!r:.80}")
        part = saved[5] if len(saved) > 5 else None
        whole = self._storage(saved[1].dtype, str(saved[2]), str(saved[3]), saved[4])
        return whole if part is None else whole.narrow(0, part[1], part[2])


def _mover(map_location):
    # What a tensor saved from `location` becomes.
    if map_location is None:
        return _device.restored
    if isinstance(map_location, dict):
        return lambda t, location: _device.restored(t, str(map_location.get(location, location)))
    if callable(map_location):
        def move(t, location):
            answer = map_location(t, location)
            return _device.restored(t, location) if answer is None else answer
        return move
    return lambda t, location: t.to(device=map_location)


def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args):
    """What save() wrote, a PyTorch file, or the dict of a safetensors file; f is a path or an open file.

    Tensors come back to the device that they were saved from; one that is not there is an error. map_location: a device in its place, a dict
    of devices by name, or a function of tensor (on the CPU) and device name. weights_only=None takes tensors, plain
    containers, modules of haft.nn, and modules whose classes the program has defined or imported before; True does without
    the program's own classes; False imports and runs whatever the file names: only for files that you trust."""
    if hasattr(f, "read"):
        return _load(f if f.seekable() else _io.BytesIO(f.read()), map_location, weights_only)
    with open(f, "rb") as file:
        head = file.read(9)
        if len(head) == 9 and head[8:9] == b"{":
            move = _mover(map_location)
            return {name: move(t.clone(), "cpu") for name, t in load_safetensors(_os.fspath(f)).items()}
        file.seek(0)
        return _load(file, map_location, weights_only)


def _load(file, map_location, weights_only):
    start = file.tell()
    head = file.read(len(_BEFORE_ZIP))
    file.seek(start)
    if head == _BEFORE_ZIP:
        return _load_before_zip(file, map_location, weights_only)
    if not head.startswith(b"PK\3\4"):
        raise _pickle.UnpicklingError(f"{getattr(file, 'name', 'the file')} is not what save() or PyTorch wrote"
                                      + (": it is empty" if not head else f", it begins with {head[:8]!r}"))
    move, kept = _mover(map_location), {}
    try:
        archive = _zipfile.ZipFile(file)
    except _zipfile.BadZipFile as error:
        raise _pickle.UnpicklingError(f"{getattr(file, 'name', 'the file')} is cut short or damaged ({error})") from None
    with archive:
        names = archive.namelist()
        root = next((n[:-len("data.pkl")] for n in names if n.endswith("/data.pkl")), None)
        if root is None:
            raise _pickle.UnpicklingError("the zip file holds no data.pkl")

        def storage(dtype, key, location, numel):
            if key not in kept:
                data = archive.read(f"{root}data/{key}")
                # Moved once, so that tensors that share memory go on sharing it.
                kept[key] = move(_haft.from_bytes(data, (len(data) // dtype.itemsize,), dtype, _device.cpu), location)
            return kept[key]
        with archive.open(root + "data.pkl") as pickled:
            return _Unpickler(_io.BytesIO(pickled.read()), storage, weights_only).load()


# What PyTorch wrote before 1.6 (and still does when asked): pickles of a number, a version, the machine, the object and the
# keys of its memory, which follows in the order of the keys, each after its number of elements.
_BEFORE_ZIP = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."


def _load_before_zip(file, map_location, weights_only):
    move, dtypes, kept, moved = _mover(map_location), {}, {}, {}

    def unknown(*saved):
        raise _pickle.UnpicklingError("the file holds memory where plain values belong")

    def meet(dtype, key, location, numel):  # first the types, which say how long the memory is
        dtypes[key] = dtype
        return _empty(numel, dtype=dtype, device=_device.cpu)

    def storage(dtype, key, location, numel):
        if key not in moved:
            moved[key] = move(kept[key], location)
        return moved[key]

    def exactly(n):
        data = file.read(n)
        if len(data) != n:
            raise _pickle.UnpicklingError("the file is cut short")
        return data
    for _ in range(2):
        _Unpickler(file, unknown, True).load()
    if not _Unpickler(file, unknown, True).load().get("little_endian", True):
        raise _pickle.UnpicklingError("the file is from a big-endian machine")
    start = file.tell()
    _Unpickler(file, meet, weights_only).load()
    for key in _Unpickler(file, unknown, True).load():
        dtype, n = dtypes[str(key)], int.from_bytes(exactly(8), "little", signed=True)
        kept[str(key)] = _haft.from_bytes(exactly(n * dtype.itemsize), (n,), dtype, _device.cpu)
    file.seek(start)
    return _Unpickler(file, storage, weights_only).load()


def save_safetensors(tensors, path):
    """Writes a dict of tensors as a safetensors file."""
    _haft.save_safetensors({name: t.detach().contiguous() for name, t in tensors.items()}, _os.fspath(path))


def load_safetensors(path):
    """The tensors of a safetensors file; the file is mapped and read as it is touched."""
    return dict(_haft.Weights(_os.fspath(path)).all())
