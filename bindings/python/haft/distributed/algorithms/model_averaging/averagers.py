"""Averagers of parameters: local SGD, and DiLoCo's outer optimizer."""
import haft

from .... import _haft

__all__ = ["ModelAverager", "OuterModelAverager", "PeriodicModelAverager"]


def _tensors(params):
    out = []
    for p in params:
        out += p["params"] if isinstance(p, dict) else [p]
    return out


class ModelAverager:
    """What averagers share."""

    def __init__(self, process_group=None):
        self.process_group, self.step, self._native = haft.distributed._of(process_group), 0, None
        self._state = None

    def average_parameters(self, params):
        """To be called after each step of the optimizer, with the same parameters or groups of them; answers whether it was the turn."""
        if self._native is None:
            self._native = _haft.make_averager(_tensors(params), self.process_group._native, *self._options)
            if self._state is not None:
                self._native.load_state_dict(list(self._state.items()))
        self.step += 1
        return self._native.step()

    def state_dict(self):
        """What belongs into checkpoints."""
        return dict(self._native.state_dict()) if self._native else {}

    def load_state_dict(self, state):
        """Goes on from what state_dict() told."""
        self._state = dict(state)
        if self._native is not None:
            self._native.load_state_dict(list(state.items()))
        self.step = int(self._state["step"].item()) if "step" in self._state else 0


class PeriodicModelAverager(ModelAverager):
    """Every ``period`` steps, from ``warmup_steps`` on, parameters become the mean of all processes'."""

    def __init__(self, period, warmup_steps=0, process_group=None):
        super().__init__(process_group)
        if warmup_steps < 0:
            raise ValueError("Arg ``warmup_steps`` must be a non-negative number.")
        if period <= 0:
            raise ValueError("Arg ``period`` must be a positive value.")
        self.period, self.warmup_steps = period, warmup_steps
        self._options = (period, warmup_steps, False, 0.0, 0.0, False)


class OuterModelAverager(ModelAverager):
    """DiLoCo: every ``period`` steps an outer optimizer takes a step along what the mean has moved since its last one."""

    def __init__(self, period, lr=0.7, momentum=0.9, nesterov=True, warmup_steps=0, process_group=None):
        super().__init__(process_group)
        self.period, self.warmup_steps = period, warmup_steps
        self._options = (period, warmup_steps, True, lr, momentum, nesterov)
