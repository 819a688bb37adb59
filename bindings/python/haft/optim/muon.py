"""Muon."""
from ._optimizers import Muon  # noqa: F401
