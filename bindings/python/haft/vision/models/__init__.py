"""Networks for images with torchvision's names of parameters, so that its files load. Weights are never downloaded: load a state."""
from . import classic, inception, mobile, modern, transformer
from ..._names import also as _also
from .classic import *  # noqa: F401,F403
from .inception import *  # noqa: F401,F403
from .lenet import LeNet, lenet
from .mobile import *  # noqa: F401,F403
from .modern import *  # noqa: F401,F403
from .resnet import BasicBlock, Bottleneck, ResNet, resnet18, resnet34, resnet50, resnet101, resnet152, resnext50_32x4d, resnext101_32x8d, wide_resnet50_2, \
    wide_resnet101_2
from .transformer import *  # noqa: F401,F403

__all__ = [*classic.__all__, *inception.__all__, *mobile.__all__, *modern.__all__, *transformer.__all__, "BasicBlock", "Bottleneck", "LeNet", "ResNet", "lenet",
           "resnet101", "resnet152", "resnet18", "resnet34", "resnet50", "resnext50_32x4d", "resnext101_32x8d", "wide_resnet50_2", "wide_resnet101_2",
           "get_model"]

# A module each, in torchvision.
for _module, _names in ((classic, "densenet mobilenetv2 squeezenet vgg"), (mobile, "efficientnet mnasnet mobilenetv3 shufflenetv2"), (modern,
                                                                                                                                      "convnext regnet"),
                        (transformer, "swin_transformer vision_transformer")):
    _also(__name__, _names, _module)


def get_model(name, **config):
    """The network of that name."""
    if name not in __all__ or not callable(globals()[name]):
        raise ValueError(f"Unknown model {name}")
    return globals()[name](**config)


class _Weights:
    # What programs name to have weights downloaded, which the networks refuse.
    def __init__(self, name):
        self._name = name

    def __getattr__(self, entry):
        if entry[0] == "_":
            raise AttributeError(entry)
        return f"{self._name}.{entry}"


def __getattr__(name):
    if name.endswith("_Weights"):
        return _Weights(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
