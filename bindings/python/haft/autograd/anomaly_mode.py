"""Finding the operator whose gradient is NaN."""
from .._library import _haft

__all__ = ["detect_anomaly", "set_detect_anomaly"]


class set_detect_anomaly:
    """Switches on or off that backward names the operator whose gradient is NaN; as a context manager until its end."""

    def __init__(self, mode=True, check_nan=True):
        self._before = _haft.set_anomaly_mode(bool(mode) and bool(check_nan))

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        _haft.set_anomaly_mode(self._before)


class detect_anomaly(set_detect_anomaly):
    """Meanwhile backward fails at the first NaN and names the operator of the forward call."""

    def __init__(self, check_nan=True):
        self._on = bool(check_nan)

    def __enter__(self):
        self._before = _haft.set_anomaly_mode(self._on)
        return self
