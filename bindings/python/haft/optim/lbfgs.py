"""L-BFGS."""
from ._optimizers import LBFGS  # noqa: F401
