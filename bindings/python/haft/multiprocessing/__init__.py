"""The standard multiprocessing module, and spawn().

Tensors travel through its queues, pipes and process arguments as copies; those that share_memory_() has put into shared memory
travel as that memory, so that both sides see each other's writes. In a forked child the CPU works; devices of plug-ins answer with
an error, so start children that use one with "spawn".
"""
import multiprocessing
from multiprocessing import *  # noqa: F401,F403

from ._shared import get_all_sharing_strategies, get_sharing_strategy, set_sharing_strategy
from .spawn import (ProcessContext, ProcessException, ProcessExitedException, ProcessRaisedException, SpawnContext, spawn,
                    start_processes)

__all__ = list(multiprocessing.__all__) + ["ProcessContext", "ProcessException", "ProcessExitedException",
                                           "ProcessRaisedException", "SpawnContext", "get_all_sharing_strategies", "get_sharing_strategy",
                                           "set_sharing_strategy", "spawn", "start_processes"]
