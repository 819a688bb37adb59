"""torch.accelerator: the one kind of device beside the CPU, whatever it is; here a CUDA device where the plug-in finds one."""
from . import cpu as _cpu, cuda as _cuda
from ._device import device as _device
from ._names import called as _called

__all__ = ["current_accelerator", "current_device_index", "current_device_idx", "current_stream", "device_count", "is_available",
           "set_device_idx", "set_device_index", "set_stream", "synchronize"]


is_available, device_count = _cuda.is_available, _cuda.device_count


def get_device_module(device=None):
    """haft.cuda for a CUDA device, haft.cpu for the CPU; without one that of the accelerator, where there is one."""
    kind = ("cuda" if is_available() else "cpu") if device is None else _device(device).type
    if kind not in ("cpu", "cuda"):
        raise RuntimeError(f"Invalid device type {kind!r}: haft has modules for 'cpu' and 'cuda'")
    return _cuda if kind == "cuda" else _cpu


def current_accelerator(check_available=False):
    """The kind of accelerator as a device without index; None where haft has found none."""
    return _device("cuda") if is_available() else None


def _of_cuda(name, function, text):
    def call(*arguments, **named):
        if not is_available():
            raise RuntimeError(f"haft.accelerator.{name}: no accelerator is available (`haft-doctor` says what was looked for)")
        return function(*arguments, **named)
    return _called(name, text, call)


current_device_index = _of_cuda("current_device_index", _cuda.current_device, "The index of this thread's device.")
set_device_index = _of_cuda("set_device_index", _cuda.set_device, "Sets this thread's device: an index or a device.")
current_device_idx, set_device_idx = current_device_index, set_device_index
current_stream = _of_cuda("current_stream", _cuda.current_stream, "This thread's stream on a device; None: the present one.")
set_stream = _of_cuda("set_stream", _cuda.set_stream, "Makes a stream this thread's.")
synchronize = _of_cuda("synchronize", _cuda.synchronize, "Waits for all work of a device; None: the present one.")
