"""Studies on a user's own tables: read as by the commands, divided, and noticed."""

import numpy as np
import pandas as pd
import pytest
from two_aspects import write_genes

from hilabel.datasets import load_table, read_features, write_example
from hilabel.exceptions import StudyConfigError
from hilabel.report.study import write_study_report
from hilabel.studies import make_plan, read_results, read_study, run_study
from hilabel.studies._data import load_dataset

STUDY = """\
fractions = [0.5]
repetitions = 2
supervised = "LCN"
measures = ["micro_average_precision"]

[datasets.genes]
features = "features.csv"
labels = "annotations.gaf"
hierarchy = "terms.obo"
exclude_evidence = ["IEA"]
folds = 2

[datasets.shop]
features = "products.csv"
labels = "labels.csv"
hierarchy = "taxonomy.csv"

[methods.constant]
class = "PriorClassifier"

[methods.LCN]
class = "LocalClassifierPerNode"
params = { estimator = { class = "sklearn.tree.DecisionTreeClassifier" } }
"""


@pytest.fixture
def study(tmp_path):
    """Return the path of a study beside the files that it names."""
    write_example(tmp_path, "go")
    write_example(tmp_path, "shop")
    path = tmp_path / "mine.toml"
    path.write_text(STUDY)
    return path


def splits_of(path, number=0, repetition=1):
    return load_dataset(read_study(path).datasets[number], repetition)


def test_tables_are_studied_up_to_the_report(study):
    folder = study.parent / "results"
    status = run_study(study, folder)
    assert status.n_done == status.n_runs
    assert not status.failed
    results = read_results(folder)["results"]
    assert set(results["dataset"]) == {"genes", "shop"}
    page = write_study_report(folder, folder / "report")
    assert "genes" in page.read_text(encoding="utf-8")


def test_every_labelled_row_is_tested_in_one_fold_and_the_others_train(study):
    parts = [splits_of(study, repetition=number) for number in (1, 2)]
    data = load_table(
        study.parent / "features.csv",
        study.parent / "annotations.gaf",
        study.parent / "terms.obo",
        exclude_evidence=["IEA"],
        min_count=5,
    ).dataset
    tested = [row for part in parts for row in part.test.sample_ids]
    labeled = [row for row, known in zip(data.sample_ids, data.labeled) if known]
    assert sorted(tested) == sorted(labeled)
    assert splits_of(study, repetition=3).test.sample_ids == parts[0].test.sample_ids
    for part in parts:
        assert sum(split.n_samples for split in part) == data.n_samples
        assert (~part.train.labeled).sum() == (~data.labeled).sum()
        assert part.hierarchy.names == data.hierarchy.names


def test_a_quarter_of_the_labelled_rows_is_tested_unless_told_otherwise(study):
    assert splits_of(study, 1).test.n_samples == 30  # of 120
    study.write_text(
        STUDY.replace('"taxonomy.csv"', '"taxonomy.csv"\ntest_fraction = 0.5')
    )
    assert splits_of(study, 1).test.n_samples == 60


def test_options_are_true_or_false(study):
    option = '"taxonomy.csv"\nstrip_version = {}'
    study.write_text(STUDY.replace('"taxonomy.csv"', option.format("true")))
    assert splits_of(study, 1).test.n_samples == 30
    study.write_text(STUDY.replace('"taxonomy.csv"', option.format('"yes"')))
    with pytest.raises(StudyConfigError, match="strip_version: expected true or false"):
        read_study(study)


def with_test_file(study, n_test):
    """Move the last rows of the shop into a table of their own."""
    table = study.parent / "products.csv"
    head, *rows = table.read_text().splitlines()
    table.write_text("\n".join([head, *rows[:-n_test]]))
    (study.parent / "new.csv").write_text("\n".join([head, *rows[-n_test:]]))
    study.write_text(
        STUDY.replace('"taxonomy.csv"', '"taxonomy.csv"\ntest_features = "new.csv"')
    )


def test_a_test_file_is_read_like_the_training_file(study):
    whole = load_table(*(study.parent / n for n in ("products.csv", "labels.csv")))
    labeled = dict(zip(whole.dataset.sample_ids, whole.dataset.labeled))
    with_test_file(study, 100)
    splits = splits_of(study, 1)
    last = list(labeled)[-100:]
    assert list(splits.test.sample_ids) == [row for row in last if labeled[row]]
    assert splits.train.n_features == splits.test.n_features
    assert splits.test.hierarchy is splits.train.hierarchy


