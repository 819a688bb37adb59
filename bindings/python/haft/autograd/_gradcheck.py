"""Gradients against central differences."""
from .._library import _haft
from ._backward import grad

Tensor = _haft.Tensor


class GradcheckError(RuntimeError):
    """A gradient that differs from the differences."""


def _tensors(x):
    return (x,) if isinstance(x, Tensor) else tuple(x)


def _pairs(x):
    from .._library import raw
    return raw.view_as_real(x) if isinstance(x, Tensor) and x.dtype.is_complex else x


def _by_parts(func, inputs):
    """func and its inputs with pairs of real numbers in the place of complex ones, whose gradients are those of the parts."""
    from .._library import raw
    places = [isinstance(x, Tensor) and x.dtype.is_complex for x in inputs]

    def real(*given):
        return tuple(map(_pairs, _tensors(func(*(raw.view_as_complex(x) if z else x for x, z in zip(given, places))))))
    return real, tuple(_pairs(x.detach()).clone().requires_grad_(x.requires_grad) if z else x for x, z in zip(inputs, places))


def _checked(func, inputs):
    return [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, check_undefined_grad=True, nondet_tol=0.0,
              check_batched_grad=False, check_forward_ad=False, fast_mode=False, check_sparse_nnz=False):
    """Whether the gradients of func at inputs (float64 or complex128) agree with differences; raises GradcheckError where they do not."""
    func, inputs = _by_parts(func, _tensors(inputs))
    checked = _checked(func, inputs)
    if not checked:
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of the them have requires_grad=True.")
    try:
        outputs = [o for o in _tensors(func(*inputs)) if isinstance(o, Tensor)]
        for number, output in enumerate(outputs):
            if not output.requires_grad:
                continue
            numerical = [_differences(func, inputs, x, number, output.numel(), eps) for x in checked]
            analytical = _analytical(grad, output, checked)
            again = _analytical(grad, output, checked)
            for k, (a, n, b) in enumerate(zip(analytical, numerical, again)):
                if not _close(a, n, rtol, atol):
                    raise GradcheckError(f"Jacobian mismatch for output {number} with respect to input {k},\nnumerical:{n}\nanalytical:{a}\n")
                if ((a - b).abs() > nondet_tol).any().item():
                    raise GradcheckError(f"Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
                                         f"different values, although analytical gradient matches numerical gradient for output {number}.")
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _close(a, b, rtol, atol):
    return a.shape == b.shape and ((a - b).abs() <= atol + rtol * b.abs()).all().item()


def _differences(func, inputs, x, number, rows, eps):
    # Column j: the change of all outputs when element j of x moves.
    from .._library import raw
    columns = []
    for j in range(x.numel()):
        moved = []
        for step in (eps, -eps):
            flat = x.detach().reshape(-1).clone()
            flat[j] += step
            copy = flat.reshape(x.shape).requires_grad_()
            moved.append(_tensors(func(*(copy if i is x else i for i in inputs)))[number].detach().reshape(-1))
        columns.append((moved[0] - moved[1]) / (2 * eps))
    return raw.stack(columns, 1) if columns else x.new_zeros(rows, 0)


def _analytical(grad, output, checked):
    rows = [[] for _ in checked]
    for i in range(output.numel()):
        seed = output.new_zeros(output.numel())
        seed[i] = 1
        for r, x, g in zip(rows, checked, grad(output, checked, seed.reshape(output.shape), retain_graph=True, allow_unused=True)):
            r.append((x.new_zeros(x.shape) if g is None else g.detach()).reshape(-1))
    from .._library import raw
    return [raw.stack(r, 0) if r else x.new_zeros(0, x.numel()) for r, x in zip(rows, checked)]


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0,
                  gen_non_contig_grad_outputs=False, check_undefined_grad=True, check_batched_grad=False, fast_mode=False):
    """Whether the gradients of func's gradients agree with differences."""
    from .._made import randn_like
    func, inputs = _by_parts(func, _tensors(inputs))
    if grad_outputs is None:
        outputs = [o for o in _tensors(func(*inputs)) if isinstance(o, Tensor) and o.requires_grad]
        grad_outputs = tuple(randn_like(o).requires_grad_() for o in outputs)
    grad_outputs = _by_parts(func, _tensors(grad_outputs))[1]

    def first(*arguments):
        xs, seeds = arguments[:len(inputs)], arguments[len(inputs):]
        before = _haft.set_grad_enabled(True)
        try:
            outputs = [o for o in _tensors(func(*xs)) if isinstance(o, Tensor) and o.requires_grad]
            wanted = [x for x in xs if isinstance(x, Tensor) and x.requires_grad]
            return tuple(g for g in grad(outputs, wanted, seeds, create_graph=True, allow_unused=True) if g is not None)
        finally:
            _haft.set_grad_enabled(before)
    return gradcheck(first, inputs + grad_outputs, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception, nondet_tol=nondet_tol)
