"""Convert known data sets and hierarchical ARFF files to plain tables."""

from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from hilabel._suggestions import closest, did_you_mean
from hilabel._typing import FilePath
from hilabel._writing import folder_aside, inputs_kept
from hilabel.datasets import (
    HMCDataset,
    HMCSplits,
    list_datasets,
    load_fun,
    load_go,
    load_hmc_arff,
)
from hilabel.exceptions import ParameterError
from hilabel.tasks._write_table import write_table


def convert_dataset(
    source: str,
    folder: FilePath,
    *,
    form: Literal["csv", "tsv", "parquet"] = "csv",
    min_count: int | None = None,
    separate_valid: bool = False,
    data_home: FilePath | None = None,
) -> list[Path]:
    """Write a data set as tables that the other commands can read.

    Parameters
    ----------
    source : str
        A known data set, such as ``"GO/cellcycle"``, or a hierarchical ARFF file.
    folder : path-like
        Created if missing. Contains ``features``, ``labels`` and ``hierarchy``. For a
        data set with splits, these have the training and validation rows, and
        ``test_features`` and ``test_labels`` have the test rows.
    form : {"csv", "tsv", "parquet"}, default="csv"
        Format of the features; labels are always TSV and the hierarchy CSV.
    min_count : int, optional
        For a known data set, keep the nodes with at least this many training rows.
    separate_valid : bool, default=False
        Write the validation rows of a known data set to ``valid_features`` and
        ``valid_labels``, to tune parameters on them.
    data_home : path-like, optional
        The folder of the known data sets.

    Raises
    ------
    ValueError
        If ``source`` is neither, or ``min_count`` is given for an ARFF file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.tasks import convert_dataset
    >>> text = '''@RELATION shop
    ... @ATTRIBUTE price numeric
    ... @ATTRIBUTE class hierarchical food,food/tea
    ... @DATA
    ... 2.5,food/tea
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "shop.arff")
    ...     _ = path.write_text(text)
    ...     [path.name for path in convert_dataset(str(path), Path(folder, "tables"))]
    ['features.csv', 'labels.tsv', 'hierarchy.csv']
    """
    if Path(source).is_file():
        if min_count is not None:
            raise ParameterError(
                f"{source}: a minimum count is only supported for known data sets; "
                "remove it, and pass it when the tables are read.",
                parameter="min_count",
            )
        if separate_valid:
            raise ParameterError(
                f"{source}: one ARFF file has no validation rows of its own; convert "
                "their file too.",
                parameter="separate_valid",
            )
        parts = {"": load_hmc_arff(source)}
    else:
        splits = _load_known(source, min_count, data_home)
        if separate_valid:
            parts = {"": splits.train, "valid_": splits.valid, "test_": splits.test}
        else:
            parts = {"": _joined(splits.train, splits.valid), "test_": splits.test}
    with inputs_kept([source]), folder_aside(folder) as aside:
        written = _write_parts(parts, aside, form)
    return [Path(folder) / path.name for path in written]


def _write_parts(parts: dict[str, HMCDataset], folder: Path, form: str) -> list[Path]:
    paths = []
    start = 0
    for prefix, part in parts.items():
        ids = part.sample_ids or [f"row{start + i + 1}" for i in range(part.n_samples)]
        start += part.n_samples
        features = _feature_frame(part, ids)
        labels = _label_frame(part, ids)
        paths.append(write_table(features, folder / f"{prefix}features.{form}"))
        paths.append(write_table(labels, folder / f"{prefix}labels.tsv"))
    paths.append(write_table(_edge_frame(part), folder / "hierarchy.csv"))
    return paths


def _load_known(
    source: str, min_count: int | None, data_home: FilePath | None
) -> HMCSplits:
    collection, _, name = source.partition("/")
    known = {f"{found.collection}/{found.name}" for found in list_datasets(data_home)}
    if source not in known:
        raise ParameterError(
            f"{source}: expected an ARFF file that exists, or a known data set such as "
            "GO/cellcycle, as listed by list_datasets."
            f"{did_you_mean(closest(source, known))}",
            parameter="source",
        )
    load = load_go if collection == "GO" else load_fun
    return load(name, min_count=min_count, data_home=data_home)


def _joined(first: HMCDataset, second: HMCDataset) -> HMCDataset:
    return HMCDataset(
        X=np.concatenate([first.X, second.X]),
        Y=np.concatenate([first.Y, second.Y]),
        hierarchy=first.hierarchy,
        feature_names=first.feature_names,
    )


def _feature_frame(part: HMCDataset, ids: object) -> pd.DataFrame:
    X = part.X.toarray() if hasattr(part.X, "toarray") else part.X
    frame = pd.DataFrame(X, columns=list(part.feature_names))
    frame.insert(0, "id" if "id" not in frame else "row id", ids)
    return frame


def _label_frame(part: HMCDataset, ids: object) -> pd.DataFrame:
    names = np.array(part.hierarchy.names, dtype=object)
    rows, nodes = np.nonzero(part.hierarchy.most_specific(part.Y > 0))
    table = {"id": np.array(ids, dtype=object)[rows], "term": names[nodes]}
    return pd.DataFrame(table)


def _edge_frame(part: HMCDataset) -> pd.DataFrame:
    """Return the edges in an order from which the nodes are read in the same order.

    Methods draw random numbers node by node, so their results depend on this order.
    """
    hierarchy = part.hierarchy
    names = hierarchy.names
    first, rest = [], []
    for node in range(hierarchy.n_nodes):
        parents = sorted(int(parent) for parent in hierarchy.parents(node))
        above = [names[parent] for parent in parents]
        # Roots without children would be lost if roots had no line.
        first.append((above[0] if above else "", names[node]))
        rest += [(parent, names[node]) for parent in above[1:]]
    return pd.DataFrame(first + rest, columns=["parent", "child"])
