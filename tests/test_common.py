"""Every public estimator: our checks, scikit-learn's checks, scikit-learn's tools."""

import inspect
import os

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.inspection import partial_dependence
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import (
    parametrize_with_checks as parametrize_with_sklearn_checks,
)

import hilabel.classifiers
import hilabel.semi_supervised
from hilabel.classifiers import (
    CHMCNN,
    HMCBR,
    HMCLP,
    PCNB,
    BaseHierarchicalClassifier,
    FlatClassifier,
    HierarchicalNetwork,
    HMCRAkEL,
    LinearClassifier,
    LinkVotes,
    LocalClassifierPerLevel,
    LocalClassifierPerNode,
    LocalClassifierPerParentNode,
    MultiOutputAdapter,
    NeighborsClassifier,
    PredictiveClusteringForest,
    PredictiveClusteringTree,
    PriorClassifier,
    TopDownClassifier,
)
from hilabel.model_selection import LabeledKFold
from hilabel.semi_supervised import (
    HMCSSBR,
    HMCSSLP,
    PCEM,
    SSHCBLI,
    SSHMCBLI,
    SSLPCT,
    STHC,
    STML,
    BatchSelfTraining,
    Blend,
    HMCSSRAkEL,
    LabelSpreading,
    LinkCombiner,
    LinkSpreading,
    MetzFreitas,
    ResidualSpreading,
    SelfTraining,
    SSLPCTForest,
    ViewsClassifier,
)
from hilabel.semi_supervised._local_information import BaseLocalInformationClassifier
from hilabel.testing import (
    check_predictions,
    make_problem,
    make_small_hierarchy,
    parametrize_with_checks,
)

SMALL = make_small_hierarchy("isolated")
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
# A program is compiled for every number of features and nodes; without hidden layers
# and noise this takes a third of the time.
LINEAR_NETWORK = HierarchicalNetwork(
    shape={"layers": (), "swap": 0.0}, n_members=2, max_steps=10, batch_size=16
)

# As many as there must be to choose from, and each kind: with views, on its own, and
# label frequencies, which are always there.
TWO_CANDIDATES = {
    "neighbours": NeighborsClassifier(),
    "views": ViewsClassifier(estimator=PredictiveClusteringForest(n_estimators=5)),
}

