"""Fully sharded data parallel: of each parameter a process keeps some rows, and has the whole only while its module computes (docs/sharding.md)."""
from . import wrap
from ._fully_shard import (CPUOffloadPolicy, FSDPModule, MixedPrecisionPolicy, OffloadPolicy, UnshardHandle, fully_shard,
                           register_fsdp_forward_method)
from .fully_sharded_data_parallel import (BackwardPrefetch, CPUOffload, FullStateDictConfig, FullyShardedDataParallel, LocalStateDictConfig,
                                          MixedPrecision, ShardedStateDictConfig, ShardingStrategy, StateDictConfig, StateDictType)

__all__ = ["BackwardPrefetch", "CPUOffload", "CPUOffloadPolicy", "FSDPModule", "FullStateDictConfig", "FullyShardedDataParallel",
           "LocalStateDictConfig", "MixedPrecision", "MixedPrecisionPolicy", "OffloadPolicy", "ShardedStateDictConfig", "ShardingStrategy",
           "StateDictConfig", "StateDictType", "UnshardHandle", "fully_shard", "register_fsdp_forward_method", "wrap"]
