"""Networks for images with torchvision's names of parameters, so that its files load. Weights are never downloaded: load a state."""
from .lenet import LeNet, lenet
from .resnet import BasicBlock, Bottleneck, ResNet, resnet18, resnet34, resnet50, resnet101, resnet152

__all__ = ["BasicBlock", "Bottleneck", "LeNet", "ResNet", "lenet", "resnet101", "resnet152", "resnet18", "resnet34", "resnet50"]
