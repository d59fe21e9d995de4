"""Load: files and generators become ``HMCDataset(X, Y, hierarchy)``."""

from hilabel.datasets._dataset import HMCDataset, HMCSplits, impute

__all__ = ["HMCDataset", "HMCSplits", "impute"]
