"""Check that trees, bins, networks and more in a model file fit together."""

from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

from hilabel.calibration import PredictionWorth, ScoreCalibration
from hilabel.classifiers import CHMCNN, HierarchicalNetwork
from hilabel.exceptions import ModelFileError
from hilabel.forests import MAX_BINS, ClusteringTrees, FeatureBins, NodeForests
from hilabel.networks import FittedNetworks
from hilabel.persistence._table_model import TableModel

MAX_CODE = np.iinfo(np.uint8).max


def check_entry(value: Any) -> None:
    """Refuse an object whose arrays do not fit, before something runs on them."""
    if isinstance(value, FeatureBins):
        is_sound = _are_bins_sound(value)
    elif isinstance(value, NodeForests):
        is_sound = _are_forests_sound(value)
    elif isinstance(value, ClusteringTrees):
        is_sound = _are_clustering_trees_sound(value)
    elif isinstance(value, FittedNetworks | ScoreCalibration | PredictionWorth):
        is_sound = value.is_sound()
    elif isinstance(value, HierarchicalNetwork | CHMCNN):
        is_sound = _do_networks_fit(value)
    elif isinstance(value, TableModel):
        is_sound = _is_measured_by_node(value)
    elif isinstance(value, CountVectorizer | HashingVectorizer):
        is_sound = _are_words_sound(value)
    else:
        return
    if not is_sound:
        raise ModelFileError(
            f"the arrays of its {type(value).__name__} do not fit together; the file "
            "was not written by hilabel."
        )


def check_trees(value: Any) -> None:
    """Refuse a classifier of scikit-learn whose trees lead out of their arrays."""
    for part in _parts_of(value):
        check_trees(part)
    check_entry(value)
    tree = getattr(value, "tree_", None)
    if tree is not None and not (
        tree.n_features == value.n_features_in_ and _is_tree_sound(tree)
    ):
        raise ModelFileError(
            f"the arrays of its {type(value).__name__} do not fit together; the file "
            "was not written by hilabel."
        )


def _parts_of(value: Any) -> list[Any]:
    """Return the fitted classifiers that one is made of."""
    parts = list(np.ravel(getattr(value, "estimators_", [])))
    parts += [part for _, part in getattr(value, "steps", [])]
    inner = getattr(value, "estimator_", None)
    return parts if inner is None else [*parts, inner]


def _is_tree_sound(tree: Any) -> bool:
    is_split = tree.children_left != -1  # scikit-learn walks on at anything else
    place = np.arange(tree.node_count)[is_split]
    children = (tree.children_left[is_split], tree.children_right[is_split])
    return bool(
        all((child > place).all() for child in children)
        and all((child < tree.node_count).all() for child in children)
        and (tree.feature[is_split] >= 0).all()
        and (tree.feature[is_split] < tree.n_features).all()
    )


def _are_words_sound(vectorizer: Any) -> bool:
    """Say whether words lead into the columns that there are, and to no file."""
    words = getattr(vectorizer, "vocabulary_", {})
    idf = getattr(getattr(vectorizer, "_tfidf", None), "idf_", None)
    return bool(
        vectorizer.input == "content"
        and sorted(words.values()) == list(range(len(words)))
        and (idf is None or idf.shape == (len(words),))
    )


def _are_bins_sound(bins: FeatureBins) -> bool:
    ptr, edges = bins.edges_ptr, bins.edges
    return bool(
        ptr.ndim == edges.ndim == 1
        and ptr.dtype == np.int64
        and edges.dtype == np.float64
        and ptr.size >= 1
        and ptr[0] == 0
        and ptr[-1] == edges.size
        and (np.diff(ptr) >= 0).all()
        and (np.diff(ptr) <= MAX_BINS).all()
    )


def _are_forests_sound(forests: NodeForests) -> bool:
    n_forests = int(np.isnan(forests.constant).sum())
    return (
        forests.roots.size == n_forests * forests.n_trees + 1
        and forests.missing.shape == forests.value.shape == forests.left.shape
        and _are_walks_sound(forests)
        and _are_leaves_at_rest(forests)
    )


def _are_clustering_trees_sound(trees: ClusteringTrees) -> bool:
    numbers, ptr = trees.leaf[trees.feature < 0], trees.leaf_ptr
    n_labels = int(trees.target_of.max(initial=-1)) + 1
    return bool(
        trees.missing.shape == trees.leaf.shape == trees.left.shape
        and _are_walks_sound(trees)
        and ptr[0] == 0
        and (np.diff(ptr) >= 0).all()
        and trees.leaf_index.shape == trees.leaf_share.shape == (ptr[-1],)
        and (trees.leaf_index >= 0).all()
        and (trees.leaf_index < n_labels).all()
        and (numbers >= 0).all()
        and (numbers < ptr.size - 1).all()
        and (trees.target_of >= -1).all()
    )


def _is_measured_by_node(model: TableModel) -> bool:
    """Say whether calibration and worth are of the nodes that the model scores."""
    n_nodes = model.hierarchy.n_nodes
    return (
        model.calibration is None or model.calibration.hierarchy.n_nodes == n_nodes
    ) and (model.worth is None or model.worth.quality.size == n_nodes)


def _do_networks_fit(model: Any) -> bool:
    """Say whether networks take the rows of a model and score its nodes."""
    networks = getattr(model, "networks_", None)
    return networks is None or (
        isinstance(networks, FittedNetworks)
        and networks.n_outputs == model.hierarchy_.n_nodes
        and networks.input_shape[0] == model.n_features_in_
    )


def _are_walks_sound(trees: Any) -> bool:
    """Say whether every way down from a root ends in a leaf of the same tree."""
    roots, feature, left, cut = trees.roots, trees.feature, trees.left, trees.cut
    if not (
        roots[0] == 0
        and (np.diff(roots) > 0).all()
        and feature.shape == left.shape == cut.shape == (roots[-1],)
    ):
        return False
    sizes = np.repeat(np.diff(roots), np.diff(roots))
    place, is_split = _places(trees), feature >= 0
    # The children of a split come after it, two side by side, so that every walk ends
    # and stays in its tree.
    return bool(
        (left[is_split] > place[is_split]).all()
        and (left[is_split] + 1 < sizes[is_split]).all()
        and (feature[is_split] < trees.bins.n_features).all()
    )


def _are_leaves_at_rest(forests: NodeForests) -> bool:
    """Say whether a leaf keeps every row where it is, as the walk here supposes."""
    is_leaf = forests.feature < 0
    return bool(
        (forests.left[is_leaf] == _places(forests)[is_leaf]).all()
        and (forests.cut[is_leaf] == MAX_CODE).all()
    )


def _places(trees: Any) -> Any:
    """Return the number of every tree node in its tree."""
    sizes = np.diff(trees.roots)
    return np.arange(trees.left.size) - np.repeat(trees.roots[:-1], sizes)
