"""The cases of losses, optimizers and schedules; cases.py says what a case is.

The file of an optimizer: param/I, which are trained for STEPS steps on the loss

  sum over I and elements of weight/I (p - target/I)^2 + quartic/I p^4,

and after/S/I behind step S, loss/S what a step with a closure answers. Every step has a closure, which LBFGS calls more often.
The file of a schedule: rate, the learning rate of an SGD of 0.4 with momentum 0.9 before and behind each of its steps, and
metric, what ReduceLROnPlateau is shown at each; momentum beside rate where the schedule moves it."""
import math

import torch
import torch.optim.swa_utils

from cases import REASONS, Case
from cases_layers import F64, index, positive, real

STEPS = 6


def loss(name, *inputs, kwargs=None, spelled=None, **options):
    more = {k: options.pop(k) for k in ("call", "peer", "gradients") if k in options}
    Case("loss", name, {**options, **(spelled or {})}, inputs=lambda: [x() for x in inputs], kwargs={**options, **(kwargs or {})}, **more)


def signs(*shape):
    return torch.randint(2, shape).double() * 2 - 1


REDUCTIONS = ("mean", "sum", "none")


class CTC(torch.nn.Module):
    """CTCLoss by the sum over all paths: PyTorch's own gradient is that of the scores before log_softmax, not of what it is given."""

    def __init__(self, reduction="mean", blank=0, zero_infinity=False):
        super().__init__()
        self.reduction, self.blank, self.zero_infinity = reduction, blank, zero_infinity

    def forward(self, log_probs, targets, steps, lengths):
        rows = targets if targets.dim() == 2 else targets.split(lengths.tolist())
        losses = torch.stack([self.one(log_probs[:steps[n], n], rows[n][:lengths[n]].tolist()) for n in range(len(steps))])
        losses = torch.where(losses.isinf(), 0.0, losses) if self.zero_infinity else losses
        if self.reduction == "mean":
            return (losses / lengths.clamp(min=1)).mean()
        return losses.sum() if self.reduction == "sum" else losses

    def one(self, scores, target):
        states = [self.blank] + [c for t in target for c in (t, self.blank)]
        ways = {0: scores[0, states[0]], 1: scores[0, states[1]]}  # state: log of the probability of all ways to it
        for row in scores[1:]:
            ways = {s: torch.logsumexp(torch.stack(before), 0) + row[states[s]] for s in range(len(states))
                    if (before := [ways[b] for b in (s, s - 1, s - 2) if b in ways and (b > s - 2 or states[s] not in (self.blank, states[b]))])}
        ends = [ways[s] for s in (len(states) - 1, len(states) - 2) if s in ways]
        return -torch.logsumexp(torch.stack(ends), 0) if ends else scores.sum() * 0 + math.inf


def ctc(*inputs, **options):
    loss("CTCLoss", *inputs, peer=lambda: CTC(**options), **options)


