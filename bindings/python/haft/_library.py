"""Loads the shim and checks that the engine beside it is the one that it was built for."""
import atexit as _atexit
from os import register_at_fork as _register_at_fork

try:
    from . import _haft
except ImportError as error:
    raise ImportError(f"haft: the native library could not be loaded: {error}. The package looks for libhaft.so.1 in its own "
                      "folder, then where the system's loader looks.") from error


def _version(number):
    return f"{number // 1000000}.{number // 1000 % 1000}.{number % 1000}"


def check_version(found=None, built=None):
    """Raises ImportError, naming both files, when the library is older than the shim or of another major version."""
    found = _haft.version_number() if found is None else found
    built = _haft.header_version() if built is None else built
    if found // 1000000 != built // 1000000 or found < built:
        raise ImportError(f"haft: {_haft.__file__} was built for libhaft {_version(built)}, but the process has loaded libhaft "
                          f"{_version(found)} from {_haft.library_path()}")


check_version()
_haft.setup(_haft, _haft.Tensor)
_atexit.register(_haft.end_of_python)
_register_at_fork(after_in_child=_haft.after_fork)

# Tensor as SWIG made it: the layer replaces what PyTorch calls differently.
GENERATED = {_name: getattr(_haft.Tensor, _name) for _name in vars(_haft.Tensor) if not _name.startswith("__")}
raw = type("raw", (), {_name: staticmethod(_value) for _name, _value in GENERATED.items()})
