"""The plan: every run once, with a name that stays."""

import pytest

from hilabel.studies import make_plan, read_study
from hilabel.studies._plan import cells_of

TEXT = """\
seed = 0
fractions = [0.1, 0.5]
repetitions = 2
supervised = "LCN"
datasets = [{ name = "a", source = "synthetic" }, "GO/pheno"]

[methods.LCN]
class = "LocalClassifierPerNode"

[methods.V2]
class = "SSHMCBLI"
grid = { n_neighbors = [3, 4] }
"""


@pytest.fixture
def plan_of(tmp_path):
    def plan(text):
        path = tmp_path / "study.toml"
        path.write_text(text)
        return make_plan(read_study(path))

    return plan


def names(plan):
    return {run.id: run.title for run in plan}


def test_every_method_is_run_in_every_cell_and_counterparts_with_all_labels(plan_of):
    plan = plan_of(TEXT)
    titles = [run.title for run in plan]
    # Two sets, two repetitions; two fractions with two methods, and one with one.
    assert len(titles) == len(set(titles)) == 2 * 2 * (2 * 2 + 1)
    assert "LCN on pheno 100% #2" in titles
    assert "V2 on pheno 100% #2" not in titles
    assert len({run.id for run in plan}) == len(plan)


def test_ids_are_the_same_on_every_machine(plan_of):
    assert plan_of(TEXT)[0].id == plan_of(TEXT)[0].id == "378f6ffd0e9ef6bc"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[methods.V2]", '[methods.prior]\nclass = "PriorClassifier"\n[methods.V2]'),
        ('"GO/pheno"', '"GO/pheno", "GO/spo"'),
        ("[0.1, 0.5]", "[0.3, 0.5, 0.1]"),
        ("repetitions = 2", "repetitions = 5"),
        ("[methods.LCN]", "# the first\n[methods.LCN]"),
    ],
)
def test_what_joins_a_study_renames_no_other_run(plan_of, old, new):
    before, after = names(plan_of(TEXT)), names(plan_of(TEXT.replace(old, new)))
    assert before.items() <= after.items()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seed = 0", "seed = 1"),
        ("[3, 4]", "[4, 3]"),
        ("[3, 4] }", '[3, 4] }\nparams = { variant = "v1" }'),
        ("[3, 4] }", '[3, 4] }\npreprocessing = { scaling = "standard" }'),
        ("seed = 0", 'seed = 0\nmeasures = ["fmax"]'),
        ("seed = 0", "seed = 0\nstratified = false"),
    ],
)
def test_what_changes_a_result_changes_its_name(plan_of, old, new):
    changed = names(plan_of(TEXT.replace(old, new)))
    kept = names(plan_of(TEXT)).keys() & changed.keys()
    assert not any(changed[run].startswith("V2") for run in kept)


def test_the_measure_tuned_on_matters_to_tuned_methods_alone(plan_of):
    before = names(plan_of(TEXT))
    after = names(plan_of('tune_on = "fmax"\n' + TEXT))
    kept = before.keys() & after.keys()
    assert {before[run].split()[0] for run in kept} == {"LCN"}
    assert {t.split()[0] for r, t in before.items() if r not in kept} == {"V2"}


def test_methods_of_a_cell_share_seeds_and_cells_do_not(plan_of):
    cells = cells_of(plan_of(TEXT))
    assert [run.method.name for run in cells[0]] == ["LCN", "V2"]
    assert len({run.cell.model_seed for run in cells[0]}) == 1
    assert len({cell[0].cell.model_seed for cell in cells}) == len(cells)
    assert len({cell[0].cell.label_seed for cell in cells}) == len(cells)


def test_nested_fractions_share_the_seed_of_the_choice(plan_of):
    plan = plan_of("nested = true\n" + TEXT)
    seeds = {
        run.cell.label_seed
        for run in plan
        if (run.cell.dataset.name, run.cell.repetition) == ("a", 1)
        and run.cell.fraction < 1
    }
    assert len(seeds) == 1
