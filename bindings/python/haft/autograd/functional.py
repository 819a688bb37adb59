"""Jacobians, Hessians and products with them."""
from .._library import _haft, raw
from ._backward import grad

Tensor = _haft.Tensor


def _tuple(x, what="inputs"):
    if isinstance(x, Tensor):
        return (x,), True
    x = tuple(x)
    for t in x:
        if not isinstance(t, Tensor):
            raise TypeError(f"The {what} given to a functional transform must be Tensors, got {type(t).__name__}")
    return x, False


def _grad(outputs, inputs, seeds=None, create_graph=False, strict=False):
    pairs = [(o, None if seeds is None else s) for o, s in zip(outputs, seeds or [None] * len(outputs)) if o.requires_grad]
    if not pairs:
        found = (None,) * len(inputs)
    else:
        found = grad([o for o, _ in pairs], inputs, None if seeds is None else [s for _, s in pairs], retain_graph=True,
                     create_graph=create_graph, allow_unused=True)
    if strict and any(g is None for g in found):
        raise RuntimeError("an output does not depend on one of the inputs, which strict mode does not allow")
    return tuple(x.new_zeros(x.shape) if g is None else g for g, x in zip(found, inputs))


def _fresh(inputs, create_graph):
    return tuple(x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_() for x in inputs)


class _Recording:
    def __enter__(self):
        self._before = _haft.set_grad_enabled(True)

    def __exit__(self, *exc):
        _haft.set_grad_enabled(self._before)


def _done(tensors, create_graph):
    return tuple(t if create_graph else t.detach() for t in tensors)


def _seeds(v, like, what):
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if the user-provided function returns a single Tensor with a single element ({what}).")
        return tuple(t.new_ones(t.shape) for t in like)
    v, _ = _tuple(v, "vectors")
    if len(v) != len(like) or any(a.shape != b.shape for a, b in zip(v, like)):
        raise RuntimeError(f"v has invalid size: should be {[tuple(t.shape) for t in like]} but got {[tuple(t.shape) for t in v]}.")
    return v


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """The outputs of func, and the product of v with its Jacobian."""
    inputs, single = _tuple(inputs)
    with _Recording():
        xs = _fresh(inputs, create_graph)
        outputs, one = _tuple(func(*xs), "outputs")
        found = _grad(outputs, xs, _seeds(v, outputs, "vjp"), create_graph, strict)
    outputs, found = _done(outputs, create_graph), _done(found, create_graph)
    return (outputs[0] if one else outputs), (found[0] if single else found)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """The outputs of func, and the product of its Jacobian with v, by differentiating the gradient for its seed."""
    inputs, _ = _tuple(inputs)
    with _Recording():
        xs = _fresh(inputs, create_graph)
        v = _seeds(v, xs, "jvp")
        outputs, one = _tuple(func(*xs), "outputs")
        seeds = tuple(o.new_zeros(o.shape).requires_grad_() for o in outputs)
        first = _grad(outputs, xs, seeds, True, strict)
        found = _grad(first, seeds, v, create_graph)
    outputs, found = _done(outputs, create_graph), _done(found, create_graph)
    return (outputs[0] if one else outputs), (found[0] if one else found)


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """The Jacobian: for each output and each input a tensor of both shapes, one after the other."""
    inputs, single = _tuple(inputs)
    with _Recording():
        xs = _fresh(inputs, create_graph)
        outputs, one = _tuple(func(*xs), "outputs")
        rows = []
        for output in outputs:
            parts = [[] for _ in xs]
            for i in range(output.numel()):
                for part, g in zip(parts, _grad((output.reshape(-1)[i],), xs, None, create_graph, strict)):
                    part.append(g)
            rows.append(tuple((raw.stack(p, 0) if p else x.new_zeros(0, *x.shape)).reshape(tuple(output.shape) + tuple(x.shape))
                              for p, x in zip(parts, xs)))
    rows = [_done(r, create_graph) for r in rows]
    rows = [r[0] if single else r for r in rows]
    return rows[0] if one else tuple(rows)


def _one_number(outputs):
    if len(outputs) != 1 or outputs[0].numel() != 1:
        raise RuntimeError("The function given to hessian, hvp or vhp must return a single Tensor with a single element.")
    return outputs[0].reshape(())


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """The Hessian of a function that answers one number: for each pair of inputs a tensor of both shapes."""
    inputs, single = _tuple(inputs)

    def first(*xs):
        output = _one_number(_tuple(func(*xs), "outputs")[0])
        return _grad((output,), xs, None, True, strict)
    with _Recording():
        rows = jacobian(first, inputs, create_graph, strict)
    return rows[0][0] if single else rows


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """The output of func, and the product of v with its Hessian."""
    inputs, single = _tuple(inputs)
    with _Recording():
        xs = _fresh(inputs, create_graph)
        v = _seeds(v, xs, "vhp")
        output = func(*xs)
        first = _grad((_one_number(_tuple(output, "outputs")[0]),), xs, None, True, strict)
        found = _grad(first, xs, v, create_graph)
    found = _done(found, create_graph)
    return _done((output,), create_graph)[0], (found[0] if single else found)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """The output of func, and the product of its Hessian with v; the Hessian is symmetric."""
    return vhp(func, inputs, v, create_graph, strict)
