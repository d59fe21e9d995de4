"""Links between rows, from files to predictions: ``--links`` of all commands."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

from hilabel.datasets import LinkFiles, write_example
from hilabel.persistence import load_model

DATA = [
    "proteins.fasta",
    *("--labels", "annotations.gaf"),
    *("--hierarchy", "terms.obo"),
]
LINKS = ["--links", "hits.m8"]
SPREADING = ["--method", "LinkSpreading"]
NEW = ["predict", "model.hilabel", "new_proteins.fasta"]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Return a folder with the example proteins and a model that spreads labels."""
    from click.testing import CliRunner

    from hilabel.cli import app

    folder = tmp_path_factory.mktemp("proteins")
    paths = write_example(folder, "proteins")
    command = ["fit", paths["features"], "-l", paths["labels"], "-H"]
    command += [paths["hierarchy"], "--links", paths["links"], *SPREADING]
    command += ["-o", folder / "model.hilabel"]
    done = CliRunner().invoke(app, [*map(str, command)], prog_name="hilabel")
    assert done.exit_code == 0, done.stderr
    return folder


@pytest.fixture
def proteins(trained, tmp_path, monkeypatch):
    """Return a copy of the folder, in which commands run."""
    folder = tmp_path / "proteins"
    shutil.copytree(trained, folder)
    monkeypatch.chdir(folder)
    return folder


def true_terms(folder):
    """Return the truth of new proteins: the term of the nearest protein by hits."""
    hits = pd.read_csv(folder / "new_hits.m8", sep="\t", header=None)
    return hits.sort_values(11, ascending=False).groupby(0)[1].agg(list)


