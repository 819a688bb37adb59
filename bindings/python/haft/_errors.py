"""haft's exceptions. Each is a RuntimeError, as PyTorch raises, and the kind of error that Python has for it."""


class Error(RuntimeError):
    """A failed call: `code` (the C status), `function`, `argument` and `hint` tell more."""
    code = 99
    function = argument = hint = ""


BY_STATUS = {}
for _name, _statuses, _kinds, _text in (
        ("InvalidArgumentError", (1, 16), (ValueError,), "A value that the call does not take."),
        ("ShapeError", (2,), (ValueError,), "Sizes that do not fit together."),
        ("DtypeError", (3,), (TypeError,), "An element type that the operation does not take."),
        ("DeviceError", (4,), (), "Tensors on different devices, or a device that does not exist."),
        ("IndexOutOfRangeError", (5,), (IndexError,), "An index outside its range."),
        ("OutOfMemoryError", (6, 7), (MemoryError,), "The allocator or its limit said no."),
        ("StaleHandleError", (8, 9), (), "An object that was released already."),
        ("BusyError", (10, 19), (), "Another thread is using the object."),
        ("AutogradError", (11,), (), "The graph cannot do this: freed, spoiled in place, or not there."),
        ("UnsupportedError", (12,), (NotImplementedError,), "This device, dtype, engine or object does not do it, or not while it records."),
        ("UnavailableError", (13,), (), "A plug-in, driver or library is missing."),
        ("FileError", (14,), (OSError,), "The system refused a file operation."),
        ("CorruptFileError", (15,), (ValueError,), "A file's content is not what its format says."),
        ("CallbackError", (17,), (), "A callback failed without an exception of its own."),
        ("ForkedError", (18,), (), "The object did not survive fork()."),
        ("QueueFullError", (21,), (), "As many requests wait as may."),
        ("CancelledError", (22,), (), "Somebody said so, or what would do it is closed."),
        ("TimedOutError", (23,), (TimeoutError,), "The time that the caller gave has passed."),
        ("PeerLostError", (24,), (ConnectionError,), "A process of the group is gone."),
        ("MismatchError", (25,), (), "The processes of a group called different things."),
        ("LinAlgError", (26,), (), "A matrix that has no answer: singular, not positive definite, not finite, no convergence."),
        ("InternalError", (99,), (), "A bug in haft.")):
    globals()[_name] = _class = type(_name, (Error, *_kinds), {"__doc__": _text, "__module__": __name__})
    BY_STATUS.update(dict.fromkeys(_statuses, _class))
__all__ = sorted({"Error", *(c.__name__ for c in BY_STATUS.values())})
