"""The program of `python -m haft.compat`, as its child processes load it."""
import os

from haft.compat import install

install()
__file__ = os.environ["HAFT_COMPAT_PROGRAM"]
with open(__file__, "rb") as _file:
    exec(compile(_file.read(), __file__, "exec"), globals())
