"""A model as TensorBoard's graph: what autograd records while it runs, under the names of its modules."""
import haft

from ... import _haft
from ..checkpoint import _flat as _collect


def _paths(model):
    # Net/Sequential[body]/Linear[0]
    paths = {}
    for name, module in model.named_modules():
        above, _, own = name.rpartition(".")
        kind = type(module).__name__
        paths[module] = f"{paths[model.get_submodule(above)]}/{kind}[{own}]" if name else kind
    return paths


class _Scopes:
    # The spans of node numbers that the modules recorded, inner ones last.
    def __init__(self, paths):
        self.spans, self.open, self.handles = [], [], []
        self.clock = haft.zeros((), requires_grad=True)
        for module, path in paths.items():
            self.handles.append(module.register_forward_pre_hook(lambda m, args, path=path: self.open.append((path, self.now()))))
            self.handles.append(module.register_forward_hook(lambda m, args, out: self.leave(), always_call=True))

    def now(self):
        with haft.enable_grad():
            return _haft.grad_fn(self.clock + 0).id()

    def leave(self):
        path, begin = self.open.pop()
        self.spans.append((begin, self.now(), path))

    def close(self):
        for handle in self.handles:
            handle.remove()


def add(writer, model, inputs):
    """Runs the model, and has the engine's writer draw what is recorded; answers the outputs."""
    given = inputs if isinstance(inputs, (list, tuple)) else (inputs,)
    taken = [x.detach().clone().requires_grad_() if isinstance(x, haft.Tensor) and x.dtype.is_floating_point else x for x in given]
    paths = _paths(model)
    scopes = _Scopes(paths)
    try:
        with haft.enable_grad():
            outputs = _collect(model(*taken), [])
    finally:
        scopes.close()
    parameters = [(name.rpartition("."), p) for name, p in model.named_parameters()]
    writer.add_recorded_graph(_collect(taken, []), outputs, [f"{paths[model.get_submodule(above)]}/{own}" for (above, _, own), p in parameters],
                              [p for _, p in parameters], *map(list, zip(*scopes.spans)))
    return outputs
