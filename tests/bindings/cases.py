"""What PyTorch computes with every layer, loss, optimizer and schedule of core/schema/modules.def, for the tests of all languages.

usage: cases.py MODULES.DEF FOLDER      writes cases.txt and one safetensors file a case

A line of cases.txt is a case, separated by tabs: its file, kind (layer, loss, optimizer, schedule), the entry's name, a mode
(train, eval, autocast), a factor of what results may differ by, and the options as modules.def spells them, "name=value" each:
those without a default first, then the others in its order, with defaults between; numbers, lists with commas, true and false,
words in lower case, "@" for the file's tensor option/NAME. The file has

  state/KEY             what the layer's state_dict is to be
  input/I               the inputs
  output/I, seed/I      the results, and the gradient that each of them gets (absent: none)
  gradient/I, grad/KEY  the gradients of inputs (those that have one here require it) and parameters
  after/KEY             the buffers of the state_dict behind
  param/I, ...          see cases_training.py: what optimizers and schedules make of parameters and rates

all computed in float64, where the languages must agree to rounding; they take each again with everything in float32. Layers that
PyTorch 1.13 lacks stand as formulas in cases_layers.py. REASONS names what has no case and why: all else in modules.def must.
"""
import os
import random
import re
import sys

import torch

import entries
from tensors_file import write

CASES = []    # in their order
REASONS = {}  # entry: why it has no case


class Case:
    """One entry with its options. `make(nn)` builds it of torch.nn, or of what has its names; `call(module, *inputs)` runs it;
    gradients: so many of the first inputs require them."""

    def __init__(self, kind, name, options, inputs=(), mode="train", make=None, call=None, peer=None, **more):
        self.kind, self.name, self.options, self.mode = kind, name, options, mode
        self.inputs, self.peer, self.more, self.room = inputs, peer, more, more.get("room", 1)
        self.make = make or (lambda nn: getattr(nn, name)(**self.kwargs))
        self.call = call or (lambda module, *x: module(*x))
        self.kwargs = more.get("kwargs", options)
        CASES.append(self)

    def __repr__(self):
        shown = ", ".join(f"{k}={'tensor' if isinstance(v, torch.Tensor) else v}" for k, v in self.options.items())
        return f"{self.name}({shown}), {self.mode}"


def leaves(value):
    """The tensors among results."""
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for v in value or () for t in leaves(v)]


def module_case(case):
    """The file of a layer or loss."""
    module = case.peer() if case.peer else case.make(torch.nn)
    autocast = case.mode == "autocast"
    module = module.float() if autocast else module.double()
    module.train(case.mode != "eval")
    with torch.no_grad():
        for p in module.parameters():  # biases and weights of norms start as constants: other numbers say more
            p.add_(torch.randn_like(p) * 0.1)
    file = {f"state/{k}": v.clone() for k, v in module.state_dict().items()}
    file.update((f"option/{k}", v) for k, v in case.options.items() if isinstance(v, torch.Tensor))
    inputs = []
    for i, x in enumerate(case.inputs() if callable(case.inputs) else case.inputs):
        x = x.float() if autocast and x.is_floating_point() else x
        file[f"input/{i}"] = x
        inputs.append(x.clone().requires_grad_(x.is_floating_point() and i < case.more.get("gradients", 9)))
    with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        results = leaves(case.call(module, *inputs))
    seeded = []
    for i, y in enumerate(results):
        file[f"output/{i}"] = y.detach()
        if y.requires_grad:
            file[f"seed/{i}"] = torch.randn_like(y)
            seeded.append((y, file[f"seed/{i}"]))
    if seeded:
        torch.autograd.backward(*zip(*seeded))
    file.update((f"gradient/{i}", x.grad) for i, x in enumerate(inputs) if x.grad is not None)
    file.update((f"grad/{k}", p.grad) for k, p in module.named_parameters() if p.grad is not None)
    kept = module.state_dict()
    file.update((f"after/{k}", b) for k, b in module.named_buffers() if k in kept)
    return file


def shown(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, torch.Tensor):
        return "@"
    return ",".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)


def value_of(default):
    """A default of modules.def, or None where nothing stands for it."""
    if default in (None, "none"):
        return None
    if default == "[]":
        return ()
    if re.match(r"[\d.-]", default):
        numerator, _, denominator = default.partition(" / ")
        return (float if re.search(r"[.e]", default) else int)(numerator) if not denominator else float(numerator) / float(denominator)
    return {"true": True, "false": False}.get(default, default)


def prepared(definitions):
    """(file, case, options in order) of each, after a look whether every entry has a case or a reason."""
    import cases_layers
    import cases_training
    known = {name: (kind, function, parameters) for kind, name, function, parameters in entries.parse(definitions)}
    wanted = set(known) - {c.name for c in CASES} - set(REASONS)
    if wanted:
        sys.exit(f"{cases_layers.__file__}, {cases_training.__file__}: neither a case nor a reason for {', '.join(sorted(wanted))}")
    out, counts = [], {}
    for case in CASES:
        kind, function, parameters = known[case.name]
        assert kind == case.kind, case
        order = [(p, default) for _, p, default in parameters if default is None] + [(p, default) for _, p, default in parameters if default is not None]
        last = max((i for i, (p, _) in enumerate(order) if p in case.options), default=-1)
        assert set(case.options) <= {p for p, _ in order[:last + 1]}, f"{case}: {function} takes {order}"
        options = {p: case.options.get(p, value_of(default)) for p, default in order[:last + 1]}
        missing = [p for p, default in order if default is None and p not in case.options]
        assert not missing, f"{case} lacks {missing}"
        counts[function] = counts.get(function, -1) + 1
        out.append((f"{function}.{counts[function]}", case, {p: v for p, v in options.items() if v is not None}))
    return out


def computed(case):
    import cases_training
    return {"optimizer": cases_training.optimizer_case, "schedule": cases_training.schedule_case}.get(case.kind, module_case)(case)


def main(definitions, folder):
    os.makedirs(folder, exist_ok=True)
    seed = int(os.environ.get("HAFT_TEST_SEED", random.SystemRandom().randrange(2 ** 31)))
    print(f"HAFT_TEST_SEED={seed}")
    torch.manual_seed(seed)
    with open(os.path.join(folder, "cases.txt"), "w") as index:
        for file, case, options in prepared(definitions):
            try:
                write(computed(case), os.path.join(folder, file + ".safetensors"))
            except Exception as e:
                raise RuntimeError(f"{file}: {case}") from e
            index.write("\t".join([file, case.kind, case.name, case.mode, str(case.room), *(f"{k}={shown(v)}" for k, v in options.items())]) + "\n")


if __name__ == "__main__":
    sys.modules["cases"] = sys.modules["__main__"]  # the files of cases add to this one's list
    main(*sys.argv[1:])
