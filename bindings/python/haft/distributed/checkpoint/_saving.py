"""save() and load(): nested dicts become flat names, tensors pieces, and all else values."""
import atexit
import base64
import concurrent.futures
import io
import json
import os
from collections.abc import Mapping

import haft
from haft import Tensor, _haft

from .. import _groups
from ..tensor import DTensor, Replicate, Shard
from ..tensor._dtensor import _sizes
from ..tensor.placement import Partial
from . import _metadata
from .stateful import Stateful

__all__ = ["CheckpointException", "async_save", "load", "load_state_dict", "save", "save_state_dict"]

PATH = "haft.path:"  # of a flat name, the keys on the way to it
_JSON, _FILE = "haft-json:", "haft-file:"
_engine = _haft.ShardedCheckpoints
CheckpointException = RuntimeError


def described(dtype):
    """A type by its number."""
    return haft._dtype.ALL[dtype]


# ---- names ----

def _has_tensor(value):
    if isinstance(value, Mapping):
        return any(map(_has_tensor, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_has_tensor, value))
    return isinstance(value, (Tensor, DTensor))


def flatten(state_dict):
    """Values by flat name and the paths to them: dicts are taken apart, and lists in which there are tensors."""
    flat, paths = {}, {}

    def visit(path, value):
        if isinstance(value, Mapping) and (value or not path):
            for key, entry in value.items():
                visit(path + (str(key),), entry)
        elif isinstance(value, (list, tuple)) and _has_tensor(value):
            for i, entry in enumerate(value):
                visit(path + (i,), entry)
        else:
            name = ".".join(map(str, path))
            if name in flat:
                raise ValueError(f"the state has two entries that are both called {name!r} when nested names are joined by dots; rename one")
            flat[name], paths[name] = value, path

    visit((), state_dict)
    return flat, paths


def unflatten(flat, paths):
    """The nested form of values by flat name."""
    root = {}
    for name, value in flat.items():
        at, path = root, paths.get(name, (name,))
        for key, after in zip(path, (*path[1:], None)):
            if after is None:
                fresh = value
            else:
                fresh = [] if isinstance(after, int) else {}
            if isinstance(at, list):
                at.extend([None] * (key + 1 - len(at)))
                if at[key] is None:
                    at[key] = fresh
            elif after is None or key not in at:
                at[key] = fresh
            at = at[key]
    return root


# ---- values ----

def _plain(value):
    if isinstance(value, (list, dict)):
        entries = value.values() if isinstance(value, dict) else value
        return all(map(_plain, entries)) and (isinstance(value, list) or all(isinstance(k, str) for k in value))
    return value is None or type(value) in (bool, int, float, str)


def _add_value(key, value):
    if type(value) is bool:
        _engine.add_flag(key, value)
    elif type(value) is int and -2 ** 63 <= value < 2 ** 63:
        _engine.add_integer(key, value)
    elif type(value) is float:
        _engine.add_number(key, value)
    elif type(value) is str and not value.startswith((_JSON, _FILE)) and "\0" not in value:
        _engine.add_text(key, value)
    elif _plain(value):
        _engine.add_text(key, _JSON + json.dumps(value))
    else:
        held = io.BytesIO()
        haft.save(value, held)
        _engine.add_text(key, _FILE + base64.b64encode(held.getvalue()).decode())


def _value(stored):
    if isinstance(stored, str) and stored.startswith(_JSON):
        return json.loads(stored[len(_JSON):])
    if isinstance(stored, str) and stored.startswith(_FILE):
        return haft.load(io.BytesIO(base64.b64decode(stored[len(_FILE):])))
    return stored


# ---- tensors ----

def _summed(t):
    """What is a sum still, the sum, which nobody fills; a call of all ranks of its mesh."""
    if not isinstance(t, DTensor) or not any(isinstance(p, Partial) for p in t.placements):
        return t
    return t.redistribute(placements=[Replicate() if isinstance(p, Partial) else p for p in t.placements])


def _add_tensor(name, t):
    """This rank's piece."""
    if not isinstance(t, DTensor):
        return _engine.add(name, t.detach())
    offsets, sizes = [0] * t.ndim, list(t.shape)
    for d, p in enumerate(t.placements):
        if isinstance(p, Shard):
            parts, at = _sizes(sizes[p.dim], t.device_mesh.size(d)), t.device_mesh.get_local_rank(d)
            offsets[p.dim] += sum(parts[:at])
            sizes[p.dim] = parts[at]
    local = t.to_local().detach()
    if list(local.shape) != sizes:
        raise ValueError(f"{name}: this rank has {list(local.shape)}, and its place in {list(t.shape)} is {sizes}")
    _engine.add_box(name, local, list(t.shape), offsets)


def _stated(state_dict):
    return {key: value.state_dict() if isinstance(value, Stateful) else value for key, value in state_dict.items()}


def _folder(checkpoint_id, storage):
    if checkpoint_id is None and storage is None:
        raise RuntimeError("no place: give checkpoint_id, or a storage_writer or storage_reader")
    if storage is not None:
        storage.reset(checkpoint_id)
        return storage.path
    return os.fspath(checkpoint_id)


def _group(process_group, no_dist):
    if no_dist or (process_group is None and not _groups.is_initialized()):
        return None
    return (process_group or _groups.GroupMember.WORLD)._native


def _put_together(state_dict):
    _engine.clear()
    flat, paths = flatten(_stated(state_dict))
    flat = {name: _summed(value) for name, value in flat.items()}  # all ranks come here before one of them may fail below
    for name, value in flat.items():
        if isinstance(value, (Tensor, DTensor)):
            _add_tensor(name, value)
        else:
            _add_value(name, value)
        _engine.add_text(PATH + name, json.dumps(paths[name]))


