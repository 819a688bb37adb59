"""The standard multiprocessing module, and spawn().

Tensors travel through its queues and pipes as copies: pickled with their elements. In a forked child the CPU works; devices of
plug-ins answer with an error, so start children that use one with "spawn".
"""
import multiprocessing
from multiprocessing import *  # noqa: F401,F403

from .spawn import (ProcessContext, ProcessException, ProcessExitedException, ProcessRaisedException, SpawnContext, spawn,
                    start_processes)

__all__ = list(multiprocessing.__all__) + ["ProcessContext", "ProcessException", "ProcessExitedException",
                                           "ProcessRaisedException", "SpawnContext", "spawn", "start_processes"]
