#!/usr/bin/env python3
"""A differentiable function of your own: softclip(x) = x / sqrt(1 + x^2), with its gradient written in operators, so that
gradients of the gradient exist too. gradcheck compares both with differences.

usage: custom_function.py"""
import haft
from haft.autograd import Function, gradcheck, gradgradcheck


class SoftClip(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * (1 + x * x).rsqrt()

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return grad * (1 + x * x).rsqrt() ** 3  # d softclip = (1 + x^2)^(-3/2)


softclip = SoftClip.apply
x = haft.tensor([-3, -0.5, 0, 0.5, 3], dtype=haft.float64, requires_grad=True)
print("softclip =", softclip(x))
assert gradcheck(softclip, (x,)) and gradgradcheck(softclip, (x,))
print("first and second derivatives agree with differences")
