"""python -m haft.compat program.py [argument ...]: runs a program written for PyTorch."""
import os
import sys
import types
from importlib.machinery import ModuleSpec

from . import install


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print("usage: python -m haft.compat PROGRAM [ARGUMENT]...\nRuns a Python program with haft under the names torch and "
              "torchvision.", file=sys.stdout if len(sys.argv) > 1 else sys.stderr)
        return 0 if len(sys.argv) > 1 else 2
    path = os.path.abspath(sys.argv[1])
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        print(f"haft.compat: {path}: {error.strerror}", file=sys.stderr)
        return 2
    install()
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(path)
    # Children of multiprocessing's spawn load the main module anew, by the name in its spec: that module installs, too.
    os.environ["HAFT_COMPAT_PROGRAM"] = path
    module = types.ModuleType("__main__")
    module.__file__ = path
    module.__spec__ = ModuleSpec(__package__ + ".program", None, origin=path)
    module.__builtins__ = __builtins__
    sys.modules["__main__"] = module
    exec(compile(source, path, "exec"), module.__dict__)
    return 0


sys.exit(main())
