"""Devices."""
from _thread import _local

# Of this thread: the defaults that open `with` blocks will bring back, and the type ("cuda") where the default is its current device.
_befores = _local()


class device:
    """Where a tensor lives: device("cpu"), device("cuda:1"), device("cuda", 1). A context manager makes it the default."""
    __slots__ = ("type", "index")

    def __init__(self, type, index=None):
        if isinstance(type, device):
            type, index = type.type, type.index
        elif isinstance(type, int):
            type, index = "cuda", type
        elif not isinstance(type, str):
            raise TypeError(f"device() takes a str, an int or a device, got {type!r}")
        elif ":" in type:
            if index is not None:
                raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {type}")
            type, _, number = type.partition(":")
            if not number.isdigit():
                raise RuntimeError(f"Invalid device string: '{type}:{number}'")
            index = int(number)
        if not type.isidentifier():
            raise RuntimeError(f"Invalid device string: '{type}'")
        self.type = type
        self.index = index

    def __str__(self):
        return self.type if self.index is None or self.type == "cpu" else f"{self.type}:{self.index}"

    def __repr__(self):
        return f"device(type='{self.type}')" if self.index is None else f"device(type='{self.type}', index={self.index})"

    def __eq__(self, other):
        if not isinstance(other, device):
            return NotImplemented
        return self.type == other.type and self.index == other.index

    def __hash__(self):
        return hash((self.type, self.index))

    def __reduce__(self):
        return device, (self.type, self.index)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __enter__(self):
        from ._library import _haft
        before = _haft.default_device(), getattr(_befores, "follows", None), getattr(_befores, "stack", None)
        _haft.set_default_device(self)
        note_default(self)
        _befores.stack = before
        return self

    def __exit__(self, *exc):
        from ._library import _haft
        before, _befores.follows, _befores.stack = _befores.stack
        _haft.set_default_device(_befores.follows or before)


def note_default(which):
    """The default device was set: without an index it goes with the current one."""
    which = None if which is None else device(which)
    _befores.follows = which.type if which is not None and which.index is None and which.type != "cpu" else None


def set_current(which):
    """The device that this thread means by its type's name alone."""
    from ._library import _haft
    _haft.set_current_device(which)
    if getattr(_befores, "follows", None) == which.type:
        _haft.set_default_device(which.type)


cpu = device("cpu")


_cuda = None  # (number of devices, why there is none)


def look_for_cuda():
    """How many CUDA devices there are, and why there is none."""
    global _cuda
    if _cuda is None:
        from ._library import _haft
        try:
            _cuda = _haft.device_count("cuda"), ""
            _haft.memory_stats(device("cuda:0"))  # says why there is none
        except RuntimeError as error:
            _cuda = 0, str(error)
    return _cuda


def restored(t, location):
    """A tensor of the host, back on the device of that name, which it was saved from."""
    if location == "cpu":
        return t
    kind, _, index = location.partition(":")
    if kind == "cuda":
        count, why = look_for_cuda()
        if not count:
            raise RuntimeError("Attempting to deserialize object on a CUDA device but haft.cuda.is_available() is False. If you are running on a CPU-only "
                               f"machine, please use haft.load with map_location=haft.device('cpu') to map your storages to the CPU. {why}")
        if int(index or 0) >= count:
            raise RuntimeError(f"Attempting to deserialize object on CUDA device {index} but haft.cuda.device_count() is {count}. Please use haft.load "
                               "with map_location to map your storages to an existing device.")
    return t.to(device=location)


def library_version(name):
    """Of one of NVIDIA's libraries ("cuDNN") as the plug-in has found it, three numbers; None where there is no CUDA device, or not that library."""
    from ._library import _haft
    if not look_for_cuda()[0]:
        return None
    line = next((text for text in _haft.describe_device(_haft.current_device("cuda")).splitlines() if text.startswith(name + ": ")), "")
    numbers = line.removeprefix(name + ": ").split(",")[0].split(".")
    return tuple(map(int, numbers)) if len(numbers) == 3 and all(map(str.isdigit, numbers)) else None


def cuda_device(which=None):
    """That CUDA device, by its number too; without one, or without an index, this thread's current one."""
    from ._library import _haft
    count, why = look_for_cuda()
    if not count:
        raise RuntimeError(f"There is no CUDA device: {why}")
    if isinstance(which, int):
        return device("cuda", which)
    which = None if which is None else device(which)
    return _haft.current_device("cuda") if which is None or (which.type == "cuda" and which.index is None) else which
