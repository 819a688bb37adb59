"""``python -m haft.distributed.run ARGUMENTS``: haft-run, for programs that begin with ``python -m torch.distributed.run``."""
import os
import shutil
import sys

__all__ = ["main"]


def main(args=None):
    """Becomes haft-run, which a wheel puts beside the interpreter."""
    beside = os.path.join(os.path.dirname(sys.executable), "haft-run")
    program = beside if os.access(beside, os.X_OK) else shutil.which("haft-run")
    if program is None:
        raise FileNotFoundError(f"haft-run is neither beside {sys.executable} nor in a folder of PATH")
    os.environ.setdefault("PYTHON", sys.executable)  # what haft-run starts scripts with
    sys.stdout.flush()
    os.execv(program, [program, *(sys.argv[1:] if args is None else args)])


if __name__ == "__main__":
    main()