DEFAULTS = [
    PriorClassifier(),
    LocalClassifierPerNode(),
    TopDownClassifier(),
    LocalClassifierPerParentNode(),
    LocalClassifierPerLevel(),
    FlatClassifier(),
    HMCBR(),
    HMCLP(),
    HMCRAkEL(),
    MultiOutputAdapter(),
    SSHMCBLI(),
    SSHCBLI(),
    PCNB(),
    PCEM(),
    HMCSSBR(),
    HMCSSLP(),
    HMCSSRAkEL(),
    STML(),
    STHC(),
    MetzFreitas(),
    PredictiveClusteringTree(),
    PredictiveClusteringForest(),
    SSLPCT(),
    SSLPCTForest(),
    BatchSelfTraining(),
    SelfTraining(),
    NeighborsClassifier(),
    LinearClassifier(),
    LabelSpreading(),
    LinkVotes(),
    LinkSpreading(),
    ResidualSpreading(),
    LinkCombiner(),
    ViewsClassifier(),
    # Without networks, which would take minutes.
    Blend(candidates=TWO_CANDIDATES),
    # Not as many steps as by default, which would take a minute.
    HierarchicalNetwork(shape="mid", max_steps=1),
    CHMCNN(n_epochs=1),
]
FAST = [
    PriorClassifier(),
    LocalClassifierPerNode(estimator=TREE),
    TopDownClassifier(estimator=TREE),
    LocalClassifierPerParentNode(estimator=TREE),
    LocalClassifierPerLevel(estimator=TREE),
    FlatClassifier(estimator=TREE),
    HMCBR(estimator=TREE),
    HMCLP(estimator=TREE),
    HMCRAkEL(estimator=TREE),
    MultiOutputAdapter(estimator=TREE),
    SSHMCBLI(estimator=TREE),
    SSHCBLI(estimator=TREE),
    PCNB(),
    PCEM(),
    HMCSSBR(estimator=TREE),
    HMCSSLP(estimator=TREE),
    HMCSSRAkEL(estimator=TREE),
    STML(estimator=TREE),
    STHC(estimator=TREE),
    MetzFreitas(),
    PredictiveClusteringTree(),
    PredictiveClusteringForest(n_estimators=5),
    SSLPCT(w=0.5),
    SSLPCTForest(w=0.5, n_estimators=5),
    BatchSelfTraining(estimator=PredictiveClusteringForest(n_estimators=5)),
    SelfTraining(estimator=LocalClassifierPerNode(estimator=TREE, calibration="prior")),
    NeighborsClassifier(),
    LinearClassifier(),
    LabelSpreading(),
    LinkVotes(),
    LinkSpreading(),
    ResidualSpreading(estimator=PredictiveClusteringForest(n_estimators=5)),
    LinkCombiner(estimator=PredictiveClusteringForest(n_estimators=5)),
    ViewsClassifier(estimator=PredictiveClusteringForest(n_estimators=5)),
    Blend(candidates=TWO_CANDIDATES, n_splits=2),
    LINEAR_NETWORK,
    CHMCNN(n_layers=1, n_epochs=1, batch_size=16),
]
# Other policies, variants and profiles, each once.
VARIATIONS = [
    # No seed of its own: every node gets one from the random state.
    LocalClassifierPerNode(
        estimator=DecisionTreeClassifier(max_depth=3, max_features=1),
        negatives_order="random",
        calibration="prior",
    ),
    # Rows that end at a parent are left out; each node has a seed of its own.
    LocalClassifierPerParentNode(
        estimator=DecisionTreeClassifier(max_depth=3, max_features=1), stop=False
    ),
    # Sets smaller than the families, drawn at random, and votes in between.
    HMCRAkEL(estimator=GaussianNB(), labelset_size=1, voting="soft"),
    # Probabilities in one matrix, and none at all.
    MultiOutputAdapter(estimator=OneVsRestClassifier(GaussianNB())),
    MultiOutputAdapter(estimator=KNeighborsRegressor(3)),
    SSHMCBLI(estimator=GaussianNB(), variant="v1"),
    SSHMCBLI(
        estimator=LocalClassifierPerNode(estimator=TREE, policy="siblings"),
        profile="authors",
        variant="v3",
        k_step=1,
        n_neighbors=4,
    ),
    SSHCBLI(estimator=TREE, profile="authors", n_neighbors=4),
    PCEM(unlabeled_weight="path_score", path_weight=0.5, drop_unseen_words=False),
    HMCSSBR(estimator=GaussianNB(), batch_size=1, confidence="mean"),
    HMCSSRAkEL(estimator=TREE, batch_size=0.5, order="index", labelset_size=2),
    STHC(estimator=TREE, policy="balanced_bottom_up"),
    STHC(estimator=GaussianNB(), criterion="k_best"),
    MetzFreitas(strategy="B"),
    MetzFreitas(strategy="C", estimator=GaussianNB()),
    SSHMCBLI(estimator=PredictiveClusteringForest(n_estimators=5)),
    PredictiveClusteringForest(n_estimators=5, splitter="random", bootstrap=False),
    SSLPCT(cv=2),
]


class AnyPathsSSHCBLI(SSHCBLI):
    """SSHC-BLI that also learns from rows without a path to a leaf.

    Scikit-learn's checks know nothing of paths: the class itself would refuse their
    labels before they check anything.
    """

    def _pseudo_label(self, data):
        return BaseLocalInformationClassifier._pseudo_label(self, data)


class AnyPathsPCNB(PCNB):
    """PCNB that takes all labels, for the same reason."""

    def _refuse_other_problems(self, data):
        pass


class AnyPathsPCEM(PCEM):
    """PCEM that takes all labels, for the same reason."""

    def _refuse_other_problems(self, data):
        pass


class AnyPathsMetzFreitas(MetzFreitas):
    """The same for Metz and Freitas."""

    def _fit(self, data):
        SelfTraining._fit(self, data)


