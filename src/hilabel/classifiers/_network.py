"""An ensemble of networks for the whole hierarchy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from hilabel._compat import Interval, StrOptions
from hilabel._matrices import stack_rows
from hilabel._progress import Progress
from hilabel._saved_types import Number
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import FloatArray, IntArray, MatrixLike
from hilabel._validation import check_features
from hilabel.classifiers._base import BaseWeightedClassifier
from hilabel.classifiers._tags import MethodTags
from hilabel.classifiers._training_data import TrainingData
from hilabel.model_selection import draw_folds
from hilabel.networks import (
    HEAD,
    SHAPES,
    FittedNetworks,
    InputScaling,
    NetworkShape,
    TrainingSettings,
    require_jax,
)

if TYPE_CHECKING:
    from hilabel.networks import NetworkFit

# What "auto" trains: the first two suit noisy rows, the last clean ones.
_CANDIDATES = ("deep", "mid", "light")


@dataclass(eq=False, repr=False, kw_only=True)
class HierarchicalNetwork(BaseWeightedClassifier):
    """An ensemble of neural networks, each of which predicts all nodes.

    Every member is a small network, trained on all but one fold of the labelled rows.
    Out-of-fold scores determine how long to train and which network shapes to average.
    The mean of the members' scores for a node is capped at the lowest score of its
    parents.

    With ``consistency``, the networks also learn from unlabelled rows. Noise replaces
    some values with those of other rows, which should not change the scores. Each
    network is trained to give a noisy row the same scores as a network with the running
    mean of its weights gives the same row with different noise.

    Handles trees and DAGs, with one or several paths per row that may end at any depth.
    Thousands of nodes are practical. Features are scaled internally, and missing values
    are replaced with the mean. Without ``consistency``, unlabelled rows are used only
    for scaling.

    Requires JAX: ``pip install 'hilabel[networks]'``. The networks run on a GPU if JAX
    finds one. On CPUs, the same seed gives the same result.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges: plain multi-label classification.
    shape : {"auto", "mid", "deep", "light", "wide"}, NetworkShape or dict, \
