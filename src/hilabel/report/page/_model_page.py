"""A page that can be written to a file or displayed in a notebook."""

import html
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy.sparse as sp

from hilabel._matrices import fingerprints
from hilabel._typing import FilePath, MatrixLike
from hilabel._validation import check_labels
from hilabel._writing import check_target, written_aside
from hilabel.exceptions import ParameterError
from hilabel.models import TableModel
from hilabel.report.page._content import PageContent
from hilabel.report.page._given_rows import GivenRows
from hilabel.report.page._payload import page_payload
from hilabel.report.page._template import render

_HEIGHT_IN_NOTEBOOKS: Final = 760
SUFFIXES: Final = (".html", ".htm")


@dataclass(frozen=True, eq=False)
class ModelPage:
    """A page about a model and its predictions, which notebooks can display.

    Attributes
    ----------
    payload : dict
        The content of the page, in plain values.

    See Also
    --------
    model_page : Creates the page.

    Examples
    --------
    >>> from hilabel.report import ModelPage
    >>> page = ModelPage({"kind": "model", "title": "Genes"})
    >>> page.payload["title"]
    'Genes'
    """

    payload: dict[str, Any]

    @classmethod
    def of(cls, content: PageContent) -> "ModelPage":
        """Create a page that shows a model and, if there are any, rows."""
        return cls(page_payload(content))

    @cached_property
    def html(self) -> str:
        """The complete page, which needs no other file and no network."""
        return render(self.payload)

    def write(self, path: FilePath) -> Path:
        """Write the page to a file atomically.

        Parameters
        ----------
        path : path-like
            Must end in ``.html``. An existing file is replaced.
        """
        check_target(path, SUFFIXES)
        content = self.html.encode("utf-8")
        with written_aside(path) as unfinished:
            unfinished.write_bytes(content)
        return Path(path)

    def _repr_html_(self) -> str:
        # In a separate frame, which the styles of the notebook do not affect.
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" width="100%" '
            f'height="{_HEIGHT_IN_NOTEBOOKS}" style="border:0" '
            f'title="{html.escape(self.payload["title"])}"></iframe>'
        )


def model_page(
    model: TableModel,
    X: MatrixLike | None = None,
    y: MatrixLike | None = None,
    *,
    ids: Sequence[Any] | None = None,
    title: str = "",
) -> ModelPage:
    """Create a page about a model, its quality, and its predictions with evidence.

    The page is a single file that can be viewed offline. It contains a hierarchy to
    browse, with the rows, quality, calibration and main features of each term; rows
    with their known labels, their predictions and the evidence for the predictions; and
    lists of the predictions and rows to check first. It also states what was left out.

    Parameters
    ----------
    model : TableModel
        As returned by :func:`~hilabel.models.model_of_estimator` for an estimator. For
        a model file and tables, use :func:`hilabel.tasks.report_model`.
    X : array-like or sparse matrix of shape (n_samples, n_features), optional
        Rows to show, as the classifier expects them. By default, the labelled training
        rows, if they were scored out of fold.
    y : label matrix, in any form that ``fit`` accepts, optional
        The known labels of these rows. If the model was trained on none of them, its
        quality is measured on them.
    ids : sequence of n_samples, optional
        Training rows are recognised by their ids. By default, rows are training rows if
        they have the same values in the same order; other rows are numbered.
    title : str, optional

    Returns
    -------
    ModelPage
        Shown in notebooks; ``write(path)`` saves it to a file.

    Raises
    ------
    ParameterError
        If ``y`` or ``ids`` are given without ``X``, or do not match its rows.

    Examples
    --------
    >>> from hilabel.classifiers import PredictiveClusteringForest
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.model_selection import out_of_fold_scores
    >>> from hilabel.models import model_of_estimator
    >>> from hilabel.report import model_page
    >>> data = make_artificial()
    >>> X, y = data.X_labeled, data.Y_labeled
    >>> forest = PredictiveClusteringForest(data.hierarchy, n_estimators=20)
    >>> scores = out_of_fold_scores(forest, X, y)
    >>> model = model_of_estimator(forest.fit(X, y), X, y, out_of_fold=scores)
    >>> page = model_page(model, X)
    >>> page.payload["measured_on"], len(page.payload["rows"]["id"])
    ('out of fold', 12)
    """
    if not isinstance(model, TableModel):
        raise TypeError(
            f"Expected a TableModel, got a {type(model).__name__}; for a fitted "
            "estimator, make one with hilabel.models.model_of_estimator."
        )
    rows = _given_rows(model, X, y, ids)
    with warnings.catch_warnings():
        # Rows were converted to arrays, without the names of their columns.
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        return ModelPage.of(PageContent.of(model, rows, title))


def _given_rows(model: TableModel, X: Any, y: Any, ids: Any) -> GivenRows | None:
    if X is None:
        if y is not None or ids is not None:
            raise ParameterError(
                "Expected rows for the given labels or ids, got none; pass X too.",
                parameter="X",
            )
        return None
    matrix = sp.csr_array(X) if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    n_rows = matrix.shape[0]
    if ids is not None and len(ids) != n_rows:
        raise ParameterError(
            f"Expected an id for each of {n_rows} rows, got {len(ids)}.",
            parameter="ids",
        )
    labels = None
    if y is not None:
        labels = check_labels(y, model.hierarchy, n_samples=n_rows).table
    names = _usual_ids(model, matrix) if ids is None else [str(one) for one in ids]
    return GivenRows(model, names, matrix, labels)


def _usual_ids(model: TableModel, X: Any) -> Sequence[str]:
    """Return the ids of the training rows if these are their values, or new ones."""
    labeled = model.labeled
    is_as_long = X.shape[0] == labeled.size and labeled.any()
    if is_as_long and (fingerprints(X[labeled]) == model.fingerprint[labeled]).all():
        return model.sample_ids
    return [f"new {number}" for number in range(X.shape[0])]