# Scikit-learn's checks are of what the base class does: one of each kind will do.
FOR_SKLEARN = [
    LocalClassifierPerNode(estimator=GaussianNB()),
    # One of these checks wants no probability to be 0 or 1, which hard votes are.
    HMCRAkEL(estimator=GaussianNB(), voting="soft"),
    SSHMCBLI(estimator=GaussianNB()),
    AnyPathsPCNB(),
    STHC(estimator=GaussianNB()),
    # Seeds, since one check sets none, and means of one half are a matter of chance.
    PredictiveClusteringForest(n_estimators=5, random_state=0),
    NeighborsClassifier(),
    LinearClassifier(),
    ResidualSpreading(estimator=LinearClassifier()),
    LinkCombiner(estimator=LinearClassifier()),
    ViewsClassifier(estimator=LinearClassifier()),
    Blend(candidates=TWO_CANDIDATES, n_splits=2, random_state=0),
]
# The others are checked at night.
if os.environ.get("HILABEL_SLOW_TESTS"):
    FOR_SKLEARN += [
        PriorClassifier(),
        TopDownClassifier(
            estimator=GaussianNB(), policy="less_inclusive", check_paths=False
        ),
        LocalClassifierPerParentNode(estimator=GaussianNB()),
        LocalClassifierPerLevel(estimator=GaussianNB()),
        FlatClassifier(estimator=GaussianNB(), targets="most_specific"),
        HMCBR(estimator=GaussianNB(), policy="less_inclusive"),
        HMCLP(estimator=GaussianNB()),
        MultiOutputAdapter(estimator=OneVsRestClassifier(GaussianNB())),
        AnyPathsSSHCBLI(estimator=GaussianNB()),
        AnyPathsPCEM(),
        HMCSSBR(estimator=GaussianNB(), policy="less_inclusive"),
        HMCSSLP(estimator=GaussianNB()),
        HMCSSRAkEL(estimator=GaussianNB(), voting="soft"),
        STML(estimator=GaussianNB()),
        AnyPathsMetzFreitas(estimator=GaussianNB(), policy="less_inclusive"),
        PredictiveClusteringTree(random_state=0),
        SSLPCT(w=0.5, random_state=0),
        SSLPCTForest(w=0.5, n_estimators=5, random_state=0),
        BatchSelfTraining(estimator=LocalClassifierPerNode(estimator=GaussianNB())),
        SelfTraining(estimator=LocalClassifierPerNode(estimator=GaussianNB())),
        LabelSpreading(),
        LINEAR_NETWORK,  # to scikit-learn CHMCNN is the same, but for weights of rows
    ]

