"""haft under PyTorch's names: after install(), `import torch` and `import torchvision` give haft's modules, so that a program
written for PyTorch runs as it is. `python -m haft.compat program.py ...` runs one that way.

What haft prints of itself says torch meanwhile: torch.float32, x.type() == "torch.FloatTensor". torch.__version__ is haft's version.

A module that haft does not have is a ModuleNotFoundError, as it is for any package.
"""
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys

from .._names import show

__all__ = ["install", "installed", "uninstall"]

_ROOT = __name__.partition(".")[0]
_NAMES = {"torch": _ROOT, "torchvision": _ROOT + ".vision"}
# Where haft keeps a module under another name than PyTorch.
_ELSEWHERE = {"torch.functional": _ROOT, "torch.futures": _ROOT + ".jit", "torch.amp.autocast_mode": _ROOT + ".amp", "torch.cuda.amp.autocast_mode": _ROOT + ".cuda.amp",
              "torch.cuda.amp.grad_scaler": _ROOT + ".cuda.amp", "torch.nn.utils.memory_format": _ROOT + ".nn.utils.init",
              "torch.autograd.profiler": _ROOT + ".profiler", "torch.distributed.distributed_c10d": _ROOT + ".distributed",
              **{"torch." + name: _ROOT + "._unserved" for name in ("mps", "mtia", "xpu")},
              "torchvision.transforms.transforms": _ROOT + ".vision.transforms",
              **{"torch.nn.modules." + name: _ROOT + ".nn.modules" for name in (
                  "channelshuffle", "fold", "instancenorm", "pixelshuffle", "transformer", "upsampling")},
              **{"torch.distributions." + name: _ROOT + ".distributions" for name in (
                  "bernoulli", "beta", "binomial", "categorical", "cauchy", "chi2", "dirichlet", "exponential", "fishersnedecor", "gamma", "geometric",
                  "gumbel", "half_cauchy", "half_normal", "independent", "laplace", "log_normal", "mixture_same_family", "multinomial",
                  "multivariate_normal", "negative_binomial", "normal", "one_hot_categorical", "pareto", "poisson", "relaxed_bernoulli",
                  "relaxed_categorical", "studentT", "uniform", "weibull", "continuous_bernoulli", "generalized_pareto", "inverse_gamma", "kumaraswamy",
                  "lkj_cholesky", "logistic_normal", "lowrank_multivariate_normal", "transformed_distribution", "von_mises", "wishart")}}


def _ours(name):
    """The name of haft's module for one of PyTorch's, or None."""
    if name in _ELSEWHERE:
        return _ELSEWHERE[name]
    top, dot, rest = name.partition(".")
    return _NAMES[top] + dot + rest if top in _NAMES else None


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    # Hands out haft's own module objects under the other name: classes stay the same objects, and nothing is loaded twice.
    def find_spec(self, name, path=None, target=None):
        ours = _ours(name)
        if ours is None:
            return None
        try:
            found = importlib.util.find_spec(ours)
        except ModuleNotFoundError:
            found = None
        if found is None:
            raise ModuleNotFoundError(f"No module named {name!r}: haft.compat is installed, and haft has no {ours!r}", name=name)
        return importlib.machinery.ModuleSpec(name, self, is_package=found.submodule_search_locations is not None)

    def create_module(self, spec):
        module = importlib.import_module(_ours(spec.name))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        # The import system has just written the alias into __spec__.
        module.__spec__ = module.__spec__.loader_state


_alias = _Alias()


def installed():
    return _alias in sys.meta_path


def install():
    """From here on `import torch` gives haft. Raises ImportError when PyTorch itself is loaded already."""
    if installed():
        return
    for name in _NAMES:
        module = sys.modules.get(name)
        if module is not None and not module.__name__.startswith(_ROOT):
            raise ImportError(f"haft.compat.install: {name} is loaded already, from {getattr(module, '__file__', None)}. "
                              "Call install() before the first `import torch`.", name=name)
    sys.meta_path.insert(0, _alias)
    show("torch")


def uninstall():
    """Takes the names away again; modules that were imported under them go on working."""
    if not installed():
        return
    sys.meta_path.remove(_alias)
    show(_ROOT)
    for name in [n for n in sys.modules if n.partition(".")[0] in _NAMES]:
        del sys.modules[name]
    importlib.invalidate_caches()
