"""SSHMC-BLI: the semi-supervised hierarchical multi-label classifier of the paper."""

from typing import Any, ClassVar

from hilabel.classifiers import LocalClassifierPerNode, MethodTags
from hilabel.pseudo_labeling import Profile
from hilabel.semi_supervised._local_information import BaseLocalInformationClassifier


class SSHMCBLI(BaseLocalInformationClassifier):
    """Semi-supervised hierarchical multi-label classifier based on local information.

    Every unlabelled row is given the labels that its nearest labelled neighbours
    share, and keeps them if it is about as near to those neighbours as they are to
    each other. Rows that were kept may be neighbours in the next pass. When nothing
    changes any more, a hierarchical classifier is trained on the labelled and the
    pseudo-labelled rows.

    Handles trees and DAGs, one or several paths, full and partial depth. Scale the
    features first: neighbours depend on it. Of labels known in part, neighbours vote
    on a node among those who know it; where none of them does, the row stays unknown.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    estimator : estimator, optional
        The classifier to train in the end: a hierarchical classifier of hilabel, or
        any scikit-learn classifier, which becomes the local classifier of a
        :class:`~hilabel.classifiers.LocalClassifierPerNode`. The default is that with
        random forests.
    variant : {"v1", "v2", "v3"}, default="v2"
        ``"v1"`` lets an accepted row be its own neighbour; ``"v2"`` does not;
        ``"v3"`` does not either, and asks one more neighbour every ``k_step`` passes.
    n_neighbors : int, default=3
    similarity_threshold : float, default=0.5
        Least similarity (SISI) with the neighbours; the paper's THR.
    label_threshold : float, default=0.5
        Least share of neighbours that have a label; above 0. The paper's t2label.
    similarity_span : float, default=3
        A row this many times farther from its neighbours than they are from each
        other has similarity 0; the paper's n, for which it gives no value.
    k_step : int, default=10
    max_iter : int, default=50
    metric : str or callable, default="euclidean"
        A metric of ``sklearn.metrics.pairwise_distances``.
    backend : {"exact", "auto", "cells", "faiss", "pynndescent", "jax"}, \
default="exact"
        How neighbours are searched. ``"auto"`` is exact up to some ten thousand rows
        and approximate beyond; see :func:`hilabel.neighbors.make_search`.
    profile : {"paper", "authors"}, Profile or dict, default="paper"
        ``"paper"`` follows the text; ``"authors"`` reproduces the published figures,
        which were made by a program that departs from it. Each of the departures can
        be chosen by itself, as in ``Profile.paper(stop_on_cycle=True)`` or
        ``{"base": "paper", "stop_on_cycle": True}``; see :class:`Profile`.
    n_jobs : int, optional
        For the search and the default classifier; only with pynndescent does the result
        depend on it.
    random_state : int, RandomState or None
        For the default classifier and approximate searches. With exact neighbours the
        pseudo-labelling is deterministic.
    verbose : int, default=0
        1 reports the passes of a fit that takes more than two seconds, 2 of any.
    memory : NeighborMemory, optional
        Where lists of neighbours are looked for and left, as the ``memory`` of a
        scikit-learn ``Pipeline``. They depend on the rows alone, so fits with other
        parameters, such as those of a grid search, need not search again; see
        :class:`~hilabel.neighbors.NeighborMemory`.

    Attributes
    ----------
    estimator_ : hierarchical classifier
        Trained on the labelled and the accepted rows.
    n_iter_ : int
        Number of passes; 0 without unlabelled rows.
    termination_condition_ : {"unchanged", "cycle", "max_iter"}
    transduction_ : int8 array of shape (n_rows, n_nodes)
        The labels that ``estimator_`` was trained on. Rows are those given to ``fit``,
        those of ``X_unlabeled`` last; rows left out stay ``UNLABELED``, as do nodes
        that no neighbour knows.
    labeled_iter_ : int array of shape (n_rows,)
        0 for given labels, else the pass since which the row stayed accepted, -1 for
        rows left out.
    similarity_ : ndarray of shape (n_rows,)
        With the neighbours, in the pass that decided; NaN for labelled rows.
    history_ : list of PassSummary
        A row per pass; ``pandas.DataFrame(model.history_)`` makes a table.
    passes_ : tuple of PassRecord
        Neighbours, distances, votes and decisions of every pass; see ``explain``.
    settings_ : PseudoLabelSettings
        What variant and profile came to.
    training_data_ : TrainingData
        The checked data, kept for ``explain``.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Serrano-Pérez and Sucar, "Semi-Supervised Hierarchical Multi-Label Classifier Based
    on Local Information", Algorithm 1.

    Examples
    --------
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.semi_supervised import SSHMCBLI
    >>> data = make_artificial()
    >>> model = SSHMCBLI(data.hierarchy, variant="v1", random_state=0)
    >>> model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
    SSHMCBLI(hierarchy=Hierarchy(6 nodes, 4 edges, 3 roots, depth 2, DAG),
             random_state=0, variant='v1')
    >>> model.n_iter_, model.termination_condition_
    (5, 'unchanged')
    >>> [summary.n_accepted for summary in model.history_]
    [320, 324, 326, 328, 328]
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True,
        transductive=True,
        partial_labels=True,
        name="SSHMC-BLI",
        summary="neighbours vote",
        use="Rows that are near each other have like labels; shows where labels came "
        "from.",
    )

    def _own_base(self, local: Any) -> LocalClassifierPerNode:
        order = Profile.of(self.profile).negatives_order
        return LocalClassifierPerNode(
            estimator=local, policy="balanced_bottom_up", negatives_order=order
        )
