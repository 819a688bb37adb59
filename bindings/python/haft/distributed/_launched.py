"""What the launcher of this process has told it."""
from typing import NamedTuple

from .. import _haft

__all__ = ["LaunchEnvironment", "get_node_local_rank", "is_torchelastic_launched", "launch_environment"]


class LaunchEnvironment(NamedTuple):
    """Who this process is, by haft-run, torchrun, mpirun, srun or a Kubernetes indexed job. One that none started is rank 0 of 1."""

    launcher: str  # "none", "haft-run", "torchrun", "openmpi", "pmix", "slurm" or "kubernetes"
    rank: int
    world_size: int
    local_rank: int  # among the processes of this machine
    local_world_size: int
    node_rank: int
    restart_count: int
    master_host: str  # empty: nobody said it
    master_port: int
    run_id: str


def launch_environment():
    """Reads the launcher's variables."""
    *numbers, port = _haft.launch_numbers()
    launcher, host, run = _haft.launch_texts().split("\n")
    return LaunchEnvironment(launcher, *numbers, host, port, run)


def get_node_local_rank(fallback_rank=None):
    """This process's number among those of its machine, as the launcher has it; without a launcher ``fallback_rank``."""
    told = launch_environment()
    if told.launcher != "none":
        return told.local_rank
    if fallback_rank is None:
        raise RuntimeError("get_node_local_rank: no launcher has told it (LOCAL_RANK); give fallback_rank")
    return int(fallback_rank)


def is_torchelastic_launched():
    """Whether haft-run or torchrun has started this process."""
    return launch_environment().launcher in ("haft-run", "torchrun")
