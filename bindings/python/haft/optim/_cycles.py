"""What schedules with values of each group do; _schedules.py has the classes, with the parameters of core/schema/modules_python.def."""
from __future__ import annotations

import math
import types
import warnings
from typing import Any

from .. import _haft
from ._engine_schedule import EngineSchedule, LRScheduler
from .optimizer import Optimizer


def per_group(value, optimizer: Optimizer, name: str) -> list:
    if not isinstance(value, (list, tuple)):
        return [value] * len(optimizer.param_groups)
    if len(value) != len(optimizer.param_groups):
        raise ValueError(f"Expected {len(optimizer.param_groups)} {name}, but got {len(value)}")
    return list(value)


class _WarmRestarts(LRScheduler):
    def __init__(self, optimizer, T_0, T_mult, eta_min, last_epoch, verbose):
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self) -> list[float]:
        return [self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
                for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Goes to the next epoch, or to a given one, which may be between two."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        else:
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            if epoch < self.T_0:
                self.T_i, self.T_cur = self.T_0, epoch
            elif self.T_mult == 1:
                self.T_cur = epoch % self.T_0
            else:
                n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
                self.T_cur = epoch - self.T_0 * (self.T_mult ** n - 1) / (self.T_mult - 1)
                self.T_i = self.T_0 * self.T_mult ** n
        self.last_epoch = math.floor(epoch)
        self._step_count += 1
        self._set(self.get_lr(), epoch)


def _cycled_momentum(optimizer: Optimizer) -> str | None:
    """The option that takes the momentum's cycle."""
    for name in ("momentum", "betas"):
        if name in optimizer.defaults:
            return name
    return None


def _set_momentum(group: dict, kind: str, value: float) -> None:
    group[kind] = value if kind == "momentum" else (value, *group["betas"][1:])


class _Cyclic(LRScheduler):
    def __init__(self, optimizer, base_lr, max_lr, step_size_up, step_size_down, mode, gamma, scale_fn, scale_mode, cycle_momentum,
                 base_momentum, max_momentum, last_epoch, verbose):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        bases = per_group(base_lr, optimizer, "base_lr")
        if last_epoch == -1:
            for lr, group in zip(bases, optimizer.param_groups):
                group["lr"] = lr
        self.max_lrs = per_group(max_lr, optimizer, "max_lr")
        up = float(step_size_up)
        down = float(step_size_down) if step_size_down is not None else up
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn = scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            if "momentum" not in optimizer.defaults:
                raise ValueError("optimizer must support momentum with `cycle_momentum` option enabled")
            self.base_momentums = per_group(base_momentum, optimizer, "base_momentum")
            self.max_momentums = per_group(max_momentum, optimizer, "max_momentum")
            if last_epoch == -1:
                for momentum, group in zip(self.base_momentums, optimizer.param_groups):
                    group["momentum"] = momentum
        super().__init__(optimizer, last_epoch, verbose)
        self.base_lrs = bases

    def scale_fn(self, x: float) -> float:
        """The height of a cycle."""
        if self._scale_fn is not None:
            return self._scale_fn(x)
        return {"triangular": lambda: 1.0, "triangular2": lambda: 1 / (2.0 ** (x - 1)),
                "exp_range": lambda: self.gamma ** x}[self.mode]()

    def get_lr(self) -> list[float]:
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        part = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for low, high, group in zip(self.base_momentums, self.max_momentums, self.optimizer.param_groups):
                group["momentum"] = high - (high - low) * part * scale
        return [base + (top - base) * part * scale for base, top in zip(self.base_lrs, self.max_lrs)]

    def state_dict(self) -> dict[str, Any]:
        state = super().state_dict()
        fn = state.pop("_scale_fn")
        state["_scale_fn"] = dict(fn.__dict__) if fn is not None and not isinstance(fn, types.FunctionType) else None
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        state_dict = dict(state_dict)
        kept = state_dict.pop("_scale_fn", None)
        if kept is not None and self._scale_fn is not None:
            self._scale_fn.__dict__.update(kept)
        super().load_state_dict(state_dict)


def _ratio(a: float, b: float) -> float:
    return a / b if b else math.inf if a else 1.0


class _OneCycle(EngineSchedule):
    _make = staticmethod(_haft.Make.one_cycle_lr)
    _steps_again = True

    def __init__(self, optimizer, max_lr, total_steps, epochs, steps_per_epoch, pct_start, anneal_strategy, cycle_momentum, base_momentum,
                 max_momentum, div_factor, final_div_factor, three_phase, last_epoch, verbose):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
            for name, value in (("epochs", epochs), ("steps_per_epoch", steps_per_epoch)):
                if value <= 0 or not isinstance(value, int):
                    raise ValueError(f"Expected positive integer {name}, but got {value}")
            total_steps = epochs * steps_per_epoch
        elif total_steps <= 0 or not isinstance(total_steps, int):
            raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must by one of 'cos' or 'linear', instead got {anneal_strategy}")
        self.total_steps = total_steps
        self._pct_start, self._three_phase = pct_start, three_phase
        self._anneal = anneal_strategy
        if last_epoch == -1:
            for top, group in zip(per_group(max_lr, optimizer, "max_lr"), optimizer.param_groups):
                group["initial_lr"] = top / div_factor
                group["max_lr"] = top
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._momentum = _cycled_momentum(optimizer)
            if self._momentum is None:
                raise ValueError("optimizer must support momentum with `cycle_momentum` option enabled")
            if last_epoch == -1:
                for high, low, group in zip(per_group(max_momentum, optimizer, "max_momentum"),
                                            per_group(base_momentum, optimizer, "base_momentum"),
                                            optimizer.param_groups):
                    _set_momentum(group, self._momentum, high)
                    group["max_momentum"] = high
                    group["base_momentum"] = low
        super().__init__(optimizer, last_epoch, verbose)

    def _values(self, group: dict) -> list:
        first = group["initial_lr"]
        return [group["max_lr"], self.total_steps, self._pct_start, self._anneal == "linear", self.cycle_momentum, group.get("base_momentum", 0.0),
                group.get("max_momentum", 0.0), _ratio(group["max_lr"], first), _ratio(first, group["min_lr"]), self._three_phase, [], [], []]

    def _after(self, group: dict, stand_in) -> None:
        if self.cycle_momentum:
            _set_momentum(group, self._momentum, stand_in.option("momentum", 0))

    def get_lr(self) -> list[float]:
        if self.last_epoch > self.total_steps:
            raise ValueError(f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}")
        return super().get_lr()


class _Plateau:
    def __init__(self, optimizer, mode, factor, patience, threshold, threshold_mode, cooldown, min_lr, eps, verbose):
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        if mode not in ("min", "max"):
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        self.optimizer = optimizer
        if isinstance(min_lr, (list, tuple)) and len(min_lr) != len(optimizer.param_groups):
            raise ValueError(f"expected {len(optimizer.param_groups)} min_lrs, got {len(min_lr)}")
        self.min_lrs = per_group(min_lr, optimizer, "min_lrs")
        self.factor = factor
        self.patience = patience
        self.verbose = verbose
        self.cooldown = cooldown
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.eps = eps
        self.last_epoch = 0
        self._reset()

    def _reset(self) -> None:
        self.mode_worse = math.inf if self.mode == "min" else -math.inf
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    @property
    def in_cooldown(self) -> bool:
        """Whether a change has been too recent."""
        return self.cooldown_counter > 0

    def is_better(self, a: float, best: float) -> bool:
        """Whether a metric beats the best so far."""
        sign = 1 if self.mode == "max" else -1
        if self.threshold_mode == "rel":
            bound = best * (1.0 + sign * self.threshold)
        else:
            bound = best + sign * self.threshold
        return a > bound if self.mode == "max" else a < bound

    def step(self, metrics, epoch: int | None = None) -> None:
        """Sees the metric of an epoch."""
        current = float(metrics)
        if epoch is None:
            epoch = self.last_epoch + 1
        else:
            warnings.warn("The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
                          "possible. Please use `scheduler.step()` to step the scheduler.", UserWarning, stacklevel=2)
        self.last_epoch = epoch
        if self.is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce(epoch)
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def _reduce(self, epoch: int) -> None:
        for i, group in enumerate(self.optimizer.param_groups):
            old = float(group["lr"])
            new = max(old * self.factor, self.min_lrs[i])
            if old - new > self.eps:
                group["lr"] = new
                if self.verbose:
                    print(f"Epoch {epoch:05d}: reducing learning rate of group {i} to {new:.4e}.")

    get_last_lr = LRScheduler.get_last_lr
    state_dict = LRScheduler.state_dict
    load_state_dict = LRScheduler.load_state_dict


class _SWA(EngineSchedule):
    _make = staticmethod(_haft.Make.swa_lr)
    _steps_again = True

    def __init__(self, optimizer, swa_lr, anneal_epochs, anneal_strategy, last_epoch):
        rates = swa_lr if isinstance(swa_lr, (list, tuple)) else [swa_lr] * len(optimizer.param_groups)
        if len(rates) != len(optimizer.param_groups):
            raise ValueError(f"swa_lr must have the same length as optimizer.param_groups: swa_lr has {len(rates)}, "
                             f"optimizer.param_groups has {len(optimizer.param_groups)}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must by one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        for group, rate in zip(optimizer.param_groups, rates):
            group["swa_lr"] = rate
        self.anneal_epochs = anneal_epochs
        self.anneal_strategy = anneal_strategy
        super().__init__(optimizer, last_epoch)

    def _epoch(self) -> int:
        return self._step_count - 1

    def _values(self, group: dict) -> list:
        return [group["swa_lr"], self.anneal_epochs, self.anneal_strategy == "linear", []]
