"""OpenMP: haft's threads are its own."""


def is_available():
    """False."""
    return False
