"""Pipelines: a model cut into stages on several processes, by PyTorch's names.

    stage = PipelineStage(my_part, rank, world_size, device="cpu")
    schedule = Schedule1F1B(stage, n_microbatches=8, loss_fn=haft.nn.functional.cross_entropy)
    for x, y in batches:
        losses = []
        if rank == 0:
            schedule.step(x)
        elif rank == world_size - 1:
            output = schedule.step(target=y, losses=losses)
        else:
            schedule.step()
        optimizer.step()
        optimizer.zero_grad()

Gradients are those of the whole batch on one process. What fails in a stage, the group fails with on every rank.
"""
from collections import namedtuple as _namedtuple

from .. import _haft, Tensor as _Tensor
from . import _of

__all__ = ["Action", "PipelineStage", "Schedule1F1B", "ScheduleGPipe", "ScheduleInterleaved1F1B"]

Action = _namedtuple("Action", "is_backward stage micro_batch live")
Action.__doc__ = "What a rank did in a step, and how many micro-batches it held after it."


def _tensors(answer):
    return [answer] if isinstance(answer, _Tensor) else list(answer)


class PipelineStage:
    """A part of a model: stage stage_index of num_stages, on rank stage_index % (size of the group).

    Shapes are told from stage to stage with each step's first micro-batch, so input_args and output_args are not wanted. What comes is moved to
    `device`, where the parameters are; None leaves it where it is: on the CPU, of another rank.
    """

    def __init__(self, submodule, stage_index, num_stages, device=None, input_args=None, output_args=None, group=None, dw_builder=None):
        if dw_builder is not None:
            raise NotImplementedError("PipelineStage: gradients of weights are computed with those of inputs; dw_builder must be None")
        g = _of(group)
        if g is None or not 0 <= stage_index < num_stages or num_stages % g.size() or stage_index % g.size() != g.rank():
            raise ValueError(f"PipelineStage: stage {stage_index} of {num_stages} is not this rank's; rank r of s has the stages r, r + s, ...")
        self.submod, self.stage_index, self.num_stages, self.device, self.group = submodule, stage_index, num_stages, device, g

    @property
    def is_first(self):
        """Whether it takes the inputs."""
        return self.stage_index == 0

    @property
    def is_last(self):
        """Whether it takes the target and gives losses and outputs."""
        return self.stage_index == self.num_stages - 1


class _Schedule:
    _kind: int  # the engine's number of it

    def __init__(self, stages, n_microbatches, loss_fn=None, args_chunk_spec=None, kwargs_chunk_spec=None, output_merge_spec=None, scale_grads=True):
        if any(s is not None for s in (args_chunk_spec, kwargs_chunk_spec, output_merge_spec)):
            raise NotImplementedError("pipelining: batches are split and put together along dimension 0; chunk and merge specs must be None")
        own = sorted(stages, key=lambda s: s.stage_index)
        g, total = own[0].group, own[0].num_stages
        if [s.stage_index for s in own] != list(range(g.rank(), total, g.size())) or any(s.group is not g or s.num_stages != total for s in own):
            raise ValueError(f"pipelining: of {total} stages rank {g.rank()} has {list(range(g.rank(), total, g.size()))}, "
                             f"got {[s.stage_index for s in own]}")
        self._stages, self._has_last = own, own[-1].is_last
        modules = [_haft.callable_module(f"Stage{s.stage_index}", self._forward(s.submod, s.device)) for s in own]
        arguments = g._native, modules, self._kind, n_microbatches, scale_grads
        if loss_fn is None or not self._has_last:
            self._native = _haft.make_pipeline(*arguments)
        else:
            loss = _haft.callable_module("Loss", lambda values: [loss_fn(values[0] if len(values) == 2 else tuple(values[:-1]), values[-1])])
            self._native = _haft.make_pipeline_with_loss(*arguments, loss)

    @staticmethod
    def _forward(module, device):
        return lambda inputs: _tensors(module(*(inputs if device is None else (t.to(device) for t in inputs))))

    def _run(self, args, target, losses, train, return_outputs):
        results = list(_haft.run_pipeline(self._native, list(args), target, train, return_outputs))
        if not self._has_last:
            return None
        if target is not None and results and (train or len(results) > return_outputs):
            made = results.pop()
            if losses is not None:
                losses[:] = list(made.unbind())
        return None if not return_outputs or not results else results[0] if len(results) == 1 else tuple(results)

    def step(self, *args, target=None, losses=None, return_outputs=True):
        """Forwards and backwards of a batch. args: the first stage's inputs; target: the last one's, whose rank gets the losses and the outputs."""
        return self._run(args, target, losses, True, return_outputs)

    def eval(self, *args, target=None, losses=None, return_outputs=True):
        """Forwards alone."""
        return self._run(args, target, losses, False, return_outputs)

    def tie(self, parameter=None):
        """A parameter that stages of several ranks share; None for ranks without it. All ranks call it: gradients are added up in each step."""
        self._native.tie(parameter)

    @property
    def trace(self):
        """What this rank did in the last step, in order."""
        numbers = _haft.pipeline_trace(self._native)
        return [Action(bool(numbers[i]), *numbers[i + 1:i + 4]) for i in range(0, len(numbers), 4)]

    @property
    def peak_live(self):
        """How many micro-batches this rank held at once in the last step."""
        return _haft.pipeline_peak_live(self._native)

    @property
    def bubble(self):
        """The share of a step in which ranks wait when all forwards and backwards take equally long."""
        return _haft.pipeline_bubble(self._native)


class _OneStage(_Schedule):
    def __init__(self, stage, n_microbatches, loss_fn=None, args_chunk_spec=None, kwargs_chunk_spec=None, output_merge_spec=None,
                 scale_grads=True):
        super().__init__([stage], n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec, scale_grads)


class ScheduleGPipe(_OneStage):
    """All forwards, then all backwards."""

    _kind = 0


class Schedule1F1B(_OneStage):
    """Backwards as soon as they can, so that fewer micro-batches are held."""

    _kind = 1


class ScheduleInterleaved1F1B(_Schedule):
    """Several stages a rank, which makes ranks wait less."""

    _kind = 2
