"""Evidence says what the passes saw, and nothing else."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from hilabel.classifiers import PriorClassifier
from hilabel.constraints import cap_by_parents
from hilabel.datasets import make_artificial
from hilabel.semi_supervised import SSHMCBLI, NewRowEvidence, RowEvidence

mpl.use("Agg")
from matplotlib import pyplot as plt

# Unlabelled rows of the training data, whose labelled rows are numbers 0 to 11.
ROWS = [12, 57, 100, 200, 341]


@pytest.fixture(scope="module")
def data():
    return make_artificial()


@pytest.fixture(scope="module", params=["v1", "v2", "v3"])
def model(request, data):
    return SSHMCBLI(
        data.hierarchy, estimator=LogisticRegression(), variant=request.param, k_step=4
    ).fit(data.X_labeled, data.Y_labeled, data.X_unlabeled)


@pytest.fixture(scope="module")
def points(data):
    return np.concatenate([data.X_labeled, data.X_unlabeled])


# Rows of the training data ------------------------------------------------------------


@pytest.mark.parametrize("row", ROWS)
def test_votes_are_the_labels_of_the_neighbours_before_the_pass(model, data, row):
    labels = np.zeros((342, 6), dtype=int)
    labels[:12] = data.Y_labeled
    for evidence, record in zip(model.explain(row).passes, model.passes_, strict=True):
        assert (
            evidence.votes.tolist() == labels[evidence.neighbors].sum(axis=0).tolist()
        )
        share = evidence.votes / evidence.neighbors.size
        assert evidence.proposed.tolist() == (share >= 0.5).tolist()
        labels[12:] = record.proposed & record.accepted[:, None]


@pytest.mark.parametrize("row", ROWS)
def test_distances_are_those_to_the_neighbours(model, points, row):
    for evidence in model.explain(row).passes:
        true = np.linalg.norm(points[evidence.neighbors] - points[row], axis=1)
        np.testing.assert_allclose(evidence.distances, true, rtol=1e-6, atol=1e-7)
        assert (np.diff(evidence.distances) >= 0).all()
        np.testing.assert_array_equal(
            evidence.neighbor_is_labeled, evidence.neighbors < 12
        )


@pytest.mark.parametrize("row", ROWS)
def test_decisions_are_those_of_the_passes(model, row):
    explained = model.explain(row)
    assert isinstance(explained, RowEvidence)
    assert explained.row == row
    assert [evidence.iteration for evidence in explained.passes] == list(
        range(1, model.n_iter_ + 1)
    )
    for evidence, record in zip(explained.passes, model.passes_, strict=True):
        assert evidence.accepted == record.accepted[row - 12]
        assert evidence.similarity == record.similarity[row - 12]
        assert evidence.proposed.tolist() == record.proposed[row - 12].tolist()
    deciding = explained.deciding
    assert deciding.iteration == model.n_iter_ - 1
    assert deciding.accepted == (model.labeled_iter_[row] > 0)
    assert deciding.similarity == model.similarity_[row]
    if deciding.accepted:
        assert deciding.proposed.tolist() == (model.transduction_[row] == 1).tolist()


def test_rows_are_numbered_as_given_to_fit(data, model, points):
    order = np.random.default_rng(0).permutation(342)
    Y = np.concatenate([data.Y_labeled, np.full((330, 6), -1)])[order]
    shuffled = SSHMCBLI(data.hierarchy, estimator=PriorClassifier()).fit(
        points[order], Y
    )
    row = int(np.flatnonzero(order == 100)[0])
    evidence = shuffled.explain(row).passes[0]
    in_order = model.explain(100).passes[0]
    assert order[evidence.neighbors].tolist() == in_order.neighbors.tolist()
    assert (Y[evidence.neighbors] >= 0).all()


def test_frames_of_a_training_row(model, data):
    explained = model.explain(100)
    passes = explained.frame()
    assert passes["iteration"].tolist() == list(range(1, model.n_iter_ + 1))
    assert passes["accepted"].tolist() == [e.accepted for e in explained.passes]
    assert passes["n_neighbors"].tolist() == [s.n_neighbors for s in model.history_]
    names = passes["labels"].iloc[-1].split(", ")
    expected = np.flatnonzero(explained.passes[-1].proposed)
    assert names == [data.hierarchy.names[node] for node in expected]
    neighbors = explained.frame("neighbors")
    assert len(neighbors) == passes["n_neighbors"].sum()
    assert neighbors["neighbor"].tolist() == [
        n for e in explained.passes for n in e.neighbors.tolist()
    ]
    assert neighbors["labels_given"].tolist() == [n < 12 for n in neighbors["neighbor"]]
    votes = explained.frame("votes")
    first = votes[votes["iteration"] == 1]
    assert first["votes"].tolist() == [v for v in explained.passes[0].votes if v]
    np.testing.assert_allclose(first["share"], first["votes"] / 3)
    assert (first["proposed"] == (first["share"] >= 0.5)).all()


def test_an_unknown_frame_is_refused(model):
    with pytest.raises(ValueError, match="Expected kind 'passes', .* got 'all'"):
        model.explain(100).frame("all")


def test_a_training_row_is_summed_up_in_a_line(model):
    text = repr(model.explain(100))
    assert text.startswith("RowEvidence(row 100: accepted with similarity 1.00 and lab")


def test_without_unlabelled_rows_there_is_nothing_to_explain(data):
    model = SSHMCBLI(data.hierarchy, estimator=PriorClassifier())
    model.fit(data.X_labeled, data.Y_labeled)
    with pytest.raises(ValueError, match="Row 3 was passed with labels"):
        model.explain(3)


@pytest.mark.parametrize(
    ("row", "match"),
    [
        (11, "Row 11 was passed with labels, .* an unlabelled row, or a new row"),
        (342, "Expected a row of the training data, 0 to 341, got 342"),
        (-1, "Expected a row of the training data, 0 to 341, got -1"),
        ([[1, 2], [3, 4]], "Expected one row to explain, got 2"),
        ([1, 2, 3], "X has 3 features, but SSHMCBLI is expecting 2"),
    ],
)
def test_rows_that_cannot_be_explained_are_refused(model, row, match):
    with pytest.raises(ValueError, match=match):
        model.explain(row)


@pytest.mark.parametrize("row", [50, [1.0, 2.0]])
def test_an_unfitted_model_explains_nothing(data, row):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        SSHMCBLI(data.hierarchy).explain(row)


# New rows ---------------------------------------------------------------------------


def test_a_new_row_is_explained_by_the_rows_trained_on(model, data, points):
    new = np.array([4.0, 4.5])
    explained = model.explain(new)
    assert isinstance(explained, NewRowEvidence)
    used = np.flatnonzero(model.labeled_iter_ >= 0)
    distances = np.linalg.norm(points[used] - new, axis=1)
    nearest = np.argsort(distances, kind="stable")[:3]
    assert explained.neighbors.tolist() == used[nearest].tolist()
    np.testing.assert_allclose(explained.distances, distances[nearest])
    votes = model.transduction_[used[nearest]].sum(axis=0)
    assert explained.votes.tolist() == votes.tolist()


def test_probabilities_before_and_after_the_constraint(model, data):
    # Some row of the test data is capped; the evidence must show it.
    is_capped = False
    for new in data.X_test[::20]:
        explained = model.explain(new)
        np.testing.assert_array_equal(
            explained.probability, model.predict_proba([new])[0]
        )
        capped = cap_by_parents(explained.local[None], data.hierarchy)[0]
        np.testing.assert_array_equal(capped, explained.probability)
        own = [m.predict_proba([new])[0, 1] for m in model.estimator_.estimators_]
        np.testing.assert_allclose(explained.local, own)
        is_capped |= (explained.probability < explained.local).any()
    assert is_capped


def test_frame_of_a_new_row_is_sorted_by_probability(model, data):
    explained = model.explain([4, 4.5])
    frame = explained.frame()
    assert sorted(frame["node"]) == sorted(data.hierarchy.names)
    assert (np.diff(frame["probability"]) <= 0).all()
    position = [data.hierarchy.node(name) for name in frame["node"]]
    np.testing.assert_array_equal(frame["votes"], explained.votes[position])
    np.testing.assert_array_equal(
        frame["capped"], (explained.probability < explained.local)[position]
    )


def test_a_classifier_without_local_scores_shows_the_same_before_and_after(data):
    model = SSHMCBLI(data.hierarchy, estimator=PriorClassifier()).fit(
        data.X_labeled, data.Y_labeled, data.X_unlabeled
    )
    explained = model.explain([4, 4.5])
    np.testing.assert_array_equal(explained.local, explained.probability)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, pd.DataFrame])
def test_a_new_row_may_be_of_any_kind_whatever_the_training_rows_were(data, container):
    dense = SSHMCBLI(data.hierarchy, estimator=PriorClassifier()).fit(
        data.X_labeled, data.Y_labeled, data.X_unlabeled
    )
    sparse = SSHMCBLI(data.hierarchy, estimator=PriorClassifier()).fit(
        sp.csr_array(data.X_labeled), data.Y_labeled, sp.csr_array(data.X_unlabeled)
    )
    for model in (dense, sparse):
        explained = model.explain(container([[4.0, 4.5]]))
        assert (
            explained.neighbors.tolist() == dense.explain([4, 4.5]).neighbors.tolist()
        )


def test_frames_of_a_new_row_have_the_names_of_a_training_row(model, data):
    explained = model.explain([4, 4.5])
    neighbors = explained.frame("neighbors")
    assert neighbors["neighbor"].tolist() == explained.neighbors.tolist()
    assert neighbors["labels_given"].tolist() == [n < 12 for n in neighbors["neighbor"]]
    votes = explained.frame("votes")
    assert votes["votes"].tolist() == [v for v in explained.votes if v]
    np.testing.assert_allclose(votes["share"], votes["votes"] / 3)
    assert explained.frame("nodes").equals(explained.frame())
    with pytest.raises(ValueError, match="'nodes', 'neighbors' or 'votes', got 'pass"):
        explained.frame("passes")


def test_more_neighbours_can_be_asked_for_but_not_more_than_there_are(model):
    few, many = model.explain([4, 4.5]), model.explain([4, 4.5], n_neighbors=5)
    assert many.neighbors[:3].tolist() == few.neighbors.tolist()
    assert many.neighbors.size == 5
    everyone = model.explain([4, 4.5], n_neighbors=1000)
    assert everyone.neighbors.size == (model.labeled_iter_ >= 0).sum()


def test_a_row_of_a_frame_keeps_its_feature_names(data):
    frame = pd.DataFrame(data.X_labeled, columns=["x", "y"])
    model = SSHMCBLI(data.hierarchy, estimator=PriorClassifier()).fit(
        frame, data.Y_labeled, pd.DataFrame(data.X_unlabeled, columns=["x", "y"])
    )
    assert model.explain(frame.iloc[[3]]).distances[0] == 0
    with pytest.raises(ValueError, match="feature names should match"):
        model.explain(frame.iloc[[3]][["y", "x"]])


# Plots ------------------------------------------------------------------------------


def test_plot_of_a_training_row_shows_votes_and_distances(model, data):
    explained = model.explain(100)
    figure = explained.plot()
    votes, distances = figure.axes
    record = explained.deciding
    widths = [bar.get_width() for bar in votes.patches]
    assert widths == [v for v in record.votes if v]
    shown = [text.get_text() for text in votes.get_yticklabels()]
    assert shown == [
        data.hierarchy.titles[node] for node in np.flatnonzero(record.votes)
    ]
    np.testing.assert_allclose(
        [bar.get_width() for bar in distances.patches], record.distances
    )
    assert "Row 100" in figure.get_suptitle()
    plt.close(figure)


def test_plot_of_a_new_row_shows_probabilities_before_and_after(model):
    explained = model.explain([4, 4.5])
    figure = explained.plot(top=4)
    scores, distances = figure.axes
    widths = [bar.get_width() for bar in scores.patches]
    top = np.argsort(-explained.probability, kind="stable")[:4]
    np.testing.assert_allclose(
        widths, [*explained.local[top], *explained.probability[top]]
    )
    assert len(distances.patches) == 3
    plt.close(figure)


@pytest.mark.parametrize("row", [100, [4.0, 4.5]])
def test_plots_can_be_drawn_on_given_axes(model, row):
    figure, axes = plt.subplots(1, 2)
    assert model.explain(row).plot(axes) is figure
    assert all(len(panel.patches) > 0 for panel in axes)
    plt.close(figure)
