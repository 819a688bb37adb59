"""Curves, histograms, pictures and texts for TensorBoard."""
from .writer import SummaryWriter

__all__ = ["SummaryWriter"]
