"""Recordings: CUDAGraph, graph, and functions and modules whose forward and backward are recorded."""
from .._graphs import CUDAGraph, graph, graph_pool_handle
from .._library import _haft
from .._streams import Stream, current_stream, stream

__all__ = ["CUDAGraph", "graph", "graph_pool_handle", "is_current_stream_capturing", "make_graphed_callables"]

Tensor = _haft.Tensor


def is_current_stream_capturing():
    """Whether this thread records."""
    return _haft.is_recording()


def _flat(output):
    # The tensors of an output, and what makes it again of as many others.
    if isinstance(output, Tensor):
        return [output], lambda tensors: tensors[0]
    if isinstance(output, (tuple, list)) and all(isinstance(t, Tensor) for t in output):
        kind = type(output)
        return list(output), lambda tensors: kind(*tensors) if hasattr(kind, "_fields") else kind(tensors)
    raise TypeError(f"make_graphed_callables: a callable answers a tensor, or a tuple or list of tensors, not {type(output).__name__}")


class _Recorded:
    # One callable: its inputs (arguments, then parameters), and its two recordings, which share memory with those of the others.
    def __init__(self, function, arguments, parameters, allow_unused, pool):
        self.function, self.arguments, self.parameters, self.allow_unused, self.pool = function, arguments, parameters, allow_unused, pool
        self.inputs = (*arguments, *parameters)
        self.wanted = [t for t in self.inputs if t.requires_grad]
        self.forward, self.backward = CUDAGraph(), CUDAGraph()

    def _gradients(self, outputs, of_outputs):
        from ..autograd import grad
        if not self.wanted or not outputs:
            return []
        return grad(outputs, self.wanted, of_outputs, allow_unused=self.allow_unused)

    def run(self):
        outputs = [t for t in _flat(self.function(*self.arguments))[0] if t.requires_grad]
        self._gradients(outputs, [t.detach().clone() for t in outputs])

    def record_forward(self):
        with graph(self.forward, pool=self.pool):
            self.outputs, self.made = _flat(self.function(*self.arguments))

    def record_backward(self):
        differentiable = [t for t in self.outputs if t.requires_grad]
        self.of_outputs = [t.detach().clone() if t.requires_grad else None for t in self.outputs]
        with graph(self.backward, pool=self.pool):
            gradients = list(self._gradients(differentiable, [t for t in self.of_outputs if t is not None]))
        self.gradients = [gradients.pop(0) if t.requires_grad and gradients else None for t in self.inputs]
        self.outputs = [t.detach() for t in self.outputs]

    def replayed(self):
        """The function that replays."""
        from ..autograd import Function
        recorded = self

        class Graphed(Function):
            @staticmethod
            def forward(ctx, *inputs):
                for own, given in zip(recorded.arguments, inputs):
                    if own.data_ptr() != given.data_ptr():
                        own.detach().copy_(given)
                recorded.forward.replay()
                return tuple(t.detach() for t in recorded.outputs)

            @staticmethod
            def backward(ctx, *gradients):
                for own, given in zip(recorded.of_outputs, gradients):
                    if own is not None:
                        own.copy_(given)
                recorded.backward.replay()
                return tuple(None if t is None else t.detach() for t in recorded.gradients)

        def call(*arguments):
            if len(arguments) != len(recorded.arguments):
                raise TypeError(f"make_graphed_callables: recorded with {len(recorded.arguments)} arguments, called with {len(arguments)}")
            outputs = Graphed.apply(*arguments, *recorded.parameters)
            return recorded.made(list(outputs) if isinstance(outputs, (tuple, list)) else [outputs])

        return call


def make_graphed_callables(callables, sample_args, num_warmup_iters=3, allow_unused_input=False, pool=None, capture_error_mode="thread_local"):
    """Functions or modules whose calls replay recordings of their forward and, in backward, of their gradients: each a kernel launch's cost.

    callables: one, or a tuple of those that a step calls, in that order; each takes tensors by position and answers one or a tuple.
    sample_args: a tuple of tensors, or one for each callable: of the sizes, types and devices, and with the requires_grad, that calls will have.
    A module is changed in place: its forward replays in the mode (train or eval) that it is in now, and runs as ever in the other. Random
    numbers go on; what a call answered is overwritten by the next. ``pool``: memory to share, as CUDAGraph.capture_begin takes it.
    """
    from ..nn import Module
    from .._graphs import _check_mode
    _check_mode(capture_error_mode)
    alone = not isinstance(callables, tuple)
    functions, samples = ((callables,), (sample_args,)) if alone else (callables, sample_args)
    if len(functions) != len(samples):
        raise ValueError(f"make_graphed_callables: {len(functions)} callables and {len(samples)} tuples of arguments")
    pool, all_ = pool or graph_pool_handle(), []
    for function, arguments in zip(functions, samples):
        arguments = (arguments,) if isinstance(arguments, Tensor) else tuple(arguments)
        if not all(isinstance(t, Tensor) and t.device.type != "cpu" for t in arguments):
            raise TypeError("make_graphed_callables: arguments are tensors on a CUDA device")
        module = isinstance(function, Module)
        if module and any(b.requires_grad for b in function.buffers()):
            raise RuntimeError("make_graphed_callables: buffers of a module must not require gradients")
        all_.append(_Recorded(function, arguments, tuple(function.parameters()) if module else (), allow_unused_input, pool))
    beside = Stream()
    beside.wait_stream(current_stream())
    with stream(beside):
        for _ in range(num_warmup_iters):
            for one in all_:
                one.run()
    current_stream().wait_stream(beside)
    for one in all_:
        one.record_forward()
    for one in reversed(all_):
        one.record_backward()
    made = []
    for one in all_:
        call = one.replayed()
        if isinstance(one.function, Module):
            _replace_forward(one.function, call)
            call = one.function
        made.append(call)
    return made[0] if alone else tuple(made)


def _replace_forward(module, call):
    mode, plain = module.training, module.forward

    def forward(*arguments):
        return call(*arguments) if module.training == mode else plain(*arguments)
    module.forward = forward
