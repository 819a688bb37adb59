"""haft's exceptions. Each is a RuntimeError, as PyTorch raises, and the kind of error that Python has for it."""

__all__ = ["AutogradError", "BusyError", "CallbackError", "CancelledError", "CorruptFileError", "DeviceError", "DtypeError",
           "Error", "FileError", "ForkedError", "IndexOutOfRangeError", "InternalError", "InvalidArgumentError",
           "MismatchError", "OutOfMemoryError", "PeerLostError", "QueueFullError", "ShapeError", "StaleHandleError",
           "TimedOutError", "UnavailableError", "UnsupportedError"]


class Error(RuntimeError):
    """A failed call: `code` (the C status), `function`, `argument` and `hint` tell more."""
    code = 99
    function = argument = hint = ""


class InvalidArgumentError(Error, ValueError):
    """A value that the call does not take."""


class ShapeError(Error, ValueError):
    """Sizes that do not fit together."""


class DtypeError(Error, TypeError):
    """An element type that the operation does not take."""


class DeviceError(Error):
    """Tensors on different devices, or a device that does not exist."""


class IndexOutOfRangeError(Error, IndexError):
    """An index outside its range."""


class OutOfMemoryError(Error, MemoryError):
    """The allocator or its limit said no."""


class StaleHandleError(Error):
    """An object that was released already."""


class BusyError(Error):
    """Another thread is using the object."""


class AutogradError(Error):
    """The graph cannot do this: freed, spoiled in place, or not there."""


class UnsupportedError(Error, NotImplementedError):
    """The device lacks the operator."""


class UnavailableError(Error):
    """A plug-in, driver or library is missing."""


class FileError(Error, OSError):
    """The system refused a file operation."""


class CorruptFileError(Error, ValueError):
    """A file's content is not what its format says."""


class CallbackError(Error):
    """A callback failed without an exception of its own."""


class ForkedError(Error):
    """The object did not survive fork()."""


class QueueFullError(Error):
    """As many requests wait as may."""


class CancelledError(Error):
    """Somebody said so, or what would do it is closed."""


class TimedOutError(Error, TimeoutError):
    """The time that the caller gave has passed."""


class PeerLostError(Error, ConnectionError):
    """A process of the group is gone."""


class MismatchError(Error):
    """The processes of a group called different things."""


class InternalError(Error):
    """A bug in haft."""


BY_STATUS = {
    1: InvalidArgumentError, 2: ShapeError, 3: DtypeError, 4: DeviceError, 5: IndexOutOfRangeError, 6: OutOfMemoryError,
    7: OutOfMemoryError, 8: StaleHandleError, 9: StaleHandleError, 10: BusyError, 11: AutogradError, 12: UnsupportedError,
    13: UnavailableError, 14: FileError, 15: CorruptFileError, 16: InvalidArgumentError, 17: CallbackError, 18: ForkedError,
    19: BusyError, 21: QueueFullError, 22: CancelledError, 23: TimedOutError,
    24: PeerLostError, 25: MismatchError, 99: InternalError,
}
