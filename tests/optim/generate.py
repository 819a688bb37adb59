#!/usr/bin/env python3
"""Writes trajectories.h: what PyTorch's optimizers and schedulers do with a small problem in float64.

usage: generate.py > trajectories.h     (made with PyTorch 1.13)
"""
import torch

torch.set_default_dtype(torch.float64)
STEPS = 10


def problem():
    a = torch.tensor([0.5, -1.25, 2.0, 0.75]).requires_grad_()
    b = torch.tensor([[1.5, -0.5], [0.25, -2.0]]).requires_grad_()
    return a, b


def loss(a, b, i):
    # b has no gradient in the steps 0 and 4
    l = ((a - 0.1 * (i + 1)) ** 2 * torch.tensor([1.0, 2.0, 0.5, 3.0])).sum() + (a[0] * a[1]).sin()
    return l if i in (0, 4) else l + (b.pow(3) * 0.1 + b.cos() * a[2]).sum()


def trajectory(make):
    a, b = problem()
    o = make([a, b])
    rows = []
    for i in range(STEPS):
        o.zero_grad(set_to_none=True)
        loss(a, b, i).backward()
        torch.set_default_dtype(torch.float32)  # in which numbers of a state are kept
        o.step()
        torch.set_default_dtype(torch.float64)
        rows.append(a.detach().tolist() + b.detach().flatten().tolist())
    return rows


CASES = [
    ("sgd", "SGD", dict(lr=0.05)),
    ("sgd_decay", "SGD", dict(lr=0.05, weight_decay=0.1)),
    ("sgd_momentum", "SGD", dict(lr=0.02, momentum=0.9)),
    ("sgd_dampening", "SGD", dict(lr=0.02, momentum=0.8, dampening=0.3, weight_decay=0.05)),
    ("sgd_nesterov", "SGD", dict(lr=0.02, momentum=0.9, nesterov=True, weight_decay=0.01)),
    ("sgd_maximize", "SGD", dict(lr=0.005, momentum=0.5, maximize=True, weight_decay=0.1)),
    ("adam", "Adam", dict(lr=0.05)),
    ("adam_decay", "Adam", dict(lr=0.05, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.1)),
    ("adam_amsgrad", "Adam", dict(lr=0.1, amsgrad=True, betas=(0.5, 0.6))),
    ("adam_maximize", "Adam", dict(lr=0.01, maximize=True)),
    ("adamw", "AdamW", dict(lr=0.05)),
    ("adamw_decay", "AdamW", dict(lr=0.05, weight_decay=0.3, amsgrad=True, betas=(0.7, 0.8))),
    ("rmsprop", "RMSprop", dict(lr=0.02)),
    ("rmsprop_momentum", "RMSprop", dict(lr=0.01, alpha=0.9, momentum=0.7, weight_decay=0.1)),
    ("rmsprop_centered", "RMSprop", dict(lr=0.02, alpha=0.8, eps=1e-6, centered=True)),
    ("rmsprop_all", "RMSprop", dict(lr=0.01, momentum=0.5, centered=True, maximize=True)),
    ("adagrad", "Adagrad", dict(lr=0.1)),
    ("adagrad_all", "Adagrad", dict(lr=0.1, lr_decay=0.1, weight_decay=0.1, initial_accumulator_value=0.3, eps=1e-6)),
    ("adadelta", "Adadelta", dict(lr=0.5)),
    ("adadelta_all", "Adadelta", dict(lr=0.5, rho=0.8, eps=1e-4, weight_decay=0.1, maximize=True)),
    ("adamax", "Adamax", dict(lr=0.05)),
    ("adamax_all", "Adamax", dict(lr=0.05, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.1)),
    ("radam", "RAdam", dict(lr=0.05)),
    ("radam_all", "RAdam", dict(lr=0.05, betas=(0.8, 0.9), eps=1e-6, weight_decay=0.1)),
    ("asgd", "ASGD", dict(lr=0.05)),
    ("asgd_all", "ASGD", dict(lr=0.05, lambd=0.1, alpha=0.6, t0=3, weight_decay=0.1)),
    ("rprop", "Rprop", dict(lr=0.02)),
    ("rprop_all", "Rprop", dict(lr=0.02, etas=(0.4, 1.5), step_sizes=(0.01, 0.05))),
    ("adamw_maximize", "AdamW", dict(lr=0.01, maximize=True, weight_decay=0.1)),
]



