"""``hilabel explain``: names instead of numbers, in three forms."""

import json

from hilabel.persistence import load_model


def row_of(kind):
    """Return the id of a labelled or unlabelled training row."""
    model = load_model("neighbors.hilabel")
    data = model.estimator.training_data_
    rows = data.labeled_rows if kind == "labelled" else data.unlabeled_rows
    return model.sample_ids[rows[0]]


def test_an_unlabelled_row_names_neighbours_votes_and_passes(shop, run):
    result = run("explain", "neighbors.hilabel", row_of("unlabelled"))
    assert result.exit_code == 0
    for part in ("unlabelled training row", "Neighbours", "Votes", "Passes"):
        assert part in result.stdout
    told = json.loads(
        run("explain", "neighbors.hilabel", row_of("unlabelled"), "--json").stdout
    )
    model = load_model("neighbors.hilabel")
    evidence = model.estimator.explain(model.sample_ids.index(told["id"])).deciding
    assert [row["id"] for row in told["neighbors"]] == [
        model.sample_ids[row] for row in evidence.neighbors
    ]
    assert {row["term"]: row["votes"] for row in told["votes"]} == {
        model.hierarchy.names[node]: votes
        for node, votes in enumerate(evidence.votes)
        if votes
    }


def test_a_labelled_row_is_not_its_own_neighbour(shop, run):
    row = row_of("labelled")
    told = json.loads(run("explain", "neighbors.hilabel", row, "--json").stdout)
    assert told["role"] == "labelled training row"
    assert row not in [neighbor["id"] for neighbor in told["neighbors"]]
    assert max(vote["share"] for vote in told["votes"]) <= 1
    assert told["passes"] == []
    settings = load_model("neighbors.hilabel").estimator.settings_
    assert len(told["neighbors"]) == settings.n_neighbors


def test_a_new_row_has_neighbours_among_the_training_rows(shop, run):
    text = (shop / "products.csv").read_text()
    (shop / "new.csv").write_text(text.replace("P0001", "N1"))
    told = json.loads(
        run(
            *["explain", "neighbors.hilabel", "N1", "--features", "new.csv", "--json"]
        ).stdout
    )
    assert told["role"] == "new row"
    assert told["neighbors"][0]["distance"] == 0
    assert told["neighbors"][0]["id"] == "P0001"


def test_decisions_follow_the_hierarchy(shop, run):
    told = json.loads(
        run(
            *["explain", "plain.hilabel", "P0001", "--features", "products.csv"],
            "--json",
        ).stdout
    )
    assert told["scored"] == "by the model, which was trained on its labels"
    model = load_model("plain.hilabel")
    seen = {}
    for row in told["decisions"]:
        above = [
            seen[model.hierarchy.names[node]]
            for node in model.hierarchy.ancestors(row["term"])
            if model.informative[node]
        ]
        seen[row["term"]] = row
        assert all(row["probability"] <= other["probability"] for other in above)
        is_limited = any(other["own"] < row["own"] for other in above)
        assert (row["limited_by"] is not None) == is_limited
        for feature in row["features"].split(", "):
            assert feature in model.feature_names
    assert told["neighbors"] == []


def test_a_figure_is_drawn(shop, run):
    result = run("explain", "neighbors.hilabel", "P0001", "--png", "why.png", "-q")
    assert (result.exit_code, result.stdout) == (0, "")
    assert (shop / "why.png").read_bytes().startswith(b"\x89PNG")


def test_what_a_method_does_not_have_is_left_out_of_the_text(shop, run):
    args = ["fit", "features.csv", "-l", "annotations.gaf", "-H", "terms.obo"]
    args += [
        "--fast",
        "--set",
        "n_estimators=5",
        "--no-measure",
        "-o",
        "go.hilabel",
    ]
    assert run(*args).exit_code == 0
    result = run("explain", "go.hilabel", "G0002", "--features", "features.csv")
    assert result.exit_code == 0, result.stderr
    told = result.stdout
    lines = told.splitlines()
    assert "median threshold" in told
    assert lines[3].split() == ["term", "name", "prob.", "threshold", "predicted"]
    assert "Splits on the row's path" in told
    assert "Votes" not in told
    assert max(map(len, lines)) <= 80
    assert " GO:0000002  function 2" in told
    assert "   function 8 " in told  # the child keeps its indentation


def decisions_of(run, row, *options):
    result = run(
        *["explain", "model.hilabel", row, "--features", "products.csv"], *options
    )
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_top_terms_take_as_many_lines(shop, run):
    lines = decisions_of(run, "P0001", "--top", "5").splitlines()
    assert lines[3].split()[0] in ("term", "name")
    assert all(line.strip() for line in lines[5:10])
    assert not lines[10].strip()
    told = json.loads(decisions_of(run, "P0001", "--top", "5", "--json"))
    assert len(told["decisions"]) == 5
    few = json.loads(decisions_of(run, "P0001", "--at-least", "1", "--json"))
    more = json.loads(decisions_of(run, "P0001", "--at-least", "7", "--json"))
    predicted = [row["term"] for row in few["decisions"] if row["predicted"]]
    assert set(predicted) <= {row["term"] for row in more["decisions"]}
    assert len(few["decisions"]) < 7 <= len(more["decisions"])


def test_each_decision_has_its_threshold_and_how_often_it_is_right(shop, run):
    header = decisions_of(run, "P0001").splitlines()[3].split()
    expected = ["prob.", "threshold", "precision", "recall", "predicted"]
    assert header[-5:] == expected
    told = json.loads(decisions_of(run, "P0001", "--json"))
    decision = load_model("model.hilabel").decision
    hierarchy = load_model("model.hilabel").hierarchy
    for row in told["decisions"]:
        node = hierarchy.node(row["term"])
        assert row["threshold"] == decision.threshold[node]


def test_a_row_of_training_is_scored_out_of_fold_and_that_is_said(shop, run):
    model = load_model("model.hilabel")
    number = int(model.labeled.argmax())
    row = model.sample_ids[number]
    text = decisions_of(run, row)
    assert f"{row}, labelled training row, scored out of fold" in text
    assert "trained without the labels of this" in text
    told = json.loads(decisions_of(run, row, "--json"))
    assert told["members"] == []
    stored = model.left_out[[number]].toarray()[0]
    for one in told["decisions"]:
        assert one["probability"] == stored[model.hierarchy.node(one["term"])]
        assert one["own"] is None


def test_on_a_narrow_terminal_each_line_becomes_a_paragraph(shop, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    lines = decisions_of(run, "P0001").splitlines()
    assert max(map(len, lines)) <= 50
    assert any(line.startswith("food: prob. 0.") for line in lines)
