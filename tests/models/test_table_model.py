"""A model of tables: its rows, its one decision, and what its file refuses."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from hilabel.datasets import FeatureTable, TableFiles, write_example
from hilabel.exceptions import ModelFileError
from hilabel.judgement import Decision
from hilabel.links import LinkTable
from hilabel.persistence import load_model, save_model
from hilabel.tasks import FitChoices, fit_table

CHOICES = FitChoices(effort="fast", parameters={"n_estimators": 50}, folds=2)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    paths = write_example(tmp_path_factory.mktemp("shop"), "shop")
    return TableFiles(paths["features"], paths["labels"], paths["hierarchy"])


@pytest.fixture(scope="module")
def model(files, tmp_path_factory):
    """Return a model that went through its file."""
    model = fit_table(files, CHOICES).model
    return load_model(save_model(model, tmp_path_factory.mktemp("m") / "m.hilabel"))


@pytest.fixture(scope="module")
def table(model, files):
    return model.read(files.features)


def refused(model, folder, kind="TableModel"):
    path = save_model(model, folder / "m.hilabel")
    with pytest.raises(ModelFileError, match=f"{kind} are inconsistent"):
        load_model(path)


def test_a_file_keeps_every_part(files, model):
    again = fit_table(files, CHOICES).model
    assert model.summary == again.summary
    assert model.record == again.record
    assert model.reading == again.reading
    np.testing.assert_array_equal(model.decision.threshold, again.decision.threshold)
    assert (model.left_out != again.left_out).nnz == 0
    np.testing.assert_array_equal(model.fingerprint, again.fingerprint)


@pytest.mark.parametrize("top", [1, 4, 99])
def test_the_top_of_each_row_is_that_of_all_its_probabilities(top, model, table):
    scores = model.predict_proba(table)
    found = model.predict_top(table, top, roots=True)
    assert model.hierarchy.is_consistent(found.toarray() > 0)
    for row, of_row in zip(scores, found.toarray(), strict=True):
        best = np.sort(row)[::-1][:top]
        np.testing.assert_array_equal(
            np.sort(of_row)[::-1][:top][best >= 0.01], best[best >= 0.01]
        )
    assert not model.predict_top(table, top)[:, ~model.informative].nnz
    least = model.predict_top(table, top, least=0.4, roots=True)
    assert least.data.min(initial=1) >= 0.4


def test_labels_are_closed_and_follow_the_threshold_of_each_term(model, table):
    scores = model.predict_proba(table)
    labels = model.labels(scores)
    assert model.hierarchy.is_consistent(labels)
    assert (labels >= (scores >= model.decision.threshold)).all()
    at_half = model.labels(scores, 0.5)
    assert (at_half == model.hierarchy.close(scores >= 0.5)).all()


def test_rows_of_training_are_recognised_by_their_values(model, table):
    numbers = model.left_out_rows(model.matrix(table), table.ids)
    expected = np.where(model.labeled, np.arange(model.labeled.size), -1)
    np.testing.assert_array_equal(numbers, expected)
    rows = np.flatnonzero(model.labeled)[:3]
    some = table.rows(rows)
    moved = some.frame.copy()
    columns = moved.select_dtypes("number").columns
    moved[columns] += 1
    changed = FeatureTable(some.ids, moved)
    assert (model.left_out_rows(model.matrix(changed), changed.ids) < 0).all()
    renamed = FeatureTable(("a", "b", "c"), some.frame)
    assert (model.left_out_rows(model.matrix(renamed), renamed.ids) < 0).all()


def test_a_mixed_table_is_scored_row_by_row(model, table):
    rows = np.r_[np.flatnonzero(model.labeled)[:4], np.flatnonzero(~model.labeled)[:4]]
    both = model.predict_proba(table.rows(rows))
    stored = model.left_out[rows[:4]].toarray()
    np.testing.assert_array_equal(both[:4], stored)
    alone = model.predict_proba(table.rows(rows[4:]))
    np.testing.assert_array_equal(both[4:], alone)


def test_without_measurements_all_rows_are_scored_by_the_model(files):
    model = fit_table(files, replace(CHOICES, measure=False)).model
    table = model.read(files.features)
    assert (model.left_out_rows(model.matrix(table), table.ids) < 0).all()
    scores = model.estimator.predict_proba(model.matrix(table))
    np.testing.assert_array_equal(model.predict_proba(table), scores)
    assert model.informative.all()


@pytest.mark.parametrize(
    "change",
    [
        {"sample_ids": ("a",)},
        {"prior": np.zeros(3)},
        {"decision": Decision.unmeasured(3)},
        {"labeled": np.zeros(3, dtype=bool)},
        {"fingerprint": np.zeros(3, dtype=np.uint64)},
        {"left_out": sp.csr_array((3, 3), dtype=np.float32)},
        {"marks": sp.csr_array((3, 3), dtype=np.int8)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_parts_that_do_not_match_are_refused(change, model, tmp_path):
    refused(replace(model, **change), tmp_path)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"overall": 2.0}, "Decision"),
        ({"overall": float("nan")}, "Decision"),
        ({"n_own": "all"}, "Decision"),
        ({"node_recall": np.full(18, 7.0)}, "Decision"),
        ({"node_recall": np.zeros(2)}, "Decision"),
    ],
)
def test_a_decision_of_another_form_is_refused(change, kind, model, tmp_path):
    decision = replace(model.decision, **change)
    refused(replace(model, decision=decision), tmp_path, kind)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"n_rows": -1}, "Judgement"),
        ({"measured_on": "the moon"}, "Judgement"),
        ({"node_error": np.zeros(2)}, "Judgement"),
        ({"n_positive": np.full(18, -1)}, "Judgement"),
        ({"decision": Decision.unmeasured(3)}, "Judgement"),
        ({"candidates": ("forest",)}, "Judgement"),
        ({"groups": (1,)}, "Judgement"),
        ({"constant_group": "all"}, "Judgement"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_judgement_of_another_form_is_refused(change, kind, model, tmp_path):
    judgement = replace(model.judgement, **change)
    refused(replace(model, judgement=judgement), tmp_path, kind)


@pytest.mark.parametrize(
    "change",
    [
        {"seed": -1},
        {"matching": {}},
        {"settings": {"C": object}},
        {"files": {"features": 3}},
        {"statements": (1,)},
        {"pseudo_labeling": {"step": "turn"}},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_record_of_another_form_is_not_sound_or_not_loaded(change, model, tmp_path):
    record = replace(model.record, **change)
    with pytest.raises((ModelFileError, TypeError, ValueError)):
        load_model(save_model(replace(model, record=record), tmp_path / "m.hilabel"))


# Links ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def proteins(tmp_path_factory):
    return write_example(tmp_path_factory.mktemp("proteins"), "proteins")


@pytest.fixture(scope="module")
def linked(proteins, tmp_path_factory):
    """Return a model trained with links that went through its file."""
    files = TableFiles(
        proteins["features"],
        proteins["labels"],
        proteins["hierarchy"],
        links=proteins["links"],
    )
    model = fit_table(files, FitChoices(method="LinkSpreading")).model
    return load_model(save_model(model, tmp_path_factory.mktemp("m") / "m.hilabel"))


def test_a_model_knows_its_links(linked):
    assert linked.uses_links
    assert linked.link_kinds == ("hits",)
    assert linked.estimator.n_linked_rows == len(linked.sample_ids)


def test_links_are_given_as_a_file_or_matched_before(linked, proteins):
    table = linked.read(proteins["new"])
    links = linked.link(table.ids, proteins["new_links"]).to_training
    scores = linked.predict_proba(table, links=links)
    np.testing.assert_array_equal(
        linked.predict_proba(table, links=proteins["new_links"]), scores
    )
    best = linked.predict_top(table, 3, links=links).toarray()
    np.testing.assert_allclose(best[best > 0], scores[best > 0], rtol=1e-6)
    half = np.arange(0, len(table), 2)
    np.testing.assert_array_equal(
        linked.predict_proba(table.rows(half), links=links[half]), scores[half]
    )


def test_the_order_of_training_rows_is_that_of_the_table(linked, proteins):
    # A new row with one strong link to a labelled row gets its label.
    row = int(np.flatnonzero(linked.labeled)[-1])
    name = linked.sample_ids[row]
    one = LinkTable.of({"hits": [("new", name, 500.0)]})
    table = replace(linked.read(proteins["new"]).rows([0]), ids=("new",))
    (scores,) = linked.predict_proba(table, links=one)
    labels = linked.marks[[row]].toarray()[0] > 0
    assert scores[labels].min() > scores[~labels].max()


def test_a_model_refuses_another_number_of_training_rows(linked, tmp_path):
    fewer = linked.sample_ids[:-1]
    refused(
        replace(
            linked,
            sample_ids=fewer,
            labeled=linked.labeled[:-1],
            fingerprint=linked.fingerprint[:-1],
            marks=linked.marks[:-1],
            left_out=linked.left_out[:-1],
        ),
        tmp_path,
    )
