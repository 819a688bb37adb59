"""DistributedDataParallel: the gradients of all processes are joined while backward goes on (docs/data-parallel.md)."""
from __future__ import annotations

import weakref
from contextlib import contextmanager

import haft

from ... import _haft
from ...utils.checkpoint import _flat, _with
from ..modules.module import Module

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """A module whose gradients are the means of all processes' of a group.

    Args:
        module: what runs, on one device; every process has the same
        device_ids: None, or a list of the module's device, to which inputs are moved then
        broadcast_buffers: each forward pass in training begins with rank 0's buffers
        init_sync: models are compared, and rank 0's becomes everybody's
        process_group: None: all processes
        bucket_cap_mb: how much is joined at once, in MiB; None: 25
        find_unused_parameters: parameters that a backward does not reach on some rank count as 0 there
        gradient_as_bucket_view: gradients are views of what is joined; False: they are copied in and out
        static_graph: each step is like the first: which gradients come, and how often
    """

    def __init__(self, module: Module, device_ids=None, output_device=None, dim: int = 0, broadcast_buffers: bool = True, init_sync: bool = True,
                 process_group=None, bucket_cap_mb=None, find_unused_parameters: bool = False, check_reduction: bool = False,
                 gradient_as_bucket_view: bool = True, static_graph: bool = False, delay_all_reduce_named_params=None,
                 param_to_hook_all_reduce=None, mixed_precision=None, device_mesh=None):
        super().__init__()
        for name, value in (("delay_all_reduce_named_params", delay_all_reduce_named_params), ("mixed_precision", mixed_precision),
                            ("param_to_hook_all_reduce", param_to_hook_all_reduce)):
            if value is not None:
                raise ValueError(f"DistributedDataParallel: haft has no {name}")
        where = next((p.device for p in module.parameters()), None)
        if device_ids and [haft.device(d) for d in device_ids] != [where]:
            raise ValueError(f"DistributedDataParallel: device_ids is the module's one device, {where}, got {list(device_ids)}")
        if process_group is not None and device_mesh is not None:
            raise RuntimeError("DistributedDataParallel: give either process_group or device_mesh")
        if device_mesh is not None:
            process_group = device_mesh.get_group(0)
        self.process_group = haft.distributed._of(process_group)
        self.module, self.dim = module, dim
        self.device_ids, self.output_device = device_ids, output_device
        self.broadcast_buffers, self.find_unused_parameters = broadcast_buffers, find_unused_parameters
        self.gradient_as_bucket_view, self.static_graph = gradient_as_bucket_view, static_graph
        left_out = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        parameters = [(n, p) for n, p in module.named_parameters() if n not in left_out]
        if not any(p.requires_grad for _, p in parameters):
            raise RuntimeError("DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient.")
        self._parallel = _haft.make_data_parallel_over(
            parameters, [b for n, b in module.named_buffers() if n not in left_out], self.process_group._native, broadcast_buffers,
            find_unused_parameters, gradient_as_bucket_view, static_graph, init_sync, int((25 if bucket_cap_mb is None else bucket_cap_mb) * 2 ** 20),
            2 ** 20)
        self._comm_hook = None

    def forward(self, *inputs, **kwargs):
        if self.training and haft.is_grad_enabled():
            self._parallel.prepare()
        if self.device_ids:
            moved = (t.to(self.device_ids[0]) for t in _flat((inputs, kwargs), []))
            inputs, kwargs = _with((inputs, kwargs), moved)
        return self.module(*inputs, **kwargs)

    @property
    def require_backward_grad_sync(self):
        """Whether the next step is joined."""
        return self._parallel.sync()

    @require_backward_grad_sync.setter
    def require_backward_grad_sync(self, on):
        self._parallel.set_sync(on)

    @contextmanager
    def no_sync(self):
        """Gradients add up on each process; the first step after it joins what has come together."""
        before = self._parallel.sync()
        self._parallel.set_sync(False)
        try:
            yield
        finally:
            self._parallel.set_sync(before)

    @contextmanager
    def join(self, divide_by_initial_world_size=True, enable=True, throw_on_early_termination=False):
        """Processes may have different numbers of steps: who has run out takes part in what the others call."""
        if not enable:
            yield
            return
        self._parallel.join_begin(divide_by_initial_world_size, throw_on_early_termination)
        yield
        self._parallel.join_end()

    def register_comm_hook(self, state, hook):
        """Gradients are joined by ``hook(state, bucket)``, which answers a Future of the bucket's mean, instead of a plain mean.

        Hooks of haft.distributed.algorithms.ddp_comm_hooks run in the engine.
        """
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        if self._comm_hook is not None:
            raise RuntimeError("register_comm_hook can only be called once.")
        self._comm_hook = hook
        native = getattr(hook, "_in_the_engine", None)
        if native is not None:
            native(self, state)
            return
        running, this = {}, weakref.ref(self)  # the engine owns both functions: they must not own what owns it

        def begin(index, tensors):
            running[index] = hook(state, haft.distributed.GradBucket(index, tensors, index + 1 == this().communication_info()["buckets"]))

        def finish(index, tensors):
            mean = running.pop(index).wait()
            mean = mean[0] if isinstance(mean, (list, tuple)) else mean
            with haft.no_grad():
                tensors[0].copy_(mean.reshape(tensors[0].shape))

        _haft.data_parallel_hook(self._parallel, begin, finish)

    def set_compression(self, kind, error_feedback=True, warm_start=True, ratio=0.01, min_rate=2.0, rank=1, start_step=0, seed=0):
        """Sends less than the gradients. kind: "fp16", "bf16", "int8", "one_bit", "top_k", "random_k" or "power_sgd".

        error_feedback adds what is lost to the next step's gradients; ratio is the part of the elements that top_k and random_k send;
        rank, min_rate and warm_start are power_sgd's; gradients are joined as they are before start_step.
        """
        if kind not in _KINDS:
            raise ValueError(f"set_compression: kind is one of {', '.join(_KINDS)}, got {kind!r}")
        _haft.data_parallel_compress(self._parallel, _KINDS.index(kind) + 1, error_feedback, warm_start, ratio, min_rate, rank, start_step, seed)
        self._comm_hook = kind

    def communication_state_dict(self):
        """What compression keeps from step to step, for checkpoints of this rank."""
        return dict(self._parallel.state_dict())

    def load_communication_state_dict(self, state):
        """Goes on from what communication_state_dict() told."""
        self._parallel.load_state_dict(list(state.items()))

    def communication_info(self):
        """Numbers of buckets, steps and bytes so far."""
        names = ("rebuilt", "buckets", "steps", "gradient_bytes", "sent_bytes", "unused", "copies")
        return dict(zip(names, _haft.data_parallel_numbers(self._parallel)))

    def _set_static_graph(self):
        self._parallel.set_static_graph()
        self.static_graph = True


_KINDS = ("fp16", "bf16", "int8", "one_bit", "top_k", "random_k", "power_sgd")
