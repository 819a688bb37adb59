"""Gradients of convolutions by themselves, by the names of torch.nn.grad: the graph's, of tensors that are not kept."""
from .. import enable_grad, zeros
from .._names import called
from ..autograd import grad
from . import functional as F

__all__ = [f"conv{n}d_{what}" for n in (1, 2, 3) for what in ("input", "weight")]


def _gradient(n, what):
    convolution = getattr(F, f"conv{n}d")

    def of_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
        x = zeros(input_size, dtype=weight.dtype, device=weight.device, requires_grad=True)
        with enable_grad():
            y = convolution(x, weight.detach(), None, stride, padding, dilation, groups)
        return grad(y, x, grad_output)[0]

    def of_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
        w = zeros(weight_size, dtype=input.dtype, device=input.device, requires_grad=True)
        with enable_grad():
            y = convolution(input.detach(), w, None, stride, padding, dilation, groups)
        return grad(y, w, grad_output)[0]
    return called(f"conv{n}d_{what}", f"The gradient of F.conv{n}d's {what}, of the size that is given, from that of its result.",
                  of_input if what == "input" else of_weight)


globals().update((f"conv{n}d_{what}", _gradient(n, what)) for n in (1, 2, 3) for what in ("input", "weight"))
