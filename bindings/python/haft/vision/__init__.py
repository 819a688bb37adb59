"""Image datasets, networks, transforms and pictures of batches, in torchvision's manner."""
from .._names import lazy

__getattr__, __dir__ = lazy(__name__, ("datasets", "models", "transforms", "utils"))