# ---- losses: the targets of a floating type get gradients, too, where PyTorch has them -----------------------------------
loss("KLDivLoss", lambda: real(3, 4).log_softmax(1), lambda: real(3, 4).softmax(1), reduction="batchmean")
for reduction in REDUCTIONS:
    loss("CrossEntropyLoss", lambda: real(5, 4), lambda: index(4, 5), reduction=reduction)
    loss("CrossEntropyLoss", lambda: real(3, 4, 5), lambda: torch.where(torch.arange(15).reshape(3, 5) % 4 == 0, 2, index(4, 3, 5)), weight=positive(4), ignore_index=2,
         label_smoothing=0.2, reduction=reduction)
    loss("NLLLoss", lambda: real(5, 4), lambda: index(4, 5), weight=positive(4), reduction=reduction)
    loss("NLLLoss", lambda: real(3, 4, 5), lambda: index(4, 3, 5), ignore_index=1, reduction=reduction)
    for name in ("MSELoss", "L1Loss"):
        loss(name, lambda: real(3, 4), lambda: real(3, 4), reduction=reduction)
    loss("SmoothL1Loss", lambda: real(3, 4), lambda: real(3, 4), reduction=reduction, beta=0.4)
    loss("HuberLoss", lambda: real(3, 4), lambda: real(3, 4), reduction=reduction, delta=0.4)
    loss("BCELoss", lambda: real(3, 4).sigmoid(), lambda: real(3, 4).sigmoid(), weight=positive(3, 4), reduction=reduction)
    loss("BCEWithLogitsLoss", lambda: real(3, 4), lambda: real(3, 4).sigmoid(), weight=positive(4), pos_weight=positive(4), reduction=reduction)
    loss("KLDivLoss", lambda: real(3, 4).log_softmax(1), lambda: real(3, 4).softmax(1), reduction=reduction)
    loss("KLDivLoss", lambda: real(3, 4).log_softmax(1), lambda: real(3, 4).log_softmax(1), reduction=reduction, log_target=True)
    loss("PoissonNLLLoss", lambda: real(3, 4), lambda: index(5, 3, 4).double(), reduction=reduction)
    loss("GaussianNLLLoss", lambda: real(3, 4), lambda: real(3, 4), lambda: positive(3, 4), reduction=reduction)
    loss("HingeEmbeddingLoss", lambda: real(3, 4), lambda: signs(3, 4), margin=0.6, reduction=reduction)
    loss("SoftMarginLoss", lambda: real(3, 4), lambda: signs(3, 4), gradients=1, reduction=reduction)
    loss("MarginRankingLoss", lambda: real(6), lambda: real(6), lambda: signs(6), margin=0.3, reduction=reduction)
    loss("CosineEmbeddingLoss", lambda: real(6, 4), lambda: real(6, 4), lambda: signs(6), margin=0.1, reduction=reduction)
    loss("TripletMarginLoss", lambda: real(6, 4), lambda: real(6, 4), lambda: real(6, 4), margin=0.7, p=1.5, reduction=reduction)
    loss("MultiMarginLoss", lambda: real(6, 4), lambda: index(4, 6), weight=positive(4), p=2, margin=0.7, reduction=reduction)
    loss("MultiLabelMarginLoss", lambda: real(3, 4), lambda: torch.tensor([[2, 0, -1, 1], [3, -1, 0, 0], [-1, 1, 2, 3]]), reduction=reduction)
    loss("MultiLabelSoftMarginLoss", lambda: real(3, 4), lambda: torch.randint(2, (3, 4)).double(), weight=positive(4), reduction=reduction)
    ctc(lambda: real(7, 3, 5).log_softmax(2), lambda: index(4, 3, 3) + 1, lambda: torch.tensor([7, 6, 7]), lambda: torch.tensor([3, 2, 1]), reduction=reduction)
loss("CrossEntropyLoss", lambda: real(5, 4), lambda: real(5, 4).softmax(1), label_smoothing=0.1)
loss("BCELoss", lambda: real(3, 4).sigmoid(), lambda: real(3, 4).sigmoid())
loss("SmoothL1Loss", lambda: real(3, 4), lambda: real(3, 4))
loss("HuberLoss", lambda: real(3, 4), lambda: real(3, 4))
loss("PoissonNLLLoss", lambda: positive(3, 4), lambda: index(5, 3, 4).double() + 1, log_input=False, full=True, eps=1e-3)
loss("GaussianNLLLoss", lambda: real(3, 4), lambda: real(3, 4), lambda: positive(3, 1), full=True, eps=0.7)
loss("TripletMarginLoss", lambda: real(6, 4), lambda: real(6, 4), lambda: real(6, 4), swap=True)
ctc(lambda: real(7, 3, 5).log_softmax(2), lambda: index(4, 6), lambda: torch.tensor([7, 5, 1]), lambda: torch.tensor([3, 1, 2]), blank=4, zero_infinity=True)


# ---- optimizers ---------------------------------------------------------------------------------------------------------
class Rule(torch.optim.Optimizer):
    """An optimizer that PyTorch 1.13 lacks: rule(p, gradient, state, options)."""

    def __init__(self, params, rule, **options):
        super().__init__(params, options)
        self.rule = rule

    @torch.no_grad()
    def step(self, closure):
        with torch.enable_grad():
            value = closure()
        for group in self.param_groups:
            for p in group["params"]:
                self.rule(p, -p.grad if group["maximize"] else p.grad, self.state[p], group)
        return value


def lion(p, g, state, o):
    mean = state.setdefault("mean", torch.zeros_like(p))
    p.mul_(1 - o["lr"] * o["weight_decay"]).sub_(o["lr"] * (o["beta1"] * mean + (1 - o["beta1"]) * g).sign())
    mean.mul_(o["beta2"]).add_((1 - o["beta2"]) * g)


