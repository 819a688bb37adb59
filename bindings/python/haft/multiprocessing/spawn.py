"""Several processes that run one function."""
import multiprocessing
import multiprocessing.connection
import pickle
import signal
import sys
import time
import traceback


class ProcessException(Exception):
    """A process failed: error_index is its number, error_pid its process id."""

    def __init__(self, msg, error_index, pid):
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.error_pid = pid

    @property
    def pid(self):
        return self.error_pid

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """The function raised; the message has the traceback of its process, __cause__ is the exception where it can be pickled."""


class ProcessExitedException(ProcessException):
    """The process ended with an exit code other than 0, or by a signal."""

    def __init__(self, msg, error_index, error_pid, exit_code, signal_name=None):
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code
        self.signal_name = signal_name

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.error_pid, self.exit_code, self.signal_name)


def _run(fn, index, args, errors):
    try:
        fn(index, *args)
    except KeyboardInterrupt:
        pass  # the parent was interrupted too, and stops the others
    except Exception as error:
        text = traceback.format_exc()
        try:
            itself = pickle.dumps(error)
            pickle.loads(itself)
        except Exception:
            itself = None
        errors.send((text, itself))
        errors.close()
        sys.stdout.flush()
        sys.exit(1)


class ProcessContext:
    """The processes of spawn(join=False)."""

    def __init__(self, processes, errors):
        self.processes = processes
        self._errors = errors
        self._waiting = {process.sentinel: i for i, process in enumerate(processes)}

    def pids(self):
        return [process.pid for process in self.processes]

    def join(self, timeout=None):
        """Waits for one process or more to end; True when all have ended well. When one fails the others are stopped and its
        ProcessException is raised."""
        if not self._waiting:
            return True
        ready = multiprocessing.connection.wait(list(self._waiting), timeout)
        failed = None
        for sentinel in ready:
            index = self._waiting.pop(sentinel)
            self.processes[index].join()
            if self.processes[index].exitcode and (failed is None or self._errors[index].poll()):
                failed = index
        if failed is None:
            return not self._waiting
        self._stop()
        self._raise(failed)

    def _stop(self):
        for process in self.processes:
            if process.is_alive():
                process.terminate()
        deadline = time.monotonic() + 30
        for process in self.processes:
            process.join(max(0, deadline - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()
        self._waiting = {}

    def _raise(self, index):
        process, connection = self.processes[index], self._errors[index]
        try:
            text, itself = connection.recv() if connection.poll() else (None, None)
        except EOFError:
            text = None
        if text is not None:
            message = f"\n\n-- Process {index} terminated with the following error:\n{text}"
            try:
                cause = None if itself is None else pickle.loads(itself)
            except Exception:
                cause = None
            raise ProcessRaisedException(message, index, process.pid) from cause
        code = process.exitcode
        if code < 0:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = f"<Unknown signal {-code}>"
            raise ProcessExitedException(f"process {index} terminated with signal {name}", index, process.pid, code, name)
        raise ProcessExitedException(f"process {index} terminated with exit code {code}", index, process.pid, code)


SpawnContext = ProcessContext


def start_processes(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """Starts nprocs processes, of which process i runs fn(i, *args).

    join: waits for all, else answers a ProcessContext at once. start_method: spawn, fork or forkserver. With spawn and forkserver
    `fn` stands at the top of a module. Raises ProcessRaisedException or ProcessExitedException when one fails, after the others
    were stopped.
    """
    context = multiprocessing.get_context(start_method)
    processes, errors = [], []
    try:
        for i in range(nprocs):
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_run, args=(fn, i, args, theirs), daemon=daemon)
            process.start()
            theirs.close()
            processes.append(process)
            errors.append(ours)
    except BaseException:
        for process in processes:
            process.terminate()
        raise
    running = ProcessContext(processes, errors)
    if not join:
        return running
    try:
        while not running.join():
            pass
    except KeyboardInterrupt:
        running._stop()
        raise


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """start_processes() with fresh interpreters."""
    if start_method != "spawn":
        raise ValueError(f"spawn: start_method is {start_method!r}; start_processes() takes others than 'spawn'")
    return start_processes(fn, args, nprocs, join, daemon, "spawn")
