"""Load: files and generators become ``HMCDataset(X, Y, hierarchy)``."""

from hilabel.datasets._annotations import Annotations, read_annotations
from hilabel.datasets._arff import load_hmc_arff, load_hmc_arff_splits
from hilabel.datasets._artificial import ArtificialData, make_artificial
from hilabel.datasets._collections import KnownDataset, list_datasets
from hilabel.datasets._dataset import HMCDataset, HMCSplits, impute
from hilabel.datasets._edge_list import read_hierarchy
from hilabel.datasets._features import FeatureTable, read_features
from hilabel.datasets._fetch import fetch_dataset
from hilabel.datasets._match import MatchReport
from hilabel.datasets._random_hierarchy import make_hierarchy
from hilabel.datasets._synthetic import (
    SyntheticData,
    make_hierarchical_classification,
)
from hilabel.datasets._table_encoder import TableEncoder
from hilabel.datasets._tables import TableData, load_table
from hilabel.datasets._yeast import load_fun, load_go

__all__ = [
    "Annotations",
    "ArtificialData",
    "FeatureTable",
    "HMCDataset",
    "HMCSplits",
    "KnownDataset",
    "MatchReport",
    "SyntheticData",
    "TableData",
    "TableEncoder",
    "fetch_dataset",
    "impute",
    "list_datasets",
    "load_fun",
    "load_go",
    "load_hmc_arff",
    "load_hmc_arff_splits",
    "load_table",
    "make_artificial",
    "make_hierarchical_classification",
    "make_hierarchy",
    "read_annotations",
    "read_features",
    "read_hierarchy",
]
