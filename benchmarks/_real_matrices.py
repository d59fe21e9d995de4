"""The matrices that all rivals of a set learn from.

Words become TF-IDF (sublinear, words of at least two rows), and all rows have length 1.
Labels are closed over their ancestors, on the nodes that are measured.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from benchmarks._real_files import read_rows
from benchmarks._real_quality import truth_of
from benchmarks._real_sets import FOLDER, SETS, RealSet
from hilabel.hierarchy import Hierarchy

NAMES = ("X_train", "Y_train", "X_test")


def write_matrices(name: str) -> Path:
    """Write the matrices of a set, if they do not exist, and return their folder."""
    folder = FOLDER / name / "matrices"
    if not folder.exists():
        truth = truth_of(name)
        ids, X = all_rows(SETS[name]())
        place = {one: row for row, one in enumerate(ids)}
        parts = {
            "X_train": X[[place[one] for one in truth.train_ids]],
            "Y_train": truth.trained.positive.astype(np.float32),
            "X_test": X[[place[one] for one in truth.test_ids]],
        }
        # The folder appears once it is complete.
        aside = folder.with_name("part_matrices")
        aside.mkdir(parents=True, exist_ok=True)
        for file, matrix in parts.items():
            sp.save_npz(aside / f"{file}.npz", sp.csr_array(matrix), compressed=False)
        np.save(aside / "edges.npy", truth.hierarchy.edges)
        aside.rename(folder)
    return folder


def read_matrices(folder: Path) -> tuple[Any, Any, Any]:
    """Return training rows, their labels, and the rows of the test."""
    X_train, Y_train, X_test = (sp.load_npz(folder / f"{file}.npz") for file in NAMES)
    return X_train, Y_train, X_test


def read_edges(folder: Path) -> Hierarchy:
    """Return the hierarchy of the nodes, which have numbers instead of names.

    It is read here rather than from the files of the set, so that the memory of a rival
    is its own.
    """
    n_nodes = sp.load_npz(folder / "Y_train.npz").shape[1]
    names = [str(node) for node in range(n_nodes)]
    return Hierarchy(names, np.load(folder / "edges.npy"))


def all_rows(one: RealSet) -> tuple[list[str], Any]:
    """Return the ids and the columns of all rows."""
    if not one.text:
        ids, X, _ = read_rows(one.features)
        return ids, normalize(sp.csr_array(X))
    table = pd.read_csv(one.features, dtype=str, keep_default_na=False)
    texts = table[list(one.text)].agg(" ".join, axis=1)
    words = TfidfVectorizer(sublinear_tf=True, min_df=2, dtype=np.float32)
    return table.iloc[:, 0].tolist(), sp.csr_array(words.fit_transform(texts))
