"""SSHC-BLI: the predecessor of SSHMC-BLI for trees and single paths."""

from typing import Any, ClassVar

from hilabel.classifiers import (
    BaseHierarchicalClassifier,
    MethodTags,
    TopDownClassifier,
    TrainingData,
    require_paths_to_leaves,
)
from hilabel.pseudo_labeling import Profile
from hilabel.semi_supervised._local_information import BaseLocalInformationClassifier


class SSHCBLI(BaseLocalInformationClassifier):
    """Semi-supervised hierarchical classifier based on local information.

    This is the predecessor of :class:`SSHMCBLI`, for trees in which every row has one
    path of labels that reaches a leaf. Rows are pseudo-labelled in the same way; the
    final classifier is evaluated from the roots down and predicts one path to a leaf.

    If an even number of neighbours is split evenly between two paths, the proposed
    labels are reduced to their overlap with the path of one neighbour (our choice,
    since the source does not specify it). With ``profile="authors"``, both paths are
    kept, as in the published experiments.

    Parameters
    ----------
    hierarchy : Hierarchy or None
    estimator : estimator, optional
        A hierarchical classifier of hilabel, or any scikit-learn classifier, which
        becomes the local classifier of a
        :class:`~hilabel.classifiers.TopDownClassifier` with the less inclusive policy.
        The default uses random forests.
    variant, n_neighbors, similarity_threshold, label_threshold, similarity_span, \
k_step, max_iter, metric, backend, profile, choose_neighbors, vote, similarity, stop, \
n_jobs, random_state, verbose, memory
        As in :class:`SSHMCBLI`.

    Attributes
    ----------
    estimator_, n_iter_, termination_condition_, transduction_, labeled_iter_, \
similarity_, history_, passes_, settings_, training_data_, hierarchy_, classes_
        As in :class:`SSHMCBLI`.

    References
    ----------
    Serrano-Pérez and Sucar, "Semi-supervised hierarchical classification based on local
    information", IBERAMIA 2022.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.semi_supervised import SSHCBLI
    >>> h = Hierarchy.from_edges([("a", "c"), ("a", "d")], nodes=["a", "b", "c", "d"])
    >>> X = [[0.0], [0.2], [1.0], [1.2], [9.0], [9.2]]
    >>> Y = [{"c"}, {"c"}, {"d"}, {"d"}, {"b"}, {"b"}]
    >>> model = SSHCBLI(h, n_neighbors=2, random_state=0)
    >>> model.fit(X, Y, X_unlabeled=[[0.1], [1.1]]).transduction_[6:]
    array([[1, 0, 1, 0],
           [1, 0, 0, 1]], dtype=int8)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        structure="T",
        paths="SPL",
        depth="FD",
        semi_supervised=True,
        transductive=True,
        name="SSHC-BLI",
        summary="neighbours, one path",
        use="Like SSHMC-BLI, if predictions must be one path to a leaf.",
        links=True,
    )

    def _pseudo_label(self, data: TrainingData) -> TrainingData:
        require_paths_to_leaves(type(self).__name__, data, "SSHMCBLI")
        return super()._pseudo_label(data)

    def base_classifier(self) -> BaseHierarchicalClassifier:
        """Return the unfitted classifier to train."""
        base = super().base_classifier()
        if isinstance(base, TopDownClassifier):
            # Neighbours may only agree on an inner node, or be split between two paths.
            base.set_params(check_paths=False)
        return base

    def _own_base(self, local: Any) -> TopDownClassifier:
        return TopDownClassifier(
            estimator=local,
            policy="less_inclusive",
            negatives_order=Profile.of(self.profile).negatives_order,
        )
