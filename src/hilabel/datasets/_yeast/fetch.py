"""Download known data sets from a copy of the collection, and verify them."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pooch

from hilabel._typing import FilePath
from hilabel.datasets._yeast.collections import (
    COLLECTION_PAGE,
    KnownDataset,
    find_dataset,
    read_registry,
    resolve_data_home,
)
from hilabel.exceptions import DatasetFormatError, DatasetNotFoundError, ParameterError

_URL_VARIABLE = "HILABEL_DATA_URL"
_TIMEOUT_SECONDS = 30


def fetch_dataset(
    collection: str,
    name: str,
    *,
    data_home: FilePath | None = None,
    base_url: str | None = None,
) -> Path:
    """Download the three files of a data set into the data folder.

    Each file is verified against its known SHA-256 sum before it is moved into place. A
    valid existing file is not downloaded again.

    Parameters
    ----------
    collection : {"GO", "FUN"}
        Gene Ontology or FunCat labels.
    name : str
        A name for :func:`load_go` or :func:`load_fun`.
    data_home : path-like, optional
        The data folder; by default, the one that :func:`load_go` reads from.
    base_url : str, optional
        URL of a copy of the files with the layout of the data folder,
        ``BASE/GO/NAME/NAME_GO.train.arff.gz`` and so on. By default, the environment
        variable ``HILABEL_DATA_URL``. There is no built-in URL, because the
        collection's own page provides the files in another layout.

    Returns
    -------
    Path
        The folder with the three files.

    Raises
    ------
    ParameterError
        If the name is unknown, no URL is given, or it is not an http URL.
    DatasetNotFoundError
        If there is no checksum to verify a file, or a file cannot be downloaded.
    DatasetFormatError
        If a downloaded file is not the expected one; it is not kept.

    Examples
    --------
    >>> from hilabel.datasets import fetch_dataset
    >>> fetch_dataset("GO", "hom", base_url="http://localhost")
    Traceback (most recent call last):
    ...
    hilabel.exceptions.DatasetNotFoundError: No checksum is known for the GO data set...
    """
    dataset = find_dataset(collection, name, data_home)
    registry = read_registry()
    paths = [f"{collection}/{name}/{file}" for file in dataset.file_names]
    if not all(path in registry for path in paths):
        raise DatasetNotFoundError(
            f"No checksum is known for the {collection} data set {name!r}, so a "
            f"download could not be verified. {_by_hand(dataset)}"
        )
    url = base_url or os.environ.get(_URL_VARIABLE)
    if not url:
        raise ParameterError(
            "Pass the URL of a copy of the data folder, or set the environment "
            f"variable {_URL_VARIABLE}; there is no built-in URL. {_by_hand(dataset)}",
            parameter="base_url",
        )
    fetch_files(paths, registry, url, resolve_data_home(data_home))
    return dataset.folder


def fetch_files(
    paths: Sequence[str], registry: Mapping[str, str], base_url: str, folder: Path
) -> None:
    """Download ``base_url/path`` to ``folder/path`` for each path in the registry."""
    if not base_url.startswith(("http://", "https://")):
        raise ParameterError(
            f"Expected a URL that starts with http:// or https://, got {base_url!r}.",
            parameter="base_url",
        )
    downloads = pooch.create(
        path=folder, base_url=base_url.rstrip("/") + "/", registry=dict(registry)
    )
    downloader = pooch.HTTPDownloader(timeout=_TIMEOUT_SECONDS, progressbar=False)
    for path in paths:
        _fetch_file(downloads, path, downloader)


def _fetch_file(
    downloads: pooch.Pooch, path: str, downloader: pooch.HTTPDownloader
) -> None:
    url = downloads.get_url(path)
    try:
        downloads.fetch(path, downloader=downloader)
    except OSError as error:  # includes all connection errors
        raise DatasetNotFoundError(
            f"{url} could not be downloaded ({type(error).__name__}: {error}). Check "
            "the URL and the connection, or put the file at "
            f"{downloads.abspath / path}; the collection is at {COLLECTION_PAGE}."
        ) from error
    except ValueError as error:  # raised by pooch if the checksum differs
        raise DatasetFormatError(
            f"{url} is not the expected file: its SHA-256 sum should be "
            f"{downloads.registry[path]}. Nothing was kept; try again, or use another "
            "copy."
        ) from error


def _by_hand(dataset: KnownDataset) -> str:
    return (
        f"Get the files from the Clus HMC collection, {COLLECTION_PAGE}, and put "
        f"{', '.join(dataset.file_names)} in {dataset.folder}."
    )
