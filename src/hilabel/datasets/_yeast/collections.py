"""The known data sets and the locations of their files."""

import os
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import pooch

from hilabel._suggestions import closest, did_you_mean
from hilabel._typing import FilePath
from hilabel.exceptions import ParameterError

COLLECTION_PAGE = "https://dtai.cs.kuleuven.be/software/clus/hmcdatasets/"
SPLITS = ("train", "valid", "test")
_DATA_HOME_VARIABLE = "HILABEL_DATA"
# Vens et al. (2008), Table 2; each set comes with Gene Ontology and FunCat labels.
_NAMES = (
    "cellcycle",
    "church",
    "derisi",
    "eisen",
    "expr",
    "gasch1",
    "gasch2",
    "hom",
    "pheno",
    "seq",
    "spo",
    "struc",
)
_COLLECTIONS = {"GO": _NAMES, "FUN": _NAMES}


@dataclass(frozen=True)
class KnownDataset:
    """A known data set.

    Attributes
    ----------
    collection : str
        "GO" (Gene Ontology, a DAG) or "FUN" (FunCat, a tree).
    name : str
    present : bool
        Whether its three files are in the data folder.
    folder : Path
        The folder of the files, present or not.

    Examples
    --------
    >>> from hilabel.datasets import list_datasets
    >>> known = list_datasets()[0]
    >>> known.collection in ("GO", "FUN")
    True
    """

    collection: str
    name: str
    present: bool
    folder: Path

    @property
    def file_names(self) -> tuple[str, ...]:
        """The names of the three compressed files: train, valid and test."""
        stem = f"{self.name}_{self.collection}"
        return tuple(f"{stem}.{split}.arff.gz" for split in SPLITS)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The paths of the three files, compressed unless only plain files exist."""
        return tuple(_existing_form(self.folder / name) for name in self.file_names)


def list_datasets(data_home: FilePath | None = None) -> list[KnownDataset]:
    """List the known data sets and show which ones are on this machine.

    Parameters
    ----------
    data_home : path-like, optional
        The data folder; by default, the one that :func:`load_go` reads from.

    Returns
    -------
    list of KnownDataset
        With ``collection``, ``name``, ``present`` and ``folder``.

    Examples
    --------
    >>> from hilabel.datasets import list_datasets
    >>> known = list_datasets("nowhere")
    >>> len(known), known[0].collection, known[0].name, known[0].present
    (24, 'GO', 'cellcycle', False)
    """
    return [
        find_dataset(collection, name, data_home)
        for collection, names in _COLLECTIONS.items()
        for name in names
    ]


def find_dataset(
    collection: str, name: str, data_home: FilePath | None
) -> KnownDataset:
    """Return a known data set; if the name is unknown, the error lists all names."""
    for what, given, known in (
        ("collection", collection, tuple(_COLLECTIONS)),
        (f"{collection} data set", name, _COLLECTIONS.get(collection, ())),
    ):
        if given not in known:
            raise ParameterError(
                f"Unknown {what} {given!r}; expected one of {', '.join(known)}."
                f"{did_you_mean(closest(given, known))}"
            )
    folder = resolve_data_home(data_home) / collection / name
    found = KnownDataset(collection, name, True, folder)
    present = all(path.is_file() for path in found.paths)
    return found if present else KnownDataset(collection, name, False, folder)


def resolve_data_home(data_home: FilePath | None) -> Path:
    """Return the data folder; by default, ``HILABEL_DATA`` or the user's cache."""
    chosen = data_home or os.environ.get(_DATA_HOME_VARIABLE)
    return Path(chosen).expanduser() if chosen else Path(pooch.os_cache("hilabel"))


def read_registry() -> dict[str, str]:
    """Return the known SHA-256 sums of files, keyed by path within the data folder."""
    lines = (
        files("hilabel.datasets._yeast")
        .joinpath("registry.txt")
        .read_text()
        .splitlines()
    )
    return dict(line.split() for line in lines if line.strip())


def _existing_form(compressed: Path) -> Path:
    plain = compressed.with_suffix("")
    return plain if plain.is_file() and not compressed.is_file() else compressed
