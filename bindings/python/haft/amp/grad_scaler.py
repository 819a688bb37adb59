"""GradScaler under PyTorch's names; the work is the engine's (core/optim/grad_scaler.h)."""
import itertools
import warnings
import weakref

import haft

from .. import _haft
from .._names import called

__all__ = ["GradScaler"]

_READY = 0


class GradScaler:
    """Scales the loss by a factor that grows while gradients are finite and shrinks when one is not; such steps are left out.

    enabled=False: every method passes through. For "cuda" it is switched off with a warning where there is no device.
    """

    def __init__(self, device="cuda", init_scale=2.0 ** 16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
        if enabled and device == "cuda" and not haft.cuda.is_available():
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
            enabled = False
        if enabled and growth_factor <= 1:
            raise AssertionError("The growth factor must be > 1.0.")
        if enabled and backoff_factor >= 1:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._device, self._enabled = device, bool(enabled)
        self._scaler = _haft.make_grad_scaler(init_scale, growth_factor, backoff_factor, growth_interval, self._enabled)
        self._owners, self._numbers = weakref.WeakKeyDictionary(), itertools.count(1)

    def _owner(self, optimizer):
        if optimizer not in self._owners:
            self._owners[optimizer] = next(self._numbers)
        return self._owners[optimizer]

    def scale(self, outputs):
        """A tensor, or an iterable of them, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, haft.Tensor):
            return self._scaler.scale(outputs)
        if isinstance(outputs, (list, tuple)) or hasattr(outputs, "__iter__"):
            made = map(self.scale, outputs)
            return type(outputs)(made) if isinstance(outputs, (list, tuple)) else made
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer):
        """Divides the gradients of an optimizer's parameters by the scale: before clipping, at most once a step."""
        if self._enabled:
            params = [p for group in optimizer.param_groups for p in group["params"]]
            spread = [p for p in params if hasattr(p, "placements")]
            if any(not hasattr(p, "_saved") for p in spread):
                raise haft.UnsupportedError("GradScaler: a parameter is a DTensor that fully_shard() has not made, whose infinities other processes do "
                                            "not see: train in bfloat16, which needs no scale")
            try:
                if spread:  # all processes together
                    self._scaler.unscale_parameters(self._owner(optimizer), [p.to_local() if hasattr(p, "placements") else p for p in params])
                else:
                    self._scaler.unscale_gradients(self._owner(optimizer), [p.grad for p in params if p.grad is not None])
            except (TypeError, ValueError) as error:
                raise _as_pytorch(error) from None

    def step(self, optimizer, *args, **kwargs):
        """optimizer.step(), unless a gradient is not finite. The only place that waits for the device."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs or args:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        owner = self._owner(optimizer)
        if self._scaler.stage(owner) == _READY:
            self.unscale_(optimizer)
        try:
            go = self._scaler.begin_step(owner)
        except ValueError as error:
            raise _as_pytorch(error) from None
        found = optimizer.step(**kwargs) if go else None
        self._scaler.end_step(owner)  # only now: a step that failed can be tried again
        return found

    def update(self, new_scale=None):
        """The scale of the next step: smaller after a gradient that was not finite, larger after enough good steps; or new_scale."""
        if not self._enabled:
            return
        if new_scale is not None:
            self._scaler.set_scale(float(new_scale))
            return
        try:
            self._scaler.update()
        except ValueError as error:
            raise _as_pytorch(error) from None

    def is_enabled(self):
        return self._enabled

    def get_scale(self):
        return self._scaler.get_scale() if self._enabled else 1.0

    def _change(self, **values):
        if not self._enabled:
            return
        s = {**self.state_dict(), **values}
        _haft.set_grad_scaler_state(self._scaler, float(s["scale"]), float(s["growth_factor"]), float(s["backoff_factor"]),
                                    int(s["growth_interval"]), int(s["_growth_tracker"]))

    def state_dict(self):
        """Scale, factors and count; empty when it is switched off."""
        s = self._scaler
        return {"scale": s.get_scale(), "growth_factor": s.growth_factor(), "backoff_factor": s.backoff_factor(),
                "growth_interval": s.growth_interval(), "_growth_tracker": s.growth_tracker()} if self._enabled else {}

    def load_state_dict(self, state_dict):
        """What state_dict answered, haft's or PyTorch's."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError("The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler.")
        self._change(**{name: state_dict[name] for name in ("scale", "growth_factor", "backoff_factor", "growth_interval", "_growth_tracker")})

    def __getstate__(self):
        if any(self._scaler.stage(n) for n in self._owners.values()):
            raise RuntimeError("A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after scaler.update().")
        return {"device": self._device, "enabled": self._enabled, "state": self.state_dict()}

    def __setstate__(self, state):
        GradScaler.__init__(self, state["device"], enabled=False)
        self._enabled = state["enabled"]
        if self._enabled:
            self._scaler = _haft.make_grad_scaler(65536.0, 2.0, 0.5, 2000, True)
            self.load_state_dict(state["state"])


def _add_accessors(name):
    def get(self):
        return getattr(self._scaler, name)()

    def change(self, new_value):
        self._change(**{name: new_value})
    setattr(GradScaler, "get_" + name, called("get_" + name, f"The {name.replace('_', ' ')}.", get))
    setattr(GradScaler, "set_" + name, called("set_" + name, f"Another {name.replace('_', ' ')} from now on.", change))


for _name in ("growth_factor", "backoff_factor", "growth_interval"):
    _add_accessors(_name)


def _as_pytorch(error):
    # PyTorch asserts that there were gradients; everything else is a RuntimeError there, gradients in float16 a ValueError.
    text = str(error)
    kind = AssertionError if "No inf checks" in text else ValueError if "FP16" in text else RuntimeError
    return kind(text)
