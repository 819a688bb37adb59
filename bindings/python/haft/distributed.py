"""Several processes that train one model: haft has none of it, and says so as PyTorch does where it was built without."""

__all__ = ["get_rank", "get_world_size", "init_process_group", "is_available", "is_initialized"]


def is_available():
    """False."""
    return False


def is_initialized():
    """False: there can be no group of processes."""
    return False


def _refuse(*args, **kwargs):
    raise RuntimeError("haft has no distributed package: haft.distributed.is_available() is False. haft.multiprocessing.spawn starts "
                       "processes, and samplers take num_replicas and rank.")


def init_process_group(*args, **kwargs):
    """Raises RuntimeError."""
    _refuse()


def get_rank(group=None):
    """Raises RuntimeError: there is no group of processes."""
    _refuse()


def get_world_size(group=None):
    """Raises RuntimeError: there is no group of processes."""
    _refuse()
