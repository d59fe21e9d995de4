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
from hilabel.model_selection import split_labeled
from hilabel.studies._specs import DatasetSpec, Preprocessing

COLLECTIONS: Final = ("GO", "FUN")
IMPUTATIONS: Final = ("mean", "median", "zero", "none")
SCALINGS: Final = ("none", "standard", "minmax")
# Shares of the rows made that train and validate; the rest tests.
_TRAIN_SHARE, _VALID_SHARE = 0.5, 0.25
# Of the rows of a training file, where there is no file to validate on.
_SET_ASIDE_SHARE = 1 / 3


def _load_arff(spec: DatasetSpec) -> HMCSplits:
    options = dict(spec.options)
    files = [options.pop(split, None) for split in ("train", "valid", "test")]
    train, valid, test = (file and spec.folder / file for file in files)
    # All files are read together; one that is read twice is divided.
    splits = load_hmc_arff_splits(
        train, valid or train, test, name=spec.name, **options
    )
    return splits if valid else _set_rows_aside(splits)


def _set_rows_aside(splits: HMCSplits) -> HMCSplits:
    """Let some of the training rows validate, the same ones in all runs."""
    chosen = split_labeled(splits.train.Y, _SET_ASIDE_SHARE, random_state=0)
    train, valid = (_rows_of(splits.train, rows) for rows in chosen)
    return HMCSplits(train, valid, splits.test)


def _rows_of(data: HMCDataset, rows: Any) -> HMCDataset:
    ids = data.sample_ids
    return replace(
        data,
        X=data.X[rows],
        Y=data.Y[rows],
        sample_ids=ids and tuple(np.array(ids, dtype=object)[rows]),
    )


def _make_synthetic(spec: DatasetSpec) -> HMCSplits:
    data = make_hierarchical_classification(**dict(spec.options))
    n_train = round(_TRAIN_SHARE * data.n_samples)
    n_valid = round(_VALID_SHARE * data.n_samples)
    ends = (0, n_train, n_train + n_valid, data.n_samples)
    data = replace(data, name=spec.name)
    return HMCSplits(*(_rows_of(data, slice(*part)) for part in pairwise(ends)))


def _load_known(spec: DatasetSpec) -> HMCSplits:
    _, load = SOURCES[spec.source]
    return load(name_in_collection(spec), **dict(spec.options))


# How to load from each source, and the function whose arguments the options are.
SOURCES: Final[dict[str, tuple[Callable[[DatasetSpec], HMCSplits], Any]]] = {
    "GO": (_load_known, load_go),
    "FUN": (_load_known, load_fun),
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