def decayed(p, g, o):
    """The gradient, to which the weight decay is added unless it shrinks the parameter."""
    if o["decoupled_weight_decay"]:
        p.mul_(1 - o["lr"] * o["weight_decay"])
        return g
    return g + o["weight_decay"] * p


def radam(p, g, state, o):
    """As PyTorch has it since 2.2, with either weight decay."""
    t = state["t"] = state.get("t", 0) + 1
    g = decayed(p, g, o)
    m = state["m"] = o["beta1"] * state.get("m", 0) + (1 - o["beta1"]) * g
    v = state["v"] = o["beta2"] * state.get("v", 0) + (1 - o["beta2"]) * g * g
    longest, kept = 2 / (1 - o["beta2"]) - 1, o["beta2"] ** t
    length = longest - 2 * t * kept / (1 - kept)
    step = m / (1 - o["beta1"] ** t)
    if length > 5:
        step = step * math.sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length) * (1 - kept)) / (v.sqrt() + o["eps"])
    p.sub_(o["lr"] * step)


def adam(p, g, state, o):
    """Adam with either weight decay, which PyTorch has since 2.7."""
    t = state["t"] = state.get("t", 0) + 1
    g = decayed(p, g, o)
    m = state["m"] = o["beta1"] * state.get("m", 0) + (1 - o["beta1"]) * g
    v = state["v"] = o["beta2"] * state.get("v", 0) + (1 - o["beta2"]) * g * g
    p.sub_(o["lr"] * m / (1 - o["beta1"] ** t) / ((v / (1 - o["beta2"] ** t)).sqrt() + o["eps"]))


def adafactor(p, g, state, o):
    """As PyTorch 2.15 has it."""
    t = state["t"] = state.get("t", 0) + 1
    least = torch.finfo(p.dtype).eps if o["eps1"] < 0 else o["eps1"]
    part, rms = t ** o["beta2_decay"], lambda x: float(x.norm()) / math.sqrt(x.numel())
    rate = max(o["eps2"], rms(p)) * min(o["lr"], 1 / math.sqrt(t))
    p.mul_(1 - o["lr"] * o["weight_decay"])
    if p.dim() > 1:
        rows = state["rows"] = (1 - part) * state.get("rows", 0) + part * g.square().mean(-1, True)
        columns = state["columns"] = (1 - part) * state.get("columns", 0) + part * g.square().mean(-2, True)
        spread = rows @ columns / rows.mean(-2, True).clamp(min=least)
    else:
        spread = state["all"] = (1 - part) * state.get("all", 0) + part * g.square()
    step = g / spread.clamp(min=least * least).sqrt()
    p.sub_(rate / max(1, rms(step) / o["d"]) * step)


def nadam(p, g, state, o):
    """As PyTorch has it since 2.0; 1.13 counts a factor of mu_product twice."""
    t = state["t"] = state.get("t", 0) + 1
    g = decayed(p, g, o)
    now, then = (o["beta1"] * (1 - 0.5 * 0.96 ** (k * o["momentum_decay"])) for k in (t, t + 1))
    product = state["product"] = state.get("product", 1.0) * now
    m = state["m"] = o["beta1"] * state.get("m", 0) + (1 - o["beta1"]) * g
    v = state["v"] = o["beta2"] * state.get("v", 0) + (1 - o["beta2"]) * g * g
    p.sub_(o["lr"] * ((1 - now) / (1 - product) * g + then / (1 - product * then) * m) / ((v / (1 - o["beta2"] ** t)).sqrt() + o["eps"]))


def lamb(p, g, state, o):
    """Algorithm 2 of arXiv:1904.00962; a norm of 0 leaves the step as it is."""
    t = state["t"] = state.get("t", 0) + 1
    m = state["m"] = o["beta1"] * state.get("m", 0) + (1 - o["beta1"]) * g
    v = state["v"] = o["beta2"] * state.get("v", 0) + (1 - o["beta2"]) * g * g
    r = m / (1 - o["beta1"] ** t) / ((v / (1 - o["beta2"] ** t)).sqrt() + o["eps"]) + o["weight_decay"] * p
    trust = p.norm() / r.norm() if p.norm() > 0 and r.norm() > 0 else 1.0
    p.sub_(o["lr"] * trust * r)


