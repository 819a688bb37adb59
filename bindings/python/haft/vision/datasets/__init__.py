"""Image datasets from files that are there already: nothing is ever downloaded."""
from .cifar import CIFAR10, CIFAR100
from .fake import FakeData
from .folder import DatasetFolder, ImageFolder
from .mnist import EMNIST, FashionMNIST, KMNIST, MNIST
from .vision import VisionDataset

__all__ = ["CIFAR10", "CIFAR100", "DatasetFolder", "EMNIST", "FakeData", "FashionMNIST", "ImageFolder", "KMNIST", "MNIST", "VisionDataset"]
