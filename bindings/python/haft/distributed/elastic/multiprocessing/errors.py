"""Errors of a launched program."""
import functools
import json
import os
import time
import traceback

__all__ = ["record"]


def record(fn, error_handler=None):
    """Of a program's main function: an exception is written, as JSON, to the file that TORCHELASTIC_ERROR_FILE names, and goes on."""
    @functools.wraps(fn)
    def wrapped(*args, **kwargs):
        try:
            return fn(*args, **kwargs)
        except Exception as error:
            if error_handler is not None:
                error_handler.record_exception(error)
            elif os.environ.get("TORCHELASTIC_ERROR_FILE"):
                told = {"message": f"{type(error).__name__}: {error}",
                        "extraInfo": {"py_callstack": traceback.format_exc(), "timestamp": str(int(time.time()))}}
                with open(os.environ["TORCHELASTIC_ERROR_FILE"], "w") as file:
                    json.dump({"message": told}, file)
            raise

    return wrapped
