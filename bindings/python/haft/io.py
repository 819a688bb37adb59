"""Files: safetensors, NumPy's .npy and .npz, PyTorch's states, and checkpoints to go on from.

    haft.io.save_checkpoint("run.ckpt", module=net, optimizer=optimizer, scheduler=scheduler, values={"epoch": 3})
    epoch = haft.io.load_checkpoint("run.ckpt", module=net, optimizer=optimizer, scheduler=scheduler)["epoch"]
"""
import io as _io
import json as _json
import math as _math
import os as _os
import struct as _struct

from . import _dtype, _haft, serialization as _serialization
from ._errors import CorruptFileError as _CorruptFileError, InvalidArgumentError as _InvalidArgumentError
from ._random import default_generator as _default_generator
from .serialization import load_safetensors, save_safetensors

__all__ = ["Weights", "load_checkpoint", "load_npy", "load_npz", "load_safetensors", "save_checkpoint", "save_npy", "save_npz", "save_safetensors"]

Weights = _haft.Weights
_FORMAT, _VERSION = "haft-checkpoint", 1
_CODES = {_dtype.float32: "F32", _dtype.float64: "F64", _dtype.float16: "F16", _dtype.bfloat16: "BF16", _dtype.int64: "I64",
          _dtype.int32: "I32", _dtype.int16: "I16", _dtype.int8: "I8", _dtype.uint8: "U8", _dtype.bool: "BOOL", _dtype.complex64: "C64",
          _dtype.float8_e4m3fn: "F8_E4M3", _dtype.float8_e5m2: "F8_E5M2"}


def save_npy(tensor, path):
    """Writes a tensor into a .npy file; NumPy lacks bfloat16 and 8-bit floats."""
    _haft.save_npy(tensor.detach(), _os.fspath(path))


def load_npy(path):
    """The tensor of a .npy file."""
    return _haft.load_npy(_os.fspath(path))


def save_npz(tensors, path, compressed=False):
    """Writes a dict of tensors into a .npz file; compressed: deflated, as numpy.savez_compressed does."""
    _haft.save_npz({name: t.detach() for name, t in tensors.items()}, _os.fspath(path), compressed)


def load_npz(path):
    """The tensors of a .npz file; :class:`Weights` reads them one by one."""
    return dict(_haft.Weights(_os.fspath(path)).all())


def _packed(state):
    # Plain values and tensors of Python's objects as bytes; reading them runs no code.
    file = _io.BytesIO()
    _serialization.save(state, file)
    return _haft.from_bytes(file.getbuffer(), (file.getbuffer().nbytes,), _dtype.uint8, "cpu")


def _unpacked(tensor):
    return _serialization.load(_io.BytesIO(_haft.to_bytes(tensor)), weights_only=True)


def _loader_state(loader):
    if hasattr(loader, "state_dict"):
        return loader.state_dict()
    sampler = loader.sampler
    state = {name: list(g.state()) for name, g in (("generator", loader.generator), ("sampler", getattr(sampler, "generator", None)))
             if g is not None}
    return {**state, "epoch": sampler.epoch} if hasattr(sampler, "epoch") else state


def _set_loader_state(loader, state):
    if hasattr(loader, "load_state_dict"):
        loader.load_state_dict(state)
        return
    sampler = loader.sampler
    for name, generator in (("generator", loader.generator), ("sampler", getattr(sampler, "generator", None))):
        if (generator is not None) != (name in state):
            raise _InvalidArgumentError("load_checkpoint: " + ("the loader lacks the generator that the saved one had" if name in state else
                                                               "the loader has a generator, which the saved one lacked"))
        if generator is not None:
            _haft.Generator.set_state(generator, tuple(state[name]))
    if "epoch" in state:
        sampler.set_epoch(state["epoch"])


def _json_value(key, value):
    if not isinstance(key, str):
        raise TypeError(f"save_checkpoint: the key {key!r} of values is no string")
    if isinstance(value, bool) or isinstance(value, str):
        return value
    if isinstance(value, int):
        if not -2 ** 63 <= value < 2 ** 63:
            raise OverflowError(f"save_checkpoint: the value {key!r} does not fit into 64 bits")
        return value
    if isinstance(value, float):
        if _math.isfinite(value):
            return value
        return {"float": "nan" if value != value else "inf" if value > 0 else "-inf"}
    raise TypeError(f"save_checkpoint: the value {key!r} is a {type(value).__name__}; wanted a number, a bool or a text")


