"""SSHMC-BLI: the semi-supervised hierarchical multi-label classifier of the paper."""

from typing import Any, ClassVar

from hilabel.classifiers import LocalClassifierPerNode, MethodTags
from hilabel.pseudo_labeling import Profile
from hilabel.semi_supervised._local_information import BaseLocalInformationClassifier


class SSHMCBLI(BaseLocalInformationClassifier):
    """Semi-supervised hierarchical multi-label classifier based on local information.

    Every unlabelled row gets the labels that its nearest labelled neighbours share. The
    row is accepted if it is about as near to these neighbours as they are to each
    other. Accepted rows may serve as neighbours in the next pass. When a pass changes
    nothing, a hierarchical classifier is trained on the labelled and pseudo-labelled
    rows.

    Handles trees and DAGs, with one or several paths per row that may end at any depth.
    Scale the features first, because the choice of neighbours depends on the scale of
    the features. If rows are known in part, only neighbours for which a node is known
    vote on it; without such neighbours, the node stays unknown for the row.

    If ``fit`` gets links between the rows, the neighbours of a row are those that it
    has the strongest links to, in either direction, rather than the nearest by columns;
    ``metric``, ``backend`` and ``memory`` are then not used. The distance of two rows
    is 1 / (1 + weight / median weight), so 1 without a link. A row with fewer links to
    labelled or accepted rows than ``n_neighbors`` gets the labels of these neighbours
    counted several times, the strongest first; a row with less than two is not
    accepted. Predictions use the columns, unless the final classifier learns from links
    itself.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    estimator : estimator, optional
        The final classifier: a hierarchical classifier of hilabel, or any scikit-learn
        classifier, which becomes the local classifier of a
        :class:`~hilabel.classifiers.LocalClassifierPerNode`. The default uses random
        forests. With a :class:`~hilabel.classifiers.HierarchicalNetwork` that has a
        backbone, rows may have any shape, such as images.
    variant : {"v1", "v2", "v3"}, default="v2"
        In ``"v1"``, an accepted row may be its own neighbour; in ``"v2"``, it may not;
        ``"v3"`` is like ``"v2"`` with one more neighbour after each ``k_step`` passes.
    n_neighbors : int, default=3
        The paper's k; at least 2, since SISI compares a row with the distances between
        its neighbours.
    similarity_threshold : float, default=0.5
        Minimum similarity (SISI) to the neighbours; the paper's THR.
    label_threshold : float, default=0.5
        Minimum share of neighbours with a label; the paper's t2label. At 0, accepted
        rows get all labels.
    similarity_span : float, default=3
        A row that is this many times farther from its neighbours than they are from
        each other has similarity 0; the paper's n, whose value it does not state.
    k_step : int, default=10
        The number of passes after which ``"v3"`` adds a neighbour.
    max_iter : int, default=50
        The maximum number of passes that may change labels. In ``"v2"`` and ``"v3"``,
        labels often alternate until this limit; see ``cycle_``.
    metric : str or callable, default="euclidean"
        A metric of ``sklearn.metrics.pairwise_distances``.
    backend : {"exact", "auto", "cells", "pynndescent"}, \
default="exact"
        How neighbours are searched. ``"auto"`` is exact up to tens of thousands of rows
        and approximate beyond; see :func:`hilabel.neighbors.make_search`.
    profile : {"paper", "authors"}, Profile or dict, default="paper"
        ``"paper"`` follows the text; ``"authors"`` reproduces the published scores,
        whose program differs from the text. Each difference can be set separately, as
        in ``Profile.paper(stop_on_cycle=True)`` or ``{"base": "paper", "stop_on_cycle":
        True}``; see :class:`~hilabel.pseudo_labeling.Profile`.
    choose_neighbors, vote, similarity, stop : callable, optional
        Functions that replace the parts of the method; their signatures and the parts
        of the paper are :func:`~hilabel.pseudo_labeling.nearest_neighbors`,
        :func:`~hilabel.pseudo_labeling.equal_vote`,
        :func:`~hilabel.pseudo_labeling.similarity_of_neighbors` (SISI) and
        :func:`~hilabel.pseudo_labeling.until_unchanged`. They
        replace the variant's choice of neighbours, ``similarity_span``, and
        ``convergence`` and ``stop_on_cycle`` of the profile. A model with such
        functions cannot be saved to a model file, but its ``estimator_`` can.
    n_jobs : int, optional
        Number of jobs of the search and the default classifier; the result depends on
        it only with pynndescent.
    random_state : int, RandomState or None
        Seed of the default classifier and of approximate searches. With exact
        neighbours, pseudo-labelling is deterministic.
    verbose : int, default=0
        1 shows the passes if the fit takes more than two seconds; 2 always shows them.
    memory : NeighborMemory, optional
        Cache of neighbour lists, like the ``memory`` of a scikit-learn ``Pipeline``.
        The lists only depend on the rows, so fits with other parameters, for example in
        a grid search, need not search again; see
        :class:`~hilabel.neighbors.NeighborMemory`.

    Attributes
    ----------
    estimator_ : hierarchical classifier
        Trained on the labelled and accepted rows.
    n_iter_ : int
        Number of passes; 0 without unlabelled rows.
    termination_condition_ : {"unchanged", "cycle", "max_iter"}
    transduction_ : int8 array of shape (n_rows, n_nodes)
        The labels that ``estimator_`` was trained on. Rows are numbered as passed to
        ``fit``, those of ``X_unlabeled`` last; rows that were not accepted stay
        ``UNLABELED``, and so do nodes that are unknown in all neighbours.
    labeled_iter_ : int array of shape (n_rows,)
        0 for given labels, the pass since which the row has been accepted otherwise, -1
        for rows that were not accepted.
    similarity_ : ndarray of shape (n_rows,)
        Similarity to the neighbours in the deciding pass; NaN for labelled rows.
    history_ : list of PassSummary
        One entry per pass; ``pandas.DataFrame(model.history_)`` creates a table.
    cycle_ : Cycle or None
        How the labels alternate in the last passes, or None if they do not. Then,
        ``max_iter`` decides which of these labels are used.
    passes_ : tuple of PassRecord
        Neighbours, distances, votes and decisions of every pass; see ``explain``.
    settings_ : PseudoLabelSettings
        The settings that result from variant and profile.
    training_data_ : TrainingData
        The validated data, stored for ``explain``.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Serrano-Pérez and Sucar, "Semi-Supervised Hierarchical Multi-Label Classifier Based
    on Local Information", arXiv:2405.00184, 2024, Algorithm 1.

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

    With links, here from an unlabelled row to three labelled ones:

    >>> links = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [2, 3, 2, 0]]
    >>> model = SSHMCBLI(random_state=0)
    >>> X, y = [[0], [1], [7], [8]], [[1, 0], [1, 1], [0, 1], [-1, -1]]
    >>> model.fit(X, y, links=links).transduction_[3]
    array([1, 1], dtype=int8)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True,
        transductive=True,
        partial_labels=True,
        name="SSHMC-BLI",
        summary="neighbours vote",
        use="Nearby rows have similar labels; explains where labels come from.",
        links=True,
    )

    def _own_base(self, local: Any) -> LocalClassifierPerNode:
        order = Profile.of(self.profile).negatives_order
        return LocalClassifierPerNode(
            estimator=local, policy="balanced_bottom_up", negatives_order=order
        )