# Reasons that hold for all our estimators.
ONE_COLUMN = (
    "expects a flat prediction for y of one column, and a column per class, while "
    "target_tags say that there is no single output"
)
EVERYWHERE = {
    "check_classifiers_train": ONE_COLUMN,
    "check_classifiers_classes": "class names in a flat y; node names are in the "
    "hierarchy",
}
NO_PASSES = {
    "check_non_transformer_estimators_n_iter": "y has no unlabelled row, so there are "
    "no passes and n_iter_ is 0"
}
ONE_PATH = {
    "check_classifier_multioutput": "predicts one path, while rows of y have several"
}
ONE_COLUMN_OF_SPARSE = {
    "check_estimator_sparse_array": ONE_COLUMN,
    "check_estimator_sparse_matrix": ONE_COLUMN,
}
FOR_COUNTS = EVERYWHERE | ONE_COLUMN_OF_SPARSE | ONE_PATH
LEAF_SHARES = {
    **ONE_COLUMN_OF_SPARSE,
    "check_classifiers_multilabel_output_format_predict_proba": "wants no 0 and no 1, "
    "but all or none of a leaf's rows may have a label",
}
ONE_HALF = {
    "check_classifier_multioutput": "wants a label for more than one half; here one "
    "half, which few rows in a leaf often come to, is enough",
}
DRAWN_ROWS = {
    f"check_sample_weight_equivalence_on_{kind}_data": "a weight says how often a row "
    "is drawn, at random"
    for kind in ("dense", "sparse")
}
NEAR_THE_OPTIMUM = {
    f"check_sample_weight_equivalence_on_{kind}_data": "training stops near the "
    "optimum, which is reached by another way with weights"
    for kind in ("dense", "sparse")
}
EXPECTED_FAILURES = {
    PriorClassifier: EVERYWHERE | ONE_COLUMN_OF_SPARSE,
    LocalClassifierPerNode: EVERYWHERE,
    TopDownClassifier: EVERYWHERE | ONE_PATH,
    LocalClassifierPerParentNode: EVERYWHERE,
    LocalClassifierPerLevel: EVERYWHERE,
    FlatClassifier: EVERYWHERE,
    HMCBR: EVERYWHERE,
    HMCLP: EVERYWHERE,
    HMCRAkEL: EVERYWHERE,
    MultiOutputAdapter: EVERYWHERE,
    SSHMCBLI: EVERYWHERE | NO_PASSES,
    AnyPathsSSHCBLI: EVERYWHERE | NO_PASSES | ONE_PATH,
    AnyPathsPCNB: FOR_COUNTS,
    AnyPathsPCEM: FOR_COUNTS | NO_PASSES,
    HMCSSBR: EVERYWHERE,
    HMCSSLP: EVERYWHERE,
    HMCSSRAkEL: EVERYWHERE,
    STML: EVERYWHERE | NO_PASSES,
    STHC: EVERYWHERE | NO_PASSES,
    AnyPathsMetzFreitas: EVERYWHERE | NO_PASSES | ONE_PATH,
    PredictiveClusteringTree: EVERYWHERE | LEAF_SHARES | ONE_HALF,
    PredictiveClusteringForest: EVERYWHERE | LEAF_SHARES,
    SSLPCT: EVERYWHERE | LEAF_SHARES | ONE_HALF,
    SSLPCTForest: EVERYWHERE | LEAF_SHARES | ONE_HALF,
    BatchSelfTraining: EVERYWHERE,
    SelfTraining: EVERYWHERE | NO_PASSES,
    NeighborsClassifier: EVERYWHERE | ONE_COLUMN_OF_SPARSE,
    LinearClassifier: EVERYWHERE | ONE_COLUMN_OF_SPARSE | NEAR_THE_OPTIMUM,
    LabelSpreading: EVERYWHERE | ONE_COLUMN_OF_SPARSE,
    ResidualSpreading: EVERYWHERE | ONE_COLUMN_OF_SPARSE,
    LinkCombiner: EVERYWHERE | ONE_COLUMN_OF_SPARSE,
    ViewsClassifier: EVERYWHERE | ONE_COLUMN_OF_SPARSE,
    Blend: EVERYWHERE | ONE_COLUMN_OF_SPARSE,
    HierarchicalNetwork: EVERYWHERE | ONE_COLUMN_OF_SPARSE | DRAWN_ROWS,
}


@pytest.fixture
def problem():
    return make_problem("DAG", "MPL", "PD", n_samples=80, n_unlabeled=60)


def test_every_public_estimator_is_checked():
    public = {
        value
        for package in (hilabel.classifiers, hilabel.semi_supervised)
        for value in (getattr(package, name) for name in package.__all__)
        if isinstance(value, type) and issubclass(value, BaseHierarchicalClassifier)
        if not inspect.isabstract(value)
    }
    assert {type(estimator) for estimator in FAST} == public
    assert {type(estimator) for estimator in DEFAULTS} == public