def test_the_validation_rows_are_a_share_or_a_table_of_their_own(study):
    def ids_of():
        return [set(part.sample_ids) for part in splits_of(study, 1)]

    train, valid, test = ids_of()
    assert len(valid) == 30  # a third of the 90 labelled training rows
    option = '"taxonomy.csv"\n{}'
    study.write_text(
        STUDY.replace('"taxonomy.csv"', option.format("valid_fraction = 0.2"))
    )
    parts = ids_of()
    assert len(parts[1]) == 18
    assert parts[0] | parts[1] == train | valid
    assert parts[2] == test
    table = study.parent / "products.csv"
    head, *rows = table.read_text().splitlines()
    table.write_text("\n".join([head, *rows[:-100]]))
    (study.parent / "valid.csv").write_text("\n".join([head, *rows[-100:]]))
    option = option.format('valid_features = "valid.csv"')
    study.write_text(STUDY.replace('"taxonomy.csv"', option))
    parts = ids_of()
    last = {row.partition(",")[0] for row in rows[-100:]}
    assert parts[1] <= last
    assert len(parts[1]) > 0
    assert not (parts[0] | parts[2]) & last
    # A changed validation file makes other runs.
    before = make_plan(read_study(study))[-1].id
    (study.parent / "valid.csv").write_text("\n".join([head, *rows[-90:]]))
    assert make_plan(read_study(study))[-1].id != before


def test_validation_rows_never_train_and_choose_the_grid_point(study):
    table = study.parent / "products.csv"
    head, *rows = table.read_text().splitlines()
    table.write_text("\n".join([head, *rows[:-100]]))
    (study.parent / "valid.csv").write_text("\n".join([head, *rows[-100:]]))
    (study.parent / "mine.py").write_text(
        "from hilabel.classifiers import PriorClassifier\n"
        "class Mine(PriorClassifier):\n"
        "    def __init__(self, hierarchy=None, *, share=1.0):\n"
        "        self.hierarchy, self.share = hierarchy, share\n"
        "    def fit(self, X, y):\n"
        "        self.n_seen = len(X)\n"
        "        return super().fit(X, y)\n"
        "    def predict_proba(self, X):\n"
        "        from pathlib import Path\n"
        f"        with open({str(study.parent / 'seen.txt')!r}, 'a') as file:\n"
        "            file.write(f'{self.n_seen} {len(X)}\\n')\n"
        "        return super().predict_proba(X)\n"
    )
    start = STUDY.index("[datasets.genes]")
    end = STUDY.index("[datasets.shop]")
    text = STUDY[:start] + STUDY[end:].replace(
        '"taxonomy.csv"', '"taxonomy.csv"\nvalid_features = "valid.csv"'
    )
    text += '\n[methods.mine]\nclass = "mine.py:Mine"\ngrid = { share = [1.0, 0.5] }\n'
    study.write_text(text)
    splits = splits_of(study)
    status = run_study(study, study.parent / "r", methods="mine", repetitions=1)
    assert status.failed == ()
    sizes = [part.n_samples for part in splits]
    lines = (study.parent / "seen.txt").read_text().splitlines()
    seen = [line.split() for line in lines]
    n_labeled = str(sizes[0])
    assert seen[:2] == [[n_labeled, str(sizes[1])]] * 2
    assert seen[2] == [n_labeled, str(sizes[2])]


def test_rows_in_both_tables_are_refused(study):
    with_test_file(study, 100)
    (study.parent / "new.csv").write_bytes((study.parent / "products.csv").read_bytes())
    message = r"datasets\.shop\.test_features: .*other rows than in"
    with pytest.raises(StudyConfigError, match=message):
        read_study(study).check_data()


def test_a_test_table_with_its_own_labels_needs_no_other_file(study):
    labels = dict(
        line.split(",", 1)
        for line in (study.parent / "labels.csv").read_text().splitlines()[1:]
    )
    table = study.parent / "products.csv"
    head, *rows = table.read_text().splitlines()
    whole = [f"{row},{labels.get(row.partition(',')[0], '')}" for row in rows]
    for name, some in {"products.csv": whole[:-100], "new.csv": whole[-100:]}.items():
        (study.parent / name).write_text("\n".join([f"{head},kind", *some]))
    shop = (
        'labels = "products.csv"\nlabel_columns = ["kind"]\n'
        'hierarchy = "taxonomy.csv"\ntest_features = "new.csv"\n'
    )
    start = STUDY.index('labels = "labels.csv"')
    study.write_text(STUDY[:start] + shop + STUDY[STUDY.index("[methods.constant]") :])
    splits = splits_of(study, 1)
    last = [row.partition(",")[0] for row in rows[-100:]]
    assert list(splits.test.sample_ids) == [row for row in last if labels.get(row)]
    assert "kind" not in " ".join(splits.train.feature_names)


