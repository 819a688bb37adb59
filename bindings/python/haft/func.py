"""Functions of functions, by the names of torch.func: gradients, Jacobians and products with them, of nested arguments; modules as functions of
their parameters.

    parameters = dict(net.named_parameters())
    gradients = haft.func.grad(lambda p: criterion(haft.func.functional_call(net, p, (x,)), y))(parameters)

Transforms nest. What they answer is recorded where gradients of it may be wanted: inside of another transform, and where an argument, or a tensor
that the function holds, requires a gradient.
"""
import contextlib as _contextlib
import functools as _functools
import threading as _threading

from . import _haft
from ._modes import enable_grad as _enable_grad
from .autograd import grad as _gradients
from .autograd.graph import leaf_number as _leaf_number
from .utils._pytree import tree_flatten as _flatten, tree_leaves as _leaves, tree_map as _map, tree_unflatten as _unflatten

__all__ = ["functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "stack_module_state", "vjp", "vmap"]

Tensor = _haft.Tensor
_CREATE_GRAPH = 2  # HAFT_BACKWARD_CREATE_GRAPH
_RANDOMNESS = {"error": 0, "different": 1, "same": 2}  # HAFT_RANDOM_*


class _Open(_threading.local):
    transforms = 0  # of this thread, one inside of the other


_open = _Open()


class _Outside(Exception):
    """The function holds tensors that require a gradient: what it answers is to be recorded."""


def _reaches_outside(outputs, inputs):
    own = {_leaf_number(x) for x in inputs}
    waiting, seen = [], set()
    for t in outputs:
        if t.requires_grad and t.is_leaf and not any(t._same_handle(x) for x in inputs):
            return True
        waiting.append(_haft.grad_fn(t))
    while waiting:
        node = waiting.pop()
        if node is None or node.id() in seen:
            continue
        seen.add(node.id())
        if node.name() == "AccumulateGrad" and node.id() not in own:
            return True
        waiting.extend(node.next(i) for i in range(node.next_count()))
    return False


class _Call:
    """A function of nested tensors for the engine, which hands it their leaves; keeps how the answer is nested, and what stands beside it."""

    def __init__(self, name, func, spec, has_aux, watched, scalar):
        self.name, self.func, self.spec, self.has_aux, self.watched, self.scalar = name, func, spec, has_aux, watched, scalar

    def __call__(self, leaves):
        answer = self.func(*_unflatten(leaves, self.spec))
        if self.has_aux:
            if not (isinstance(answer, tuple) and len(answer) == 2):
                raise RuntimeError(f"{self.name}(f): output of function f should be a tuple: (output, aux) if has_aux is True")
            answer, self.aux = answer
        if self.scalar and not isinstance(answer, Tensor):
            raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(answer)}")
        if self.scalar and answer.ndim:
            raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with {answer.ndim} dims. Did you mean vjp or "
                               "jacrev?")
        outputs, self.out = _flatten(answer)
        if not all(isinstance(t, Tensor) for t in outputs):
            raise RuntimeError(f"{self.name}(f): Expected f to return only tensors, got {', '.join(type(t).__name__ for t in outputs)}")
        if self.watched and _reaches_outside(outputs, leaves):
            raise _Outside
        return tuple(outputs)

    def beside(self, recorded):
        """The auxiliary part of the answer."""
        return self.aux if recorded else _map(lambda t: t.detach() if isinstance(t, Tensor) else t, self.aux)


def _tensors(name, trees):
    leaves, spec = _flatten(trees)
    for t in leaves:
        if not isinstance(t, Tensor):
            raise ValueError(f"{name}: Thing passed to transform API must be Tensor, got {type(t)}")
    return leaves, spec


def _run(name, transform, func, trees, has_aux, *vectors, scalar=False):
    """A transform of the engine: the call that it made, what it answered, and whether that is recorded."""
    leaves, spec = _tensors(name, trees)
    recording = _haft.is_grad_enabled()
    recorded = recording and (_open.transforms > 0 or any(t.requires_grad for t in leaves))
    while True:
        call = _Call(name, func, spec, has_aux, recording and not recorded, scalar)
        _open.transforms += 1
        try:
            return call, transform(call, leaves, *vectors, _CREATE_GRAPH if recorded else 0), recorded
        except _Outside:
            recorded = True
        finally:
            _open.transforms -= 1


def _picked(name, func, argnums, args, kwargs):
    """The function of the arguments with those numbers, and these."""
    places = []
    for n in (argnums,) if isinstance(argnums, int) else argnums:
        if not -len(args) <= n < len(args):
            raise RuntimeError(f"{name}: Got argnum={n}, but only {len(args)} positional inputs")
        places.append(n % len(args))

    def inner(*chosen):
        given = list(args)
        for place, value in zip(places, chosen):
            given[place] = value
        return func(*given, **kwargs)
    return inner, tuple(args[p] for p in places)


