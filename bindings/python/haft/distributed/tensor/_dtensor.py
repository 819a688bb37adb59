"""DTensor: a tensor of which each rank of a mesh has what its placements say."""
import abc
import copy
import math
import threading
from contextlib import contextmanager

import haft
from haft import Tensor, _haft
from haft._library import raw
from haft._names import called

from ..device_mesh import DeviceMesh
from .placement import Partial, Replicate, Shard

__all__ = ["DTensor", "distribute_module", "distribute_tensor", "empty", "full", "ones", "rand", "randn", "zeros"]


class _LossInParts(threading.local):
    on = False


_loss_in_parts = _LossInParts()  # whether loss_parallel() is open in this thread


@contextmanager
def loss_parallel():
    """Within it cross_entropy() of a DTensor whose classes are sharded is computed where they lie; no rank sees all of them."""
    before, _loss_in_parts.on = _loss_in_parts.on, True
    try:
        yield
    finally:
        _loss_in_parts.on = before


# Of one element after the other: parts are computed where they lie.
_ELEMENTWISE = frozenset("""abs acos add asin atan ceil clamp clone contiguous cos cosh detach div double erf exp eq expm1 fill float floor ge gelu gt half
bfloat16 le leaky_relu lerp log log1p lt mul ne neg pow reciprocal relu round rsqrt sigmoid sign silu sin sinh sqrt square sub tan tanh to truediv type zero""".split())


