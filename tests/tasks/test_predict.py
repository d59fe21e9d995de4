"""Predictions: the terms shown never contradict the hierarchy."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hilabel.datasets import FeatureTable, write_example
from hilabel.exceptions import DatasetFormatError, ModelFileError
from hilabel.persistence import load_model, save_model
from hilabel.tasks import (
    FitChoices,
    PredictChoices,
    TableFiles,
    fit_table,
    predict_file,
    predict_table,
)


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    files = write_example(tmp_path_factory.mktemp("genes"), "go")
    choices = FitChoices(parameters={"estimator__n_estimators": 5}, folds=2)
    tables = TableFiles(files["features"], files["labels"], files["hierarchy"])
    model = fit_table(tables, choices).model
    return model, model.read(files["features"])


@pytest.mark.parametrize(
    "choices",
    [
        *(PredictChoices(branches=number) for number in (1, 3, 7)),
        PredictChoices(threshold="model"),
        PredictChoices(threshold=0.4, branches=4),
        PredictChoices(threshold="model", branches=5),
        PredictChoices(top=6),
    ],
    ids=str,
)
def test_the_terms_of_a_row_are_closed_over_ancestors(choices, fitted):
    model, table = fitted
    frame = predict_table(model, table, choices)
    labels = np.zeros((len(table), model.hierarchy.n_nodes), dtype=bool)
    rows = [table.ids.index(row_id) for row_id in frame["id"]]
    labels[rows, [model.hierarchy.node(term) for term in frame["term"]]] = True
    assert not labels[:, ~model.informative].any()
    labels[:, ~model.informative] = True
    assert model.hierarchy.is_consistent(labels)
    labels[:, ~model.informative] = False
    if choices.branches is not None:
        specific = model.hierarchy.most_specific(labels)
        assert specific.sum(axis=1).max() == choices.branches
    if choices.top is not None:
        assert labels.sum(axis=1).max() == choices.top


def test_terms_are_taken_until_one_more_would_be_too_specific(fitted):
    model, table = fitted
    hierarchy, scores = model.hierarchy, model.predict_proba(table)
    frame = predict_table(model, table, PredictChoices(branches=2))
    shown = frame.groupby("id")["term"].apply(set)
    for row, row_id in enumerate(table.ids[:40]):
        taken, order = [], hierarchy.order
        for node in order[np.argsort(-scores[row, order], kind="stable")]:
            if not model.informative[node]:
                continue
            if scores[row, node] < 0.01:
                break
            above = {a for t in [*taken, node] for a in hierarchy.ancestors(t)}
            if len({*taken, node} - above) > 2:
                break
            taken.append(node)
        assert shown.get(row_id, set()) == {hierarchy.names[node] for node in taken}


def test_a_root_that_all_rows_have_is_shown_where_it_is_asked_for(tmp_path):
    paths = write_example(tmp_path, "shop")
    edges = paths["hierarchy"].read_text()
    tops = "".join(f"everything,{name}\n" for name in ("food", "home", "books"))
    paths["hierarchy"].write_text(edges + tops)
    files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    model = fit_table(files, FitChoices(method="PriorClassifier")).model
    table = model.read(files.features)
    assert "everything" not in set(predict_table(model, table)["term"])
    shown = predict_table(model, table, PredictChoices(top=1, roots=True))
    assert set(shown["term"]) == {"everything"}
    wide = predict_table(model, table, PredictChoices(form="wide"))
    assert set(wide.columns) == {"id", *model.hierarchy.names} - {"everything"}


def test_a_root_that_only_some_rows_have_is_predicted(fitted):
    model, table = fitted
    roots = {model.hierarchy.names[node] for node in model.hierarchy.roots}
    assert roots <= set(predict_table(model, table)["term"])


def test_each_line_tells_what_the_term_is_worth(fitted):
    model, table = fitted
    marks = dict(zip(model.sample_ids, model.marks.toarray(), strict=True))
    frame = predict_table(model, table)
    for line in frame.sample(60, random_state=0).itertuples():
        node = model.hierarchy.node(line.term)
        assert line.frequency == model.prior[node]
        assert line.information == pytest.approx(-np.log2(model.prior[node]))
        assert line.aspect == "example"
        assert line.status == ("new", "implied", "annotated")[marks[line.id][node]]
    assert set(frame["status"]) == {"new", "implied", "annotated"}


def test_only_new_terms_are_shown_and_counted(fitted):
    model, table = fitted
    frame = predict_table(model, table, PredictChoices(top=2, new_only=True))
    assert set(frame["status"]) == {"new"}
    # Those that are known do not take the place of new ones.
    n_new = predict_table(model, table, PredictChoices(new_only=True))
    assert set(frame["id"]) == set(n_new["id"])


def test_the_rows_most_likely_to_have_a_term(fitted):
    model, table = fitted
    root = model.hierarchy.names[0]
    # An identifier that was merged into another, as the ontology tells.
    choices = PredictChoices(terms=["GO:0000004", "GO:9000001"], top=5)
    frame = predict_table(model, table, choices)
    assert frame["term"].tolist() == ["GO:0000004"] * 5 + [root] * 5
    scores = model.predict_proba(table)[:, model.hierarchy.node("GO:0000004")]
    best = np.sort(scores)[::-1][:5]
    assert frame["probability"].tolist()[:5] == best.tolist()
    with pytest.raises(ValueError, match=r"terms that the model knows, got 'GO:4'"):
        predict_table(model, table, PredictChoices(terms=["GO:4"]))
    with pytest.raises(ValueError, match="combined with the wide format"):
        predict_table(model, table, PredictChoices(terms=["GO:0000004"], form="wide"))


def test_probabilities_are_those_of_the_model(fitted):
    model, table = fitted
    scores = model.predict_proba(table)
    for row in predict_table(model, table).sample(50, random_state=0).itertuples():
        node = model.hierarchy.node(row.term)
        assert row.probability == scores[table.ids.index(row.id), node]
        assert row.name == model.hierarchy.titles[node]


def test_a_model_without_its_table_is_refused(fitted, tmp_path):
    path = save_model(fitted[0].estimator, tmp_path / "bare.hilabel")
    with pytest.raises(ModelFileError, match="written by 'hilabel fit', got a Local"):
        predict_file(path, "x.csv", tmp_path / "terms.csv")


@pytest.mark.parametrize("threshold", ["modle", 1.5, -0.1, float("nan")])
def test_a_threshold_that_is_none_is_refused(threshold, fitted):
    with pytest.raises(ValueError, match=f"from 0 to 1, 'model' .* {threshold!r}"):
        predict_table(*fitted, PredictChoices(threshold=threshold))


def test_a_model_file_keeps_what_is_known_of_its_rows(fitted, tmp_path):
    model, table = fitted
    again = load_model(save_model(model, tmp_path / "genes.hilabel"))
    assert again.ontology == model.ontology
    pd.testing.assert_frame_equal(
        predict_table(again, table), predict_table(model, table)
    )


def test_a_row_that_training_did_not_have_has_only_new_terms(fitted):
    model, table = fitted
    frame = table.frame.set_axis([f"other-{row_id}" for row_id in table.ids], axis=0)
    others = FeatureTable(tuple(frame.index), frame)
    assert set(predict_table(model, others)["status"]) == {"new"}


def test_genes_without_data_are_not_left_out(fitted, tmp_path):
    model, table = fitted
    features = tmp_path / "features.csv"
    table.frame.to_csv(features)
    first, second = table.ids[:2]
    (tmp_path / "known.gaf").write_text(
        "".join(
            "\t".join(["EX", gene, "", "", "GO:0000001", "", code, "", "P", *[""] * 8])
            + "\n"
            for gene, code in [(first, "ND"), (second, "IDA")]
        )
    )
    counted = predict_file(
        model, features, tmp_path / "out.csv", without=tmp_path / "known.gaf"
    )
    assert counted["rows omitted"] == 1
    assert first in set(pd.read_csv(tmp_path / "out.csv")["id"])


def test_ids_are_read_for_prediction_as_they_were_for_training(tmp_path):
    paths = write_example(tmp_path, "shop")
    table = pd.read_csv(paths["features"])
    table["product"] += ".1"
    pd.concat([table, table.assign(product=table["product"] + "0")]).to_csv(
        paths["features"], index=False
    )
    files = TableFiles(
        paths["features"],
        paths["labels"],
        paths["hierarchy"],
        strip_version=True,
        merge_duplicates="mean",
    )
    model = fit_table(files, FitChoices(effort="fast", measure=False)).model
    out = tmp_path / "out.csv"
    counted = predict_file(model, files.features, out, without=files.labels)
    assert (counted["rows"], counted["rows omitted"]) == (120, 120)
    assert not pd.read_csv(out)["id"].str.contains(".", regex=False).any()


@pytest.fixture(scope="module")
def signatures(tmp_path_factory):
    """Return a model of InterProScan's signatures, and where its files are."""
    folder = tmp_path_factory.mktemp("signatures")
    domains = {"kinase": "PF00069", "rrm": "PF00076"}
    names = [f"P{number}.1" for number in range(12)]
    kinds = [*domains] * 6
    lines = [_hit(name, domains[kind]) for name, kind in zip(names, kinds, strict=True)]
    lines += [_hit(name, "PF99999") for name in names[::3]]
    (folder / "train.tsv").write_text("".join(lines))
    gaf = "X\t{}\t\t\t{}\tR\t{}\t\tF\t\t\tp\tt\t2024\tX\t\t\n"
    rows = [gaf.format(name[:-2], kind, "IDA") for name, kind in zip(names, kinds)]
    rows.append(gaf.format("P0", "rrm", "IEA"))
    (folder / "labels.gaf").write_text("".join(rows))
    (folder / "terms.csv").write_text("root,kinase\nroot,rrm\n")
    files = [folder / name for name in ("train.tsv", "labels.gaf", "terms.csv")]
    tables = TableFiles(*files, strip_version=True, evidence=["experimental"])
    fitted = fit_table(tables, FitChoices(effort="fast", measure=False))
    assert fitted.report.n_filtered == 1
    path = save_model(fitted.model, folder / "m.hilabel")
    return path, folder