def known_failures(estimator):
    if isinstance(estimator, HierarchicalNetwork):
        return {"check_unlabeled_rows_ignored": "unlabelled rows help to scale"}
    if isinstance(estimator, ViewsClassifier):
        return {
            "check_no_unlabeled_rows": "labelled rows have neighbours too",
            "check_sparse_features": "sparse rows are not centred before they are "
            "compared by correlation",
        }
    if isinstance(estimator, LinearClassifier):
        return {
            "check_sparse_features": "sparse rows are not centred, so penalties on "
            "biases have another effect"
        }
    if isinstance(estimator, SSLPCTForest):
        return {"check_unlabeled_order": "bootstrap samples are drawn by position"}
    if getattr(estimator, "criterion", "") == "k_best":
        # GaussianNB is certain about many rows.
        reason = "ties between the k best are broken by position, as in scikit-learn"
        return {"check_unlabeled_order": reason}
    if getattr(estimator, "batch_size", 1) == 1:
        return {}
    reason = "rows of one batch are learned from before those of the next are labelled"
    return {"check_unlabeled_order": reason}


@parametrize_with_checks(FAST, expected_failed_checks=known_failures)
def test_estimators_pass_our_checks(estimator, check):
    check(estimator)


@parametrize_with_checks(VARIATIONS, expected_failed_checks=known_failures)
def test_variations_pass_our_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", DEFAULTS, ids=lambda e: type(e).__name__)
def test_default_parameters_give_consistent_scores(estimator):
    # Few nodes, since each costs a forest.
    problem = make_problem(
        "T",
        "SPL",
        "FD",
        hierarchy=SMALL,
        n_samples=30,
        non_negative=get_tags(estimator).input_tags.positive_only,
    )
    check_predictions(estimator, problem)


# Advice on the tiny data of the checks, such as a node with examples of one kind only.
@pytest.mark.filterwarnings("ignore::hilabel.exceptions.HilabelWarning")
@parametrize_with_sklearn_checks(
    FOR_SKLEARN, expected_failed_checks=lambda e: EXPECTED_FAILURES[type(e)]
)
def test_estimators_pass_scikit_learn_checks(estimator, check):
    check(estimator)


def scaled_model(hierarchy):
    model = SSHMCBLI(hierarchy, estimator=TREE)
    return Pipeline([("scale", StandardScaler()), ("model", model)])


def test_pipeline_is_scaling_then_the_model(problem):
    X, Y = problem.mixed()
    pipeline = scaled_model(problem.hierarchy).fit(X, Y)
    scaler = StandardScaler().fit(X)
    model = SSHMCBLI(problem.hierarchy, estimator=TREE).fit(scaler.transform(X), Y)
    np.testing.assert_array_equal(
        pipeline.predict_proba(problem.X_test),
        model.predict_proba(scaler.transform(problem.X_test)),
    )
    assert pipeline.score(problem.X, problem.Y) == model.score(
        scaler.transform(problem.X), problem.Y
    )


def test_pipeline_set_output_gives_the_model_names_and_keeps_the_index(problem):
    X, Y = problem.mixed()
    names = [f"feature_{i}" for i in range(X.shape[1])]
    pipeline = scaled_model(problem.hierarchy).set_output(transform="pandas")
    pipeline.fit(pd.DataFrame(X, columns=names), Y)
    assert list(pipeline["model"].feature_names_in_) == names
    # A pipeline passes set_output on to transformers alone.
    pipeline["model"].set_output(transform="pandas")
    index = pd.Index([f"row_{i}" for i in range(len(problem.X_test))])
    scores = pipeline.predict_proba(
        pd.DataFrame(problem.X_test, columns=names, index=index)
    )
    assert list(scores.columns) == list(problem.hierarchy.names)
    assert scores.index.equals(index)


def test_grid_search_over_partly_labelled_rows_finds_the_best_parameters(problem):
    X, Y = problem.mixed()
    folds = LabeledKFold(3, random_state=0)
    search = GridSearchCV(
        scaled_model(problem.hierarchy),
        {"model__n_neighbors": [2, 4], "model__similarity_threshold": [0.3, 0.9]},
        cv=folds,
        error_score="raise",
    ).fit(X, Y)
    best = search.cv_results_["params"][search.best_index_]
    chosen = scaled_model(problem.hierarchy).set_params(**best)
    # The same parameters alone, scored by the same folds.
    scores = cross_val_score(chosen, X, Y, cv=folds, error_score="raise")
    assert search.best_score_ == pytest.approx(scores.mean())
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()
    transduction = search.best_estimator_["model"].transduction_
    unlabeled = (Y == -1).all(axis=1)
    np.testing.assert_array_equal(transduction[~unlabeled], Y[~unlabeled])
    assert (transduction[unlabeled] >= 0).any()


