"""Read the hierarchical ARFF files of Clus."""

from pathlib import Path

import numpy as np

from hilabel._typing import FilePath, IntArray, LabelArray
from hilabel.datasets._arff.encoding import encode_features
from hilabel.datasets._arff.labels import label_matrix, label_scheme
from hilabel.datasets._arff.table import ArffTable, read_tables
from hilabel.datasets._dataset import HMCDataset, HMCSplits
from hilabel.exceptions import DatasetFormatError


def load_hmc_arff(
    path: FilePath,
    *,
    min_count: int | None = None,
    form: str = "auto",
    separator: str | None = None,
    name: str = "",
) -> HMCDataset:
    """Read one ARFF file whose last attribute is hierarchical.

    Parameters
    ----------
    path : path-like
        The file, plain or compressed with gzip; this is detected by content, not by
        name.
    min_count : int, optional
        Keep only nodes that at least this many rows have, after closing labels over
        ancestors. By default, all nodes are kept.
    form : {"auto", "dag", "tree"}, default="auto"
        What the list of the hierarchical attribute contains: ``parent/child`` pairs
        ("dag") or full paths ("tree"). "auto" means pairs if an entry is ``root/x`` and
        none has more than two steps, and paths otherwise.
    separator : str, optional
        The separator of the steps. By default, ``/`` if any entry contains it, or else
        ``.`` if any entry contains it.
    name : str, default=""
        The name of the data; by default, the file name without ``.arff``.

    Returns
    -------
    HMCDataset
        ``X`` is a ``csr_array`` if the rows are sparse, and an array otherwise. ``Y``
        is closed over ancestors. Nodes are in the order of the header.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    DatasetFormatError
        If the file is invalid. The message names the file and, if possible, the line.

    See Also
    --------
    load_hmc_arff_splits : Reads training, validation and test files together.

    Notes
    -----
    **Attributes.** A numeric attribute (also ``real``, ``integer``) becomes one column,
    with NaN for ``?``. A nominal attribute becomes one column per declared value, and
    one for ``?`` if it occurs; with exactly two values, one column that is 1 for the
    second. The type ``binary`` is short for ``{1,0}``. A ``key`` attribute, or else the
    first ``string`` attribute, provides ``sample_ids``; other text is ignored. Names
    are not changed, so they may repeat if the file repeats them.

    **Labels.** Labels in a field are separated by ``@``. In a tree, they are paths; in
    a DAG, they are node names or pairs from the list. The artificial ``root`` of a DAG
    is dropped. ``?`` marks an unlabelled row; an empty field, or only ``root``, is a
    row known to have no labels. Pairs and paths may repeat and be in any order; a path
    includes the nodes above it.

    **Sparse rows**, ``{index value, ...}``, may count attributes from 0, as Weka does,
    or from 1, as Clus does. The label is the last attribute and is present in every
    row, so the last index of the first row determines which. An omitted attribute is 0,
    or its first declared value.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import load_hmc_arff
    >>> content = '''@RELATION animals
    ... @ATTRIBUTE legs numeric
    ... @ATTRIBUTE skin {fur,scales,feathers}
    ... @ATTRIBUTE class hierarchical root/animal,animal/cat,animal/fish
    ... @DATA
    ... 4,fur,cat
    ... ?,scales,fish
    ... 2,feathers,?
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "animals.arff")
    ...     _ = path.write_text(content)
    ...     data = load_hmc_arff(path)
    >>> data.feature_names
    ('legs', 'skin=fur', 'skin=scales', 'skin=feathers')
    >>> data.X
    array([[ 4.,  1.,  0.,  0.],
           [nan,  0.,  1.,  0.],
           [ 2.,  0.,  0.,  1.]])
    >>> data.hierarchy.names
    ('animal', 'cat', 'fish')
    >>> data.Y  # the last row is unlabelled
    array([[ 1,  1,  0],
           [ 1,  0,  1],
           [-1, -1, -1]], dtype=int8)
    """
    title = name or Path(path).name.removesuffix(".gz").removesuffix(".arff")
    (dataset,) = _load(read_tables([path]), min_count, form, separator, title)
    return dataset


def load_hmc_arff_splits(
    train: FilePath,
    valid: FilePath,
    test: FilePath,
    *,
    min_count: int | None = None,
    form: str = "auto",
    separator: str | None = None,
    name: str = "",
) -> HMCSplits:
    """Read training, validation and test files with the same header.

    The files are encoded together: if a nominal attribute has a ``?`` in any of them,
    all three get a column for ``?``. Only the training rows count towards
    ``min_count``.

    Parameters
    ----------
    train, valid, test : path-like
        The files; see :func:`load_hmc_arff` for the format.
    min_count : int, optional
        Keep only nodes that at least this many training rows have, after closing labels
        over ancestors. By default, all nodes are kept.
    form : {"auto", "dag", "tree"}, default="auto"
        As in :func:`load_hmc_arff`.
    separator : str, optional
        As in :func:`load_hmc_arff`.
    name : str, default=""
        The name of the data.

    Raises
    ------
    FileNotFoundError
        If one of the files does not exist.
    DatasetFormatError
        If a file is invalid or the headers differ; the message names the first
        difference.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import load_hmc_arff_splits
    >>> lines = (
    ...     "@RELATION shop",
    ...     "@ATTRIBUTE price numeric",
    ...     "@ATTRIBUTE class hierarchical food,food/tea",
    ...     "@DATA",
    ...     "2.5,food/tea",
    ... )
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "shop.arff")
    ...     _ = path.write_text(chr(10).join(lines))
    ...     splits = load_hmc_arff_splits(path, path, path)
    >>> splits.train.hierarchy.names
    ('food', 'food/tea')
    """
    tables = read_tables([train, valid, test])
    return HMCSplits(*_load(tables, min_count, form, separator, name))


def _load(
    tables: list[ArffTable],
    min_count: int | None,
    form: str,
    separator: str | None,
    name: str,
) -> list[HMCDataset]:
    """Encode tables with the same header; ``min_count`` applies to the first table."""
    scheme = label_scheme(tables[0], form, separator)
    labels = [label_matrix(table, scheme) for table in tables]
    hierarchy = scheme.hierarchy
    if min_count is not None:
        kept = _frequent_nodes(labels[0], min_count, tables[0].path)
        labels = [np.ascontiguousarray(Y[:, kept]) for Y in labels]
        hierarchy = hierarchy.restrict(kept)
    encoded, feature_names = encode_features(
        tables[0].features, [table.values for table in tables]
    )
    return [
        HMCDataset(
            X=X,
            Y=Y,
            hierarchy=hierarchy,
            feature_names=feature_names,
            sample_ids=None if (ids := table.identifiers) is None else tuple(ids),
            name=name,
        )
        for table, X, Y in zip(tables, encoded, labels, strict=True)
    ]


def _frequent_nodes(Y: LabelArray, min_count: int, path: str) -> IntArray:
    # A parent is at least as frequent as its child, so no edge is broken.
    counts = (Y > 0).sum(axis=0)
    kept = np.flatnonzero(counts >= min_count)
    if kept.size == 0:
        raise DatasetFormatError(
            f"no node has min_count={min_count} rows; the most frequent has "
            f"{counts.max()}. Lower min_count.",
            source=path,
        )
    return kept
