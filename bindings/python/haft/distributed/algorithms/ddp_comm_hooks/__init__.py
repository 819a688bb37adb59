"""Communication hooks by PyTorch's names, which run in the engine."""
from . import default_hooks, post_localSGD_hook, powerSGD_hook

__all__ = ["default_hooks", "post_localSGD_hook", "powerSGD_hook"]