def _prepare(state_dict, checkpoint_id, storage, process_group, alone):
    """Puts together what is saved, and answers the folder. What one rank fails with all are told, who would wait for it."""
    folder = trouble = None
    try:
        _put_together(state_dict)
        folder = _folder(checkpoint_id, storage)  # afterwards: there the ranks may have made sums together
    except BaseException as e:
        _engine.clear()
        trouble = e
    if not alone:
        told = [None] * haft.distributed.get_world_size(process_group)
        try:
            haft.distributed.all_gather_object(told, trouble and f"{type(trouble).__name__}: {trouble}", process_group)
            failed = next((r for r, text in enumerate(told) if text is not None), None)
            if failed is not None and trouble is None:
                raise RuntimeError(f"rank {failed} could not put its checkpoint together: {told[failed]}")
        except BaseException:
            if trouble is None:
                _engine.clear()
                raise
    if trouble is not None:
        raise trouble
    return folder


def save(state_dict, *, checkpoint_id=None, storage_writer=None, planner=None, process_group=None, no_dist=False, use_collectives=True):
    """Writes what the ranks have into a folder. All ranks call it. Without process groups, or with no_dist, this process alone.

    Values that are no tensors: of a name that several ranks give, the lowest rank's. Plain ones are text in the index, others go as save() writes them.
    """
    group = _group(process_group, no_dist)
    folder = _prepare(state_dict, checkpoint_id, storage_writer, process_group, group is None)
    _engine.save_alone(folder) if group is None else _engine.save(group, folder)
    return _metadata.Metadata()


_pending = set()


def async_save(state_dict, *, checkpoint_id=None, storage_writer=None, planner=None, process_group=None, no_dist=False, **kwargs):
    """save() that returns when tensors are copied: they may change then. Answers a Future whose result() is there when all ranks have written. A second
    save begins when the first has ended; the end of the program waits for it."""
    group = _group(process_group, no_dist)
    folder = _prepare(state_dict, checkpoint_id, storage_writer, process_group, group is None)
    native = _engine.save_alone_async(folder) if group is None else _engine.save_async(group, folder)
    future = concurrent.futures.Future()
    future.set_running_or_notify_cancel()

    def done(status):
        try:
            native.wait()
        except BaseException as e:
            future.set_exception(e)
        else:
            future.set_result(_metadata.Metadata())
        finally:
            _pending.discard(future)

    _pending.add(future)
    try:
        _haft.future_on_done(native, done)
    except BaseException:
        _pending.discard(future)  # nobody would end it
        raise
    return future


os.register_at_fork(after_in_child=_pending.clear)  # they are the parent's


@atexit.register
def _wait_for_pending():
    concurrent.futures.wait(list(_pending))


def load(state_dict, *, checkpoint_id=None, storage_reader=None, planner=None, process_group=None, no_dist=False):
    """Fills a state dict in place from a checkpoint, in whatever layout it was written: tensors where they are, other values in their dicts.

    A rank reads what its own state dict names. Objects with a state are asked for it and get it back. A name that the checkpoint lacks is an
    error, unless the planner allows a part.
    """
    folder = _folder(checkpoint_id, storage_reader)
    stated = _stated(state_dict)
    flat, paths = flatten(stated)
    reader = _haft.ShardedReader(folder)  # of one index, also when a save puts another one in its place
    there, values = _metadata.tensors(reader), _metadata.values(reader)
    wanted = {name: value for name, value in flat.items() if name in there or name in values}
    missing = [name for name in flat if name not in wanted]
    if missing and not getattr(planner, "allow_partial_load", False):
        raise RuntimeError(f"Missing key in checkpoint state_dict: {', '.join(missing[:20])}.")
    _engine.clear()
    try:
        for name, value in wanted.items():
            if name not in there:
                continue
            if not isinstance(value, (Tensor, DTensor)):
                raise RuntimeError(f"{name} is a tensor in the checkpoint, and {type(value).__name__} here")
            shape = list(value.shape)
            if shape != list(there[name][1]):
                raise ValueError(f"Size mismatch between saved {list(there[name][1])} and current: {shape} for {name}")
            _add_tensor(name, value)
    except BaseException:
        _engine.clear()
        raise
    reader.load(True, 0)
    for name in wanted:
        if name in there:
            continue
        at = stated
        for key in paths[name][:-1]:
            at = at[key] if isinstance(at, list) or key in at else next(at[k] for k in at if str(k) == key)
        last = paths[name][-1]
        if isinstance(at, dict):
            last = next(k for k in at if str(k) == last)
        at[last] = _value(values[name])
    for key, value in state_dict.items():
        if isinstance(value, Stateful):
            value.load_state_dict(stated[key])
        else:
            state_dict[key] = stated[key]


def save_state_dict(state_dict, storage_writer, process_group=None, coordinator_rank=0, no_dist=False, planner=None):
    """PyTorch's earlier name of save()."""
    return save(state_dict, storage_writer=storage_writer, process_group=process_group, no_dist=no_dist, planner=planner)


def load_state_dict(state_dict, storage_reader, process_group=None, coordinator_rank=0, no_dist=False, planner=None):
    """PyTorch's earlier name of load()."""
    return load(state_dict, storage_reader=storage_reader, process_group=process_group, no_dist=no_dist, planner=planner)


def load_whole(folder):
    """The nested state of a checkpoint, with whole tensors."""
    reader = _haft.ShardedReader(folder)
    flat = {name: reader.read_tensor(name) for name in _metadata.tensors(reader)}
    paths = {}
    for key, value in _metadata.values(reader).items():
        if key.startswith(PATH):
            paths[key[len(PATH):]] = tuple(json.loads(value))
        else:
            flat[key] = _value(value)
    return unflatten(flat, paths)
