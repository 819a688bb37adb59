"""What tells a module which gradients pass through it. Loaded when the first backward hook runs."""
from __future__ import annotations

from ... import Tensor
from ...autograd import Function


class _Watch(Function):
    """Identity. Shows the gradients that come back to ``seen``, which may answer others."""

    @staticmethod
    def forward(ctx, seen, *tensors):
        ctx.seen = seen
        return tuple(t.detach() for t in tensors)

    @staticmethod
    def backward(ctx, *grads):
        return (None, *ctx.seen(grads))


class BackwardHooks:
    """One call of a module with full backward hooks: what its inputs and outputs are wrapped in."""

    def __init__(self, module, hooks, pre_hooks):
        self.module = module
        self.hooks = hooks
        self.pre_hooks = pre_hooks
        self.grad_outputs = None
        self.input_places = None  # positions of the inputs that take gradients; None: no input does
        self.input_count = 0

    def watch_inputs(self, args: tuple) -> tuple:
        places = [i for i, a in enumerate(args) if isinstance(a, Tensor) and a.requires_grad]
        self.input_count = len(args)
        if not places or not self.hooks:
            return args
        self.input_places = places
        watched = _Watch.apply(self._at_inputs, *(args[i] for i in places))
        args = list(args)
        for i, t in zip(places, watched if isinstance(watched, tuple) else (watched,)):
            args[i] = t
        return tuple(args)

    def watch_outputs(self, result):
        outputs = result if isinstance(result, tuple) else (result,)
        places = [i for i, o in enumerate(outputs) if isinstance(o, Tensor) and o.requires_grad]
        if not places:
            return result
        count = len(outputs)

        def at_outputs(grads):
            full = [None] * count
            for i, g in zip(places, grads):
                full[i] = g
            full = tuple(full)
            for hook in self.pre_hooks:
                answer = hook(self.module, full)
                if answer is not None:
                    full = answer if isinstance(answer, tuple) else (answer,)
                    if len(full) != count:
                        raise RuntimeError(f"Backward pre hook returned an invalid number of grad_output, got {len(full)}, but expected {count}")
            self.grad_outputs = full
            if self.input_places is None:
                self._run((None,) * self.input_count)
            return tuple(full[i] for i in places)

        watched = _Watch.apply(at_outputs, *(outputs[i] for i in places))
        outputs = list(outputs)
        for i, t in zip(places, watched if isinstance(watched, tuple) else (watched,)):
            outputs[i] = t
        return tuple(outputs) if isinstance(result, tuple) else outputs[0]

    def _at_inputs(self, grads):
        full = [None] * self.input_count
        for i, g in zip(self.input_places, grads):
            full[i] = g
        full = self._run(tuple(full))
        return tuple(full[i] for i in self.input_places)

    def _run(self, grad_inputs: tuple) -> tuple:
        for hook in self.hooks:
            answer = hook(self.module, grad_inputs, self.grad_outputs)
            if answer is None:
                continue
            if self.input_places is None:
                raise RuntimeError("Backward hook for Modules where no input requires gradient should always "
                                   "return None or None for all gradients.")
            answer = answer if isinstance(answer, tuple) else (answer,)
            if len(answer) != len(grad_inputs):
                raise RuntimeError(f"Backward hook returned an invalid number of grad_input, got {len(answer)}, "
                                   f"but expected {len(grad_inputs)}")
            grad_inputs = answer
        return grad_inputs