def _sizes(n, ranks):
    """Parts as PyTorch cuts them: all of the first's size as far as there is enough."""
    each = -(-n // ranks)
    return [max(0, min(each, n - r * each)) for r in range(ranks)]


class _Cut(haft.autograd.Function):
    # This rank's part; the gradient is all ranks' parts.
    @staticmethod
    def forward(ctx, x, group, dim, sizes):
        ctx.of = group, dim, sizes
        return x.narrow(dim, sum(sizes[:group.rank()]), sizes[group.rank()]).clone()

    @staticmethod
    def backward(ctx, grad):
        group, dim, sizes = ctx.of
        return _haft.parallel_gather_from(group, grad, dim, sizes), None, None, None


def _moved(local, shape, mesh, before, after):
    """The local tensor after one step of redistribution, along each dimension of the mesh whose placement differs."""
    for d in reversed(range(mesh.ndim)):  # joined from the last dimension, which was cut last
        if before[d] == after[d] or isinstance(before[d], Replicate):
            continue
        group, dim = mesh.get_group(d)._native, getattr(after[d], "dim", None)
        if isinstance(before[d], Partial):
            local = _haft.parallel_reduce_from(group, local)
            if before[d].reduce_op == "avg":
                local = local / group.size()
        else:
            local = _haft.parallel_gather_from(group, local, before[d].dim, _sizes(_whole(shape, mesh, before, d), group.size()))
    for d in range(mesh.ndim):
        if before[d] != after[d] and isinstance(after[d], Shard):
            group, dim = mesh.get_group(d)._native, after[d].dim
            local = _Cut.apply(local, group, dim, _sizes(local.shape[dim], group.size()))
    return local


def _whole(shape, mesh, placements, until):
    """The size along the dimension that mesh dimension `until` cuts, of what the dimensions before it leave to this rank."""
    dim = placements[until].dim
    n = shape[dim]
    for d in range(until):
        if placements[d] == Shard(dim):
            n = _sizes(n, mesh.size(d))[mesh.get_local_rank(d)]
    return n


def _placed(placements, mesh, ndim):
    placements = tuple(placements) if placements is not None else (Replicate(),) * mesh.ndim
    if len(placements) != mesh.ndim:
        raise ValueError(f"DTensor: a mesh of {mesh.ndim} dimensions takes as many placements, got {placements}")
    return tuple(Shard(p.dim % ndim) if isinstance(p, Shard) else p for p in placements)


class DTensor(metaclass=abc.ABCMeta):
    """A tensor over a mesh: each rank has a part (Shard), all (Replicate) or a term (Partial) along each dimension of the mesh.

    Made by distribute_tensor() and DTensor.from_local(). Operators of one element after the other run on the parts where these agree; for all other
    methods the whole tensors are gathered first. Gradients flow through all of it.
    """

    def __reduce_ex__(self, protocol):
        raise TypeError("a tensor that is spread over processes is no part of a file of one of them: save it with haft.distributed.checkpoint.save, or get it "
                        "whole on all processes (full_tensor(); of a module, haft.distributed.checkpoint.state_dict.get_model_state_dict with "
                        "StateDictOptions(full_state_dict=True)) and save that on one")

    def __copy__(self):
        return DTensor(copy.copy(self._local), self.device_mesh, self.placements, self.shape)

    def __deepcopy__(self, memo):
        # The mesh is no copy: its groups are those of all ranks.
        memo[id(self)] = twin = DTensor(copy.deepcopy(self._local, memo), self.device_mesh, self.placements, self.shape)
        return twin

    def __init__(self, local, mesh, placements, shape):
        self._local, self.device_mesh, self.placements, self.shape = local, mesh, placements, haft.Size(shape)

    @staticmethod
    def from_local(local_tensor, device_mesh, placements=None, *, run_check=False, shape=None, stride=None):
        """Of the tensors that ranks have. Parts are of equal size unless shape tells that of the whole."""
        placements = _placed(placements, device_mesh, local_tensor.ndim)
        if shape is None:
            shape = list(local_tensor.shape)
            for d, p in enumerate(placements):
                if isinstance(p, Shard):
                    shape[p.dim] *= device_mesh.size(d)
        return DTensor(local_tensor, device_mesh, placements, shape)

    def to_local(self, *, grad_placements=None):
        """What this rank has."""
        return self._local

    def redistribute(self, device_mesh=None, placements=None, *, async_op=False):
        """The same values in other places."""
        if device_mesh is not None and device_mesh is not self.device_mesh and device_mesh.shape != self.device_mesh.shape:
            raise NotImplementedError("redistribute: another mesh than the tensor's")
        placements = _placed(placements, self.device_mesh, self.ndim)
        if any(isinstance(p, Partial) and p != q for p, q in zip(placements, self.placements)):
            raise RuntimeError("Can not redistribute to Partial, redistributing to Partial is for internal use only!")
        before, after = self.placements, placements
        if any(p != q and Shard in (type(p), type(q)) for p, q in zip(before, after)) and self.device_mesh.ndim > 1:
            whole = (Replicate(),) * self.device_mesh.ndim  # cuts of one dimension by several of the mesh depend on each other
            return DTensor(_moved(_moved(self._local, self.shape, self.device_mesh, before, whole), self.shape, self.device_mesh, whole, after),
                           self.device_mesh, after, self.shape)
        return DTensor(_moved(self._local, self.shape, self.device_mesh, before, after), self.device_mesh, after, self.shape)

    def full_tensor(self, *, grad_placements=None):
        """The whole, on every rank."""
        return self.redistribute(placements=(Replicate(),) * self.device_mesh.ndim)._local

    # ---- what a tensor tells ----

    dtype = property(lambda self: self._local.dtype)
    device = property(lambda self: self._local.device)
    ndim = property(lambda self: len(self.shape))
    requires_grad = property(lambda self: self._local.requires_grad)
    is_leaf = property(lambda self: self._local.is_leaf)

    @property
    def grad(self):
        """The gradient, in the same places; None: there is none."""
        g = self._local.grad
        return None if g is None else DTensor(g, self.device_mesh, self.placements, self.shape)

    def size(self, dim=None):
        """The whole's sizes."""
        return self.shape if dim is None else self.shape[dim]

    def dim(self):
        """How many dimensions it has."""
        return self.ndim

    def numel(self):
        """How many elements the whole has."""
        return self.shape.numel()

    def requires_grad_(self, requires_grad=True):
        """Whether gradients are kept for it."""
        self._local.requires_grad_(requires_grad)
        return self

    def backward(self, gradient=None, retain_graph=None, create_graph=False):
        """Gradients of a value that all ranks have."""
        if isinstance(gradient, DTensor):
            gradient = gradient.redistribute(placements=self.placements)._local
        whole = self._local if not any(isinstance(p, Partial) for p in self.placements) else self.full_tensor()
        whole.backward(gradient, retain_graph=retain_graph, create_graph=create_graph)

    def item(self):
        """The number of a tensor with one element."""
        return self.full_tensor().item()

    def tolist(self):
        """The whole's values."""
        return self.full_tensor().tolist()

    def __len__(self):
        return self.shape[0]

    def __bool__(self):
        return bool(self.full_tensor())

    def __float__(self):
        return float(self.full_tensor())

    def __repr__(self):
        return f"DTensor(local_tensor={self._local}, device_mesh={self.device_mesh}, placements={self.placements})"

    def __getitem__(self, index):
        return self._wrapped(self.full_tensor()[index.full_tensor() if isinstance(index, DTensor) else index])

    def __getattr__(self, name):
        method = getattr(Tensor, name, None) if not name.startswith("__") else None
        if not callable(method):
            raise AttributeError(f"'DTensor' object has no attribute '{name}'")
        return lambda *args, **kwargs: self._call(name, args, kwargs)

    # ---- computing ----

    def reshape(self, *shape):
        """The same elements in another shape: where the dimensions that are cut stay as they are, without moving any."""
        shape = list(shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape)
        if -1 in shape:
            shape[shape.index(-1)] = self.numel() // max(1, -math.prod(shape))
        mine, placements = list(shape), []
        for p in self.placements:
            if isinstance(p, Shard):
                before = math.prod(self.shape[:p.dim])
                at = [d for d in range(len(shape)) if shape[d] == self.shape[p.dim] and math.prod(shape[:d]) == before]
                if not at or Shard(at[0]) in placements:
                    return self._call("reshape", (shape,), {})
                mine[at[0]], p = self._local.shape[p.dim], Shard(at[0])
            placements.append(p)
        return DTensor(self._local.reshape(mine), self.device_mesh, tuple(placements), shape)

    view = reshape

    def flatten(self, start_dim=0, end_dim=-1):
        """Some dimensions as one."""
        first, last = start_dim % self.ndim, end_dim % self.ndim
        return self.reshape(*self.shape[:first], math.prod(self.shape[first:last + 1]), *self.shape[last + 1:])

    def cross_entropy(self, target, weight=None, reduction=1, ignore_index=-100, label_smoothing=0.0):
        """nn.functional.cross_entropy, which calls it; under loss_parallel() the classes stay where they are."""
        target, dim = _full(target), 1 if self.ndim > 1 else 0
        if _loss_in_parts.on and self.placements == (Shard(dim),) and weight is None and self.shape[dim] % self.device_mesh.size() == 0:
            group = self.device_mesh.get_group()._native
            loss = _haft.parallel_cross_entropy(group, self._local.movedim(dim, -1), target, self.shape[dim], reduction, ignore_index, label_smoothing)
            return self._wrapped(loss)
        return self._wrapped(raw.cross_entropy(self.full_tensor(), target, _full(weight), reduction, ignore_index, label_smoothing))

    def _wrapped(self, result):
        if isinstance(result, (tuple, list)):
            return type(result)(self._wrapped(r) for r in result)
        if not isinstance(result, Tensor):
            return result
        return DTensor(result, self.device_mesh, (Replicate(),) * self.device_mesh.ndim, result.shape)

    def _call(self, name, args, kwargs):
        others = [a for a in (*args, *kwargs.values()) if isinstance(a, (Tensor, DTensor))]
        if name.strip("_").removeprefix("r") in _ELEMENTWISE or name in _ELEMENTWISE:
            alike = all(isinstance(o, DTensor) and o.placements == self.placements and o.shape == self.shape or o.ndim == 0 and isinstance(o, Tensor)
                        for o in others)
            if alike and not any(isinstance(p, Partial) for p in self.placements):
                result = getattr(self._local, name)(*map(_local, args), **{k: _local(v) for k, v in kwargs.items()})
                return DTensor(result, self.device_mesh, self.placements, self.shape) if isinstance(result, Tensor) else result
        if name.endswith("_") and not name.endswith("__") and any(not isinstance(p, Replicate) for p in self.placements):
            raise RuntimeError(f"DTensor.{name}: would change a gathered copy, for it does not run on parts where they lie; placements are "
                               f"{self.placements}")
        return self._wrapped(getattr(self.full_tensor(), name)(*map(_full, args), **{k: _full(v) for k, v in kwargs.items()}))


def _local(value):
    return value._local if isinstance(value, DTensor) else value


def _full(value):
    return value.full_tensor() if isinstance(value, DTensor) else value


def _operator(name):
    return lambda self, *others: self._call(name, others, {})


for _name in ("add radd sub rsub mul rmul truediv rtruediv pow rpow neg matmul rmatmul eq ne lt le gt ge abs mod floordiv").split():
    setattr(DTensor, f"__{_name}__", _operator(f"__{_name}__"))
DTensor.__hash__ = object.__hash__


def distribute_tensor(tensor, device_mesh=None, placements=None, *, src_data_rank=0):
    """A tensor that all ranks have spread over a mesh; the first rank's values count along each dimension of it. Shards without a history are leaves."""
    mesh = device_mesh if isinstance(device_mesh, DeviceMesh) else None
    if mesh is None:
        raise ValueError("distribute_tensor: say over which mesh")
    placements = _placed(placements, mesh, tensor.ndim)
    if any(isinstance(p, Partial) for p in placements):
        raise RuntimeError("distribute_tensor: a tensor is replicated or sharded, not partial")
    values = tensor.detach().clone()
    if src_data_rank is not None:
        for d in range(mesh.ndim):
            mesh.get_group(d)._native.broadcast(values, 0)
    with haft.no_grad():
        local = _moved(values, tensor.shape, mesh, (Replicate(),) * mesh.ndim, placements)
    return DTensor(local.detach().requires_grad_(tensor.requires_grad), mesh, placements, tensor.shape)


def distribute_module(module, device_mesh=None, partition_fn=None, input_fn=None, output_fn=None):
    """Calls partition_fn(name, module, mesh) on each module of the tree, and input_fn and output_fn around its forward; all ranks have the first's values."""
    for name, m in module.named_modules():
        if partition_fn is not None:
            partition_fn(name, m, device_mesh)
    for t in (*module.parameters(), *module.buffers()):
        for d in range(device_mesh.ndim):
            device_mesh.get_group(d)._native.broadcast(t.detach(), 0)
    if input_fn is not None:
        module.register_forward_pre_hook(lambda mod, inputs: input_fn(mod, inputs, device_mesh))
    if output_fn is not None:
        module.register_forward_hook(lambda mod, inputs, outputs: output_fn(mod, outputs, device_mesh))
    return module


def _made(make):
    def creation(*size, device_mesh=None, placements=None, dtype=None, requires_grad=False, **kwargs):
        size = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
        whole = make(tuple(size), dtype=dtype, **kwargs).requires_grad_(requires_grad)
        return distribute_tensor(whole, device_mesh, placements)
    return called(make.__name__, f"haft.{make.__name__} spread over a mesh; the numbers are the first rank's.", creation)


empty, ones, rand, randn, zeros = (_made(getattr(haft, n)) for n in ("empty", "ones", "rand", "randn", "zeros"))


def full(size, fill_value, *, device_mesh=None, placements=None, dtype=None, requires_grad=False):
    """haft.full spread over a mesh."""
    return distribute_tensor(haft.full(tuple(size), fill_value, dtype=dtype).requires_grad_(requires_grad), device_mesh, placements)
