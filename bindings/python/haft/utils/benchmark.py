"""How long statements take, by the names of torch.utils.benchmark."""
import statistics
import timeit

import haft

__all__ = ["Measurement", "Timer"]


class Measurement:
    """Seconds of runs of a statement: `raw_times` of `number_per_run` runs each, `times` of one."""

    def __init__(self, number_per_run, raw_times, title, num_threads):
        self.number_per_run, self.raw_times, self.title, self.num_threads = number_per_run, raw_times, title, num_threads

    @property
    def times(self):
        return [t / self.number_per_run for t in self.raw_times]

    mean = property(lambda self: statistics.mean(self.times), doc="The mean of the times.")
    median = property(lambda self: statistics.median(self.times), doc="The median of the times.")

    @property
    def iqr(self):
        """From the first to the third quartile of the times."""
        if len(self.times) < 2:
            return 0.0
        first, _, third = statistics.quantiles(self.times, n=4, method="inclusive")
        return third - first

    def __repr__(self):
        scale, unit = next(((s, u) for s, u in ((1, "s"), (1e-3, "ms"), (1e-6, "us")) if self.median >= s), (1e-9, "ns"))
        return (f"<{__name__}.{type(self).__name__}>\n{self.title}\n  Median: {self.median / scale:.2f} {unit}\n  IQR:    {self.iqr / scale:.2f} {unit}\n"
                f"  {len(self.times)} measurements, {self.number_per_run} runs per measurement, {self.num_threads} thread{'s' * (self.num_threads != 1)}")


class Timer:
    """Times a statement, after a first run that does not count, with so many threads of the engine.

    Args:
        stmt, setup, globals: as timeit's
        label, sub_label, description: words for the report
    """

    def __init__(self, stmt="pass", setup="pass", global_setup="", timer=timeit.default_timer, globals=None, label=None, sub_label=None,
                 description=None, env=None, num_threads=1, language="python"):
        if language not in ("python", "py") or global_setup:
            raise NotImplementedError(f"Timer: statements are Python's, got language={language!r}, global_setup={global_setup!r}")
        self._title = ": ".join(part for part in (label or stmt.strip(), sub_label, description) if part)
        self._threads = num_threads
        self._timer = timeit.Timer(stmt, setup, timer, globals)

    def _measured(self, number, least):
        before = haft.get_num_threads()
        haft.set_num_threads(self._threads)
        try:
            self._timer.timeit(1)
            if number is None:  # a block is long enough for the clock
                number = max(1, self._timer.autorange()[0] // 20)
            times = [self._timer.timeit(number)]
            while sum(times) < least:
                times.append(self._timer.timeit(number))
        finally:
            haft.set_num_threads(before)
        return Measurement(number, times, self._title, self._threads)

    def timeit(self, number=1000000):
        """One measurement of so many runs."""
        return self._measured(number, 0)

    def blocked_autorange(self, callback=None, min_run_time=0.2):
        """Measurements of blocks of runs until they have taken that many seconds."""
        return self._measured(None, min_run_time)
