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
    """One call of an operator, or a range of record_function: times in microseconds."""

    def __init__(self, name, start, duration, thread, shapes):
        self.name = self.key = name
        self.start, self.duration, self.thread, self.input_shapes = start, duration, thread, shapes
        self.self_duration = duration  # without what ran inside

    cpu_time = cpu_time_total = property(lambda self: self.duration)
    self_cpu_time_total = property(lambda self: self.self_duration)

    def __repr__(self):
        return f"<{self.name}: {_time(self.duration)}>"


class Average:
    """The calls of one operator (of one set of shapes, where asked)."""

    def __init__(self, key, shapes):
        self.key, self.input_shapes = key, shapes
        self.count, self.cpu_time_total, self.self_cpu_time_total = 0, 0.0, 0.0

    @property
    def cpu_time(self):
        return self.cpu_time_total / self.count


def _time(microseconds):
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.3f}{unit}"
    return f"{microseconds:.3f}us"


class Averages(list):
    """What key_averages() answers."""

    def table(self, sort_by=None, row_limit=100):
        """As text. sort_by: cpu_time, cpu_time_total, self_cpu_time_total or count, largest first; row_limit: -1 for all."""
        rows = list(self)
        if sort_by is not None:
            if sort_by not in ("cpu_time", "cpu_time_total", "self_cpu_time_total", "count"):
                raise ValueError(f"table: cannot sort by {sort_by!r}")
            rows.sort(key=lambda row: getattr(row, sort_by), reverse=True)
        rows = rows if row_limit < 0 else rows[:row_limit]
        whole = sum(row.self_cpu_time_total for row in self) or 1.0
        shapes = any(row.input_shapes for row in rows)
        lines = [["Name", "Self CPU %", "Self CPU", "CPU total", "CPU time avg", "# of Calls"] + ["Input Shapes"] * shapes]
        for row in rows:
            lines.append([row.key, f"{100 * row.self_cpu_time_total / whole:.2f}%", _time(row.self_cpu_time_total),
                          _time(row.cpu_time_total), _time(row.cpu_time), str(row.count)] + [row.input_shapes] * shapes)
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        text = ["  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths)))
                for line in lines]
        rule = "-" * len(text[0])
        return "\n".join([rule, text[0], rule, *text[1:], rule, f"Self CPU time total: {_time(whole)}"])


class profile:
    """Records the operators of this thread, between start() and stop() or in a `with`.

    record_shapes: with the shapes of what goes in. schedule: function from a step (step() counts them) to a ProfilerAction;
    on_trace_ready(profile) is called when a recorded part ends. The other arguments are taken for PyTorch's sake.
    """

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False, profile_memory=False,
                 with_stack=False, with_flops=False, with_modules=False):
        self._schedule, self._ready, self._shapes = schedule, on_trace_ready, record_shapes
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
            self._running = _haft.Profiler(self._shapes)

    def _end(self, ready):
        if self._running is None:
            return
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
            trace = json.loads(self._result().trace())
            self._events = _nested([Event(e["name"], e["ts"], e["dur"], e["tid"], e.get("args", {}).get("shapes", ""))
                                    for e in trace["traceEvents"] if e["ph"] == "X"])
        return self._events

    def key_averages(self, group_by_input_shape=False):
        """Calls of the same name together."""
        groups = {}
        for event in self.events():
            shapes = event.input_shapes if group_by_input_shape else ""
            group = groups.setdefault((event.name, shapes), Average(event.name, shapes))
            group.count += 1
            group.cpu_time_total += event.duration
            group.self_cpu_time_total += event.self_duration
        return Averages(groups.values())


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
    events.sort(key=lambda e: e.start)
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
