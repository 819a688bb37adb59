"""Distances."""
from ._functions import CosineSimilarity, PairwiseDistance  # noqa: F401
