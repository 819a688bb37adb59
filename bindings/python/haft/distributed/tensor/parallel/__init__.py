"""Tensor parallel: parallelize_module() replaces layers by ones that keep a part of their weights on each rank, equal to the dense
model up to rounding.

    mesh = init_device_mesh("cpu", (4,), mesh_dim_names=("tp",))
    parallelize_module(block, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
"""
from .._dtensor import loss_parallel
from ._gradients import clip_grad_norm_, join_gradients, parameter_copies, random_of_rank
from ._layers import ColumnParallelLinear, RowParallelLinear, VocabParallelEmbedding, vocab_parallel_cross_entropy
from ._style import (ColwiseParallel, ParallelStyle, PrepareModuleInput, PrepareModuleInputOutput, PrepareModuleOutput, RowwiseParallel,
                     SequenceParallel, parallelize_module)

__all__ = ["ColumnParallelLinear", "ColwiseParallel", "ParallelStyle", "PrepareModuleInput", "PrepareModuleInputOutput", "PrepareModuleOutput",
           "RowParallelLinear", "RowwiseParallel", "SequenceParallel", "VocabParallelEmbedding", "clip_grad_norm_", "join_gradients",
           "loss_parallel", "parallelize_module", "parameter_copies", "random_of_rank", "vocab_parallel_cross_entropy"]
