"""Train the methods of one cell, doing common work only once.

Four steps are done only once for all methods and grid points of a cell: loading and
preparing the data, searching for the neighbours of the rows, training a classifier on
each training set that results from pseudo-labelling, and computing the raw scores of
methods that differ only in how they cap scores. This does not affect the results:
separate fits would give the same results.
"""

import hashlib
import itertools
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pickle import PicklingError
from typing import Any

import joblib
import numpy as np

from hilabel._typing import UNLABELED, BoolArray, FloatArray, LabelArray
from hilabel._warning import warn_user
from hilabel.classifiers import TrainingData
from hilabel.constraints import cap_by_parents
from hilabel.datasets import HMCSplits
from hilabel.model_selection import mask_labels, mask_labels_nested
from hilabel.neighbors import NeighborMemory
from hilabel.studies._data import dataset_hash, load_dataset, prepare
from hilabel.studies._history import History, read_history
from hilabel.studies._specs import CellSpec, DatasetSpec, Preprocessing, stable_hash

# Cells of one data set are consecutive, so a process only needs the last one.
_loaded: dict[str, tuple[HMCSplits, str]] = {}
_loading = threading.Lock()
_numbers = itertools.count()


@dataclass(eq=False)
class Trial:
    """An estimator that is being evaluated."""

    key: str  # equal for trials with the same scores before capping
    train: Callable[[], Any]  # returns the fitted classifier
    preprocessing: Preprocessing
    # The history of pseudo-labelling; None until it is known.
    history: History | None = None
    is_capped: bool = False  # whether scores are capped after prediction
    # Of the training rows, those that it is trained on; None means all.
    rows: BoolArray | None = None
    # The result of train, once it was called.
    fitted: Any = field(default=None, repr=False)
    # Whether the time saved by a shared fit has been counted.
    is_credited: bool = field(default=False, repr=False)