def muon(p, g, state, o):
    """As PyTorch 2.9 has it, in the type of the parameter."""
    mean = state.setdefault("mean", torch.zeros_like(p))
    mean.lerp_(g, 1 - o["momentum"])
    x = g.lerp(mean, o["momentum"]) if o["nesterov"] else mean.clone()
    tall = x.shape[0] > x.shape[1]
    x = x.T if tall else x
    x = x / x.norm().clamp(min=o["eps"])
    for _ in range(int(o["ns_steps"])):
        gram = x @ x.T
        x = o["ns_a"] * x + (o["ns_b"] * gram + o["ns_c"] * gram @ gram) @ x
    rows, columns = p.shape
    factor = 0.2 * math.sqrt(max(rows, columns)) if o["match_rms_adamw"] else math.sqrt(rows / columns) if o["spectral_unclamped"] else math.sqrt(max(1, rows / columns))
    p.mul_(1 - o["lr"] * o["weight_decay"]).sub_(o["lr"] * factor * (x.T if tall else x))


def optimizer(name, rule=None, kwargs=None, defaults=None, room=1, **options):
    """kwargs: PyTorch's arguments where they are spelled otherwise; defaults: those of a rule; room: Case's."""
    peer = (lambda params: Rule(params, rule, **{"maximize": False, **defaults, **options})) if rule else None
    Case("optimizer", name, options, peer=peer, kwargs=options if kwargs is None else kwargs, room=room)


optimizer("SGD", lr=0.05)
optimizer("SGD", lr=0.02, momentum=0.8, dampening=0.3, weight_decay=0.05)
optimizer("SGD", lr=0.02, momentum=0.9, nesterov=True)
optimizer("SGD", lr=0.002, momentum=0.5, maximize=True)
WIDE = dict(lr=0.05, betas=(0.8, 0.95), eps=1e-4, weight_decay=0.1)
SPELLED = dict(lr=0.05, beta1=0.8, beta2=0.95, eps=1e-4, weight_decay=0.1)
for name in ("Adam", "AdamW"):
    optimizer(name, lr=0.05)
    optimizer(name, kwargs=dict(WIDE, amsgrad=True), **SPELLED, amsgrad=True)
    optimizer(name, lr=0.01, maximize=True)
for name in ("RAdam", "Adamax"):
    optimizer(name, lr=0.05)
    optimizer(name, kwargs=WIDE, **SPELLED)
NADAM = dict(beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0, momentum_decay=4e-3, decoupled_weight_decay=False)
optimizer("NAdam", nadam, defaults=NADAM, lr=0.05)
optimizer("NAdam", nadam, defaults=NADAM, kwargs=dict(WIDE, momentum_decay=0.02), **SPELLED, momentum_decay=0.02)
optimizer("NAdam", nadam, defaults=NADAM, kwargs=dict(WIDE, decoupled_weight_decay=True), **SPELLED, decoupled_weight_decay=True)
for name, rule in (("Adam", adam), ("RAdam", radam)):
    optimizer(name, rule, defaults={}, kwargs=dict(WIDE, decoupled_weight_decay=True), **SPELLED, decoupled_weight_decay=True)
ADAFACTOR = dict(lr=0.01, beta2_decay=-0.8, eps1=-1.0, eps2=1e-3, d=1.0, weight_decay=0.0)
optimizer("Adafactor", adafactor, defaults=ADAFACTOR)
optimizer("Adafactor", adafactor, defaults=ADAFACTOR, lr=0.3, beta2_decay=-0.5, eps1=0.2, eps2=0.1, d=1.25, weight_decay=0.2,
          kwargs=dict(lr=0.3, beta2_decay=-0.5, eps=(0.2, 0.1), d=1.25, weight_decay=0.2))
