"""ZeRO: an optimizer whose state is spread over processes."""
from .. import _of
from ... import _haft
from ..._errors import InvalidArgumentError
from ...optim._fused import FusedOptimizer
from ._around import OptimizerAround

__all__ = ["ZeroRedundancyOptimizer"]


class ZeroRedundancyOptimizer(OptimizerAround):
    """An optimizer of the engine whose state is spread over the processes of a group: each has 1/N of it, element by element.

        optimizer = ZeroRedundancyOptimizer(ddp.parameters(), haft.optim.Adam, lr=0.01)

    All processes make it over the same parameters, those of the first of them become everyone's, and call ``step``, ``add_param_group``,
    ``load_state_dict`` and ``consolidate_state_dict`` together. Gradients are the same on all, as DistributedDataParallel leaves them; with
    ``shard_gradients=True`` (ZeRO-2) there is no DistributedDataParallel: backward joins gradients, of which each process keeps its part, and
    leaves ``.grad`` None.

    Args:
        params: tensors, or dictionaries with ``params`` and options of their own
        optimizer_class: ``haft.optim.Adam`` or another one whose step is the engine's
        process_group: whose processes; None: all
        parameters_as_bucket_view: makes no difference; parameters stay where they are
        overlap_with_ddp: not taken: ``shard_gradients`` overlaps with backward
        shard_gradients: gradients are spread, too
        bucket_cap_mb: megabytes of parameters that travel together
        defaults: the optimizer's options
    """

    def __init__(self, params, optimizer_class, process_group=None, parameters_as_bucket_view=False, overlap_with_ddp=False, *,
                 shard_gradients=False, bucket_cap_mb=25, **defaults):
        if not (isinstance(optimizer_class, type) and issubclass(optimizer_class, FusedOptimizer) and optimizer_class._takes_rows):
            raise TypeError(f"ZeroRedundancyOptimizer: {optimizer_class!r} is no optimizer of the engine, whose state can be spread")
        if overlap_with_ddp:
            raise ValueError("ZeroRedundancyOptimizer: shard_gradients=True overlaps with backward, without DistributedDataParallel")
        self.process_group = group = _of(process_group)
        if group is None:
            raise ValueError("ZeroRedundancyOptimizer: this process is not in the group")
        stage, size = 2 if shard_gradients else 1, int(bucket_cap_mb * 2 ** 20)
        super().__init__(optimizer_class(params, **defaults))
        self.optim._spread(lambda engine: _haft.shard_optimizer(engine, group._native, stage, True, size),
                           lambda engine: _haft.consolidate_optimizer(engine, -1))

    def _step(self):
        self.optim.step()

    def clip_grad_norm_(self, max_norm, norm_type=2.0):
        """Limits the norm of all gradients, whoever has them; answers the norm before. All processes call it."""
        return _haft.clip_optimizer(self.optim._bound(), float(max_norm), float(norm_type))

    def consolidate_state_dict(self, to=0):
        """Brings the state together on a process of the group, or on all (-1), where state_dict() answers it until the next step."""
        _haft.consolidate_optimizer(self.optim._bound(), -1 if to == -1 else self.process_group._local(to, "consolidate_state_dict"))

    def state_dict(self):
        """The whole state, as the optimizer alone would answer it; after consolidate_state_dict, on the process that it has gone to."""
        try:
            return self.optim.state_dict()
        except InvalidArgumentError as e:
            raise RuntimeError("Optimizer state has not been consolidated on this rank. Please call `consolidate_state_dict(to=...)` on all "
                               "ranks beforehand if you meant to save the global state.") from e

    def load_state_dict(self, state_dict):
        """Takes over a whole state, of any number of processes; each keeps its part. All processes call it."""
        self.optim.load_state_dict(state_dict)

    def shard_info(self):
        """What this process has: stage, ranks, buckets, elements, own_elements, state_bytes, gradient_bytes."""
        names = "stage", "ranks", "buckets", "elements", "own_elements", "state_bytes", "gradient_bytes"
        return dict(zip(names, _haft.shard_numbers(self.optim._bound())))

    def __getstate__(self):
        raise TypeError("a ZeroRedundancyOptimizer is not copied or pickled: consolidate_state_dict() and save its state_dict()")
