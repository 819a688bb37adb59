"""Several processes that train one model, by PyTorch's names: groups, collectives, messages, collectives of Python objects.

    haft.distributed.init_process_group()            # RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT as torchrun sets them
    haft.distributed.all_reduce(gradient, haft.distributed.ReduceOp.AVG)
    work = haft.distributed.all_reduce(bucket, async_op=True)
    ...
    work.wait()

Ranks are those of the whole job, also in calls on a smaller group. Objects travel as pickle's bytes, which may run code where they
arrive: talk to processes that you trust. A call that fails, because a process is gone or late or called
something else, fails on every rank of its group, which is dead then: destroy_process_group() and make a new one.
"""
import pickle as _pickle

import haft as _h

from .. import _haft
from .._stores import DistStoreError, FileStore, HashStore, PrefixStore, Store, TCPStore
from ._collectives import *  # noqa: F401,F403
from ._collectives import get_process_group_ranks, irecv, isend
from ._future import Future
from ._grad_bucket import GradBucket
from ._groups import GroupMember, ProcessGroup, _microseconds, _world, default_pg_timeout, get_rank, is_initialized
from ._launched import LaunchEnvironment, get_node_local_rank, is_torchelastic_launched, launch_environment
from ._work import ReduceOp, Work, of as _of, place as _place, source as _source
from .device_mesh import DeviceMesh, init_device_mesh

__all__ = ["Backend", "DeviceMesh", "DistStoreError", "FileStore", "Future", "GradBucket", "GroupMember", "HashStore", "LaunchEnvironment",
           "P2POp", "PrefixStore", "ProcessGroup", "ReduceOp", "Store", "TCPStore", "Work", "abort", "all_gather", "all_gather_coalesced",
           "all_gather_into_tensor", "all_gather_object", "all_reduce", "all_reduce_coalesced", "all_to_all", "all_to_all_single",
           "barrier", "batch_isend_irecv", "broadcast", "broadcast_object_list", "destroy_process_group", "gather", "gather_object",
           "get_backend", "get_global_rank", "get_group_rank", "get_node_local_rank", "get_process_group_ranks", "get_rank",
           "get_world_size", "group", "init_device_mesh", "init_process_group", "irecv", "is_available", "is_gloo_available",
           "is_initialized", "is_mpi_available", "is_nccl_available", "is_torchelastic_launched", "is_ucc_available", "isend",
           "launch_environment", "log_rank", "monitored_barrier", "new_group", "new_subgroups", "new_subgroups_by_enumeration", "recorder",
           "recv", "recv_object_list", "reduce", "reduce_scatter", "reduce_scatter_tensor", "rendezvous", "scatter", "scatter_object_list",
           "send", "send_object_list", "split_group", "sum_values"]


class Backend(str):
    """Names of engines. "gloo", the default, stands for whatever reaches all ranks fastest: shared memory within a host."""
    GLOO, SHM, NCCL, MPI, UNDEFINED = "gloo", "shm", "nccl", "mpi", "undefined"


def rendezvous(url="env://", rank=-1, world_size=-1, timeout=default_pg_timeout):
    """Waits until all processes of the job are there and yields (store, rank, world_size), once; -1: the url or the launcher says it."""
    met = _haft.rendezvous(url, rank, world_size, _microseconds(timeout))
    yield Store(met.store(), timeout), met.rank, met.world_size


class _Group:
    @property
    def WORLD(self):
        """All processes of the job."""
        return GroupMember.WORLD


group = _Group()


def _engine(who, backend):
    """The backend's name as it is kept, and the engine that it stands for."""
    name = str(backend).lower()
    if name == Backend.GLOO:
        return name, ""  # the fastest that reaches all ranks
    if name not in (Backend.SHM, Backend.MPI, Backend.NCCL) or not _haft.ProcessGroup.is_available(name):
        there = ", ".join(f'"{b}"' for b in (Backend.GLOO, Backend.SHM, Backend.MPI, Backend.NCCL) if b == Backend.GLOO or _haft.ProcessGroup.is_available(b))
        raise RuntimeError(f"{who}: this build has no backend {backend!r}; it has {there}")
    return name, name


def init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, group_name="", pg_options=None,
                       device_id=None):
    """Waits until all processes of the job are there.

    They meet in a store, with world_size and rank, or by init_method: "env://" (the launcher's variables, the default),
    "tcp://host:port" or "file:///path".
    """
    if is_initialized():
        raise ValueError("trying to initialize the default process group twice!")
    if store is not None and init_method is not None:
        raise ValueError("init_process_group: give either init_method or store")
    if store is not None and (world_size < 1 or rank < 0):
        raise ValueError("init_process_group: with a store, give world_size and rank, too")
    name, engine = _engine("init_process_group", backend or Backend.GLOO)
    time = _microseconds(timeout)
    if store is None:
        store, rank, world_size = next(rendezvous(init_method or "env://", rank, world_size, default_pg_timeout if timeout is None else timeout))
    native = _haft.make_group(store._store, rank, world_size, engine, group_name or "default", time)
    GroupMember.WORLD = ProcessGroup(native, list(range(native.size())), name)