def test_links_help_to_predict_new_rows(proteins, run):
    result = run(*NEW, "--links", "new_hits.m8", "-o", "linked.csv", "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert told["rows"] == 24
    assert 0 < told["rows linked to training rows"] <= 24
    alone = run(*NEW, "-o", "alone.csv")
    assert "none were given" in alone.stderr.replace("\n", " ")
    assert "the model was trained with links" in alone.stderr.replace("\n", " ")
    linked, plain = (pd.read_csv(name) for name in ("linked.csv", "alone.csv"))
    best = linked.groupby("id")["probability"].max()
    # Without links, all rows get the label frequencies.
    assert plain.groupby("id")["probability"].max().nunique() == 1
    assert best.median() > plain["probability"].max()


def test_a_row_without_links_gets_the_answer_without_links(proteins, run):
    hits = (proteins / "new_hits.m8").read_text().splitlines()
    names = sorted({line.split("\t")[0] for line in hits})
    half = set(names[::2])
    kept = [line for line in hits if line.split("\t")[0] in half]
    (proteins / "half.m8").write_text("\n".join(kept) + "\n")
    for links, output in (("half.m8", "half"), ("new_hits.m8", "all")):
        done = run(*NEW, "--links", links, "--format", "wide", "-o", f"{output}.csv")
        assert done.exit_code == 0, done.stderr
    assert run(*NEW, "--format", "wide", "-o", "none.csv").exit_code == 0
    half_of, whole, none = (
        pd.read_csv(f"{name}.csv", index_col="id") for name in ("half", "all", "none")
    )
    rows = [name for name in whole.index if name in half]
    others = [name for name in whole.index if name not in half]
    assert rows
    assert others
    np.testing.assert_array_equal(half_of.loc[rows], whole.loc[rows])
    np.testing.assert_array_equal(half_of.loc[others], none.loc[others])


def test_blocks_of_rows_have_their_own_links(proteins, run, monkeypatch):
    how = [*NEW, "--links", "new_hits.m8", "--format", "wide", "-o"]
    assert run(*how, "whole.csv").exit_code == 0
    monkeypatch.setattr("hilabel.tasks._predict.CELLS_AT_ONCE", 17 * 5)
    assert run(*how, "blocks.csv").exit_code == 0
    # Reading FASTA as a whole does not hide an offset: omit some rows, too.
    assert (proteins / "whole.csv").read_text() == (proteins / "blocks.csv").read_text()
    labels = pd.DataFrame({"id": ["P302", "P310"], "term": "GO:0000002"})
    labels.to_csv("known.csv", index=False)
    done = run(*how, "left.csv", "--without", "known.csv")
    assert done.exit_code == 0, done.stderr
    whole, left = (pd.read_csv(f"{n}.csv", index_col="id") for n in ("whole", "left"))
    pd.testing.assert_frame_equal(left, whole.drop(index=["P302", "P310"]))


def test_a_training_row_is_not_linked_to_itself(proteins):
    model = load_model(proteins / "model.hilabel")
    found = model.link(model.sample_ids, proteins / "hits.m8")
    assert not found.to_training.kinds["hits"].diagonal().any()
    assert found.report.n_self >= 300  # each protein hits itself


def test_predictions_of_training_rows_are_out_of_fold(proteins, run):
    how = ["predict", "model.hilabel", "proteins.fasta", *LINKS, "-o"]
    assert run(*how, "seen.csv").exit_code == 0
    table = pd.read_csv("seen.csv")
    assert table.loc[table["scored"] == "out of fold", "id"].nunique() == 60


def test_fit_says_what_became_of_the_links(proteins, run):
    with open("hits.m8", "a") as file:
        file.write("P001\tQ999\t50.0\t150\t9\t0\t1\t150\t1\t150\t1e-9\t99.0\n")
    how = ["fit", *DATA, *LINKS, "--method", "LinkVotes", "--details"]
    result = run(*how, "-o", "votes.hilabel")
    assert result.exit_code == 0, result.stderr
    told = " ".join(result.stdout.split())
    assert "1 to 1 unknown id (Q999)" in told
    assert "from a row to itself" in told
    assert "links: 1," in told
    assert "between rows; 0 of 300 rows have none" in told
    assert "--links hits.m8 --threshold model" in told


def test_the_default_method_says_whether_links_help(proteins, run):
    how = ["fit", *DATA, *LINKS, "--time", "10s", "-o", "blend.hilabel"]
    result = run(*how)
    assert result.exit_code == 0, result.stderr
    assert "links help:" in result.stdout
    assert run("report", "blend.hilabel", "-f", *DATA[:1], *LINKS).exit_code == 0
    assert "links help:" in (proteins / "report.html").read_text()
    how = ["predict", "blend.hilabel", "new_proteins.fasta", "--links", "new_hits.m8"]
    assert run(*how, "--top", "1", "-o", "best.csv").exit_code == 0
    assert pd.read_csv("best.csv")["probability"].mean() > 0.7


def test_a_method_that_ignores_links_says_so(proteins, run):
    how = ["fit", *DATA, *LINKS, "--method", "PriorClassifier", "--details"]
    told = " ".join(run(*how, "-o", "prior.hilabel").stdout.split())
    assert "not used (PriorClassifier learns from columns alone" in told
    result = run("predict", "prior.hilabel", "new_proteins.fasta", *LINKS)
    assert result.exit_code == 0
    assert "the links were ignored" in result.stderr


def test_rows_may_have_no_columns(proteins, run):
    lines = (proteins / "proteins.fasta").read_text().splitlines()
    ids = [line[1:].split()[0] for line in lines if line.startswith(">")]
    (proteins / "ids.txt").write_text("\n".join(ids) + "\n")
    new = ["id", *(f"P{number}" for number in range(301, 325))]
    (proteins / "new.txt").write_text("\n".join(new) + "\n")
    of_ids = ["ids.txt", *DATA[1:]]
    result = run("fit", *of_ids, *LINKS, *SPREADING, "-o", "ids.hilabel", "--details")
    assert result.exit_code == 0, result.stderr
    assert "rows have no columns" in result.stdout
    how = ["--links", "new_hits.m8", "--format", "wide", "-o"]
    assert run("predict", "ids.hilabel", "new.txt", *how, "a.csv").exit_code == 0
    assert run(*NEW, *how, "b.csv").exit_code == 0
    assert (proteins / "a.csv").read_text() == (proteins / "b.csv").read_text()
    wrong = run("predict", "ids.hilabel", "new_proteins.fasta", *how, "c.csv")
    assert wrong.exit_code == 2
    assert "expected ids, one per line" in wrong.stderr.replace("\n", " ")


def test_rows_without_columns_need_links(proteins, run):
    (proteins / "ids.csv").write_text("id\nP001\nP002\n")
    result = run("fit", "ids.csv", *DATA[1:])
    assert result.exit_code == 2
    assert "links between the rows are needed" in " ".join(result.stderr.split())
    assert "--links" in result.stderr


def test_kinds_are_named(proteins, run):
    (proteins / "pairs.csv").write_text("source,target\nP001,P002\nP003,P004\n")
    both = ["--links", "hits=hits.m8", "--links", "partners=pairs.csv"]
    how = ["fit", *DATA, *both, "--method", "LinkVotes", "-o", "both.hilabel"]
    result = run(*how, "--details")
    assert result.exit_code == 0, result.stderr
    assert "of the kinds hits, partners" in " ".join(result.stdout.split())
    assert load_model("both.hilabel").link_kinds == ("hits", "partners")
    how = ["predict", "both.hilabel", "new_proteins.fasta", "--links"]
    assert run(*how, "hits=new_hits.m8").exit_code == 0
    other = run(*how, "cites=new_hits.m8")
    assert other.exit_code == 2
    assert "expected links of the kinds hits, partners" in other.stderr
    more = run(*how, "hits=new_hits.m8", "--links", "cites=pairs.csv")
    assert more.exit_code == 0
    assert "links of the kinds cites were ignored" in more.stderr.replace("\n", " ")


def test_links_may_lead_one_way(proteins, run):
    (proteins / "cites.csv").write_text("source,target\nP001,P002\nP003,P001\n")
    how = ["fit", *DATA, "--links", "cites.csv", "--links-one-way"]
    done = run(*how, "--method", "LinkVotes", "-o", "way.hilabel", "--no-measure")
    assert done.exit_code == 0, done.stderr
    model = load_model("way.hilabel")
    assert not model.links_both_ways
    found = model.link(["P001"], proteins / "cites.csv")
    assert found.to_training.n_links == 1


def test_evaluation_with_groups_says_both_scores(proteins, run):
    how = ["evaluate", *DATA, *LINKS, "--method", "LinkVotes", "--json"]
    result = run(*how, "--groups", "0.9")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    measures = pd.DataFrame(told["measures"])
    assert list(measures.columns)[:3] == ["measure", "model", "without_groups"]
    (sentence,) = [one for one in told["verdict"] if one.startswith("groups:")]
    assert f"{measures['model'][0]:.3f} with strongly linked rows" in sentence
    assert f"{measures['without_groups'][0]:.3f} in folds without" in sentence


def test_a_model_has_groups_and_directions_of_its_own(proteins, run):
    how = ["evaluate", *DATA, *LINKS, "-m", "model.hilabel"]
    for option in (["--groups", "0.9"], ["--links-one-way"]):
        result = run(*how, *option)
        assert result.exit_code == 2
        assert f"{option[0]} controls training" in result.stderr


def test_half_of_the_rows_may_have_no_links(proteins, run):
    lines = (proteins / "hits.m8").read_text().splitlines()
    kept = [one for one in lines if max(one.split("\t")[:2]) <= "P150"]
    (proteins / "half.m8").write_text("\n".join(kept) + "\n")
    result = run("fit", *DATA, "--links", "half.m8", "--fast", "--json")
    assert result.exit_code == 0, result.stderr
    quality = json.loads(result.stdout)["summary"]["quality"]
    assert quality["average_precision"] > quality["constant_average_precision"] + 0.1
    told = " ".join(run("inspect", *DATA, "--links", "half.m8").stdout.split())
    assert "of 300 rows have no links" in told


def test_groups_need_links(proteins, run):
    result = run("evaluate", *DATA, "--groups", "0.9", "--method", "PriorClassifier")
    assert result.exit_code == 2
    assert "Expected links to group rows by" in result.stderr


def test_methods_are_compared_with_links(proteins, run):
    methods = "Naive,BLAST,LinkSpreading"
    result = run("compare", *DATA, *LINKS, "--methods", methods, "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    ranks = [row["method"] for row in told["measures"]]
    assert ranks[:3] == ["LinkSpreading", "BLAST", "Naive"]
    assert "--links hits.m8 --method LinkSpreading" in told["command"]
    named = ["compare", *DATA, "--links", "hits=hits.m8", "--groups", "0.9"]
    result = run(*named, "--methods", "BLAST,Naive", "--json")
    assert result.exit_code == 0, result.stderr
    command = json.loads(result.stdout)["command"]
    assert command.endswith("--links hits=hits.m8 --method LinkVotes")


def test_a_model_is_evaluated_with_links(proteins, run):
    hits = true_terms(proteins)
    known = pd.read_csv("annotations.gaf", sep="\t", comment="!", header=None)
    term_of = dict(zip(known[1], known[4]))
    truth = {
        new: next((term_of[one] for one in near if one in term_of), None)
        for new, near in hits.items()
    }
    rows = [(new, term) for new, term in truth.items() if term is not None]
    pd.DataFrame(rows, columns=["id", "term"]).to_csv("truth.csv", index=False)
    how = ["evaluate", "new_proteins.fasta", "-l", "truth.csv", "-m", "model.hilabel"]
    linked = run(*how, "--links", "new_hits.m8", "--json", "--details")
    assert linked.exit_code == 0, linked.stderr
    alone = json.loads(run(*how, "--json").stdout)
    better = json.loads(linked.stdout)
    assert (
        better["quality"]["average_precision"]
        > alone["quality"]["average_precision"] + 0.3
    )


def test_explain_and_inspect_take_links(proteins, run):
    how = ["--features", "new_proteins.fasta", "--links", "new_hits.m8"]
    linked = run("explain", "model.hilabel", "P305", *how, "--json")
    assert linked.exit_code == 0, linked.stderr
    alone = run("explain", "model.hilabel", "P305", *how[:2], "--json")
    best = [
        max(row["probability"] for row in json.loads(one.stdout)["decisions"])
        for one in (linked, alone)
    ]
    assert best[0] > best[1]
    result = run("inspect", *DATA, *LINKS)
    assert result.exit_code == 0, result.stderr
    assert "rows without links" in result.stdout


def test_a_file_of_links_is_described(proteins, run):
    told = json.loads(run("inspect", "hits.m8", "--json").stdout)
    lines = (proteins / "hits.m8").read_text().splitlines()
    assert told["links"] == len(lines)
    (kind,) = told["kinds of links"]
    assert kind["kind"] == "hits"
    assert kind["to itself"] == sum(len(set(one.split("\t")[:2])) == 1 for one in lines)
    most = max(float(one.split("\t")[-1]) for one in lines)
    assert kind["most"] == pytest.approx(most, rel=1e-6)  # in single precision
    (proteins / "pairs.csv").write_text("source,target\na,b\n")
    told = json.loads(run("inspect", "pairs.csv", "--as", "links", "--json").stdout)
    assert told["links"] == 1
    (proteins / "bad.csv").write_text("source,target,weight\na,b,-1\n")
    wrong = run("inspect", "bad.csv", "--as", "links")
    assert wrong.exit_code == 2
    assert "expected a finite weight" in " ".join(wrong.stdout.split())


def test_an_empty_file_of_links_is_one_clear_error(proteins, run):
    (proteins / "empty.m8").write_text("")
    for command in (["fit", *DATA], ["predict", "model.hilabel", "proteins.fasta"]):
        result = run(*command, "--links", "empty.m8")
        assert result.exit_code == 2
        assert "empty.m8" in result.stderr


def test_links_to_unknown_ids_alone_are_one_clear_error(proteins, run):
    (proteins / "other.csv").write_text("source,target\nX1,X2\nX2,X3\n")
    result = run("fit", *DATA, "--links", "other.csv")
    assert result.exit_code == 2
    assert "no link is between two rows" in result.stderr
    # New rows may simply have none.
    result = run(*NEW, "--links", "other.csv")
    assert result.exit_code == 0
    assert "no row is linked to a training row" in result.stderr.replace("\n", " ")


def test_a_star_of_ten_thousand_links(proteins, run):
    rng = np.random.default_rng(0)
    names = [f"S{number}" for number in range(10_000)]
    ids = [*names, "hub"]
    (proteins / "star.txt").write_text("\n".join(ids) + "\n")
    lines = ["source,target", *(f"hub,{name}" for name in names)]
    (proteins / "star.csv").write_text("\n".join(lines) + "\n")
    some = rng.permutation(names)[:200]
    labels = [f"{name},{'ab'[at % 2]}" for at, name in enumerate(some)]
    (proteins / "labels.csv").write_text("\n".join(["id,term", *labels]) + "\n")
    how = ["fit", "star.txt", "-l", "labels.csv", "--links", "star.csv"]
    for method in ("LinkVotes", "LinkSpreading"):
        result = run(*how, "--method", method, "-o", "star.hilabel")
        assert result.exit_code in (0, 3), result.stderr  # it tells nothing
        assert "10,000 between rows" not in result.stderr


def test_links_are_never_overwritten(proteins, run):
    before = (proteins / "hits.m8").read_bytes()
    for name in ("hits.m8", "new_hits.m8"):
        result = run(*NEW, "--links", f"hits={name}", "-o", name)
        assert result.exit_code != 0
    assert (proteins / "hits.m8").read_bytes() == before


def test_a_missing_file_of_links_is_named(proteins, run):
    result = run("fit", *DATA, "--links", "hits=nothing.m8")
    assert result.exit_code == 2
    assert "nothing.m8" in result.stderr


def test_tuning_uses_the_links_of_validation_rows(proteins, run):
    how = ["fit", *DATA, *LINKS, *SPREADING, "--valid-share", "0.3"]
    result = run(*how, "--tune", "alpha=0.5,0.9", "-o", "tuned.hilabel", "--json")
    assert result.exit_code == 0, result.stderr
    points = json.loads(result.stdout)["summary"]["tuning"]["points"]
    assert min(point["score"] for point in points) > 0.6


def test_files_of_links_are_listed_among_the_inputs(proteins):
    model = load_model("model.hilabel")
    assert model.record.files["links"] == "hits.m8"
    assert LinkFiles.of("hits.m8").paths()[0].name == "hits.m8"
