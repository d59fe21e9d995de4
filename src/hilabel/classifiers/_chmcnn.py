"""C-HMCNN(h), with the settings from its paper."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from hilabel._compat import Interval
from hilabel._typing import FloatArray
from hilabel.classifiers._base import BaseHierarchicalClassifier
from hilabel.classifiers._tags import MethodTags
from hilabel.classifiers._training_data import TrainingData
from hilabel.networks import FittedNetworks, NetworkShape, require_jax


@dataclass(eq=False, repr=False, kw_only=True)
class CHMCNN(BaseHierarchicalClassifier):
    """C-HMCNN(h): a network that scores each node by the maximum over its descendants.

    The loss uses the same maxima, so the network can learn to predict a node by
    predicting one of its descendants. This is the published method with its published
    settings; :class:`HierarchicalNetwork` scores higher in less time.

    Handles trees and DAGs, with one or several paths per row that may end at any depth.
    Missing values are replaced with the mean of their column. Unlabelled rows are
    ignored.

    Requires JAX: ``pip install 'hilabel[networks]'``.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    n_hidden : int, default=1000
        Units of each hidden layer. The paper chose it for each data set.
    n_layers : int, default=3
        Layers with weights: the hidden layers and the output layer.
    n_epochs : int, default=62
        Number of passes over the rows. The paper chose it for each data set.
    dropout : float, default=0.7
    learning_rate : float, default=0.0001
    weight_decay : float, default=0.00001
    batch_size : int, default=4
    excluded : sequence of str, default=()
        Nodes that the loss ignores. The paper excludes the root terms of the Gene
        Ontology.
    random_state : int, RandomState or None

    Attributes
    ----------
    networks_ : FittedNetworks
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Giunchiglia and Lukasiewicz, "Coherent hierarchical multi-label classification
    networks", NeurIPS 2020.

    Examples
    --------
    >>> from hilabel.classifiers import CHMCNN
    >>> from hilabel.datasets import make_artificial
    >>> data = make_artificial()
    >>> model = CHMCNN(data.hierarchy, n_hidden=16, n_epochs=2, random_state=0)
    >>> model.fit(data.X_labeled, data.Y_labeled).predict_proba(data.X_test).shape
    (300, 6)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        partial_labels=True,
        name="C-HMCNN(h)",
        summary="net of maxima",
        use="For comparison with published networks.",
        extra="networks",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseHierarchicalClassifier._parameter_constraints,
        "n_hidden": [Interval(Integral, 1, None, closed="left")],
        "n_layers": [Interval(Integral, 1, None, closed="left")],
        "n_epochs": [Interval(Integral, 1, None, closed="left")],
        "dropout": [Interval(Real, 0, 1, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "weight_decay": [Interval(Real, 0, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "excluded": ["array-like"],
        "random_state": ["random_state"],
    }

    n_hidden: int = 1000
    n_layers: int = 3
    n_epochs: int = 62
    dropout: float = 0.7
    learning_rate: float = 1e-4
    weight_decay: float = 1e-5
    batch_size: int = 4
    excluded: Sequence[str] = ()
    random_state: Any = None

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "networks_": FittedNetworks,
    }

    def is_sound(self) -> bool:
        """Return whether the network matches the number of features and nodes."""
        return (
            super().is_sound()
            and self.networks_.n_outputs == self.hierarchy_.n_nodes
            and self.networks_.input_shape == (self.n_features_in_,)
        )

    def _fit(self, data: TrainingData) -> None:
        require_jax()
        from hilabel.networks import EpochSettings, fit_epochs

        layers = (self.n_hidden,) * (self.n_layers - 1)
        counted = np.ones(data.hierarchy.n_nodes)
        counted[[data.hierarchy.node(name) for name in self.excluded]] = 0
        if not counted.any():
            raise ValueError(
                "Expected at least one node in the loss, but all are excluded."
            )
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        self.networks_: FittedNetworks = fit_epochs(
            data.X_labeled,
            data.labels,
            data.hierarchy,
            EpochSettings(
                shape=NetworkShape(layers=layers, dropout=self.dropout, swap=0.0),
                n_epochs=self.n_epochs,
                batch_size=self.batch_size,
                learning_rate=self.learning_rate,
                weight_decay=self.weight_decay,
            ),
            counted,
            int(seed),
        )

    def _predict_scores(self, X: Any) -> FloatArray:
        return self.networks_.predict(X, self.hierarchy_, backbone=None)

    def _missing_value_advice(self) -> str | None:
        return None
