"""torch.accelerator: the one kind of device beside the CPU, whatever it is; here a CUDA device where the plug-in finds one."""
from . import cuda as _cuda
from ._device import device as _device

__all__ = ["current_accelerator", "current_device_index", "current_device_idx", "current_stream", "device_count", "is_available",
           "set_device_idx", "set_device_index", "set_stream", "synchronize"]


is_available, device_count = _cuda.is_available, _cuda.device_count


def current_accelerator(check_available=False):
    """The kind of accelerator as a device without index; None where haft has found none."""
    return _device("cuda") if is_available() else None


def _needed(name):
    if not is_available():
        raise RuntimeError(f"haft.accelerator.{name}: no accelerator is available (`haft-doctor` says what was looked for)")


def current_device_index():
    """The index of this thread's device."""
    _needed("current_device_index")
    return _cuda.current_device()


def set_device_index(device):
    """Sets this thread's device: an index or a device."""
    _needed("set_device_index")
    _cuda.set_device(device)


current_device_idx, set_device_idx = current_device_index, set_device_index


def current_stream(device=None):
    """This thread's stream on a device."""
    _needed("current_stream")
    return _cuda.current_stream(device)


def set_stream(stream):
    """Makes a stream this thread's."""
    _needed("set_stream")
    _cuda.set_stream(stream)


def synchronize(device=None):
    """Waits for all work of a device."""
    _needed("synchronize")
    _cuda.synchronize(device)