def _only(values, argnums):
    return values[0] if isinstance(argnums, int) else values


def grad_and_value(func, argnums=0, has_aux=False):
    """A function that answers the gradient of func, which answers one number, and that number.

    Args:
        argnums: which arguments: a number, or a tuple of them
        has_aux: func answers (number, anything), and the second answer is (number, anything)
    """
    @_functools.wraps(func)
    def wrapper(*args, **kwargs):
        inner, chosen = _picked("grad", func, argnums, args, kwargs)
        call, (value, *found), recorded = _run("grad", _haft.vjp, inner, chosen, has_aux, (), scalar=True)
        return _only(_unflatten(found, call.spec), argnums), (value, call.beside(recorded)) if has_aux else value
    return wrapper


def grad(func, argnums=0, has_aux=False):
    """A function that answers the gradient of func, which answers one number.

    Args:
        argnums: which arguments: a number, or a tuple of them
        has_aux: func answers (number, anything), and the new function (gradient, anything)
    """
    both = grad_and_value(func, argnums, has_aux)

    @_functools.wraps(func)
    def wrapper(*args, **kwargs):
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found
    return wrapper


def vjp(func, *primals, has_aux=False):
    """What func answers, and a function of one vector for each output that answers its product with the Jacobian, a tuple as the primals.

    Args:
        has_aux: func answers (outputs, anything), and that stands behind the function
    """
    leaves, spec = _tensors("vjp", primals)
    recorded = _haft.is_grad_enabled() and (_open.transforms > 0 or any(t.requires_grad for t in leaves))
    call = _Call("vjp", func, spec, has_aux, False, False)
    recording = _haft.is_grad_enabled()
    _open.transforms += 1
    try:
        with _enable_grad():
            own = [t.view_as(t) if recorded and t.requires_grad else (t.view_as(t) if recorded and _haft.is_batched(t) else t.detach()).requires_grad_()
                   for t in leaves]
            outputs = call(own)
    finally:
        _open.transforms -= 1
    recorded = recorded or recording and _reaches_outside(outputs, own)

    def product(*cotangents, retain_graph=True, create_graph=None):
        seeds, given = _flatten(cotangents[0] if len(cotangents) == 1 else cotangents)
        if given != call.out:
            raise RuntimeError(f"Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. cotangents: {given}, "
                               f"primal output: {call.out}")
        used = [(t, s) for t, s in zip(outputs, seeds) if t.requires_grad]
        found = _gradients([t for t, _ in used], own, [s for _, s in used], retain_graph=retain_graph, materialize_grads=True,
                           create_graph=recorded if create_graph is None else create_graph) if used else [t.new_zeros(t.shape) for t in own]
        return _unflatten(found, spec)
    answer = _unflatten(outputs if recorded else [t.detach() for t in outputs], call.out)
    return (answer, product, call.beside(recorded)) if has_aux else (answer, product)


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """What func answers, and the product of its Jacobian with one tangent for each of the primals.

    Args:
        strict: an output that does not depend on the primals is an error
        has_aux: func answers (outputs, anything), and that comes third
    """
    if not isinstance(primals, tuple) or not isinstance(tangents, tuple):
        raise RuntimeError(f"jvp(f, primals, tangents): Expected both to be tuples, got {type(primals).__name__} and {type(tangents).__name__}")
    vectors, given = _tensors("jvp", tangents)
    if given != _flatten(primals)[1]:
        raise RuntimeError("jvp(f, primals, tangents): Expected primals and tangents to have the same python structure.")
    call, found, recorded = _run("jvp", _haft.jvp, func, primals, has_aux, vectors)
    n = len(found) // 2
    answer = _unflatten(found[:n], call.out), _unflatten(found[n:], call.out)
    return (*answer, call.beside(recorded)) if has_aux else answer


def linearize(func, *primals):
    """What func answers, and a function of tangents, one for each of the primals, that answers their product with the Jacobian without calling func
    again: a derivative of :func:`vjp`'s product, which is linear, for its vector."""
    outputs, product = vjp(func, *primals)
    leaves, spec = _flatten(outputs)
    with _enable_grad():
        seeds = [t.new_zeros(t.shape).requires_grad_() for t in leaves]
        found = _leaves(product(_unflatten(seeds, spec), create_graph=True))

    def pushed(*tangents):
        pairs = [(g, t) for g, t in zip(found, _leaves(tangents)) if g.requires_grad]
        return _unflatten(_gradients([g for g, _ in pairs], seeds, [t for _, t in pairs], retain_graph=True, materialize_grads=True), spec)
    return outputs, pushed


