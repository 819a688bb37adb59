"""Networks for images with torchvision's names of parameters, so that its files load. Weights are never downloaded: load a state."""
from . import classic
from .classic import *  # noqa: F401,F403
from .lenet import LeNet, lenet
from .resnet import BasicBlock, Bottleneck, ResNet, resnet18, resnet34, resnet50, resnet101, resnet152, resnext50_32x4d, resnext101_32x8d, wide_resnet50_2, \
    wide_resnet101_2

__all__ = [*classic.__all__, "BasicBlock", "Bottleneck", "LeNet", "ResNet", "lenet", "resnet101", "resnet152", "resnet18", "resnet34", "resnet50",
           "resnext50_32x4d", "resnext101_32x8d", "wide_resnet50_2", "wide_resnet101_2"]
