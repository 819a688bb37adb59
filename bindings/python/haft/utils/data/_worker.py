"""Fetching batches, and the process that does it for a DataLoader."""
import os
import pickle
import random
import select
import signal
import sys
import traceback

import haft

# What a worker answers to a task.
BATCH, END, ERROR = range(3)
# Seconds between two looks at whether the other process is still there.
CHECK_INTERVAL = 5.0

_info = None


class WorkerInfo:
    """Of the worker process that asks: id, num_workers, seed, dataset (its own copy)."""

    def __init__(self, id, num_workers, seed, dataset):
        self.id, self.num_workers, self.seed, self.dataset = id, num_workers, seed, dataset

    def __repr__(self):
        return f"WorkerInfo(id={self.id}, num_workers={self.num_workers}, seed={self.seed}, dataset={self.dataset!r})"


def get_worker_info():
    """The WorkerInfo of this process, or None outside of a DataLoader's worker."""
    return _info


class Fetcher:
    """Turns what the sampler said into a batch; StopIteration when a stream has ended."""

    def __init__(self, dataset, iterable, batched, collate_fn, drop_last):
        self.dataset, self.batched, self.collate_fn, self.drop_last = dataset, batched, collate_fn, drop_last
        self.stream = iter(dataset) if iterable else None
        self.ended = False

    def __call__(self, index):
        return (self._number if self.stream is None else self._next)(index)

    def _number(self, index):
        if not self.batched:
            return self.collate_fn(self.dataset[index])
        if hasattr(self.dataset, "__getitems__") and self.dataset.__getitems__:
            return self.collate_fn(self.dataset.__getitems__(index))
        return self.collate_fn([self.dataset[i] for i in index])

    def _next(self, index):
        if self.ended:
            raise StopIteration
        if not self.batched:
            return self.collate_fn(next(self.stream))
        items = []
        for _ in index:
            try:
                items.append(next(self.stream))
            except StopIteration:
                self.ended = True
                break
        if not items or (self.drop_last and len(items) < len(index)):
            raise StopIteration
        return self.collate_fn(items)


class WorkerTraceback(Exception):
    """The traceback of an exception in the process where it was raised; it is that exception's __cause__."""

    def __init__(self, text):
        super().__init__(text)
        self.text = text

    def __str__(self):
        return "\n" + self.text


def pack_error(error, where):
    """An exception as something that can be sent: itself if it can be pickled, and its traceback as text."""
    text = f"{where}:\n" + "".join(traceback.format_exception(type(error), error, error.__traceback__)).rstrip()
    try:
        data = pickle.dumps(error)
        pickle.loads(data)
    except Exception:
        data = None
    return data, type(error).__name__, text


def unpack_error(packed):
    data, name, text = packed
    if data is None:
        return RuntimeError(f"Caught {name}, which cannot be pickled. {text}")
    error = pickle.loads(data)
    error.__cause__ = WorkerTraceback(text)
    return error


def seed_worker(seed):
    random.seed(seed)
    haft.manual_seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed([seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF])


def _parent_left(parent):
    return parent is not None and os.getppid() != parent


def run(channel, inherited, parent, worker_id, num_workers, base_seed, dataset, iterable, batched, collate_fn, drop_last,
        init_fn):
    """The worker process. `inherited`: the DataLoader's ends of the channels, which a forked child holds too."""
    global _info
    # Ctrl-C is for the main process, which then closes the channel.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in inherited:
        other.sock.close()  # not close(): the connections belong to the parent
    failure, fetch, epoch = None, None, 0
    where = f"In DataLoader worker process {worker_id}"
    try:
        haft.set_num_threads(1)
        _info = WorkerInfo(worker_id, num_workers, base_seed + worker_id, dataset)
        seed_worker(_info.seed)
        if init_fn is not None:
            init_fn(worker_id)
    except Exception as error:
        failure = pack_error(error, where)
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    try:
        while True:
            if not poll.poll(CHECK_INTERVAL * 1000):
                if _parent_left(parent):
                    return
                continue
            task = channel.get()
            if task[0] != epoch:  # of a new epoch: streams start again
                epoch, fetch = task[0], None
                _info.seed = task[2] + worker_id
            try:
                if failure is not None:
                    answer = (epoch, ERROR, failure)
                else:
                    if fetch is None:
                        fetch = Fetcher(dataset, iterable, batched, collate_fn, drop_last)
                    answer = (epoch, BATCH, fetch(task[1]))
                message = channel.pack(answer)
            except StopIteration as stop:
                if iterable:
                    message = channel.pack((epoch, END, None))
                else:
                    # Raised as it is, it would end the loop over the batches without a word.
                    stray = RuntimeError("StopIteration in a map-style dataset or its collate_fn")
                    message = channel.pack((epoch, ERROR, pack_error(stray.with_traceback(stop.__traceback__), where)))
            except Exception as error:
                message = channel.pack((epoch, ERROR, pack_error(error, where)))
            del task
            try:
                channel.send(message)
            finally:
                channel.drop(message)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # the DataLoader is done
