"""haft's version, as programs ask for PyTorch's."""
from ._library import _haft

__all__ = ["__version__", "cuda", "debug", "git_version", "hip"]

__version__ = _haft.version()
git_version = "unknown"  # nothing of a repository is in a package
debug = False
hip = None


def __getattr__(name):
    if name == "cuda":  # None without a device, as programs ask `torch.version.cuda is not None`
        from .cuda import _version
        return _version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