def _jacobian(name, func, argnums, has_aux, chunk_size):
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"{name}: `chunk_size` should be greater than 0.")

    @_functools.wraps(func)
    def wrapper(*args, **kwargs):
        inner, chosen = _picked(name, func, argnums, args, kwargs)
        call, found, recorded = _run(name, lambda f, inputs, flags: _haft.jacobian(f, inputs, flags, chunk_size or 0), inner, chosen, has_aux)
        n = call.spec.num_leaves
        rows = [_only(_unflatten(found[i:i + n], call.spec), argnums) for i in range(0, len(found), n)]
        answer = _unflatten(rows, call.out)
        return (answer, call.beside(recorded)) if has_aux else answer
    return wrapper


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None):
    """A function that answers the Jacobian of func: nested as its outputs, then as the arguments, tensors of both shapes, one after the other.

    Args:
        argnums: which arguments: a number, or a tuple of them
        has_aux: func answers (outputs, anything), and the new function (Jacobian, anything)
        chunk_size: how many rows at a time; None: as many as memory allows
    """
    return _jacobian("jacrev", func, argnums, has_aux, chunk_size)


def jacfwd(func, argnums=0, has_aux=False, *, chunk_size=None, randomness="error"):
    """:func:`jacrev` under the name of another way to the same matrix: haft goes backward for both."""
    return _jacobian("jacfwd", func, argnums, has_aux, chunk_size)


def hessian(func, argnums=0):
    """A function that answers the Hessian of func: the Jacobian of its Jacobian."""
    return jacfwd(jacrev(func, argnums), argnums)


# ---- slices ----

def _spread(dims, tree):
    """A dimension for each leaf of a tree from one for all, or from those of its parts."""
    if dims is None or isinstance(dims, int):
        return [dims] * len(_leaves(tree))
    kind = dict if isinstance(tree, dict) else (list, tuple)
    if not isinstance(tree, kind) or not isinstance(dims, kind) or len(dims) != len(tree):
        raise ValueError(f"vmap: dimensions {dims} do not fit to {type(tree).__name__}")
    pairs = [(dims[key], tree[key]) for key in tree] if kind is dict else zip(dims, tree)
    return [d for part, branch in pairs for d in _spread(part, branch)]


class _Mapped:
    """A function of nested arguments for the engine's vmap, which hands it the leaves that have examples; keeps how the answer is nested, and what of
    it is the same for all examples."""

    def __init__(self, func, leaves, dims, spec, kwargs, out_dims):
        self.func, self.leaves, self.dims, self.spec, self.kwargs, self.out_dims = func, leaves, dims, spec, kwargs, out_dims

    def __call__(self, examples):
        examples = iter(examples)
        leaves = [t if d is None else next(examples) for t, d in zip(self.leaves, self.dims)]
        answer = self.func(*_unflatten(leaves, self.spec), **self.kwargs)
        self.outputs, self.out = _flatten(answer)
        self.places = _spread(self.out_dims, answer)
        for t, d in zip(self.outputs, self.places):
            if not isinstance(t, Tensor):
                raise ValueError(f"vmap: the function must only return Tensors, got type {type(t).__name__}")
            if d is None and _haft.is_batched(t):
                raise ValueError("vmap: the function can not return a tensor that differs between examples when out_dim is None")
            if d is not None and not -t.ndim - 1 <= d <= t.ndim:
                raise IndexError(f"Dimension out of range (expected to be in range of [{-t.ndim - 1}, {t.ndim}], but got {d})")
        return tuple(t for t, d in zip(self.outputs, self.places) if d is not None)

    def nested(self, found):
        """The answer for all examples, which stand in dimension 0 of what was found."""
        found = iter(found)
        return _unflatten([t if d is None else next(found).movedim(0, d) for t, d in zip(self.outputs, self.places)], self.out)


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """A function that answers func's results for each slice of its arguments, one behind the other in a new dimension.

    func is called once, with tensors of a slice's sizes that stand for all of them: it can read no values (``item``, ``bool``), and writes in place only
    into what it was given or has made. Operators compute all slices at once.

    Args:
        in_dims: along which dimension arguments are cut, a number or nested as they are; None: not at all
        out_dims: where the results' new dimension stands; None: of a result that is the same for all slices
        randomness: ``"error"``: func may draw no random numbers; ``"different"``; ``"same"`` for all slices
        chunk_size: how many slices at a time; None: all
    """
    if randomness not in _RANDOMNESS:
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @_functools.wraps(func)
    def wrapper(*args, **kwargs):
        leaves, spec = _flatten(args)
        if not leaves:
            raise ValueError("vmap: got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a function with no inputs.")
        dims = _spread(in_dims, args)
        cut = [(t, d) for t, d in zip(leaves, dims) if d is not None]
        for t, d in cut:
            if not isinstance(t, Tensor):
                raise ValueError(f"vmap: Got in_dim={d} for an input but the input is of type {type(t)}. We cannot vmap over non-Tensor arguments, please use "
                                 "None as the respective in_dim")
        if not cut:
            raise ValueError("vmap: at least one argument is to be cut: in_dims are all None")
        call = _Mapped(func, leaves, dims, spec, kwargs, out_dims)
        recorded = _haft.is_grad_enabled() and any(t.requires_grad for t, _ in cut)
        _open.transforms += recorded  # gradients of what transforms inside answer may be wanted
        try:
            return call.nested(_haft.vmap(call, [t for t, _ in cut], [d for _, d in cut], _RANDOMNESS[randomness], chunk_size or 0))
        finally:
            _open.transforms -= recorded
    return wrapper