def test_rows_of_the_test_table_cannot_choose_parameters(study):
    table = study.parent / "products.csv"
    head, *rows = table.read_text().splitlines()
    table.write_text("\n".join([head, *rows[:-100]]))
    (study.parent / "new.csv").write_text("\n".join([head, *rows[-100:]]))
    options = '"taxonomy.csv"\ntest_features = "new.csv"\nvalid_features = "new.csv"'
    study.write_text(STUDY.replace('"taxonomy.csv"', options))
    with pytest.raises(StudyConfigError, match=r"shop\.valid_features: .*other rows"):
        read_study(study).check_data()


def test_more_folds_than_labelled_rows_are_refused(study):
    study.write_text(STUDY.replace("folds = 2", "folds = 2000"))
    message = r"genes\.folds: .*one labelled row for each of 2000 folds"
    with pytest.raises(StudyConfigError, match=message):
        read_study(study).check_data()


def test_a_changed_file_makes_other_runs_of_its_data_set_alone(study):
    before = [run.id for run in make_plan(read_study(study))]
    assert before == [run.id for run in make_plan(read_study(study))]
    with (study.parent / "products.csv").open("a") as file:
        file.write("\n")
    after = [run.id for run in make_plan(read_study(study))]
    changed = [old != new for old, new in zip(before, after)]
    assert changed == [
        run.cell.dataset.name == "shop" for run in make_plan(read_study(study))
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('labels = "labels.csv"\n', "", r"datasets\.shop\.labels: expected a value"),
        ("folds = 2", "folds = 1", r"line 11: datasets\.genes\.folds: expected an int"),
        ("folds = 2", "min_count = -1", r"genes\.min_count: expected an integer"),
        ("folds = 2", "fold = 2", r"datasets\.genes\.fold: expected one of"),
        (
            "folds = 2",
            "test_fraction = 2",
            r"genes\.test_fraction: expected a number above 0",
        ),
        ('["IEA"]', '"IEA"', r"genes\.exclude_evidence: expected a list of names"),
        (
            "folds = 2",
            "folds = 2\ntest_fraction = 0.5",
            r"test_fraction already chooses",
        ),
        ("folds = 2", 'test_labels = "a"', r"test_features: expected the features"),
        ("folds = 2", 'valid_labels = "a"', r"valid_features: expected the features"),
        (
            "folds = 2",
            "valid_fraction = 1.5",
            r"genes\.valid_fraction: expected a number above 0 and below 1",
        ),
        (
            "folds = 2",
            'valid_fraction = 0.5\nvalid_features = "a"',
            "valid_fraction: valid_features already has the validation rows",
        ),
    ],
)
def test_a_mistake_is_named_with_its_key(study, old, new, message):
    study.write_text(STUDY.replace(old, new))
    with pytest.raises(StudyConfigError, match=message):
        read_study(study)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"terms.obo"', '"nowhere.obo"', r"line 9: datasets\.genes\.hierarchy"),
        (
            "folds = 2",
            'id_column = "nothing"',
            r"genes: .*a column 'nothing'",
        ),
        ('"labels.csv"', '"taxonomy.csv"', r"datasets\.shop.*taxonomy\.csv"),
    ],
)
def test_files_that_cannot_be_read_are_named_before_any_work(study, old, new, message):
    study.write_text(STUDY.replace(old, new))
    with pytest.raises(StudyConfigError, match=message):
        read_study(study).check_data()


def test_a_set_of_a_collection_can_stand_beside_tables(study):
    study.write_text(STUDY + '\n[datasets."GO/pheno"]\n')
    names = [spec.name for spec in read_study(study).datasets]
    assert names == ["genes", "shop", "pheno"]


def test_unknown_aspects_are_absent_for_methods_that_need_it_so(tmp_path):
    write_genes(tmp_path, n_genes=120, n_new=0)
    path = tmp_path / "mine.toml"
    path.write_text(
        """\
fractions = [1.0]
repetitions = 1
supervised = "LCN"
measures = ["micro_average_precision"]

[datasets.genes]
features = "features.csv"
labels = "annotations.gaf"
hierarchy = "terms.obo"

[methods.LCN]
class = "LocalClassifierPerNode"
params = { estimator = { class = "sklearn.tree.DecisionTreeClassifier" } }

[methods.levels]
class = "LocalClassifierPerLevel"
params = { estimator = { class = "sklearn.tree.DecisionTreeClassifier" } }
"""
    )
    splits = splits_of(path)
    test = splits.test
    assert 0 < (test.Y < 0).sum() < test.Y.size
    status = run_study(path, tmp_path / "results")
    assert not status.failed
    results = read_results(tmp_path / "results")["results"].set_index("method")
    # Unknown in part is labelled.
    assert set(results["n_labeled"]) == {splits.train.n_samples}
    assert "are treated as complete" in results["warnings"]["levels"]
    assert "are treated as complete" not in results["warnings"]["LCN"]


