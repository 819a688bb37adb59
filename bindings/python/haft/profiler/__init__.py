"""What a program's time goes into: the operators of a thread, with PyTorch's names.

    with haft.profiler.profile(record_shapes=True) as prof:
        step()
    print(prof.key_averages().table(sort_by="self_cpu_time_total", row_limit=10))
    prof.export_chrome_trace("trace.json")  # for Perfetto or chrome://tracing
"""
import enum
import functools
import json
import os
import socket
import time

from .. import _haft

__all__ = ["ProfilerAction", "ProfilerActivity", "profile", "record_function", "schedule", "tensorboard_trace_handler"]


class ProfilerActivity(enum.Enum):
    CPU = 0
    CUDA = 1


class ProfilerAction(enum.Enum):
    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def schedule(*, wait, warmup, active, repeat=0, skip_first=0):
    """Which steps are recorded: after skip_first steps again and again `wait` not, `warmup` not, `active` recorded; `repeat`
    times, or always for 0."""
    if active < 1 or min(wait, warmup, repeat, skip_first) < 0:
        raise ValueError("schedule: active must be positive, and wait, warmup, repeat and skip_first not negative")

    def action(step):
        step -= skip_first
        length = wait + warmup + active
        if step < 0 or (repeat and step >= repeat * length) or step % length < wait:
            return ProfilerAction.NONE
        at = step % length - wait
        if at < warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if at + 1 < warmup + active else ProfilerAction.RECORD_AND_SAVE

    return action


class Event:
    """One call of an operator, or a range of record_function: times in microseconds. What a device ran has its name in `device`, and
    the operator or range that enqueued it in `launched_by`."""

    def __init__(self, name, start, duration, thread, shapes, device="", launched_by=""):
        self.name = self.key = name
        self.start, self.duration, self.thread, self.input_shapes = start, duration, thread, shapes
        self.self_duration = duration  # without what ran inside
        self.device, self.launched_by = device, launched_by
        self.device_duration = duration if device else 0.0  # of a call: what it has enqueued

    cpu_time = cpu_time_total = property(lambda self: 0.0 if self.device else self.duration)
    self_cpu_time_total = property(lambda self: 0.0 if self.device else self.self_duration)
    device_time = device_time_total = self_device_time_total = property(lambda self: self.device_duration)

    def __repr__(self):
        return f"<{self.name}: {_time(self.duration)}>"


class Average:
    """The calls of one operator (of one set of shapes, where asked), or what a device ran under one name."""

    def __init__(self, key, shapes, on_device=False):
        self.key, self.input_shapes, self.on_device = key, shapes, on_device
        self.count, self.cpu_time_total, self.self_cpu_time_total, self.self_device_time_total = 0, 0.0, 0.0, 0.0

    cpu_time = property(lambda self: self.cpu_time_total / self.count)
    device_time = property(lambda self: self.self_device_time_total / self.count)
    device_time_total = property(lambda self: self.self_device_time_total)


def _time(microseconds):
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.3f}{unit}"
    return f"{microseconds:.3f}us"


class Averages(list):
    """What key_averages() answers."""

    def table(self, sort_by=None, row_limit=100):
        """As text. sort_by: count, or cpu_time, cpu_time_total or self_cpu_time_total, or the same of the device or of "cuda", largest
        first; row_limit: -1 for all."""
        rows = list(self)
        if sort_by is not None:
            known = ("cpu_time", "cpu_time_total", "self_cpu_time_total", "count", "device_time", "device_time_total",
                     "self_device_time_total")
            sort_by = sort_by.replace("cuda_", "device_")
            if sort_by not in known:
                raise ValueError(f"table: cannot sort by {sort_by!r}")
            rows.sort(key=lambda row: getattr(row, sort_by), reverse=True)
        rows = rows if row_limit < 0 else rows[:row_limit]
        whole = sum(row.self_cpu_time_total for row in self) or 1.0
        shapes = any(row.input_shapes for row in rows)
        on_devices = sum(row.self_device_time_total for row in self if row.on_device)
        columns = ["Self device", "Device time avg"] if on_devices else []
        lines = [["Name", "Self CPU %", "Self CPU", "CPU total", "CPU time avg", "# of Calls", *columns] + ["Input Shapes"] * shapes]
        for row in rows:
            lines.append([row.key, f"{100 * row.self_cpu_time_total / whole:.2f}%", _time(row.self_cpu_time_total),
                          _time(row.cpu_time_total), _time(row.cpu_time), str(row.count),
                          *([_time(row.self_device_time_total), _time(row.device_time)] if on_devices else [])]
                         + [row.input_shapes] * shapes)
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        text = ["  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths)))
                for line in lines]
        rule = "-" * len(text[0])
        ends = [f"Self CPU time total: {_time(whole)}"] + [f"Self device time total: {_time(on_devices)}"] * bool(on_devices)
        return "\n".join([rule, text[0], rule, *text[1:], rule, *ends])


