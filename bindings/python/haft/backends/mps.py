"""Apple's GPUs: haft does not serve them."""


def is_available():
    return False


def is_built():
    return False