# ---- modules ----

def stack_module_state(models):
    """Parameters and buffers of modules of one class, by name, each one behind the other in a new first dimension: for vmap() of functional_call()."""
    models = list(models)
    if not models or any(type(m) is not type(models[0]) or m.training != models[0].training for m in models):
        raise RuntimeError(f"stack_module_state: expected models of one class and mode, got {', '.join(type(m).__name__ for m in models) or 'none'}")

    def stacked(of):
        named = [dict(of(m)) for m in models]
        from . import stack
        return {name: stack([d[name].detach() for d in named]).requires_grad_(t.requires_grad) for name, t in named[0].items()}
    return stacked(lambda m: m.named_parameters()), stacked(lambda m: m.named_buffers())


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """module(*args, **kwargs) with other tensors in the place of its parameters and buffers.

    Args:
        parameter_and_buffer_dicts: tensors by the names of the module's, or several such dicts
        args: a tuple, or one argument
        tie_weights: a tensor that the module has under several names is replaced under all of them
        strict: the dicts name all of the module's tensors and nothing else
    """
    dicts = [parameter_and_buffer_dicts] if isinstance(parameter_and_buffer_dicts, dict) else list(parameter_and_buffer_dicts)
    given = {name: t for d in dicts for name, t in d.items()}
    if len(given) != sum(map(len, dicts)):
        twice = [name for name in given if sum(name in d for d in dicts) > 1]
        raise ValueError(f"{twice} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with _replaced(module, given, tie_weights, strict):
        return module(*args, **(kwargs or {}))


def _tied(own, given):
    """The tensors under all names that stand for them."""
    names = {}
    for name, t in own.items():
        names.setdefault(id(t), []).append(name)
    every = dict(given)
    for same in names.values():
        told = [n for n in same if n in given]
        if any(given[n] is not given[told[0]] for n in told):
            raise ValueError(f"functional_call got multiple values for keys {told}, which are tied. Consider using tie_weights=False")
        every.update((n, given[told[0]]) for n in same if told)
    return every


@_contextlib.contextmanager
def _replaced(module, given, tie_weights, strict):
    from .nn.modules._engine import EngineModule
    own = dict((*module.named_parameters(remove_duplicate=False), *module.named_buffers(remove_duplicate=False)))
    if strict and own.keys() != given.keys():
        told = [f"{what} key(s): {', '.join(map(repr, sorted(names)))}." for what, names in
                (("Unexpected", given.keys() - own.keys()), ("Missing", own.keys() - given.keys())) if names]
        raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:\n\t" + "\n\t".join(told))
    kept, computed = {}, []  # what the modules' dicts held, and attributes in the place of such tensors
    try:
        for name, t in (_tied(own, given) if tie_weights else given).items():
            path, _, last = name.rpartition(".")
            owner = module.get_submodule(path)
            held = next((d for d in (owner._parameters, owner._buffers) if last in d), None)
            if held is not None:
                kept.setdefault(id(held), (held, list(held), {}))[2].setdefault(last, held[last])
                held[last] = t
            if held is None or isinstance(owner, EngineModule):  # which looks for computed tensors among its attributes
                if held is not None:
                    del held[last]
                owner.__dict__[last] = t
                computed.append((owner.__dict__, last))
        yield
    finally:
        for attributes, name in computed:
            attributes.pop(name, None)
        for held, order, old in kept.values():
            now = {**held, **old}
            held.clear()
            held.update((name, now[name]) for name in sorted(now, key=lambda n: order.index(n) if n in order else len(order)))