optimizer("Adafactor", adafactor, defaults=ADAFACTOR, lr=0.02, maximize=True)
optimizer("RMSprop", lr=0.02)
optimizer("RMSprop", lr=0.02, alpha=0.8, eps=1e-6, weight_decay=0.1, momentum=0.7, centered=True)
optimizer("Adagrad", lr=0.1)
optimizer("Adagrad", lr=0.1, lr_decay=0.1, weight_decay=0.1, initial_accumulator_value=0.3, eps=1e-6)
optimizer("Adadelta", lr=0.5)
optimizer("Adadelta", lr=0.5, rho=0.8, eps=1e-4, weight_decay=0.1, maximize=True)
optimizer("ASGD", lr=0.05)
optimizer("ASGD", lr=0.05, lambd=0.1, alpha=0.6, t0=3.0, weight_decay=0.1)
optimizer("Rprop", lr=0.02)
optimizer("Rprop", kwargs=dict(lr=0.02, etas=(0.4, 1.5), step_sizes=(0.01, 0.05)), lr=0.02, eta1=0.4, eta2=1.5, step_size1=0.01, step_size2=0.05)
LION = dict(beta1=0.9, beta2=0.99, weight_decay=0.0)
optimizer("Lion", lion, defaults=LION, lr=0.01)
optimizer("Lion", lion, defaults=LION, lr=0.01, beta1=0.7, beta2=0.8, weight_decay=0.3, kwargs=dict(lr=0.01, betas=(0.7, 0.8), weight_decay=0.3))
LAMB = dict(beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.01)
optimizer("LAMB", lamb, defaults=LAMB, lr=0.05)
optimizer("LAMB", lamb, defaults=LAMB, lr=0.02, beta1=0.8, beta2=0.9, eps=1e-3, weight_decay=0.2, kwargs=dict(lr=0.02, betas=(0.8, 0.9), eps=1e-3, weight_decay=0.2))
MUON = dict(weight_decay=0.1, momentum=0.95, nesterov=True, ns_a=3.4445, ns_b=-4.775, ns_c=2.0315, eps=1e-7, ns_steps=5.0, match_rms_adamw=False, spectral_unclamped=False)
optimizer("Muon", muon, defaults=MUON, lr=0.02)
optimizer("Muon", muon, defaults=MUON, lr=0.02, momentum=0.8, nesterov=False, weight_decay=0.0, match_rms_adamw=True,
          kwargs=dict(lr=0.02, momentum=0.8, nesterov=False, weight_decay=0.0, adjust_lr_fn="match_rms_adamw"))
REASONS["SparseAdam"] = "takes gradients of rows, which these problems have not: tests/optim/rows_test.cpp, tests/capi/rows_test.cpp and each language's own"
# The search along a line lets rounding grow.
optimizer("LBFGS", room=20, kwargs=dict(lr=0.05, max_iter=5, history_size=3), lr=0.05, max_iter=5.0, history_size=3.0)
optimizer("LBFGS", room=20, kwargs=dict(lr=1.0, max_iter=4, line_search_fn="strong_wolfe"), lr=1.0, max_iter=4.0, strong_wolfe=True)


def optimizer_case(case):
    shapes = [(5, 3), (2, 4)] if case.name == "Muon" else [(5, 3), (4,), (1, 2, 3)]
    file = {}
    for i, shape in enumerate(shapes):
        file.update({f"param/{i}": real(*shape), f"target/{i}": real(*shape), f"weight/{i}": positive(*shape), f"quartic/{i}": positive(*shape) * 0.1})
    params = [file[f"param/{i}"].clone().requires_grad_() for i in range(len(shapes))]
    made = case.peer(params) if case.peer else getattr(torch.optim, case.name)(params, **case.kwargs)

    def closure():
        made.zero_grad(set_to_none=True)
        value = sum((file[f"weight/{i}"] * (p - file[f"target/{i}"]).square() + file[f"quartic/{i}"] * p.square().square()).sum() for i, p in enumerate(params))
        value.backward()
        return value
    losses = []
    for step in range(STEPS):
        losses.append(float(made.step(closure)))
        file.update((f"after/{step}/{i}", p.detach().clone()) for i, p in enumerate(params))
    file["loss"] = torch.tensor(losses, dtype=F64)
    return file


# ---- schedules ----------------------------------------------------------------------------------------------------------
METRICS = [3.0, 2.5, 2.5, 2.6, 2.4999, 2.7, 1.0, 1.2, 1.3, 1.4, 1.1, 1.5, 0.9, 0.95]


def schedule(name, kwargs=None, metrics=None, **options):
    Case("schedule", name, options, kwargs=options if kwargs is None else kwargs, metrics=metrics)