GroupMember.join = init_process_group


def destroy_process_group(group=None):
    """Leaves the group; without one all groups."""
    if group is None or group is GroupMember.WORLD:
        _world()
        GroupMember.WORLD = None
        for g in _made:
            g._native = None
        _made.clear()
    elif isinstance(group, ProcessGroup):
        group._native = None
        if group in _made:
            _made.remove(group)


_made = []


def new_group(ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization=False, group_desc=None):
    """A group of some ranks, which all processes of the job ask for in the same order."""
    world = _world()
    if use_local_synchronization:
        raise ValueError("new_group: every process of the job calls it; use_local_synchronization=True is for its members alone")
    ranks = sorted(ranks) if ranks is not None else list(range(world.size()))
    name, engine = _engine("new_group", backend or world._backend)
    time = world._timeout_us if timeout is None else _microseconds(timeout)
    native = _haft.make_subgroup(world._native, ranks, engine, time)
    if get_rank() not in ranks:
        return GroupMember.NON_GROUP_MEMBER
    made = ProcessGroup(native, ranks, name)
    _made.append(made)
    return made


def split_group(parent_pg=None, split_ranks=None, timeout=None, pg_options=None, group_desc=None):
    """Of several lists of ranks the group that this process is in; None when it is in none."""
    pg, mine = _of(parent_pg), get_rank()
    color = next((i for i, ranks in enumerate(split_ranks or ()) if mine in ranks), -1)
    time = pg._timeout_us if timeout is None else _microseconds(timeout)
    engine = _engine("split_group", pg._backend)[1]
    native = _haft.make_split(pg._native, color, split_ranks[color].index(mine) if color >= 0 else 0, engine, time)
    if color < 0:
        return None
    made = ProcessGroup(native, list(split_ranks[color]), pg._backend)
    _made.append(made)
    return made


def new_subgroups(group_size=None, group=None, timeout=None, backend=None, pg_options=None, group_desc=None):
    """Parts of ``group_size`` ranks each, one after the other; None: as many as this machine has. Answers this process's and all of them."""
    if group_size is None:
        told = launch_environment()
        if told.launcher == "none":
            raise ValueError("new_subgroups: no launcher has told how many processes this machine has: say group_size")
        group_size = told.local_world_size
    ranks = get_process_group_ranks(group)
    if group_size < 1 or group_size > len(ranks):
        raise ValueError(f"new_subgroups: group_size is from 1 to the number of processes, {len(ranks)}, got {group_size}")
    if len(ranks) % group_size:
        raise ValueError(f"new_subgroups: {len(ranks)} processes make no groups of {group_size}")
    parts = [ranks[i:i + group_size] for i in range(0, len(ranks), group_size)]
    return new_subgroups_by_enumeration(parts, timeout, backend, pg_options, group_desc)


def new_subgroups_by_enumeration(ranks_per_subgroup_list, timeout=None, backend=None, pg_options=None, group_desc=None):
    """A group for each of the lists of ranks, none of which share one. Answers this process's, or None, and all of them."""
    _world()
    lists = [list(ranks) for ranks in ranks_per_subgroup_list or ()]
    if not lists:
        raise ValueError("new_subgroups_by_enumeration: give at least one list of ranks")
    everyone = [r for ranks in lists for r in ranks]
    twice = [r for r in everyone if everyone.count(r) > 1]
    if twice:
        raise ValueError(f"new_subgroups_by_enumeration: rank {twice[0]} stands in several lists")
    every = [new_group(ranks, timeout, backend, pg_options, group_desc=group_desc) for ranks in lists]
    return next((g for g, ranks in zip(every, lists) if get_rank() in ranks), None), every


def sum_values(values, group=None):
    """Sums over all ranks of numbers of which metrics are made, such as losses and counts; a list of floats."""
    sums = _h.tensor([float(v) for v in values], dtype=_h.float64)
    _of(group)._native.all_reduce(sums, ReduceOp.SUM)
    return sums.tolist()


def _packed(tensors):
    """The tensors of each dtype one behind the other, and what goes back to the tensors from there."""
    kinds = {}
    for t in tensors:
        kinds.setdefault(t.dtype, []).append(t.detach())

    def unpack(flat, to):
        for piece, t in zip(flat.split([t.numel() for t in to]), to):
            t.copy_(piece.reshape(t.shape))

    return [(_h.cat([t.reshape(-1) for t in ts]), ts) for ts in kinds.values()], unpack


def _last(works, pg, after, result, async_op):
    # Works of a group end in the order in which they began, and one that fails ends all.
    if not works:
        raise ValueError("a coalesced call wants tensors, got none")
    work = Work(works[-1], pg, after, result)
    return work if async_op else work.wait() and None