def test_arrays_are_studied_with_their_ids(study):
    folder = study.parent
    table = read_features(folder / "products.csv", columns=["price", "weight"])
    for name, half in (("", slice(0, 200)), ("test_", slice(200, None))):
        np.save(folder / f"{name}x.npy", table.frame.to_numpy()[half])
        (folder / f"{name}ids.txt").write_text("\n".join(table.ids[half]))
    names = ("features", "ids", "test_features", "test_ids")
    files = ("x.npy", "ids.txt", "test_x.npy", "test_ids.txt")
    lines = [f'{name} = "{file}"' for name, file in zip(names, files, strict=True)]
    labels = [f"{row_id},tea" for row_id in table.ids]
    (folder / "labels.csv").write_text("\n".join(labels))
    study.write_text(STUDY.replace('features = "products.csv"', "\n".join(lines)))
    splits = splits_of(study, number=1)
    assert splits.test.sample_ids == table.ids[200:]
    assert splits.test.feature_names == ("x0", "x1")


def test_tables_of_results_do_not_replace_those_that_are_studied(study):
    folder = study.parent
    features = folder / "results.parquet"
    read_features(folder / "products.csv").frame.to_parquet(features)
    study.write_text(STUDY.replace("products.csv", features.name))
    before = features.read_bytes()
    with pytest.raises(FileExistsError, match="results.parquet: this file is also an"):
        run_study(study, folder)
    assert features.read_bytes() == before
    assert not [*(folder / "runs").iterdir()]  # it was said before any work


@pytest.mark.parametrize("content", ["[", "[]", '{"genes": 1}', '{"genes": {"a": []}}'])
def test_a_note_of_contents_that_is_damaged_is_named(study, content):
    (study.parent / "contents.json").write_text(content)
    with pytest.raises(StudyConfigError, match="contents.json: expected"):
        read_study(study)


LINKED = """\
fractions = [1.0]
repetitions = 1
measures = ["micro_average_precision"]

[datasets.proteins]
features = "proteins.fasta"
labels = "annotations.gaf"
hierarchy = "terms.obo"
links = ["hits=hits.m8"]
min_count = 3

[methods.columns]
class = "LinearClassifier"
params = { C = 50.0, scale = "rows" }

[methods.spreading]
class = "LinkSpreading"
"""


@pytest.fixture
def linked(tmp_path):
    write_example(tmp_path, "proteins")
    path = tmp_path / "linked.toml"
    path.write_text(LINKED)
    return path


def test_rows_are_linked_to_training_rows_alone(linked):
    splits = splits_of(linked)
    n_rows = splits.train.n_samples
    for part in splits:
        assert part.links.shape == (part.n_samples, n_rows)
        assert part.links.names == ("hits",)
        assert part.links.n_links
    hits = pd.read_csv(linked.parent / "hits.m8", sep="\t", header=None)
    pairs = set(zip(hits[0], hits[1])) | set(zip(hits[1], hits[0]))
    rows, targets = splits.test.links.kinds["hits"].nonzero()
    found = [
        (splits.test.sample_ids[row], splits.train.sample_ids[target])
        for row, target in zip(rows, targets)
    ]
    assert set(found) <= pairs


def test_methods_of_a_study_learn_from_links(linked):
    status = run_study(linked, linked.parent / "results")
    assert not status.failed
    results = read_results(linked.parent / "results")["results"]
    score = results.set_index("method")["value"]
    assert score["spreading"] > score["columns"] + 0.1


def test_links_of_a_study_are_noticed_if_they_change(linked):
    before = read_study(linked).datasets[0]
    with open(linked.parent / "hits.m8", "a") as file:
        file.write("P001\tP002\t50.0\t150\t9\t0\t1\t150\t1\t150\t1e-9\t99.0\n")
    assert read_study(linked).datasets[0] != before


@pytest.mark.parametrize(
    ("new", "message"),
    [
        ('links = "hits.m8"', "a list of names"),
        ('links = ["none.m8"]', "none.m8"),
    ],
)
def test_wrong_links_of_a_study_are_named(linked, new, message):
    linked.write_text(LINKED.replace('links = ["hits=hits.m8"]', new))
    with pytest.raises(StudyConfigError, match=message):
        read_study(linked).check_data()
