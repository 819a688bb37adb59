"""Differentiable functions of your own."""
from functools import wraps as _wraps

from .._library import _haft

Tensor = _haft.Tensor


class FunctionCtx:
    """What forward leaves for backward. Attributes of your own stay, too."""

    def __init__(self, needs):
        self.needs_input_grad = needs
        self._to_save = ()
        self._non_differentiable = ()
        self._dirty = ()
        self._materialize = True
        self._engine = None  # the engine's context, while one of the callbacks runs
        self._kept = None

    def save_for_backward(self, *tensors):
        """Keeps tensors (or None) for backward; changing them in place in between is an error."""
        self._to_save = tensors

    def save_for_forward(self, *tensors):
        """Keeps nothing: forward-mode differentiation is not asked of Functions."""

    @property
    def saved_variables(self):
        """saved_tensors, by its old name."""
        from warnings import warn
        warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    @property
    def saved_tensors(self):
        """What save_for_backward kept, with its history."""
        if self._kept is None:
            if self._engine is None:
                raise RuntimeError("saved_tensors are there only inside backward")
            taken = iter(range(len(self._to_save)))
            return tuple(None if t is None else self._engine.saved(next(taken)) for t in self._to_save)
        return self._kept

    def mark_non_differentiable(self, *tensors):
        """These outputs get no gradient."""
        self._non_differentiable = tensors

    def mark_dirty(self, *tensors):
        """These inputs were changed in place; they must be among the outputs."""
        self._dirty = tensors

    def set_materialize_grads(self, value):
        """False: gradients of unused outputs arrive as None instead of zeros."""
        self._materialize = value


class _Meta(type):
    def __call__(cls, *args, **kwargs):
        raise RuntimeError(f"{cls.__name__} is called by {cls.__name__}.apply(...), not as a constructor")


class Function(metaclass=_Meta):
    """Derive, write static forward(ctx, ...) and backward(ctx, *grad_outputs), call apply(...). Where there is a setup_context,
    too, forward has no ctx."""

    @staticmethod
    def forward(*args, **kwargs):
        """Computes the outputs; nothing inside is recorded."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """The gradients of forward's arguments; None for those that have none."""
        raise NotImplementedError("You must implement either the backward or vjp method for your custom autograd.Function.")

    vjp = backward  # the same by another name; a class may define either

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Writes into ctx what backward needs, from the inputs and the output of forward(*inputs)."""
        raise NotImplementedError("setup_context is not implemented.")

    @classmethod
    def _forward(cls, ctx, args, kwargs):
        before = _haft.set_grad_enabled(False)
        try:
            if cls.setup_context is Function.setup_context:
                return cls.forward(ctx, *args, **kwargs)
            results = cls.forward(*args, **kwargs)
            cls.setup_context(ctx, args, results)
            return results
        finally:
            _haft.set_grad_enabled(before)

    @classmethod
    def apply(cls, *args, **kwargs):
        """Calls forward and records the call."""
        tensors = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx = FunctionCtx(tuple(isinstance(a, Tensor) and a.requires_grad for a in args))
        if not tensors or not _haft.is_grad_enabled() or not any(ctx.needs_input_grad):
            return cls._forward(ctx, args, kwargs)
        return _recorded(cls, ctx, args, kwargs, tensors)


def _recorded(cls, ctx, args, kwargs, tensors):
    # The engine wants the number of outputs before it calls forward, PyTorch's Functions tell it by answering: so forward
    # runs here, unrecorded, and the engine is handed its results.
    results = cls._forward(ctx, args, kwargs)
    single = not isinstance(results, (tuple, list))
    outputs = [results] if single else list(results)
    places = [i for i, r in enumerate(outputs) if isinstance(r, Tensor) and r.dtype.is_floating_point
              and not any(r is t for t in ctx._non_differentiable)]
    if not places:
        return results
    inputs = [args[i] for i in tensors]
    saved = tuple(ctx._to_save)
    # A saved output is saved as the engine's output, which has the history.
    from_output = {j: places.index(i) for j, t in enumerate(saved) if isinstance(t, Tensor)
                   for i in places if outputs[i] is t and not any(t is a for a in inputs)}
    # An input that forward changed takes the history of the output below, by a copy onto itself. That is a change, too:
    # what is saved of it is a copy.
    changed = {j for j, i in enumerate(places) if any(outputs[i] is d for d in ctx._dirty) and any(outputs[i] is a for a in inputs)}
    for j in changed:
        t = outputs[places[j]]
        if t.is_leaf and t.requires_grad:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        from_output.update((k, j) for k, kept in enumerate(saved) if kept is t)
    copied = changed.intersection(from_output.values())

    def forward(engine, lent):
        made = []
        for j, i in enumerate(places):
            t = outputs[i]
            at = next((k for k, a in enumerate(inputs) if a is t), None)
            made.append(lent[at] if j in changed and j not in copied else t.detach() if at is None else lent[at].clone())
        for j, t in enumerate(saved):
            if t is None:
                continue
            at = next((k for k, a in enumerate(inputs) if a is t), None)
            engine.save(made[from_output[j]] if j in from_output else lent[at] if at is not None else t)
        return tuple(made)

    def backward(engine, grads):
        given = dict(zip(places, grads))
        full = tuple(given.get(i) if given.get(i) is not None or meta is None or not ctx._materialize else zeros(meta[0], dtype=meta[1], device=meta[2])
                     for i, meta in enumerate(metas))
        ctx._engine = engine
        try:
            answer = (cls.backward if cls.backward is not Function.backward else cls.vjp)(ctx, *full)
        finally:
            ctx._engine = None
        answer = tuple(answer) if isinstance(answer, (tuple, list)) else (answer,)
        for a in answer:
            if a is not None and not isinstance(a, Tensor):
                raise TypeError(f"{cls.__name__}.backward answers tensors or None, got {type(a).__name__}")
        if len(answer) < count or any(a is not None for a in answer[count:]):
            raise RuntimeError(f"function {cls.__name__}Backward returned an incorrect number of gradients (expected {count}, got {len(answer)})")
        return tuple(answer[i] if needs[i] else None for i in tensors)

    from .._made import zeros
    needs, count = ctx.needs_input_grad, len(args)
    metas = [(o.shape, o.dtype, o.device) if isinstance(o, Tensor) else None for o in outputs]
    made = _haft.apply_function(forward, backward, inputs, len(places), cls.__name__ + "Backward")
    result = list(outputs)
    for j, (i, t) in enumerate(zip(places, made)):
        result[i] = outputs[i].copy_(t) if j in changed else t
    # The closures live as long as the graph and must not keep memory: what was saved the engine holds.
    ctx._to_save = tuple(None if t is None else True for t in saved)
    ctx._dirty = ctx._non_differentiable = ()
    outputs.clear(), inputs.clear()
    del saved
    return result[0] if single else tuple(result)


class NestedIOFunction(Function):
    """A Function whose arguments may be nested; here every Function takes any arguments."""


def once_differentiable(function):
    """Marks a backward that works on values only: what it answers is not differentiable again."""
    @_wraps(function)
    def wrapped(ctx, *grads):
        recording = _haft.is_grad_enabled() and any(g is not None and g.requires_grad for g in grads)
        before = _haft.set_grad_enabled(False)
        try:
            answer = function(ctx, *grads)
        finally:
            _haft.set_grad_enabled(before)
        if not recording:
            return answer
        several = answer if isinstance(answer, tuple) else (answer,)
        several = tuple(None if a is None else _Refuse.apply(a.detach().requires_grad_()) for a in several)
        return several if isinstance(answer, tuple) else several[0]
    return wrapped


class _Refuse(Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")
