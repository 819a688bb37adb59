"""Runs with their settings and results, as the plug-in hparams of TensorBoard reads them.

Field numbers are those of tensorboard's plugins/hparams/plugin_data.proto and api.proto, and of protobuf's struct.proto.
"""
import time

from ._record import data, integer, plugin, real64

_KINDS = {str: 1, bool: 2, float: 3}


def _kind(name, value):
    if isinstance(value, (bool, str)):
        return type(value)
    if isinstance(value, (int, float)):
        return float
    raise ValueError(f"add_hparams: {name!r} should be one of int, float, str, bool, or a tensor of one element; got {type(value).__name__}")


def _value(name, value):
    # google.protobuf.Value
    kind = _kind(name, value)
    return integer(4, value) if kind is bool else data(3, value) if kind is str else real64(2, float(value))


def plain(name, value):
    """A number, text or bool of what was given."""
    if hasattr(value, "item"):
        value = value.item()
    _kind(name, value)
    return value


def summaries(settings, metrics, discrete):
    """The bodies of three events: what is varied and measured, this run's settings, its end."""
    infos = b""
    for name, value in settings.items():
        info = data(1, name) + integer(4, _KINDS[_kind(name, value)])
        if name in discrete:
            values = list(discrete[name])
            if any(_kind(name, v) is not _kind(name, value) for v in values):
                raise TypeError(f"add_hparams: the values in the domain of {name!r} have another type than its value")
            info += data(5, b"".join(data(1, _value(name, v)) for v in values))
        infos += data(4, info)
    experiment = infos + b"".join(data(5, data(1, data(2, name))) for name in metrics)
    start = b"".join(data(1, data(1, name) + data(2, _value(name, v))) for name, v in settings.items()) + real64(5, time.time())
    end = integer(1, 1) + real64(2, time.time())
    return [plugin("_hparams_/" + tag, "hparams", integer(1, 0) + data(field, body))
            for tag, field, body in (("experiment", 2, experiment), ("session_start_info", 3, start), ("session_end_info", 4, end))]