default="auto"
        The layers and the noise in training. ``"auto"`` trains ``"deep"``, ``"mid"``
        and ``"light"``, and keeps the combination with the best out-of-fold scores. A
        dict sets the fields of a :class:`~hilabel.networks.NetworkShape`.
    n_members : int, default=12
        Number of networks of each shape.
    max_steps : int, optional
        Maximum number of training steps. By default, training stops when the
        out-of-fold scores do not improve, or after 10,000 steps.
    backbone : pair of functions, module or callable, optional
        Your own first layers, for images and other inputs: ``X`` may then have any
        shape. Two functions ``init(key, rows)``, which returns weights, and
        ``apply(weights, rows)``, which returns an array of features for each row; or an
        object with these methods, such as a flax module; or a function that creates an
        equinox module from a key.
    loss : {"binary", "max_constraint"}, default="binary"
        Binary cross-entropy of each node, or the loss of C-HMCNN(h), which scores a
        node by the maximum over its descendants.
    batch_size : int, default=128
    learning_rate : float, default=0.001
    weight_decay : float, default=0.02
    n_folds : int, default=6
        Number of folds of the labelled rows; each member leaves one out. Folds that are
        given, as by :class:`~hilabel.semi_supervised.Blend`, are used instead.
    consistency : float or sequence of float, default=0
        Weight of a second loss term: rows should score the same under different noise.
        These are the unlabelled rows or, without any, the labelled ones. If several
        weights are given, all are trained, and the best out of fold is kept (the first,
        if tied). Training takes twice as long, except for 0.
    consistency_rows : {"auto", "labeled"}, default="auto"
        ``"labeled"`` always uses the labelled rows for this term. With at most a few
        hundred of them, it still improves the scores by regularisation.
    random_state : int, RandomState or None
    verbose : int, default=0
        1 shows checkpoints if the fit takes more than two seconds, 2 always.

    Attributes
    ----------
    networks_ : FittedNetworks
        The weights, by shape and member.
    shapes_ : dict of NetworkShape
        The shapes that were kept, by name.
    curve_ : list of (str, int, float)
        Shape, steps, and out-of-fold micro average precision of all nodes after them;
        see :class:`~hilabel.report.TrainingCurveDisplay`.
    quality_ : float
        The same for the mean of the networks that were kept; NaN if no row was left
        out. The scores of the rows are those of
        :func:`~hilabel.model_selection.out_of_fold_scores`.
    consistency_ : float
        The weight used.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Tarvainen and Valpola, "Mean teachers are better role models", Advances in Neural
    Information Processing Systems 30, 2017 (consistency).

    Examples
    --------
    >>> from hilabel.classifiers import HierarchicalNetwork
    >>> from hilabel.datasets import make_artificial
    >>> data = make_artificial()
    >>> model = HierarchicalNetwork(
    ...     data.hierarchy, shape={"layers": (32,)}, max_steps=60, random_state=0
    ... )
    >>> model.fit(data.X_labeled, data.Y_labeled).predict_proba(data.X_test).shape
    (300, 6)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        partial_labels=True,
        name="Network",
        summary="nets of all nodes",
        use="The best scores with at least a few hundred labelled rows.",
        extra="networks",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseWeightedClassifier._parameter_constraints,
        "shape": [StrOptions({"auto", *SHAPES}), NetworkShape, dict],
        "n_members": [Interval(Integral, 1, None, closed="left")],
        "max_steps": [Interval(Integral, 1, None, closed="left"), None],
        "backbone": "no_validation",  # type: ignore[dict-item]
        "loss": [StrOptions({"binary", "max_constraint"})],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "weight_decay": [Interval(Real, 0, None, closed="left")],
        "n_folds": [Interval(Integral, 2, None, closed="left")],
        "consistency": [Interval(Real, 0, None, closed="left"), "array-like"],
        "consistency_rows": [StrOptions({"auto", "labeled"})],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    shape: Any = "auto"
    n_members: int = 12
    max_steps: int | None = None
    backbone: Any = None
    loss: str = "binary"
    batch_size: int = 128
    learning_rate: float = 1e-3
    weight_decay: float = 0.02
    n_folds: int = 6
    consistency: float | Sequence[float] = 0.0
    consistency_rows: str = "auto"
    random_state: Any = None
    verbose: int = 0

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "networks_": FittedNetworks,
        "_input_shape": tuple[int, ...],
        "curve_": list[tuple[str, int, float]],
        "quality_": float,
        "consistency_": Number(0),
    }

    def is_sound(self) -> bool:
        """Return whether the networks match the features and nodes."""
        networks = self.networks_
        return (
            super().is_sound()
            and networks.n_outputs == self.hierarchy_.n_nodes
            and networks.input_shape[0] == self.n_features_in_
            and self._input_shape == networks.input_shape
        )

    def scores_itself(self, data: TrainingData) -> bool:
        """Return whether at least two members leave out at least two folds."""
        if data.sets_rows_aside:
            return False
        n_folds = self.n_folds if data.fold is None else int(data.fold.max()) + 1
        return min(n_folds, self.n_members, data.n_labeled) > 1

    def _fit(self, data: TrainingData) -> None:
        self._fit_best(data)

    def _fit_scoring(self, data: TrainingData) -> ScoreMatrix:
        scores: Any = self._fit_best(data).oof_scores
        return ScoreMatrix.of(scores)

    def _fit_best(self, data: TrainingData) -> "NetworkFit":
        """Train with each weight of the consistency loss, and keep the best."""
        random = check_random_state(self.random_state)
        seed = int(random.randint(np.iinfo(np.int32).max))
        first, *others = self._strengths()
        best, self.consistency_ = self._train(data, seed, first), first
        for strength in others:
            found = self._train(data, seed, strength)
            if found.oof_quality > best.oof_quality:
                best, self.consistency_ = found, strength
        self.networks_ = best.networks
        self._input_shape = best.networks.input_shape
        self.curve_, self.quality_ = best.curve, best.oof_quality
        return best

    def _strengths(self) -> list[float]:
        """Return the candidate weights for the consistency loss."""
        strengths: list[float] = np.ravel(self.consistency).astype(float).tolist()
        if not strengths or not all(0 <= one < np.inf for one in strengths):
            raise ValueError(
                "Expected a consistency of 0 or more, or several, got "
                f"{self.consistency!r}."
            )
        return strengths

    def _train(self, data: TrainingData, seed: int, consistency: float) -> "NetworkFit":
        require_jax()
        from hilabel.networks import fit_networks

        self._input_shape = data.X_labeled.shape[1:]
        return fit_networks(
            data.X_labeled,
            data.labels,
            data.hierarchy,
            replace(self._settings(), consistency=consistency),
            scaling=self._scaling(data),
            weights=data.weights,
            seed=seed,
            report=Progress(self.verbose).report,
            X_unlabeled=data.X_unlabeled if self.consistency_rows == "auto" else None,
            fold=self._fold_of_rows(data, seed),
        )

    def _fold_of_rows(self, data: TrainingData, seed: int) -> IntArray:
        """Return the fold of each labelled row: those of the data, or drawn."""
        if data.fold is not None:
            return data.fold
        n_folds = min(self.n_folds, self.n_members, data.n_labeled)
        return draw_folds(data.Y, n_folds, seed)

    @property
    def learns_from_unlabeled(self) -> bool:
        """Whether ``fit`` learns from unlabelled rows; this requires consistency."""
        is_consistent = any(strength > 0 for strength in self._strengths())
        return is_consistent and self.consistency_rows == "auto"

    @property
    def shapes_(self) -> Mapping[str, NetworkShape]:
        """The network shapes that were kept, keyed by name."""
        check_is_fitted(self)
        return {part.name: part.shape for part in self.networks_.parts}

    def features(self, X: MatrixLike) -> FloatArray:
        """Return the learned features: the outputs of the networks' last hidden layers.

        Rows that the networks treat as similar have similar features, so methods based
        on neighbours may perform better on these features than on the original ones.

        Parameters
        ----------
        X : rows as in ``predict_proba``

        Returns
        -------
        float32 array of shape (n_rows, n_units)
            The concatenated units of all members: of the last hidden layer or, if there
            is none, of the backbone.

        Examples
        --------
        >>> from hilabel.classifiers import HierarchicalNetwork
        >>> from hilabel.datasets import make_artificial
        >>> data = make_artificial()
        >>> model = HierarchicalNetwork(
        ...     data.hierarchy, shape={"layers": (32,)}, n_members=3, max_steps=15
        ... )
        >>> model.fit(data.X_labeled, data.Y_labeled).features(data.X_test).shape
        (300, 96)
        """
        return self.networks_.features(self._check_new_rows(X), self.backbone)

    def _predict_scores(self, X: Any) -> FloatArray:
        return self.networks_.predict(X, self.hierarchy_, self.backbone)

    def _missing_value_advice(self) -> str | None:
        return None

    def _settings(self) -> TrainingSettings:
        return TrainingSettings(
            shapes=self._shapes(),
            n_members=self.n_members,
            max_steps=self.max_steps,
            backbone=self.backbone,
            loss=self.loss,
            batch_size=self.batch_size,
            learning_rate=self.learning_rate,
            weight_decay=self.weight_decay,
        )

    def _shapes(self) -> Mapping[str, NetworkShape]:
        if isinstance(self.shape, dict):
            return {"own": NetworkShape.of(self.shape)}
        if isinstance(self.shape, NetworkShape):
            return {"own": self.shape}
        if self.shape != "auto":
            return {self.shape: SHAPES[self.shape]}
        if self.backbone is not None:
            return {"head": HEAD}
        return {name: SHAPES[name] for name in _CANDIDATES}

    def _scaling(self, data: TrainingData) -> InputScaling:
        X = stack_rows(data.X_labeled, data.X_unlabeled)
        if self.backbone is not None:
            return InputScaling.of_values(X)
        return InputScaling.of_columns(X)

    def _check_rows(self, X: MatrixLike, *, reset: bool) -> Any:
        if self.backbone is None:
            return super()._check_rows(X, reset=reset)
        return self._check_inputs(X, reset=reset)

    def _check_inputs(self, X: MatrixLike, *, reset: bool) -> Any:
        """Validate rows with any number of axes against the shape used in training."""
        X = check_features(check_array, X, allow_nd=True, ensure_all_finite="allow-nan")
        if reset:
            self._input_shape = X.shape[1:]
        if X.ndim == 2 and X.shape[1] == np.prod(self._input_shape):
            X = X.reshape(-1, *self._input_shape)  # rows may also be flat
        if X.shape[1:] != self._input_shape:
            raise ValueError(
                f"Expected rows of shape {self._input_shape}, as in training, got rows "
                f"of shape {X.shape[1:]}."
            )
        return X
