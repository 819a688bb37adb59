"""Models over processes: pipelines under PyTorch's names, ring attention, mixtures of experts."""
import unittest

import haft
import haft.distributed as dist
import haft.nn as nn
import haft.nn.functional as F
from haft.distributed.context_parallel import ring_attention
from haft.distributed.expert_parallel import MixtureOfExperts
from haft.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe, ScheduleInterleaved1F1B

from test_distributed import run


def part(seed):
    haft.manual_seed(seed)
    return nn.Sequential(nn.Linear(6, 6), nn.Tanh())


class Two(nn.Module):
    """Passes two tensors on."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(haft.full((6,), 2.0))

    def forward(self, x):
        return x * self.w, x


def near(a, b):
    return bool((a - b).abs().max() < 1e-6)


def trains(rank, name):
    n = dist.get_world_size()
    many = 2 if name == "ScheduleInterleaved1F1B" else 1
    whole = nn.Sequential(*[part(i) for i in range(many * n)])
    own = {i: part(i) for i in range(rank, many * n, n)}
    stages = [PipelineStage(m, i, many * n, "cpu") for i, m in own.items()]
    make = {"ScheduleGPipe": ScheduleGPipe, "Schedule1F1B": Schedule1F1B, "ScheduleInterleaved1F1B": ScheduleInterleaved1F1B}[name]
    schedule = make(stages if many > 1 else stages[0], 4, loss_fn=F.mse_loss)
    ours = haft.optim.SGD([p for m in own.values() for p in m.parameters()], lr=0.2)
    theirs = haft.optim.SGD(whole.parameters(), lr=0.2)
    good = []
    for step in range(3):
        haft.manual_seed(100 + step)
        x, y, losses = haft.randn(8, 6), haft.randn(8, 6), []
        out = schedule.step(*([x] if rank == 0 else []), target=y if rank == n - 1 else None, losses=losses)
        want = whole(x)
        loss = F.mse_loss(want, y)
        loss.backward()
        good.append((out is None) == (rank < n - 1) and len(losses) == (4 if rank == n - 1 else 0))
        if rank == n - 1:
            good += [near(out, want), near(haft.stack(losses).mean(), loss)]
        for o in (ours, theirs):
            o.step()
            o.zero_grad()
    good += [near(p, q) for i, m in own.items() for p, q in zip(m.parameters(), whole[i].parameters())]
    out = schedule.eval(*([x] if rank == 0 else []))
    good.append(near(out, whole(x)) if rank == n - 1 else out is None)
    return all(good), round(schedule.bubble, 4), len(schedule.trace), schedule.trace[0].micro_batch


def ties_and_tuples(rank):
    model = Two() if rank == 0 else None
    last = None
    if rank == 1:
        class Last(nn.Module):
            def __init__(self):
                super().__init__()
                self.w = nn.Parameter(haft.zeros(6))  # takes the first rank's

            def forward(self, a, b):
                return (a + b) * self.w
        model = last = Last()
    schedule = Schedule1F1B(PipelineStage(model, rank, 2), 2, loss_fn=lambda y, t: ((y - t) ** 2).mean())
    schedule.tie(model.w)
    x, t = haft.arange(24, dtype=haft.float32).reshape(4, 6) / 10, haft.ones(4, 6)
    schedule.step(*([x] if rank == 0 else []), target=t if rank == 1 else None)
    w = haft.full((6,), 2.0, requires_grad=True)
    ((((x * w + x) * w - t) ** 2).mean()).backward()
    return near(model.w.grad, w.grad), near(model.w, w)


class Tired(Exception):
    pass


def fails(rank):
    def stage(x):
        if rank == 1:
            raise Tired("no more")
        return x
    schedule = ScheduleGPipe(PipelineStage(stage, rank, 3), 2)
    try:
        schedule.eval(*([haft.ones(4, 2)] if rank == 0 else []))
        dist.barrier()
    except Tired as e:
        return f"Tired {e}"
    except haft.CancelledError as e:
        return "rank 1 aborted the group: pipeline, forward of stage 1, micro-batch 0" in str(e)


def refuses(rank):
    told = []
    for f in (lambda: PipelineStage(nn.Identity(), 1 - rank, 2), lambda: PipelineStage(nn.Identity(), rank, 3),
              lambda: ScheduleGPipe(PipelineStage(nn.Identity(), rank, 4), 2),
              lambda: ScheduleGPipe(PipelineStage(nn.Identity(), rank, 2), 2, args_chunk_spec=())):
        try:
            f()
        except (ValueError, NotImplementedError) as e:
            told.append(type(e).__name__)
    return told


def spreads(rank):
    n = dist.get_world_size()
    haft.manual_seed(0)
    q, k, v = (haft.randn(2, 3, 4 * n, 5) for _ in range(3))
    mine = [t[:, :, 4 * rank:4 * rank + 4].clone().requires_grad_() for t in (q, k, v)]
    all_of = [t.clone().requires_grad_() for t in (q, k, v)]
    y, want = ring_attention(*mine, is_causal=True), F.scaled_dot_product_attention(*all_of, is_causal=True)
    y.sum().backward()
    want.sum().backward()
    rows = slice(4 * rank, 4 * rank + 4)
    good = [near(y, want[:, :, rows]), *(near(a.grad, b.grad[:, :, rows]) for a, b in zip(mine, all_of))]

    haft.manual_seed(1)
    router, experts = nn.Linear(6, 2 * n), [part(i) for i in range(2 * n)]
    layer = MixtureOfExperts(router, [part(i) for i in range(2 * rank, 2 * rank + 2)])
    x = haft.randn(3, 5, 6)
    y = layer(x)
    shares, chosen = router(x).softmax(-1).topk(2, -1)
    shares = shares / shares.sum(-1, keepdim=True)
    want = haft.stack([e(x) for e in experts], -2).gather(-2, chosen.unsqueeze(-1).expand(3, 5, 2, 6)).mul(shares.unsqueeze(-1)).sum(-2)
    y.sum().backward()
    good += [near(y, want), 0.5 < layer.balance_loss.item() < 2 * n, sorted(layer.experts.keys()) == [str(2 * rank), str(2 * rank + 1)],
             router.weight.grad is not None]
    return all(good)


class Pipelining(unittest.TestCase):
    def test_schedules_train_as_one_process(self):
        self.assertEqual(run(2, trains, "ScheduleGPipe"), [(True, 0.2, 4, 0)] * 2)
        self.assertEqual(run(3, trains, "Schedule1F1B"), [(True, round(1 / 3, 4), 4, 0)] * 3)
        self.assertEqual(run(2, trains, "ScheduleInterleaved1F1B"), [(True, round(1 / 9, 4), 8, 0)] * 2)

    def test_shared_parameters_and_several_tensors(self):
        self.assertEqual(run(2, ties_and_tuples), [(True, True)] * 2)

    def test_a_failing_stage_reaches_every_rank(self):
        self.assertEqual(run(3, fails), [True, "Tired no more", True])

    def test_what_does_not_fit_is_refused(self):
        self.assertEqual(run(2, refuses), [["ValueError"] * 3 + ["NotImplementedError"]] * 2)

    def test_ring_attention_and_experts(self):
        self.assertEqual(run(2, spreads), [True, True])


if __name__ == "__main__":
    unittest.main()