schedule("StepLR", step_size=3)
schedule("StepLR", step_size=2, gamma=0.7)
schedule("MultiStepLR", milestones=(2, 5, 5, 7), gamma=0.5)
schedule("ExponentialLR", gamma=0.9)
schedule("CosineAnnealingLR", T_max=5)
schedule("CosineAnnealingLR", T_max=20, eta_min=0.01)
schedule("LinearLR")
schedule("LinearLR", start_factor=0.25, end_factor=0.75, total_iters=4)
schedule("ConstantLR")
schedule("ConstantLR", factor=0.2, total_iters=3)
schedule("PolynomialLR")
schedule("PolynomialLR", total_iters=8, power=2.0)
schedule("CosineAnnealingWarmRestarts", T_0=5)
schedule("CosineAnnealingWarmRestarts", T_0=2, T_mult=2, eta_min=0.02)
schedule("CyclicLR", base_lr=0.05, max_lr=0.4, step_size_up=3)
schedule("CyclicLR", base_lr=0.05, max_lr=0.4, step_size_up=2, step_size_down=4, halves=True, base_momentum=0.7, max_momentum=0.95,
         kwargs=dict(base_lr=0.05, max_lr=0.4, step_size_up=2, step_size_down=4, mode="triangular2", base_momentum=0.7, max_momentum=0.95))
schedule("CyclicLR", base_lr=0.05, max_lr=0.4, step_size_up=3, gamma=0.9, cycle_momentum=False,
         kwargs=dict(base_lr=0.05, max_lr=0.4, step_size_up=3, gamma=0.9, mode="exp_range", cycle_momentum=False))
# A list has a number for each group, of which there is one here; it stands in place of the number before it.
schedule("CyclicLR", base_lr=9.0, max_lr=9.0, step_size_up=3, base_lrs=(0.05,), max_lrs=(0.4,), base_momentums=(0.7,), max_momentums=(0.95,),
         kwargs=dict(base_lr=[0.05], max_lr=[0.4], step_size_up=3, base_momentum=[0.7], max_momentum=[0.95]))
schedule("OneCycleLR", max_lr=9.0, total_steps=20, max_lrs=(0.5,), base_momentums=(0.7,), max_momentums=(0.96,),
         kwargs=dict(max_lr=[0.5], total_steps=20, base_momentum=[0.7], max_momentum=[0.96]))
schedule("ReduceLROnPlateau", patience=1, factor=0.5, min_lrs=(0.15,), metrics=METRICS, kwargs=dict(patience=1, factor=0.5, min_lr=[0.15]))
schedule("SWALR", swa_lr=9.0, swa_lrs=(0.05,), kwargs=dict(swa_lr=[0.05]))
schedule("OneCycleLR", max_lr=0.5, total_steps=20)
schedule("OneCycleLR", max_lr=0.5, total_steps=16, pct_start=0.4, linear=True, base_momentum=0.8, max_momentum=0.9, div_factor=10.0, final_div_factor=100.0,
         three_phase=True, kwargs=dict(max_lr=0.5, total_steps=16, pct_start=0.4, anneal_strategy="linear", base_momentum=0.8, max_momentum=0.9, div_factor=10.0,
                                       final_div_factor=100.0, three_phase=True))
schedule("ReduceLROnPlateau", patience=1, factor=0.5, metrics=METRICS)
schedule("ReduceLROnPlateau", maximize=True, factor=0.3, patience=2, threshold=0.2, absolute=True, cooldown=2, min_lr=0.05, metrics=METRICS,
         kwargs=dict(mode="max", factor=0.3, patience=2, threshold=0.2, threshold_mode="abs", cooldown=2, min_lr=0.05))
schedule("SWALR", swa_lr=0.05)
schedule("SWALR", swa_lr=0.9, anneal_epochs=4, linear=True, kwargs=dict(swa_lr=0.9, anneal_epochs=4, anneal_strategy="linear"))


def schedule_case(case):
    optimizer = torch.optim.SGD([torch.zeros(2, requires_grad=True)], lr=0.4, momentum=0.9)
    where = torch.optim.swa_utils if case.name == "SWALR" else torch.optim.lr_scheduler
    made = getattr(where, case.name)(optimizer, **case.kwargs)
    group = optimizer.param_groups[0]
    rows = [(group["lr"], group["momentum"])]
    for metric in case.more["metrics"] or [None] * 14:
        optimizer.step()
        made.step() if metric is None else made.step(metric)
        rows.append((group["lr"], group["momentum"]))
    file = {"rate": torch.tensor([r for r, _ in rows], dtype=F64), "momentum": torch.tensor([m for _, m in rows], dtype=F64)}
    if case.more["metrics"]:
        file["metric"] = torch.tensor(case.more["metrics"], dtype=F64)
    return file
