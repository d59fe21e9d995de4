"""Load, prepare and hash the data of a study."""

import hashlib
import inspect
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from hilabel.datasets import (
    HMCSplits,
    impute,
    load_fun,
    load_go,
    load_hmc_arff_splits,
    make_hierarchical_classification,
)
from hilabel.studies._specs import DatasetSpec, Preprocessing
from hilabel.studies._tables import StudyTables, set_rows_aside

COLLECTIONS: Final = ("GO", "FUN")
IMPUTATIONS: Final = ("mean", "median", "zero", "none")
SCALINGS: Final = ("none", "standard", "minmax")
# Shares of generated rows for training and validation; the rest are test rows.
_TRAIN_SHARE, _VALID_SHARE = 0.5, 0.25


def _load_arff(spec: DatasetSpec, fold: int | None) -> HMCSplits:
    options = dict(spec.options)
    share = options.pop("valid_fraction", None)
    files = [options.pop(split, None) for split in ("train", "valid", "test")]
    train, valid, test = (file and spec.folder / file for file in files)
    # All files are read together; a file that is read twice is split.
    splits = load_hmc_arff_splits(
        train, valid or train, test, name=spec.name, **options
    )
    if valid:
        return splits
    return HMCSplits(*set_rows_aside(splits.train, share), splits.test)


def _load_tables(spec: DatasetSpec, fold: int | None) -> HMCSplits:
    parts = StudyTables(**dict(spec.options)).load(spec.folder, fold)
    return HMCSplits(*(replace(part, name=spec.name) for part in parts))


def _make_synthetic(spec: DatasetSpec, fold: int | None) -> HMCSplits:
    options = dict(spec.options)
    share = options.pop("valid_fraction", None)
    data = make_hierarchical_classification(**options)
    shares = _TRAIN_SHARE, _VALID_SHARE
    if share is not None:  # of the rows that are not test rows
        both = sum(shares)
        shares = (1 - share) * both, share * both
    n_train, n_valid = (round(part * data.n_samples) for part in shares)
    ends = (0, n_train, n_train + n_valid, data.n_samples)
    data = replace(data, name=spec.name)
    return HMCSplits(*(data.rows(slice(*part)) for part in pairwise(ends)))


def _load_known(spec: DatasetSpec, fold: int | None) -> HMCSplits:
    _, load = SOURCES[spec.source]
    return load(name_in_collection(spec), **dict(spec.options))


# How to load from each source, and the function that accepts the options.
SOURCES: Final[
    dict[str, tuple[Callable[[DatasetSpec, int | None], HMCSplits], Any]]
] = {
    "GO": (_load_known, load_go),
    "FUN": (_load_known, load_fun),
    "arff": (_load_arff, load_hmc_arff_splits),
    "table": (_load_tables, StudyTables),
    "synthetic": (_make_synthetic, make_hierarchical_classification),
}


def name_in_collection(spec: DatasetSpec) -> str:
    """Return the name of a data set within its collection."""
    return spec.name.removeprefix(f"{spec.source}/")


def options_of(source: str) -> list[str]:
    """Return the names of the options for data sets from the given source."""
    names = list(inspect.signature(SOURCES[source][1]).parameters)
    if source in ("arff", "synthetic"):
        names.append("valid_fraction")
    # Set by the study itself, or not expressible in a file.
    set_here = ("name", "data_home", "hierarchy") if source != "table" else ()
    return [name for name in names if name not in set_here]


def load_dataset(spec: DatasetSpec, repetition: int = 1) -> HMCSplits:
    """Load or generate the training, validation and test rows of a repetition.

    The rows are the same in all repetitions, unless a table is divided into folds.
    """
    return SOURCES[spec.source][0](spec, spec.fold(repetition))


def prepare(splits: HMCSplits, preprocessing: Preprocessing) -> HMCSplits:
    """Impute and scale the features, using statistics of all training rows.

    Unlike in a ``TablePreparation``, values outside the range of the training rows are
    not clipped, and all columns are scaled, as in the results that studies have stored.
    """
    if preprocessing.imputation != "none":
        splits = impute(splits, preprocessing.imputation)
    if preprocessing.scaling == "none":
        return splits
    is_sparse = sp.issparse(splits.train.X)
    scalers = {
        "standard": StandardScaler(with_mean=not is_sparse),
        # Centring would make a sparse matrix dense.
        "minmax": MaxAbsScaler() if is_sparse else MinMaxScaler(),
    }
    scaler = scalers[preprocessing.scaling].fit(splits.train.X)
    return HMCSplits(*(replace(part, X=scaler.transform(part.X)) for part in splits))


def dataset_hash(splits: HMCSplits) -> str:
    """Return a hash of all data that methods and measures use."""
    digest = hashlib.sha256()
    for part in splits:
        arrays: tuple[Any, ...] = (part.X, part.Y)
        if sp.issparse(part.X):
            arrays = (part.X.indptr, part.X.indices, part.X.data, part.Y)
        for array in arrays:
            digest.update(str((array.shape, array.dtype.str)).encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        kinds = {} if part.links is None else part.links.kinds
        for name, matrix in kinds.items():
            digest.update(name.encode())
            for array in (matrix.indptr, matrix.indices, matrix.data):
                digest.update(np.ascontiguousarray(array).tobytes())
    hierarchy = splits.hierarchy
    digest.update(repr(hierarchy.names).encode())
    digest.update(np.asarray(hierarchy.parents_ptr).tobytes())
    digest.update(np.asarray(hierarchy.parents_idx).tobytes())
    return digest.hexdigest()[:16]
