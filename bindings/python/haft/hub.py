"""Models by the hubconf.py of a folder, as torch.hub loads them. haft downloads nothing: what is wanted from elsewhere is looked for in
get_dir(), and an error says what to put where."""
import os as _os
import re as _re
import sys as _sys
from urllib.parse import urlparse  # programs import it from here

__all__ = ["download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir"]

_HUBCONF = "hubconf.py"
HASH_REGEX = _re.compile(r"-([a-f0-9]*)\.")  # the first digits of its SHA-256 in a file's name
_dir = None


def get_dir():
    """Where files are looked for: what set_dir() has set, else $TORCH_HOME/hub, else ~/.cache/torch/hub."""
    if _dir is not None:
        return _dir
    cache = _os.environ.get("XDG_CACHE_HOME", _os.path.join("~", ".cache"))
    return _os.path.join(_os.path.expanduser(_os.environ.get("TORCH_HOME", _os.path.join(cache, "torch"))), "hub")


def set_dir(d):
    """Sets that folder."""
    global _dir
    _dir = _os.path.expanduser(d)


def _folder(repo, source):
    if source == "local":
        return repo
    if source != "github":
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    owner, _, rest = repo.partition("/")
    name, _, ref = rest.partition(":")
    if not owner or not name:
        raise ValueError(f"a repository of GitHub is named owner/name or owner/name:reference, got {repo!r}")
    for branch in [ref] if ref else ["main", "master"]:
        folder = _os.path.join(get_dir(), "_".join((owner, name, branch.replace("/", "_"))))
        if _os.path.isdir(folder):
            return folder
    raise RuntimeError(f"haft.hub: {repo} is not in {get_dir()}, and haft downloads nothing: put a copy of the repository into {folder}, or call "
                       'with a folder of your own and source="local"')


def _hubconf(repo, source):
    from importlib.util import module_from_spec, spec_from_file_location
    folder = _os.path.abspath(_folder(_os.fspath(repo), source))
    path = _os.path.join(folder, _HUBCONF)
    if not _os.path.isfile(path):
        raise FileNotFoundError(f"haft.hub: {folder} has no {_HUBCONF}")
    spec = spec_from_file_location("hubconf", path)
    module = module_from_spec(spec)
    _sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    finally:
        _sys.path.remove(folder)
    missing = [name for name in getattr(module, "dependencies", ()) if not _found(name)]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")
    return module


def _found(name):
    from importlib.util import find_spec
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return name in _sys.modules


def _entry(module, name):
    if not isinstance(name, str):
        raise ValueError("Invalid input: model should be a string of function name")
    function = getattr(module, name, None)
    if not callable(function) or name.startswith("_"):
        raise RuntimeError(f"Cannot find callable {name} in hubconf")
    return function


def list(github, force_reload=False, skip_validation=False, trust_repo=None, verbose=True, source=None):
    """The names of what a hubconf.py offers. github: a folder, or owner/name:reference of which get_dir() holds a copy."""
    module = _hubconf(github, source or _guess(github))
    return [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]


def help(github, model, force_reload=False, skip_validation=False, trust_repo=None, source=None):
    """The docstring of what a hubconf.py offers under that name."""
    return _entry(_hubconf(github, source or _guess(github)), model).__doc__


def _guess(github):
    return "local" if _os.path.isfile(_os.path.join(github, _HUBCONF)) else "github"


def load(repo_or_dir, model, *args, source="github", trust_repo=None, force_reload=False, verbose=True, skip_validation=False, **kwargs):
    """What the function `model` of a hubconf.py answers to the other arguments. The file is a program: load what you trust."""
    return _entry(_hubconf(repo_or_dir, source), model)(*args, **kwargs)


def download_url_to_file(url, dst, hash_prefix=None, progress=True):
    """Not there: raises NotImplementedError."""
    raise NotImplementedError(f"haft.hub.download_url_to_file: haft downloads nothing. Put {url} at {dst} by other means.")


def load_state_dict_from_url(url, model_dir=None, map_location=None, progress=True, check_hash=False, file_name=None, weights_only=False):
    """haft.load() of a file that is there already: model_dir (default: get_dir()/checkpoints) and the URL's last part or file_name."""
    from .serialization import load as _load
    path = _os.path.join(model_dir or _os.path.join(get_dir(), "checkpoints"), file_name or _os.path.basename(urlparse(url).path))
    if not _os.path.isfile(path):
        raise FileNotFoundError(f"haft.hub: {path} is not there, and haft downloads nothing: put the file of {url} there")
    return _load(path, map_location=map_location, weights_only=weights_only or None)
