"""Intel's MKL: haft does not use it."""


def is_available():
    """False."""
    return False
