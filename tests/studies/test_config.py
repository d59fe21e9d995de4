"""Study files: what they say, and one clear line for every mistake."""

from pathlib import Path

import pytest

from hilabel.exceptions import StudyConfigError
from hilabel.studies import Preprocessing, read_study
from hilabel.studies._data import name_in_collection

SHIPPED = sorted((Path(__file__).parents[2] / "studies").glob("*.toml"))

TEXT = """\
seed = 3
fractions = [0.1, 0.5]
repetitions = 2
supervised = "LCN"
measures = ["fmax", "violations"]
datasets = [
  "GO/pheno",
  { name = "made", source = "synthetic", n_samples = 40 },
]
preprocessing = { scaling = "standard" }

[methods.LCN]
class = "LocalClassifierPerNode"

[methods.V2]
class = "hilabel.semi_supervised.SSHMCBLI"
params = { variant = "v2" }
grid = { n_neighbors = [3, 4] }
preprocessing = { imputation = "zero" }
"""


def write(tmp_path, text):
    path = tmp_path / "study.toml"
    path.write_text(text)
    return path


def test_a_study_is_what_its_file_says(tmp_path):
    study = read_study(write(tmp_path, TEXT))
    assert study.name == "study"
    assert (study.seed, study.fractions, study.repetitions) == (3, (0.1, 0.5), 2)
    assert study.measures == ("fmax", "violations")
    assert study.tune_on == "fmax"
    assert [d.name for d in study.datasets] == ["pheno", "made"]
    assert dict(study.datasets[1].options) == {"n_samples": 40, "random_state": 0}
    lcn, v2 = study.methods
    assert lcn.class_path == "hilabel.classifiers.LocalClassifierPerNode"
    assert lcn.preprocessing == Preprocessing("mean", "standard")
    assert v2.preprocessing == Preprocessing("zero", "standard")
    assert list(v2.grid_points()) == [{"n_neighbors": 3}, {"n_neighbors": 4}]
    assert study.supervised == {"LCN": "LCN", "V2": "LCN"}


