"""Batch normalisation, also over processes, and instance normalisation."""
from __future__ import annotations

from ... import Tensor
from ._batchnorm import _BatchNorm
from ._layers import BatchNorm1d, BatchNorm2d, BatchNorm3d, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d  # noqa: F401

__all__ = ["SyncBatchNorm"]


class SyncBatchNorm(_BatchNorm):
    """Normalises (N, C, \\*) per channel by the statistics of all ranks' batches, which may be of different sizes.

    In evaluation, and where there is no process group or one rank, it is BatchNorm.

    Args:
        num_features: C
        eps: added to the variance
        momentum: part of a new batch in the running statistics; None: their plain average
        affine: learn a scale and a shift of each channel
        track_running_stats: keep running statistics for evaluation
        process_group: the ranks; None: all of the job
        bias: affine has a bias beside the weight
    """

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
                 track_running_stats: bool = True, process_group=None, device=None, dtype=None, *, bias: bool = True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, bias, device, dtype)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    def _normalise(self, input: Tensor, mean: Tensor | None, var: Tensor | None, training: bool, momentum: float) -> Tensor:
        from ... import _haft, distributed
        if not (training and self.training and distributed.is_initialized() and distributed.get_world_size(self.process_group) > 1):
            return super()._normalise(input, mean, var, training, momentum)
        return _haft.parallel_sync_batch_norm(distributed._of(self.process_group)._native, input, self.weight, self.bias, mean, var,
                                              momentum, self.eps)

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        """Replaces every batch norm of the module by one over the ranks, with the same parameters and buffers; answers the module."""
        result = module
        if isinstance(module, _BatchNorm) and not isinstance(module, SyncBatchNorm):
            result = cls(module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats, process_group,
                         bias=module.bias is not None)
            result._parameters.update(module._parameters)
            result._buffers.update(module._buffers)
            result.training = module.training
        for name, child in module.named_children():
            result.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return result