def all_reduce_coalesced(tensors, op=ReduceOp.SUM, group=None, async_op=False):
    """all_reduce of several tensors, of any sizes, in one call for each dtype."""
    pg = _of(group)
    if not pg:
        return None
    flats, unpack = _packed(tensors)
    works = [pg._native.all_reduce_async(flat, op) for flat, _ in flats]
    return _last(works, pg, lambda: [unpack(flat, ts) for flat, ts in flats], list(tensors), async_op)


def all_gather_coalesced(output_tensor_lists, input_tensor_list, group=None, async_op=False):
    """all_gather of several tensors in one call for each dtype: ``output_tensor_lists[r]`` are those of rank r, of the same shapes as here."""
    pg = _of(group)
    if not pg:
        return None
    flats, unpack = _packed(input_tensor_list)
    every = [_h.empty((pg.size(), flat.numel()), dtype=flat.dtype, device=flat.device) for flat, _ in flats]
    works = [pg._native.all_gather_into_async(e, flat) for e, (flat, _) in zip(every, flats)]

    def spread():
        for e, (_, ts) in zip(every, flats):
            for rank, outputs in enumerate(output_tensor_lists):
                unpack(e[rank], [o.detach() for o in outputs if o.dtype == ts[0].dtype])

    return _last(works, pg, spread, output_tensor_lists, async_op)


class P2POp:
    """One of a batch: isend or irecv with its arguments."""

    def __init__(self, op, tensor, peer=None, group=None, tag=0, group_peer=None):
        if op not in (isend, irecv):
            raise ValueError("P2POp: op is isend or irecv")
        self.op, self.tensor, self.peer, self.group, self.tag, self.group_peer = op, tensor, peer, group, tag, group_peer


def batch_isend_irecv(p2p_op_list):
    """Begins all of them; answers their works."""
    return [p.op(p.tensor, p.peer, p.group, p.tag, p.group_peer) for p in p2p_op_list]


# ---- objects ----

def _to_bytes(obj):
    return _h.frombuffer(bytearray(_pickle.dumps(obj)), dtype=_h.uint8)


def _from_bytes(t):
    return _pickle.loads(memoryview(t))


def _numbers(values):
    return _h.tensor(values, dtype=_h.int64)


def _room(sizes):
    return [_h.empty(int(n), dtype=_h.uint8) for n in sizes]


def _sizes_of_all(pg, mine):
    sizes = _numbers([0] * pg.size())
    pg._native.all_gather_into(sizes, _numbers([mine.numel()]))
    return sizes.tolist()


def all_gather_object(object_list, obj, group=None):
    """An object of each rank's for all."""
    pg = _of(group)
    if pg:
        mine = _to_bytes(obj)
        parts = _room(_sizes_of_all(pg, mine))
        pg._native.all_gather(parts, mine)
        object_list[:] = [_from_bytes(p) for p in parts]


def gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None):
    """An object of each rank's for rank dst."""
    pg = _of(group)
    if pg:
        root = _place(pg, dst, group_dst, "gather_object", 0)
        mine = _to_bytes(obj)
        sizes = _sizes_of_all(pg, mine)
        parts = _room(sizes) if pg.rank() == root else []
        pg._native.gather(parts, mine, root)
        if parts:
            object_gather_list[:] = [_from_bytes(p) for p in parts]


def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None):
    """The objects of rank src for all."""
    pg = _of(group)
    if pg:
        root = _place(pg, src, group_src, "broadcast_object_list", 0)
        mine = _to_bytes(list(object_list)) if pg.rank() == root else None
        size = _numbers([mine.numel() if mine is not None else 0])
        pg._native.broadcast(size, root)
        data = mine if mine is not None else _room(size.tolist())[0]
        pg._native.broadcast(data, root)
        if mine is None:
            object_list[:] = _from_bytes(data)


def scatter_object_list(scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, group_src=None):
    """One object of rank src's for each rank."""
    pg = _of(group)
    if pg:
        root = _place(pg, src, group_src, "scatter_object_list", 0)
        parts = [_to_bytes(o) for o in scatter_object_input_list] if pg.rank() == root else []
        size = _numbers([0])
        pg._native.scatter(size, [_numbers([p.numel()]) for p in parts], root)
        mine = _room(size.tolist())[0]
        pg._native.scatter(mine, parts, root)
        scatter_object_output_list[0] = _from_bytes(mine)


def send_object_list(object_list, dst=None, group=None, device=None, group_dst=None):
    """Sends objects to rank dst."""
    pg = _of(group)
    if pg:
        peer, data = _place(pg, dst, group_dst, "send_object_list"), _to_bytes(list(object_list))
        pg._native.send(_numbers([data.numel()]), peer, 0)
        pg._native.send(data, peer, 0)


def recv_object_list(object_list, src=None, group=None, device=None, group_src=None):
    """Receives what send_object_list() sends; answers the rank."""
    pg = _of(group)
    if not pg:
        return -1
    size = _numbers([0])
    peer = pg._native.recv(size, _source(pg, src, group_src, "recv_object_list"), 0)
    data = _room(size.tolist())[0]
    pg._native.recv(data, peer, 0)
    object_list[:] = _from_bytes(data)
    return pg._ranks[peer]
