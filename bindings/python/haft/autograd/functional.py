"""Jacobians, Hessians and products with them: the engine's, with PyTorch's nesting of arguments and results."""
from .._library import _haft

Tensor = _haft.Tensor
_CREATE_GRAPH, _STRICT = 2, 8  # HAFT_BACKWARD_CREATE_GRAPH, HAFT_TRANSFORM_STRICT


def _tuple(x, what="inputs"):
    if isinstance(x, Tensor):
        return (x,), True
    x = tuple(x)
    for t in x:
        if not isinstance(t, Tensor):
            raise TypeError(f"The {what} given to a functional transform must be Tensors, got {type(t).__name__}")
    return x, False


class _Call:
    """func for the engine, which hands it a tuple; remembers whether it answered a single tensor."""

    def __init__(self, func):
        self.func = func

    def __call__(self, inputs):
        outputs, self.single = _tuple(self.func(*inputs), "outputs")
        return outputs


def _flags(create_graph, strict):
    return (_CREATE_GRAPH if create_graph else 0) | (_STRICT if strict else 0)


def _only(tensors, single):
    return tensors[0] if single else tensors


class _Number(_Call):
    """func of a Hessian, which answers one tensor and no tuple."""

    def __init__(self, func, name):
        super().__init__(func)
        self.name = name

    def __call__(self, inputs):
        output = self.func(*inputs)
        if not isinstance(output, Tensor):
            raise RuntimeError(f"The function given to {self.name} should return a single Tensor")
        return (output,)


def _products(kind, func, inputs, v, create_graph, strict):
    call, (inputs, single) = func if isinstance(func, _Call) else _Call(func), _tuple(inputs)
    return call, single, len(inputs), kind(call, inputs, () if v is None else _tuple(v, "vectors")[0], _flags(create_graph, strict))


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """The outputs of func, and the product of v with its Jacobian."""
    call, single, n, found = _products(_haft.vjp, func, inputs, v, create_graph, strict)
    return _only(found[:-n], call.single), _only(found[-n:], single)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """The outputs of func, and the product of its Jacobian with v, by differentiating the gradient for its seed."""
    call, _, _, found = _products(_haft.jvp, func, inputs, v, create_graph, strict)
    n = len(found) // 2
    return _only(found[:n], call.single), _only(found[n:], call.single)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """The output of func, which is one number, and the product of its Hessian with v."""
    return _hessian_product("hvp", func, inputs, v, create_graph, strict)


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """The output of func, which is one number, and the product of v with its Hessian, which is symmetric."""
    return _hessian_product("vhp", func, inputs, v, create_graph, strict)


def _hessian_product(name, func, inputs, v, create_graph, strict):
    _, single, n, found = _products(_haft.hvp, _Number(func, name), inputs, v, create_graph, strict)
    return found[0], _only(found[-n:], single)


def _rows(found, columns, single):
    return tuple(_only(found[i:i + columns], single) for i in range(0, len(found), columns))


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """The Jacobian: for each output and each input a tensor of both shapes, one after the other."""
    call, (inputs, single) = _Call(func), _tuple(inputs)
    return _only(_rows(_haft.jacobian(call, inputs, _flags(create_graph, strict)), len(inputs), single), call.single)


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """The Hessian of a function that answers one number: for each pair of inputs a tensor of both shapes."""
    inputs, single = _tuple(inputs)
    return _only(_rows(_haft.hessian(_Number(func, "hessian"), inputs, _flags(create_graph, strict)), len(inputs), single), single)
