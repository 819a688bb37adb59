"""Making tensors, reading and writing parts of them, views, broadcasting, and sharing memory with NumPy."""
import numpy as np
import torch

# Creation.
print(torch.tensor([[1, 2], [3, 4]]))
print(torch.tensor([1.5, -2.25]))
print(torch.zeros(2, 3))
print(torch.ones(2, dtype=torch.int64))
print(torch.arange(0, 10, 3), torch.linspace(0, 1, 5))
print(torch.eye(3))
print(torch.full((2, 2), 7.0))
print(torch.empty(0).shape, torch.tensor(3.5))
x = torch.rand(5, 3)
print(x.shape, x.dtype, x.device, x.size(), x.size(0), x.dim(), x.numel())
print(torch.zeros_like(x).sum(), torch.randn(4, 4).shape, torch.randint(0, 5, (3,)).dtype)
print(torch.tensor([True, False]), torch.tensor([]).dtype, torch.tensor(3).item())

# Indexing.
t = torch.arange(12).reshape(3, 4)
print(t[0], t[-1, -1], t[:, 1], t[1:, ::2], t[..., 0])
print(t[t > 6], t[[0, 2]], t[torch.tensor([2, 0]), torch.tensor([1, 3])], t[None].shape)
t[0] = 100
t[:, 3] = torch.tensor([-1, -2, -3])
t[t == 100] = 0
print(t)

# Views share memory, copies do not.
v = t.view(-1)
v[1] = 55
print(t[0, 1].item(), t.t().shape, t.t().is_contiguous(), t.t().contiguous().is_contiguous())
print(t.unsqueeze(0).shape, t.reshape(2, 6).shape, t.permute(1, 0).stride(), t.flatten().shape)
c = t.clone()
c.zero_()
print(t.sum().item(), c.sum().item())
print([part.tolist() for part in t.split(2)], [part.shape for part in t.chunk(2, dim=1)])

# Arithmetic, broadcasting, types.
a = torch.tensor([[1.0], [2.0], [3.0]])
b = torch.tensor([10.0, 20.0])
print(a + b)
print((a * b).sum(dim=0), (a * b).mean(dim=1, keepdim=True))
print(a.add(1), torch.add(b, b, alpha=2), 1 - b, b / 4, b // 3, b % 3, -b, 2 ** torch.tensor([1.0, 2.0]))
print((torch.tensor([1, 2]) / 2).dtype, (torch.tensor([1, 2]) + 1.5).dtype, (torch.tensor([1], dtype=torch.uint8) + 1).dtype)
a.add_(1)
print(a.squeeze(), a.max(), a.argmax(), a.squeeze().topk(2).values)
values, indices = torch.max(torch.tensor([[1.0, 5.0], [7.0, 2.0]]), dim=1)
print(values, indices)
print(torch.cat([b, b]), torch.stack([b, b], dim=1))
print(torch.mm(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0], [4.0]])), torch.tensor([1.0, 2.0]) @ torch.tensor([3.0, 4.0]))
print(torch.where(b > 15, b, torch.zeros(2)), b.clamp(max=15), b.float().int(), b.to(torch.float64))
print(torch.allclose(b, b + 1e-9), torch.equal(b, b), (b == b).all(), bool((b > 15).any()))
for row in torch.tensor([[1, 2], [3, 4]]):
    print(row)

# NumPy's memory is ours.
n = np.ones(3, dtype=np.float32)
s = torch.from_numpy(n)
s.mul_(2)
n[0] = 5
print(n, s, s.numpy() is not None, np.add(s.numpy(), 1))
print(np.asarray(torch.arange(3)).dtype, torch.tensor(np.array([1.5, 2.5])).dtype)
try:
    torch.ones(2, 3) + torch.ones(2, 4)
except RuntimeError as error:
    print("size" in str(error))
try:
    t[5]
except IndexError:
    print("out of range")
