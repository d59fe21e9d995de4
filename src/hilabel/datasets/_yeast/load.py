"""Load the yeast gene-function data sets of Vens et al. (2008) by name."""

from hilabel._typing import FilePath
from hilabel.datasets._arff.load import load_hmc_arff_splits
from hilabel.datasets._dataset import HMCSplits
from hilabel.datasets._yeast.collections import (
    COLLECTION_PAGE,
    KnownDataset,
    find_dataset,
)
from hilabel.exceptions import DatasetNotFoundError


def load_go(
    name: str, *, min_count: int | None = 50, data_home: FilePath | None = None
) -> HMCSplits:
    """Load a yeast data set labelled with Gene Ontology terms (a DAG).

    All ancestors of a label are labels too, and nodes with fewer than ``min_count``
    training rows are dropped. The artificial root is dropped; the three namespaces of
    the ontology are the top nodes. Nominal attributes are encoded as in
    :func:`load_hmc_arff_splits`. No row is dropped, and missing numbers stay NaN
    (:func:`impute` fills them).

    Parameters
    ----------
    name : str
        One of cellcycle, church, derisi, eisen, expr, gasch1, gasch2, hom, pheno, seq,
        spo and struc.
    min_count : int or None, default=50
        Number of training rows that a node must have to be kept. None keeps all nodes.
    data_home : path-like, optional
        The data folder. By default, the environment variable ``HILABEL_DATA``, or else
        the user's cache folder. The files are
        ``GO/NAME/NAME_GO.{train,valid,test}.arff`` in it, plain or with ``.gz`` added;
        if both exist, the compressed file is read.

    Raises
    ------
    ParameterError
        If the name is unknown; the message lists the names.
    DatasetNotFoundError
        If the files are not in the data folder.
    DatasetFormatError
        If a file is damaged.

    See Also
    --------
    fetch_dataset : Download the files.
    list_datasets : List the data sets on this machine.

    References
    ----------
    C. Vens, J. Struyf, L. Schietgat, S. Dzeroski and H. Blockeel, "Decision trees for
    hierarchical multi-label classification", Machine Learning 73(2):185-214, 2008.

    Examples
    --------
    >>> from hilabel.datasets import load_go
    >>> load_go("pheno", data_home="nowhere")
    Traceback (most recent call last):
    ...
    hilabel.exceptions.DatasetNotFoundError: The GO data set 'pheno' is not in ...
    """
    return _load("GO", name, min_count, data_home)


def load_fun(
    name: str, *, min_count: int | None = 50, data_home: FilePath | None = None
) -> HMCSplits:
    """Load a yeast data set labelled with FunCat classes (a tree).

    Parameters
    ----------
    name, min_count, data_home
        See :func:`load_go`; the files are in ``FUN/NAME``.

    Examples
    --------
    >>> from hilabel.datasets import load_fun
    >>> load_fun("yeast")
    Traceback (most recent call last):
    ...
    hilabel.exceptions.ParameterError: Unknown FUN data set 'yeast'; expected one of ...
    """
    return _load("FUN", name, min_count, data_home)


def _load(
    collection: str, name: str, min_count: int | None, data_home: FilePath | None
) -> HMCSplits:
    dataset = find_dataset(collection, name, data_home)
    if not dataset.present:
        raise _not_found(dataset)
    form = "dag" if collection == "GO" else "tree"
    title = f"{name}_{collection}"
    return load_hmc_arff_splits(
        *dataset.paths, min_count=min_count, form=form, separator="/", name=title
    )


def _not_found(dataset: KnownDataset) -> DatasetNotFoundError:
    missing = [path.name for path in dataset.paths if not path.is_file()]
    return DatasetNotFoundError(
        f"The {dataset.collection} data set {dataset.name!r} is not in "
        f"{dataset.folder}: {', '.join(missing)} missing there (with or without .gz). "
        f"It belongs to the Clus HMC collection, {COLLECTION_PAGE}; put its files in "
        "that folder, set another one with data_home or HILABEL_DATA, or call "
        f"fetch_dataset({dataset.collection!r}, {dataset.name!r}, base_url=...) with "
        "the URL of a copy."
    )
