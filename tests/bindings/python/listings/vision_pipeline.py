"""Fashion-MNIST through torchvision's names, with augmentation in worker threads or processes."""
import torch
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

transform = transforms.Compose([transforms.RandomCrop(28, padding=2), transforms.RandomHorizontalFlip(), transforms.ToTensor(),
                                transforms.Normalize((0.2860,), (0.3530,))])
train = datasets.FashionMNIST("data", train=True, download=True, transform=transform)
test = datasets.FashionMNIST("data", train=False, transform=transforms.ToTensor())
print(len(train), len(test), test.classes[test[0][1]], test.targets[:5].tolist())
torch.manual_seed(0)
images, labels = next(iter(DataLoader(train, batch_size=64, shuffle=True, num_workers=2)))
print(images.shape, images.dtype, labels.shape, labels.dtype)
print(f"{torch.cat([x for x, _ in DataLoader(test, batch_size=1000)]).mean().item():.4f}")
