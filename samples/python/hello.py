#!/usr/bin/env python3
"""haft in a minute: tensors, a mistake, a gradient.

usage: hello.py"""
import haft

print(f"haft {haft.__version__} on {haft.tensor(0).device}")

a = haft.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
b = haft.ones(3)
print(a + b)  # (2, 3) + (3): broadcast

# A mistake is an exception with a message; nothing is lost and the program goes on.
try:
    a @ a
except RuntimeError as error:
    print("as expected:", error)

x = haft.tensor(2.0, requires_grad=True)
(x ** 3).backward()
print("the derivative of x^3 at 2 is", x.grad.item())