def test_words_of_the_paper_become_names_of_hilabel(tmp_path):
    plain = TEXT.replace("hilabel.semi_supervised.SSHMCBLI", "SSHMCBLI")
    worded = plain.replace('"SSHMCBLI"\nparams = { variant = "v2" }', '"V2"')
    worded = worded.replace("n_neighbors", "k")
    assert worded != plain
    found, expected = (read_study(write(tmp_path, text)) for text in (worded, plain))
    assert found.methods == expected.methods
    hyphened = read_study(write(tmp_path, plain.replace('"SSHMCBLI"', '"sshmc-bli"')))
    assert hyphened.methods == expected.methods
    lcn = TEXT.replace('"LocalClassifierPerNode"', '"LCN"')
    lcn = read_study(write(tmp_path, lcn)).methods[0]
    assert lcn.params == {
        "policy": "balanced_bottom_up",
        "negatives_order": "siblings_first",
    }
    forest = TEXT.replace('"LocalClassifierPerNode"', '"SSL-RF"')
    path = read_study(write(tmp_path, forest)).methods[0].class_path
    assert path == "hilabel.semi_supervised.SSLPCTForest"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'class = "hilabel.semi_supervised.SSHMCBLI"',
            'class = "V1"',
            r"line 17: methods.V2.params.variant: expected variant = 'v1', got 'v2'",
        ),
        (
            "{ n_neighbors = [3, 4] }",
            "{ n_neighbors = [3, 4], k = [5] }",
            "line 18: methods.V2.grid.k: expected a parameter of SSHMCBLI",
        ),
        ("LocalClassifierPerNode", "Foo", r"line 13: methods.LCN.class: .*got 'Foo'"),
        ('"hilabel.semi', '"hilabel.demi', "line 16: .*importing 'hilabel.demi"),
        ("SSHMCBLI", "Foo", "line 16: .*has no class 'Foo'"),
        ('"LocalClassifierPerNode"', "7", "line 13: methods.LCN.class: .*got 7"),
        (
            '"LocalClassifierPerNode"',
            '"hilabel.hierarchy.Hierarchy"',
            "line 13: .*a class with fit",
        ),
        ('class = "Local', 'klass = "Local', "line 13: methods.LCN.klass: .*'klass'"),
        ("variant = ", "variety = ", "line 17: methods.V2.params.variety: .*variant"),
        ('"v2"', '"v9"', "line 17: methods.V2.params: .*'variant' parameter.*v9"),
        ("n_neighbors =", "neighbors =", "line 18: methods.V2.grid.neighbors: "),
        ("[3, 4]", "[3, 0]", r"line 18: methods.V2.grid.n_neighbors: .*n_neighbors"),
        ("[3, 4]", "3", "line 18: .*expected a list of values, got 3"),
        (
            "n_neighbors =",
            "variant =",
            "line 18: .*without a fixed value, got 'variant'",
        ),
        (
            '"v2"',
            '{ function = "votes.py:mine" }',
            "line 17: methods.V2.params.variant: expected a function .importing",
        ),
        (
            '"v2"',
            '{ function = "numpy.nothing" }',
            "line 17: methods.V2.params.variant: .*has no function 'nothing'",
        ),
        (
            "[3, 4]",
            '[{ class = "votes.py:Mine" }]',
            "line 18: methods.V2.grid.n_neighbors: expected a class .importing",
        ),
        ("[0.1", "[0", r"line 2: fractions.0: .*above 0 and at most 1, got 0;"),
        ("0.5]", "1.2]", r"line 2: fractions.1: .*above 0 and at most 1, got 1.2;"),
        ("0.5]", "0.1]", "line 2: fractions.1: expected each entry once"),
        ("[0.1, 0.5]", "[]", "line 2: fractions: .*at least one entry"),
        ("GO/pheno", "GO/phen", "line 7: datasets.0: .*GO/pheno.*got 'GO/phen'"),
        ('"GO/pheno"', "7", "line 7: datasets.0: .*got 7"),
        ("n_samples", "rows", "line 8: datasets.1.rows: .*n_samples"),
        ('"synthetic"', '"web"', "line 8: datasets.1.source: .*arff.*got 'web'"),
        ('"synthetic"', '"arff"', "line 8: datasets.1.n_samples: "),
        (
            '"GO/pheno"',
            '{ name = "made", source = "synthetic" }',
            "distinct names, got 'made'",
        ),
        (
            '"GO/pheno"',
            '{ name = "phenoo", source = "GO" }',
            "line 7: datasets.0.name: .*GO/pheno.*got 'GO/phenoo'",
        ),
        ("= 40", "= 2020-01-01", "line 8: datasets.1.n_samples: expected a number"),
        (
            'source = "synthetic", n_samples = 40',
            'source = "arff", train = 3, valid = "v", test = "t"',
            "line 8: datasets.1.train: expected the path of a file, got 3",
        ),
        ("seed = 3", 'name = "a/b"', "line 1: name: .*a valid folder name, got 'a/b'"),
        ("seed = 3", 'name = ""', "line 1: name: .*a valid folder name, got ''"),
        (
            "methods.V2",
            "methods.gain",
            "methods.gain: expected a name that is not a column",
        ),
        ("fmax", "f_max", "line 5: measures.0: .*fmax.*got 'f_max'"),
        ('"fmax"', '["fmax"]', r"line 5: measures.0: .*fmax.*got \['fmax'\]"),
        ('"LCN"\nm', '"V9"\nm', "line 4: supervised: expected one of LCN, V2, got"),
        ('"standard"', '"log"', "line 10: preprocessing.scaling: .*minmax.*got 'log'"),
        ('"zero"', '"nil"', "line 19: methods.V2.preprocessing.imputation: .*'nil'"),
        (
            "seed = 3",
            "seed = true",
            "line 1: seed: expected an integer from 0 .*got True",
        ),
        ("repetitions = 2", "repetitions = 0", "line 3: repetitions: .*from 1 to"),
        ("seed = 3", f"seed = {2**70}", "line 1: seed: .*from 0 to 4294967295, got"),
        ("repetitions = 2", f"repetitions = {10**15}", "line 3: .* to 10000, got"),
        ("repetitions", "repeats", "line 3: repeats: .*repetitions.*rename it"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path, old, new, message):
    assert old in TEXT
    path = write(tmp_path, TEXT.replace(old, new, 1))
    with pytest.raises(StudyConfigError, match=message) as caught:
        read_study(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"{path}, line ")