def _hit(protein, signature):
    md5 = 32 * "0"
    return f"{protein}\t{md5}\t9\tPfam\t{signature}\td\t1\t9\t-\tT\t01-01-2024\n"


@pytest.mark.filterwarnings("ignore:.*constant probability")
def test_unknown_signatures_are_counted_and_missing_ones_are_zeros(signatures):
    path, folder = signatures
    hits = [("A.3", "PF00069"), ("A.3", "PF55555"), ("B.1", "PF44444")]
    hits += [("P1.7", "PF00076")]
    (folder / "new.tsv").write_text("".join(_hit(*hit) for hit in hits))
    out = folder / "out.csv"
    counts = predict_file(path, folder / "new.tsv", out, PredictChoices(top=1))
    assert counts["columns unknown to the model"] == 2
    assert counts["rows without a known column"] == 1
    assert counts["rows of the training table"] == 1
    best = pd.read_csv(out).drop_duplicates("id").set_index("id")["term"]
    assert (best["A"], best["P1"]) == ("kinase", "rrm")
    counts = predict_file(path, folder / "new.tsv", out, without=folder / "labels.gaf")
    assert (counts["rows"], counts["rows omitted"]) == (2, 1)
    (folder / "ids.txt").write_text("A.3\nC.1\n")
    counts = predict_file(path, folder / "new.tsv", out, ids=folder / "ids.txt")
    assert counts["rows without a known column"] == 1
    assert set(pd.read_csv(out)["id"]) == {"A", "C"}