class profile:
    """Records the operators of this thread, between start() and stop() or in a `with`.

    activities: with ProfilerActivity.CUDA, or None for all, kernels and copies as the devices ran them. record_shapes: with the shapes
    of what goes in. schedule: function from a step (step() counts them) to a ProfilerAction; on_trace_ready(profile) is called when a
    recorded part ends. with_modules: a range for each module that runs. emit_nvtx: operators and ranges go to NVIDIA's tools, too. The
    other arguments are taken for PyTorch's sake.
    """

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False, profile_memory=False,
                 with_stack=False, with_flops=False, with_modules=False, emit_nvtx=False):
        self._schedule, self._ready = schedule, on_trace_ready
        names = None if activities is None else {getattr(a, "name", a) for a in activities}  # PyTorch's own serve, too
        self._what = bool(record_shapes), names is None or "CUDA" in names, bool(emit_nvtx), bool(with_modules)
        self._running = self._recorded = self._events = None
        self.step_num = 0

    def start(self):
        self._act()

    def stop(self):
        self._end(True)

    def step(self):
        """The next step begins, for `schedule`."""
        if self._schedule is None:
            self.step_num += 1
            return
        if self._schedule(self.step_num) is ProfilerAction.RECORD_AND_SAVE:
            self._end(True)
        self.step_num += 1
        self._act()

    def _act(self):
        wanted = self._schedule is None or self._schedule(self.step_num) in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if wanted and self._running is None:
            self._running = _haft.Profiler(*self._what)
            self._watched = _watch_modules() if self._what[3] else []

    def _end(self, ready):
        if self._running is None:
            return
        for hook in self._watched:
            hook.remove()
        self._recorded, self._running, self._events = self._running.stop(), None, None
        if ready and self._ready is not None:
            self._ready(self)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, value, traceback):
        self._end(kind is None)

    def _result(self):
        if self._recorded is None:
            raise RuntimeError("profile: nothing is recorded yet; stop() first")
        return self._recorded

    def export_chrome_trace(self, path):
        """Writes the recorded calls for Perfetto or chrome://tracing."""
        self._result().write_trace(os.fspath(path))

    def events(self):
        """The recorded calls, in the order in which they began."""
        if self._events is None:
            self._events = _events_of(json.loads(self._result().trace())["traceEvents"])
        return self._events

    def notes(self):
        """Why there is nothing of a device in the profile, a sentence each; empty when nothing is missing."""
        return list(json.loads(self._result().trace()).get("otherData", {}).values())

    def key_averages(self, group_by_input_shape=False):
        """Calls of the same name together."""
        groups = {}
        for event in self.events():
            shapes = event.input_shapes if group_by_input_shape else ""
            group = groups.setdefault((event.name, shapes, event.device), Average(event.name, shapes, bool(event.device)))
            group.count += 1
            group.cpu_time_total += event.cpu_time_total
            group.self_cpu_time_total += event.self_cpu_time_total
            group.self_device_time_total += event.self_device_time_total
        return Averages(groups.values())


def _events_of(trace):
    devices = {e["pid"]: e["args"]["name"] for e in trace[1:] if e["name"] == "process_name"}
    host, on_devices, ends = [], [], {}
    for e in trace:
        if e["ph"] == "X":
            args, device = e.get("args", {}), devices.get(e["pid"], "")
            event = Event(e["name"], e["ts"], e["dur"], e["tid"], args.get("shapes", ""), device, args.get("by", ""))
            (on_devices if device else host).append(event)
        elif e["ph"] == "s":  # the arrow from the call that enqueued the event before
            ends.setdefault((e["tid"], e["ts"], on_devices[-1].launched_by), []).append(on_devices[-1])
    for event in host:
        event.device_duration = sum(e.duration for e in ends.pop((event.thread, event.start, event.name), ()))
    return sorted(_nested(host) + on_devices, key=lambda e: e.start)


def _watch_modules():
    """A range for each of Python's modules; the engine's own open theirs inside."""
    from ..nn.modules import module as modules

    def enter(module, args):
        _haft.profiler_push(type(module).__name__)

    def leave(module, args, result):
        _haft.profiler_pop()

    return [modules.register_module_forward_pre_hook(enter), modules.register_module_forward_hook(leave)]


def _nested(events):
    events.sort(key=lambda e: (e.thread, e.start, -e.duration))
    open_ones = []
    for event in events:
        # Times are rounded to nanoseconds.
        while open_ones and (open_ones[-1].thread != event.thread or
                             open_ones[-1].start + open_ones[-1].duration < event.start + event.duration - 2e-3):
            open_ones.pop()
        if open_ones:
            open_ones[-1].self_duration -= event.duration
        open_ones.append(event)
    return events


class record_function:
    """A named range in the profile: a context manager, and a decorator of functions."""

    def __init__(self, name, args=None):
        self.name = name

    def __enter__(self):
        _haft.profiler_push(self.name)
        return self

    def __exit__(self, kind, value, traceback):
        _haft.profiler_pop()

    def __call__(self, function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with record_function(self.name):
                return function(*args, **kwargs)

        return wrapped


def tensorboard_trace_handler(dir_name, worker_name=None):
    """An on_trace_ready that writes each trace into a folder, as TensorBoard's profiler page looks for it."""
    def handle(prof):
        os.makedirs(dir_name, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        prof.export_chrome_trace(os.path.join(dir_name, f"{worker}.{time.time_ns() // 1000000}.pt.trace.json"))

    return handle
