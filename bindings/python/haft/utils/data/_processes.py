"""Batches from worker processes, seen from the main process."""
import multiprocessing
import os
import select
import signal
import socket
import time
import weakref
from collections import deque

from . import _worker
from ._channel import Channel
from ._iterator import BatchIterator


def _stop(owner, channels, processes):
    # Also called at exit and by the collector; in a child that inherited the iterator only its copies are closed.
    if os.getpid() != owner:
        for channel in channels:
            channel.sock.close()
        return
    for channel in channels:
        channel.close()
    deadline = time.monotonic() + _worker.CHECK_INTERVAL
    for process in processes:
        process.join(max(0.0, deadline - time.monotonic()))
    for process in processes:
        if process.is_alive():
            process.terminate()
            process.join(1)
            if process.is_alive():
                process.kill()
                process.join()


class ProcessIterator(BatchIterator):
    """By processes: task k goes to worker k % n, and results are taken in the order of the tasks."""

    def __init__(self, loader, base_seed):
        super().__init__(loader)
        context = loader.multiprocessing_context
        if context is None or isinstance(context, str):
            context = multiprocessing.get_context(context)
        method = context.get_start_method()
        self._channels, self._processes = [], []
        try:
            for i in range(loader.num_workers):
                ours, theirs = Channel.pair()
                self._channels.append(ours)
                process = context.Process(target=_worker.run, daemon=True, args=(
                    theirs, list(self._channels) if method == "fork" else [], None if method == "forkserver" else os.getpid(),
                    i, loader.num_workers, base_seed, loader.dataset, loader._iterable, loader.batch_sampler is not None,
                    loader.collate_fn, loader.drop_last, loader.worker_init_fn))
                try:
                    process.start()
                finally:
                    theirs.sock.close()
                self._processes.append(process)
        except BaseException:
            _stop(os.getpid(), self._channels, self._processes)
            raise
        self._close = weakref.finalize(self, _stop, os.getpid(), self._channels, self._processes)
        self._epoch = 0
        self.restart(base_seed)

    def restart(self, base_seed):
        self._epoch += 1
        self._seed = base_seed
        self._yielded = 0
        self._indices = iter(self._loader._index_sampler)
        self._tasks = deque()  # workers with a task, in the order of the tasks
        self._inbox = [deque() for _ in self._channels]
        self._streaming = [True] * len(self._channels)
        self._turn = 0
        for _ in range(self._loader.prefetch_factor * len(self._channels)):
            self._give_task()

    @property
    def closed(self):
        return not self._close.alive

    def _give_task(self):
        workers = len(self._channels)
        for _ in range(workers):
            worker, self._turn = self._turn, (self._turn + 1) % workers
            if self._streaming[worker]:
                break
        else:
            return
        try:
            index = next(self._indices)
        except StopIteration:
            self._streaming = [False] * workers
            return
        self._send(worker, (self._epoch, index, self._seed))
        self._tasks.append(worker)

    def _send(self, worker, task):
        channel = self._channels[worker]
        message = channel.pack(task)
        poll = select.poll()
        poll.register(channel, select.POLLIN | select.POLLOUT)
        try:
            while True:
                for _, event in poll.poll():
                    # Results are taken out meanwhile: a worker that cannot send would never read.
                    if event & select.POLLIN:
                        self._inbox[worker].append(channel.get())
                    elif event & (select.POLLHUP | select.POLLERR):
                        raise EOFError
                    if event & select.POLLOUT:
                        try:
                            return channel.send(message, socket.MSG_DONTWAIT)
                        except BlockingIOError:
                            pass
        except (EOFError, BrokenPipeError, ConnectionResetError):
            pass  # the worker is gone; said when its results are asked for
        finally:
            channel.drop(message)

    def _next(self):
        if self.closed:
            raise StopIteration
        while self._tasks:
            worker = self._tasks.popleft()
            kind, value = self._receive(worker)
            if kind == _worker.END:
                self._streaming[worker] = False
                self._give_task()
                continue
            self._give_task()
            if kind == _worker.ERROR:
                error = _worker.unpack_error(value)
                try:
                    raise error
                finally:
                    del error  # its traceback holds this frame
            return value
        if not self._loader.persistent_workers:
            self._close()
        raise StopIteration

    def _receive(self, worker):
        inbox = self._inbox[worker]
        deadline = time.monotonic() + self._loader.timeout if self._loader.timeout else None
        while True:
            while inbox:
                epoch, kind, value = inbox.popleft()
                if epoch == self._epoch:  # else of an epoch that was left early
                    return kind, value
            self._wait(worker, deadline)

    def _wait(self, worker, deadline):
        channel, process = self._channels[worker], self._processes[worker]
        poll = select.poll()
        poll.register(channel, select.POLLIN)
        seconds = _worker.CHECK_INTERVAL
        if deadline is not None:
            seconds = min(seconds, max(0.0, deadline - time.monotonic()))
        try:
            if poll.poll(seconds * 1000) or (not process.is_alive() and poll.poll(0)):
                self._inbox[worker].append(channel.get())
                return
        except EOFError:
            self._fail(process)
        if not process.is_alive():
            self._fail(process)
        if deadline is not None and time.monotonic() >= deadline:
            timeout = self._loader.timeout
            self._close()
            raise RuntimeError(f"DataLoader timed out after {timeout} seconds")

    def _fail(self, process):
        process.join(_worker.CHECK_INTERVAL)
        code, pid = process.exitcode, process.pid
        self._close()
        if code is not None and code < 0:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = str(-code)
            hint = " The system kills processes so when memory runs out." if -code == signal.SIGKILL else ""
            raise RuntimeError(f"DataLoader worker (pid {pid}) is killed by signal: {name}.{hint}")
        raise RuntimeError(f"DataLoader worker (pid {pid}) exited unexpectedly with exit code {code}.")