def test_a_model_of_signatures_refuses_other_columns(signatures):
    model = load_model(signatures[0])
    (signatures[1] / "t.csv").write_text("id,PF00069\nA,1\n")
    with pytest.raises(DatasetFormatError, match="expected a column 'PF00076'"):
        model.read(signatures[1] / "t.csv")
    frame = pd.DataFrame({"PF00069": [1.0], "PF00076": [0.0], "PF99999": [0.0]})
    with pytest.raises(DatasetFormatError, match="FeatureTable with sparse columns"):
        model.preparation.transform(FeatureTable(("A",), frame))


def test_each_line_tells_how_reliable_it_is(fitted, tmp_path):
    model, table = fitted
    path = save_model(model, tmp_path / "m.hilabel")
    frame = predict_table(load_model(path), table, PredictChoices(roots=True))
    judgement = model.judgement
    nodes = [model.hierarchy.node(term) for term in frame["term"]]
    np.testing.assert_array_equal(frame["threshold"], model.decision.threshold[nodes])
    np.testing.assert_array_equal(frame["term_quality"], judgement.node_quality[nodes])
    np.testing.assert_array_equal(frame["reliable"], judgement.reliable[nodes])
    by_probability = frame.sort_values("probability")["precision_from_here"]
    assert by_probability.is_monotonic_increasing


def test_rows_of_training_are_scored_by_the_model_if_this_is_asked_for(fitted):
    model, table = fitted
    frame = predict_table(model, table, PredictChoices(out_of_fold=False))
    rows = [table.ids.index(row_id) for row_id in frame["id"]]
    nodes = [model.hierarchy.node(term) for term in frame["term"]]
    expected = model.calibrated(
        model.estimator.predict_proba(model.matrix(table)), table.ids
    )
    np.testing.assert_array_equal(frame["probability"], expected[rows, nodes])
    assert set(frame["scored"]) == {"by the model"}
    shown = predict_table(model, table)
    of_labeled = shown["id"].isin(
        [model.sample_ids[row] for row in np.flatnonzero(model.labeled)]
    )
    assert (shown.loc[of_labeled, "scored"] == "out of fold").all()
    assert (shown.loc[~of_labeled, "scored"] == "by the model").all()


def test_terms_that_are_not_reliable_can_be_left_out(fitted, tmp_path):
    model, table = fitted
    reliable = np.arange(model.hierarchy.n_nodes) % 2 == 0
    judgement = replace(model.judgement, reliable=reliable)
    model = replace(model, judgement=judgement)
    frame = predict_table(model, table, PredictChoices(reliable_only=True))
    nodes = {model.hierarchy.node(term) for term in frame["term"]}
    assert nodes == set(np.flatnonzero(reliable & model.informative))
    with pytest.raises(ValueError, match="Named terms are shown even if unreliable"):
        PredictChoices(reliable_only=True, terms=("a",)).check()
    unmeasured = replace(model, judgement=None)
    with pytest.raises(ValueError, match="was not measured in training"):
        predict_table(unmeasured, table, PredictChoices(reliable_only=True))
    wrong = replace(judgement, node_error=np.zeros(2))
    path = save_model(replace(model, judgement=wrong), tmp_path / "m.hilabel")
    with pytest.raises(ModelFileError, match="Judgement are inconsistent"):
        load_model(path)