@pytest.mark.parametrize("estimator", FAST[:2], ids=lambda e: type(e).__name__)
def test_cross_validation_equals_fitting_fold_by_fold(estimator, problem):
    X, Y = problem.mixed()
    model = clone(estimator).set_params(hierarchy=problem.hierarchy)
    folds = LabeledKFold(3, random_state=0)
    scores = cross_val_score(model, X, Y, cv=folds, error_score="raise")
    expected = [
        clone(model).fit(X[train], Y[train]).score(X[test], Y[test])
        for train, test in folds.split(X, Y)
    ]
    np.testing.assert_allclose(scores, expected)


def test_cross_val_predict_gives_a_column_for_each_node(problem):
    model = LocalClassifierPerNode(problem.hierarchy, estimator=TREE)
    folds = LabeledKFold(3)
    got = cross_val_predict(
        model, problem.X, problem.Y, cv=folds, method="predict_proba"
    )
    for train, test in folds.split(problem.X, problem.Y):
        fold = clone(model).fit(problem.X[train], problem.Y[train])
        np.testing.assert_array_equal(got[test], fold.predict_proba(problem.X[test]))


def test_partial_dependence_has_a_curve_for_each_node(problem):
    model = LocalClassifierPerNode(problem.hierarchy, estimator=TREE)
    model.fit(problem.X, problem.Y)
    curves = partial_dependence(model, problem.X, [0], grid_resolution=5)
    (grid,) = curves["grid_values"]
    X = problem.X.copy()
    X[:, 0] = grid[2]
    np.testing.assert_allclose(
        curves["average"][:, 2], model.predict_proba(X).mean(axis=0)
    )


def test_a_pipeline_transforms_unlabelled_rows_where_metadata_are_routed(problem):
    X, X_unlabeled = 100 * problem.X + 1000, 100 * problem.X_unlabeled + 1000
    mixed = np.vstack([X, X_unlabeled])
    Y = np.vstack([problem.Y, np.full((len(X_unlabeled), problem.Y.shape[1]), -1)])
    with config_context(enable_metadata_routing=True):
        pipeline = scaled_model(problem.hierarchy).set_params(
            transform_input=["X_unlabeled"]
        )
        pipeline["model"].set_fit_request(X_unlabeled=True)
        pipeline.fit(X, problem.Y, X_unlabeled=X_unlabeled)
    routed = pipeline["model"]
    scaler = StandardScaler().fit(X)
    expected = clone(routed).fit(scaler.transform(mixed), Y)
    np.testing.assert_array_equal(routed.transduction_, expected.transduction_)
    assert (routed.transduction_[len(X) :] >= 0).any()


def test_a_grid_search_routes_weights_to_fit_and_score(problem):
    weights = np.arange(len(problem.X))
    folds = LabeledKFold(2)
    with config_context(enable_metadata_routing=True):
        model = LocalClassifierPerNode(problem.hierarchy, estimator=TREE)
        model.set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"policy": ["siblings"]}, cv=folds)
        search.fit(problem.X, problem.Y, sample_weight=weights)
    expected = [
        clone(model)
        .set_params(policy="siblings")
        .fit(problem.X[train], problem.Y[train], sample_weight=weights[train])
        .score(problem.X[test], problem.Y[test], sample_weight=weights[test])
        for train, test in folds.split(problem.X, problem.Y)
    ]
    assert search.best_score_ == pytest.approx(np.mean(expected))


def test_clone_of_a_fitted_model_is_unfitted_with_equal_parameters(problem):
    X, Y = problem.mixed()
    model = SSHMCBLI(problem.hierarchy, estimator=TREE, n_neighbors=4).fit(X, Y)
    copy = clone(model)
    assert not hasattr(copy, "transduction_")
    assert copy.hierarchy is problem.hierarchy
    assert copy.get_params()["estimator__max_depth"] == 3
    assert copy.n_neighbors == 4