def save_checkpoint(path, *, module=None, optimizer=None, scheduler=None, generator=None, loader=None, default_generator=True,
                    values=None):
    """Writes what is needed to go on with the same numbers: one safetensors file, replaced as a whole.

    Args:
        module: parameters and buffers of an nn.Module
        optimizer, scheduler: their state_dict
        generator: a Generator's seed and position
        loader: a DataLoader's generators and the epoch of its sampler, between epochs; or an object with a state_dict
        default_generator: also the default generator, which dropout draws from
        values: numbers, bools and texts of your own by name

    What a module, the generators and the values are, C, Java and C# read, too.
    """
    sections = {"values": {k: _json_value(k, v) for k, v in (values or {}).items()}}
    arrays = {}
    if module is not None:
        sections["module"] = {"type": type(module).__name__}
        for name, value in module.state_dict().items():
            if not isinstance(value, _haft.Tensor):
                raise TypeError(f"save_checkpoint: {name} of the module's state is a {type(value).__name__}, no tensor")
            arrays["module." + name] = value.detach()
    for name, part, state in (("optimizer", optimizer, lambda o: o.state_dict()), ("scheduler", scheduler, lambda s: s.state_dict()),
                              ("loader", loader, _loader_state)):
        if part is not None:
            sections["python." + name] = {"type": type(part).__name__}
            arrays["python." + name] = _packed(state(part))
    for name, g in (("generator", generator), ("default_generator", _default_generator if default_generator else None)):
        if g is not None:
            sections[name] = dict(zip(("seed", "offset"), g.state()))
    _write(_os.fspath(path), sections, arrays)


def _write(path, sections, arrays):
    metadata = {"format": _FORMAT, "version": str(_VERSION), **{k: _json.dumps(v, ensure_ascii=False) for k, v in sections.items()}}
    header, at = {"__metadata__": metadata}, 0
    for name, t in arrays.items():
        header[name] = {"dtype": _CODES[t.dtype], "shape": list(t.shape), "data_offsets": [at, at + t.nbytes]}
        at += t.nbytes
    text = _json.dumps(header, ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    with _serialization._whole(path) as file:
        file.write(_struct.pack("<Q", len(text)) + text)
        for t in arrays.values():
            file.write(_haft.to_bytes(t))
        file.flush()
        _os.fsync(file.fileno())


def _sections(path):
    with open(path, "rb") as file:
        head = file.read(8)
        size = _struct.unpack("<Q", head)[0] if len(head) == 8 else -1
        try:
            metadata = _json.loads(file.read(size))["__metadata__"] if 0 <= size <= 1 << 27 else {}
            version = int(metadata["version"]) if metadata.get("format") == _FORMAT else 0
            if version > _VERSION:
                raise _CorruptFileError(f"load_checkpoint: {path} has the version {version}; this haft reads up to {_VERSION}")
            if version < 1:
                raise _CorruptFileError(f"load_checkpoint: {path} is no checkpoint")
            return {k: _json.loads(v) for k, v in metadata.items() if k not in ("format", "version")}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if isinstance(error, _CorruptFileError):
                raise
            raise _CorruptFileError(f"load_checkpoint: {path} is no checkpoint: {error}") from None


def load_checkpoint(path, *, module=None, optimizer=None, scheduler=None, generator=None, loader=None, default_generator=True):
    """Restores the parts given from a checkpoint and answers its values. They have the structure of those saved; a part that
    the file lacks is an error before anything changes, one that only the file has is left."""
    path = _os.fspath(path)
    sections = _sections(path)
    # A checkpoint that C, Java or C# wrote has no state of Python's objects.
    for name, part in (("module", module), ("python.optimizer", optimizer), ("python.scheduler", scheduler), ("generator", generator),
                       ("python.loader", loader)):
        if part is not None and name not in sections:
            raise _InvalidArgumentError(f"load_checkpoint: {path} holds no {name.replace('python.', '') + ' that Python wrote' if '.' in name else name}")
    if scheduler is not None and sections["python.scheduler"]["type"] != type(scheduler).__name__:
        raise _InvalidArgumentError(f"load_checkpoint: {path}: its scheduler is a {sections['python.scheduler']['type']}, the given one a "
                                    f"{type(scheduler).__name__}")
    arrays = dict(_haft.Weights(path).all())
    if module is not None:
        module.load_state_dict({name[len("module."):]: t for name, t in arrays.items() if name.startswith("module.")})
    for name, part in (("optimizer", optimizer), ("scheduler", scheduler)):
        if part is not None:
            part.load_state_dict(_unpacked(arrays["python." + name]))
    if loader is not None:
        _set_loader_state(loader, _unpacked(arrays["python.loader"]))
    for name, g in (("generator", generator), ("default_generator", _default_generator if default_generator else None)):
        if g is not None and name in sections:
            state = sections[name]["seed"], sections[name]["offset"]
            _haft.set_default_generator_state(state) if g is _default_generator else _haft.Generator.set_state(g, state)
    return {k: float(v["float"]) if isinstance(v, dict) else v for k, v in sections.get("values", {}).items()}
