"""The process that fetches batches for a DataLoader."""
import os
import pickle
import random
import select
import signal
import sys
import traceback

import haft

from . import _fetch

# What a worker answers to a task.
BATCH, END, ERROR = range(3)
# Seconds between two looks at whether the other process is still there.
CHECK_INTERVAL = 5.0


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
    # Ctrl-C is for the main process, which then closes the channel.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in inherited:
        other.sock.close()  # not close(): the connections belong to the parent
    failure, fetch, epoch = None, None, 0
    where = f"In DataLoader worker process {worker_id}"
    info = _fetch.info = _fetch.WorkerInfo(worker_id, num_workers, base_seed + worker_id, dataset)
    try:
        haft.set_num_threads(1)
        seed_worker(info.seed)
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
                info.seed = task[2] + worker_id
            try:
                if failure is not None:
                    answer = (epoch, ERROR, failure)
                else:
                    if fetch is None:
                        fetch = _fetch.Fetcher(dataset, iterable, batched, collate_fn, drop_last)
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
