"""Gradients, gradients of gradients, hooks, and a function of one's own."""
import torch

x = torch.ones(2, 2, requires_grad=True)
y = x + 2
z = y * y * 3
out = z.mean()
print(x.is_leaf, y.is_leaf, y.requires_grad, out)
out.backward()
print(x.grad)

# Gradients add up until they are cleared.
out = (x * x).sum()
out.backward()
print(x.grad)
x.grad = None

# A vector-Jacobian product.
v = torch.tensor([0.1, 1.0, 0.0001])
w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
u = w * 2
while u.data.norm() < 1000:
    u = u * 2
u.backward(v)
print(w.grad)

# Second and third derivatives of x^4 at 2.
t = torch.tensor(2.0, requires_grad=True)
first, = torch.autograd.grad(t ** 4, t, create_graph=True)
second, = torch.autograd.grad(first, t, create_graph=True)
third, = torch.autograd.grad(second, t)
print(first.item(), second.item(), third.item())

# A gradient penalty: the norm of a gradient is part of the loss.
a = torch.tensor([[1.0, -2.0], [0.5, 3.0]], requires_grad=True)
b = torch.tensor([[2.0], [1.0]], requires_grad=True)
score = torch.tanh(a @ b).sum()
ga, = torch.autograd.grad(score, a, create_graph=True)
penalty = (ga.norm() - 1) ** 2
penalty.backward()
print(b.grad)

# A Hessian, row by row.
p = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
f = (p ** 3).sum() + p[0] * p[1]
g, = torch.autograd.grad(f, p, create_graph=True)
hessian = torch.stack([torch.autograd.grad(g[i], p, retain_graph=True)[0] for i in range(3)])
print(hessian)

# Nothing is recorded here.
with torch.no_grad():
    print((x * 2).requires_grad)
print((x * 2).requires_grad, (x * 2).detach().requires_grad)


@torch.no_grad()
def double(value):
    return value * 2


print(double(x).requires_grad)

# A hook changes a gradient on its way.
h = torch.tensor([1.0, 2.0], requires_grad=True)
handle = h.register_hook(lambda grad: grad * 10)
(h * 3).sum().backward()
print(h.grad)
handle.remove()


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result, = ctx.saved_tensors
        return grad_output * result


i = torch.tensor([0.0, 1.0], dtype=torch.float64, requires_grad=True)
Exp.apply(i).sum().backward()
print(i.grad)
print(torch.autograd.gradcheck(Exp.apply, (i,)), torch.autograd.gradgradcheck(Exp.apply, (i,)))

# What was written in place meanwhile cannot be differentiated any more.
q = torch.ones(3, requires_grad=True)
r = q.exp()
s = r * r
r.add_(1)
try:
    s.sum().backward()
except RuntimeError:
    print("refused")
