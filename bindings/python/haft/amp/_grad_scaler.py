"""Gradients of float16 that would vanish: the loss is scaled, and the gradients back before the step."""
import warnings
import weakref

import haft


class GradScaler:
    """Scales the loss by a factor that grows while gradients are finite and shrinks when one is not; such steps are left out.

    enabled=False: every method passes through. As in PyTorch it is switched off with a warning where there is no CUDA device.
    """

    def __init__(self, init_scale=2.0 ** 16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
        if enabled and not haft.cuda.is_available():
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
            enabled = False
        self._enabled = enabled
        if enabled and growth_factor <= 1:
            raise AssertionError("The growth factor must be > 1.0.")
        if enabled and backoff_factor >= 1:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._scale, self._growth_factor, self._backoff_factor = float(init_scale), growth_factor, backoff_factor
        self._growth_interval, self._growth_tracker = growth_interval, 0
        self._seen = weakref.WeakKeyDictionary()  # optimizer: whether its gradients of this step are finite

    def scale(self, outputs):
        """A tensor, or an iterable of them, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, haft.Tensor):
            return outputs * self._scale
        if isinstance(outputs, (list, tuple)) or hasattr(outputs, "__iter__"):
            made = map(self.scale, outputs)
            return type(outputs)(made) if isinstance(outputs, (list, tuple)) else made
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer):
        """Divides the gradients of an optimizer's parameters by the scale: before clipping, at most once a step."""
        if not self._enabled:
            return
        if optimizer in self._seen:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        finite = True
        with haft.no_grad():
            for group in optimizer.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        p.grad.mul_(1 / self._scale)
                        finite = finite and bool(haft.isfinite(p.grad).all())
        self._seen[optimizer] = finite

    def step(self, optimizer, *args, **kwargs):
        """optimizer.step(), unless a gradient is not finite."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs or args:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        if optimizer not in self._seen:
            self.unscale_(optimizer)
        return optimizer.step() if self._seen[optimizer] else None

    def update(self, new_scale=None):
        """The scale of the next step: smaller after a gradient that was not finite, larger after enough good steps."""
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not self._seen:
            raise AssertionError("No inf checks were recorded prior to update.")
        elif not all(self._seen.values()):
            self._scale *= self._backoff_factor
            self._growth_tracker = 0
        else:
            self._growth_tracker += 1
            if self._growth_tracker == self._growth_interval:
                self._scale *= self._growth_factor
                self._growth_tracker = 0
        self._seen.clear()

    def is_enabled(self):
        return self._enabled

    def get_scale(self):
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self):
        return self._growth_factor

    def set_growth_factor(self, new_factor):
        self._growth_factor = new_factor

    def get_backoff_factor(self):
        return self._backoff_factor

    def set_backoff_factor(self, new_factor):
        self._backoff_factor = new_factor

    def get_growth_interval(self):
        return self._growth_interval

    def set_growth_interval(self, new_interval):
        self._growth_interval = new_interval

    def state_dict(self):
        """Scale, factors and count; empty when it is switched off."""
        return {"scale": self._scale, "growth_factor": self._growth_factor, "backoff_factor": self._backoff_factor,
                "growth_interval": self._growth_interval, "_growth_tracker": self._growth_tracker} if self._enabled else {}

    def load_state_dict(self, state_dict):
        """What state_dict answered."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError("The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler.")
        self._scale, self._growth_factor = state_dict["scale"], state_dict["growth_factor"]
        self._backoff_factor, self._growth_interval = state_dict["backoff_factor"], state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]