class Workbench:
    """The data of a cell, and the results computed so far.

    ``seconds_saved`` is the training and prediction time saved by sharing work.
    Neighbour searches are fast and are not counted.
    """

    def __init__(self, cell: CellSpec) -> None:
        self.cell = cell
        self.seconds_saved = 0.0
        self._prepared: dict[Preprocessing, HMCSplits] = {}
        self._neighbors = NeighborMemory()
        self._scores: dict[tuple[str, str], FloatArray] = {}
        self._histories: dict[str, History] = {}
        self._seconds: dict[Any, float] = {}

    # Data ---------------------------------------------------------------------------

    @cached_property
    def _data(self) -> tuple[HMCSplits, str]:
        # Stored here too, because another thread may load another data set.
        return _load_once(self.cell.dataset, self.cell.repetition)

    @property
    def splits(self) -> HMCSplits:
        """The data as loaded, without preprocessing."""
        return self._data[0]

    @property
    def dataset_hash(self) -> str:
        """The hash of the data."""
        return self._data[1]

    @cached_property
    def Y(self) -> LabelArray:
        """The training labels of this cell; only the chosen rows are labelled."""
        cell, labels = self.cell, self.splits.train.Y
        options: Any = {
            "stratified": cell.stratified,
            "random_state": cell.label_seed,
        }
        if cell.nested_in:
            return mask_labels_nested(labels, cell.nested_in, **options)[cell.fraction]
        return mask_labels(labels, cell.fraction, **options)

    def _labels_for(self, estimator: Any) -> LabelArray:
        """Return labels that the method supports.

        If it does not support unknown labels, they are set to absent and a warning is
        issued.
        """
        tags = getattr(estimator, "method_tags", None)
        if tags is not None and tags.partial_labels:
            return self.Y
        data = replace(self.splits.train, Y=self.Y)
        if not data.is_partly_known:
            return self.Y
        warn_user(
            f"{type(estimator).__name__} does not support unknown labels; annotations "
            "are treated as complete."
        )
        return data.complete().Y

    def prepared(self, preprocessing: Preprocessing) -> HMCSplits:
        """Return the data with imputed and scaled features."""
        if preprocessing not in self._prepared:
            self._prepared[preprocessing] = prepare(self.splits, preprocessing)
        return self._prepared[preprocessing]

    # Work ---------------------------------------------------------------------------

    def trial(
        self, estimator: Any, preprocessing: Preprocessing, unlabeled: bool = True
    ) -> Trial:
        """Run the part of fitting that determines the classifier and its training rows.

        If ``unlabeled`` is False, only the labelled rows are passed to the estimator.
        """
        X = self.prepared(preprocessing).train.X
        if not unlabeled:
            labeled = (self.Y != UNLABELED).any(axis=1)
            Y = self._labels_for(estimator)[labeled]
            key = f"{_key(estimator, preprocessing)}/labelled rows"
            how = self._links_for(estimator, "train", labeled)
            if how:
                how["links"] = how["links"][labeled]
            return Trial(
                key,
                lambda: estimator.fit(X[labeled], Y, **how),
                preprocessing,
                rows=labeled,
            )
        if "memory" in estimator.get_params(deep=False):
            estimator.set_params(memory=self._neighbors)
        linked = self._links_for(estimator, "train")
        if hasattr(estimator, "pseudo_label") and not linked:
            training = estimator.pseudo_label(X, self._labels_for(estimator))
            base = estimator.base_classifier()
            key = _key(base, preprocessing, training)
            history = read_history(estimator)
            return Trial(
                key, lambda: base.fit_checked(training), preprocessing, history
            )
        raw = _raw_twin(estimator)
        Y = self._labels_for(raw)
        key = _key(raw, preprocessing)
        is_capped = raw is not estimator
        return Trial(
            key, lambda: raw.fit(X, Y, **linked), preprocessing, is_capped=is_capped
        )

    def _links_for(
        self, estimator: Any, split: str, rows: BoolArray | None = None
    ) -> dict[str, Any]:
        """Return the links of a split for a method that can learn from them.

        They lead to the training rows of a mask, or to all of them.
        """
        links = getattr(self.splits, split).links
        tags = getattr(estimator, "method_tags", None)
        if links is None or tags is None or not tags.links:
            return {}
        return {"links": links if rows is None else links.to(rows)}

    def scores(self, trial: Trial, split: str) -> FloatArray:
        """Return the scores of the ``"valid"`` or ``"test"`` rows."""
        place = trial.key, split
        if place in self._scores:
            self._credit(trial, place)
        else:
            self._fit(trial)
            X = getattr(self.prepared(trial.preprocessing), split).X
            start = time.perf_counter()
            how = {}
            if getattr(trial.fitted, "uses_links", False):
                how = self._links_for(trial.fitted, split, trial.rows)
            self._scores[place] = np.asarray(trial.fitted.predict_proba(X, **how))
            self._seconds[place] = time.perf_counter() - start
        scores = self._scores[place]
        return (
            cap_by_parents(scores, self.splits.hierarchy) if trial.is_capped else scores
        )

    def _credit(self, trial: Trial, place: tuple[str, str]) -> None:
        """Copy the history of an equivalent trial, and count the time saved."""
        self.seconds_saved += self._seconds[place]
        trial.history = trial.history or self._histories[trial.key]
        if trial.fitted is None and not trial.is_credited:
            self.seconds_saved += self._seconds[trial.key]
            trial.is_credited = True

    def _fit(self, trial: Trial) -> None:
        if trial.fitted is None:
            start = time.perf_counter()
            trial.fitted = trial.train()
            self._seconds[trial.key] = time.perf_counter() - start
            trial.history = trial.history or read_history(trial.fitted)
            self._histories[trial.key] = trial.history


def _load_once(spec: DatasetSpec, repetition: int) -> tuple[HMCSplits, str]:
    key = stable_hash([spec.described(), str(spec.folder), spec.fold(repetition)])
    with _loading:
        if key not in _loaded:
            _loaded.clear()
            splits = load_dataset(spec, repetition)
            _loaded[key] = splits, dataset_hash(splits)
        return _loaded[key]


def _raw_twin(estimator: Any) -> Any:
    """Return the uncapped method with the same parameters, or the method itself."""
    tags = getattr(estimator, "method_tags", None)
    if tags is None or tags.caps is None:
        return estimator
    return tags.caps(**estimator.get_params(deep=False))


def _key(
    estimator: Any, preprocessing: Preprocessing, training: TrainingData | None = None
) -> str:
    params = estimator.get_params(deep=False)
    # The same in the whole cell; it may fill caches while it is used.
    params.pop("hierarchy", None)
    params.pop("memory", None)
    parts = [f"{type(estimator).__module__}.{type(estimator).__qualname__}"]
    parts += [_hash_of(params), stable_hash(asdict(preprocessing))]
    if training is not None:
        rows = np.ascontiguousarray(training.labeled_rows)
        labels = np.packbits(training.Y_labeled).tobytes()
        if training.known is not None:
            labels += np.packbits(training.known).tobytes()
        parts.append(hashlib.sha256(rows.tobytes() + labels).hexdigest())
    return "/".join(parts)


def _hash_of(params: dict[str, Any]) -> str:
    try:
        return str(joblib.hash(params))
    except (PicklingError, AttributeError, TypeError):
        # Such as a lambda expression of a user; its trials share no work.
        return f"unlike any other {next(_numbers)}"
