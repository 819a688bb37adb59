"""Image datasets, networks, transforms, boxes and pictures, in torchvision's manner."""
from .._names import lazy

__getattr__, __dir__ = lazy(__name__, ("datasets", "io", "models", "ops", "transforms", "utils"))
