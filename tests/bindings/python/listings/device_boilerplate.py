"""The lines that many programs begin with: choosing a device, seeding, flags."""
import argparse
import random

import torch
import torch.backends.cudnn as cudnn
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("folder", nargs="?")
parser.add_argument("--no-cuda", action="store_true", default=False)
args = parser.parse_args()
use_cuda = not args.no_cuda and torch.cuda.is_available()
random.seed(1)
torch.manual_seed(1)
if use_cuda:
    cudnn.deterministic = True
torch.cuda.manual_seed_all(1)
torch.backends.cudnn.benchmark = False
device = torch.device("cuda" if use_cuda else "cpu")
print(device, device.type, torch.cuda.device_count() if use_cuda else 0)
kwargs = {"num_workers": 1, "pin_memory": True} if use_cuda else {}
loader = torch.utils.data.DataLoader(list(range(5)), batch_size=2, **kwargs)
model = nn.Linear(1, 1).to(device)
total = torch.zeros(1, device=device)
for batch in loader:
    batch = batch.to(device, non_blocking=True)
    total += model(batch.float().unsqueeze(1)).detach().sum()
print(total.shape, next(model.parameters()).device, torch.get_num_threads() >= 1)
if torch.cuda.is_available():
    torch.cuda.synchronize()
print(torch.is_tensor(total), torch.is_grad_enabled(), total.is_cuda == use_cuda)
