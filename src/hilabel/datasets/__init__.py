"""Load or generate data as ``HMCDataset(X, Y, hierarchy)``."""

from hilabel._table_options import TableOptions
from hilabel.datasets._arff.load import load_hmc_arff, load_hmc_arff_splits
from hilabel.datasets._dataset import HMCDataset, HMCSplits, impute
from hilabel.datasets._generators.artificial import ArtificialData, make_artificial
from hilabel.datasets._generators.example_files import write_example
from hilabel.datasets._generators.random_hierarchy import make_hierarchy
from hilabel.datasets._generators.synthetic import (
    SyntheticData,
    make_hierarchical_classification,
)
from hilabel.datasets._links.files import LinkFiles as LinkFiles, parse_links_option
from hilabel.datasets._links.groups import group_rows as group_rows
from hilabel.datasets._links.over_rows import NewLinks, link_new_rows
from hilabel.datasets._links.read import is_link_file as is_link_file, read_links
from hilabel.datasets._tables.annotations import Annotations, read_annotations
from hilabel.datasets._tables.edge_list import read_hierarchy
from hilabel.datasets._tables.fasta import (
    fasta_records as fasta_records,
    is_fasta as is_fasta,
)
from hilabel.datasets._tables.feature_blocks import (
    FeatureBlocks as FeatureBlocks,
    open_features,
)
from hilabel.datasets._tables.features import FeatureTable, read_features
from hilabel.datasets._tables.files import (
    TableFiles,
    read_labels_over as read_labels_over,
)
from hilabel.datasets._tables.kinds import guess_kind as guess_kind
from hilabel.datasets._tables.load import load_table
from hilabel.datasets._tables.match_report import MatchReport
from hilabel.datasets._tables.preparation import TablePreparation
from hilabel.datasets._tables.sparse_columns import SparseColumns as SparseColumns
from hilabel.datasets._tables.table_data import TableData
from hilabel.datasets._yeast.collections import (
    KnownDataset as KnownDataset,
    list_datasets,
)
from hilabel.datasets._yeast.fetch import fetch_dataset
from hilabel.datasets._yeast.load import load_fun, load_go

# For users; names imported as themselves are for other packages of hilabel.
__all__ = [
    "Annotations",
    "ArtificialData",
    "FeatureTable",
    "HMCDataset",
    "HMCSplits",
    "MatchReport",
    "NewLinks",
    "SyntheticData",
    "TableData",
    "TableFiles",
    "TableOptions",
    "TablePreparation",
    "fetch_dataset",
    "impute",
    "link_new_rows",
    "list_datasets",
    "load_fun",
    "load_go",
    "load_hmc_arff",
    "load_hmc_arff_splits",
    "load_table",
    "make_artificial",
    "make_hierarchical_classification",
    "make_hierarchy",
    "open_features",
    "parse_links_option",
    "read_annotations",
    "read_features",
    "read_hierarchy",
    "read_links",
    "write_example",
]
