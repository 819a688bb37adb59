"""Devices."""
from _thread import _local

_befores = _local()  # the defaults that open `with` blocks of this thread will bring back


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
        _befores.stack = (_haft.default_device(), getattr(_befores, "stack", None))
        _haft.set_default_device(self)
        return self

    def __exit__(self, *exc):
        from ._library import _haft
        before, _befores.stack = _befores.stack
        _haft.set_default_device(before)


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


def cuda_device(which=None):
    """That CUDA device, by its number too; without one that of this thread's default where it is one of CUDA's, else the first."""
    from ._library import _haft
    count, why = look_for_cuda()
    if not count:
        raise RuntimeError(f"There is no CUDA device: {why}")
    if which is None:
        default = device(_haft.default_device())
        which = default.index or 0 if default.type == "cuda" else 0
    return device("cuda", which) if isinstance(which, int) else device(which)