def rosenbrock(options):
    """Points and losses of LBFGS on a valley in four dimensions."""
    x, y = torch.tensor([-1.2, 1.0]).requires_grad_(), torch.tensor([[0.5], [2.0]]).requires_grad_()
    o = torch.optim.LBFGS([x, y], **options)

    def closure():
        o.zero_grad(set_to_none=True)
        l = (1 - x[0]) ** 2 + 10 * (x[1] - x[0] ** 2) ** 2 + (y.flatten() - x).pow(2).sum().cosh()
        l.backward()
        return l
    rows = []
    for _ in range(5):
        l = float(o.step(closure))
        rows.append([l, *x.detach().tolist(), *y.detach().flatten().tolist(), float(o.state[x]["func_evals"])])
    return rows


LBFGS = [
    ("lbfgs", dict(lr=0.05, max_iter=7, history_size=3)),
    ("lbfgs_wolfe", dict(lr=1.0, max_iter=8, max_eval=1000, line_search_fn="strong_wolfe")),
]

S = torch.optim.lr_scheduler
SCHEDULES = [
    ("step", lambda o: [S.StepLR(o, 3, 0.5)]),
    ("multi_step", lambda o: [S.MultiStepLR(o, [2, 5, 5, 7], 0.5)]),
    ("exponential", lambda o: [S.ExponentialLR(o, 0.9)]),
    ("cosine", lambda o: [S.CosineAnnealingLR(o, 4, 0.01)]),
    ("linear", lambda o: [S.LinearLR(o, 0.25, 1.0, 5)]),
    ("lambda", lambda o: [S.LambdaLR(o, lambda e: 1 / (1 + e))]),
    ("warm_up_cosine", lambda o: [S.LinearLR(o, 0.1, 1.0, 4), S.CosineAnnealingLR(o, 12, 0.0)]),
]


def rates(make):
    a, b = problem()
    o = torch.optim.SGD([a, b], lr=0.4)
    schedulers = make(o)
    out = [o.param_groups[0]["lr"]]
    for _ in range(12):
        o.step()
        for s in schedulers:
            s.step()
        out.append(o.param_groups[0]["lr"])
    return out


def numbers(v):
    return ", ".join(repr(x) for x in v)


def options(args):
    """As modules.def names them: betas are beta1 and beta2."""
    flat = {}
    for name, value in args.items():
        flat.update({f"{name[:-1]}{i + 1}": v for i, v in enumerate(value)} if isinstance(value, tuple) else {name: value})
    return ", ".join(f'{{"{name}", {float(value)!r}}}' for name, value in flat.items())


print("// What PyTorch 1.13 answers; written by generate.py.")
print("#pragma once")
print('#include "core/optim/optimizer_kind.h"\n')
print(f"constexpr int kSteps = {STEPS}, kRates = 13;\n")
for name, kind, args in CASES:
    print(f"inline const double {name}_path[kSteps][8] = {{")
    for row in trajectory(lambda p: getattr(torch.optim, kind)(p, **args)):
        print(f"    {{{numbers(row[:4])},\n     {numbers(row[4:])}}},")
    print("};")
print("""
struct Trajectory {
  const char* name;
  haft::OptimizerId id;
  haft::OptionValues options;
  const double (*path)[8];
};
inline const Trajectory kTrajectories[] = {""")
for name, kind, args in CASES:
    print(f'    {{"{name}", haft::OptimizerId::{kind}, {{{options(args)}}}, {name}_path}},')
print("};\n")
for name, args in LBFGS:
    print(f"inline const double {name}_path[5][6] = {{")
    for row in rosenbrock(args):
        print(f"    {{{numbers(row)}}},")
    print("};")
for name, make in SCHEDULES:
    print(f"inline const double {name}_rates[kRates] = {{\n    {numbers(rates(make))}}};")
