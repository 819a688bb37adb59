"""Modules as functions of their parameters, by the older name."""
from ...func import functional_call

__all__ = ["functional_call"]
