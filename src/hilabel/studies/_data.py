"""The data of a study: loaded, prepared, and known by what they hold."""

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
    HMCDataset,
    HMCSplits,
    impute,
    load_fun,
    load_go,
    load_hmc_arff_splits,
    make_hierarchical_classification,
)
from hilabel.studies._specs import DatasetSpec, Preprocessing

__all__ = [
    "COLLECTIONS",
    "IMPUTATIONS",
    "SCALINGS",
    "SOURCES",
    "dataset_hash",
    "load_dataset",
    "name_in_collection",
    "options_of",
    "prepare",
]

COLLECTIONS: Final = ("GO", "FUN")
IMPUTATIONS: Final = ("mean", "median", "zero", "none")
SCALINGS: Final = ("none", "standard", "minmax")
# Shares of the rows made that train and validate; the rest tests.
_TRAIN_SHARE, _VALID_SHARE = 0.5, 0.25


def _load_arff(spec: DatasetSpec) -> HMCSplits:
    options = dict(spec.options)
    paths = [spec.folder / options.pop(split) for split in ("train", "valid", "test")]
    return load_hmc_arff_splits(*paths, name=spec.name, **options)


def _make_synthetic(spec: DatasetSpec) -> HMCSplits:
    data = make_hierarchical_classification(**dict(spec.options))
    n_train = round(_TRAIN_SHARE * data.n_samples)
    n_valid = round(_VALID_SHARE * data.n_samples)
    ends = (0, n_train, n_train + n_valid, data.n_samples)
    parts = [
        HMCDataset(
            data.X[start:end],
            data.Y[start:end],
            data.hierarchy,
            data.feature_names,
            name=spec.name,
        )
        for start, end in pairwise(ends)
    ]
    return HMCSplits(*parts)


def _load_go(spec: DatasetSpec) -> HMCSplits:
    return load_go(name_in_collection(spec), **dict(spec.options))


def _load_fun(spec: DatasetSpec) -> HMCSplits:
    return load_fun(name_in_collection(spec), **dict(spec.options))


# How to load from each source, and the function whose arguments the options are.
SOURCES: Final[dict[str, tuple[Callable[[DatasetSpec], HMCSplits], Any]]] = {
    "GO": (_load_go, load_go),
    "FUN": (_load_fun, load_fun),
    "arff": (_load_arff, load_hmc_arff_splits),
    "synthetic": (_make_synthetic, make_hierarchical_classification),
}


def name_in_collection(spec: DatasetSpec) -> str:
    """Return what a data set is called among those of its collection."""
    return spec.name.removeprefix(f"{spec.source}/")


def options_of(source: str) -> list[str]:
    """Return the options that a data set from this source may have."""
    names = list(inspect.signature(SOURCES[source][1]).parameters)
    # Set by the study itself, or no value that a file could hold.
    return [name for name in names if name not in ("name", "data_home", "hierarchy")]


def load_dataset(spec: DatasetSpec) -> HMCSplits:
    """Load or make the training, validation and test rows."""
    return SOURCES[spec.source][0](spec)


def prepare(splits: HMCSplits, preprocessing: Preprocessing) -> HMCSplits:
    """Fill and scale the features by what the training rows, labelled or not, show."""
    if preprocessing.imputation != "none":
        splits = impute(splits, preprocessing.imputation)
    if preprocessing.scaling == "none":
        return splits
    is_sparse = sp.issparse(splits.train.X)
    scalers = {
        "standard": StandardScaler(with_mean=not is_sparse),
        # Shifting would fill a sparse matrix.
        "minmax": MaxAbsScaler() if is_sparse else MinMaxScaler(),
    }
    scaler = scalers[preprocessing.scaling].fit(splits.train.X)
    return HMCSplits(*(replace(part, X=scaler.transform(part.X)) for part in splits))


def dataset_hash(splits: HMCSplits) -> str:
    """Return 16 hexadecimal digits of all that a method or a measure could see."""
    digest = hashlib.sha256()
    for part in splits:
        arrays: tuple[Any, ...] = (part.X, part.Y)
        if sp.issparse(part.X):
            arrays = (part.X.indptr, part.X.indices, part.X.data, part.Y)
        for array in arrays:
            digest.update(str((array.shape, array.dtype.str)).encode())
            digest.update(np.ascontiguousarray(array).tobytes())
    hierarchy = splits.hierarchy
    digest.update(repr(hierarchy.names).encode())
    digest.update(np.asarray(hierarchy.parents_ptr).tobytes())
    digest.update(np.asarray(hierarchy.parents_idx).tobytes())
    return digest.hexdigest()[:16]