def test_both_collections_can_have_a_set_of_the_same_name(tmp_path):
    text = TEXT.replace('"GO/pheno",', '"GO/pheno", "FUN/pheno", "FUN/spo",')
    specs = read_study(write(tmp_path, text)).datasets
    names = [spec.name for spec in specs]
    assert names == ["GO/pheno", "FUN/pheno", "spo", "made"]
    assert [name_in_collection(spec) for spec in specs[:3]] == ["pheno", "pheno", "spo"]


def test_a_mark_at_the_start_of_the_file_is_passed_over(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(TEXT, encoding="utf-8-sig")
    assert read_study(path).seed == 3


@pytest.mark.parametrize("key", ["fractions", "datasets", "methods"])
def test_what_has_no_default_must_be_there(tmp_path, key):
    lines = {
        "fractions": "fractions = [0.1]",
        "datasets": 'datasets = ["GO/pheno"]',
        "methods": '[methods.a]\nclass = "PriorClassifier"',
    }
    text = "\n".join(line for name, line in lines.items() if name != key)
    with pytest.raises(StudyConfigError, match=f"{key}: expected .* got nothing"):
        read_study(write(tmp_path, text))


def test_data_that_are_not_here_are_named_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setenv("HILABEL_DATA", str(tmp_path))
    study = read_study(write(tmp_path, TEXT))
    with pytest.raises(StudyConfigError, match=r"line 7: datasets.0: .*HILABEL_DATA"):
        study.check_data()


def test_files_of_ones_own_are_looked_for_beside_the_study_file(tmp_path):
    entry = (
        'datasets = [{ name = "mine", source = "arff", train = "a.arff", '
        'valid = "b.arff", test = "c.arff" }]\n'
    )
    text = 'fractions = [0.5]\n{}[methods.a]\nclass = "PriorClassifier"\n'
    study = read_study(write(tmp_path, text.format(entry)))
    (tmp_path / "a.arff").write_text("")
    with pytest.raises(StudyConfigError, match="datasets.0.valid: .*got 'b.arff'"):
        study.check_data()
    for name in ("b.arff", "c.arff"):
        (tmp_path / name).write_text("")
    study.check_data()


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_studies_are_valid_and_in_honest_company(path):
    study = read_study(path)
    names = [method.name for method in study.methods]
    company = {"forest"} if path.stem == "unlabelled" else {"LCN", "LCN prior"}
    assert {"constant"} | company <= set(names)
    assert set(names) == set(study.supervised)


def test_the_paper_study_is_the_paper_s():
    study = read_study(next(p for p in SHIPPED if p.stem == "paper_go"))
    assert study.fractions == (0.1, 0.3, 0.5, 0.7, 0.9)
    assert study.repetitions == 3
    assert len(study.datasets) == 10
    for variant in ("V1", "V2", "V3"):
        method = next(m for m in study.methods if m.name == variant)
        assert method.params == {"variant": variant.lower()}
        assert method.grid == {
            "n_neighbors": [3, 4, 5],
            "similarity_threshold": [0.3, 0.5, 0.7],
        }
