"""Parts of a study, chosen by name."""

import pytest
from hypothesis import given, strategies as st
from study_cases import TINY

from hilabel.exceptions import ParameterError
from hilabel.studies import make_plan, read_study
from hilabel.studies._selection import select_runs

AXES = {
    "datasets": ["tree", "dag"],
    "fractions": [0.2, 0.5, 1.0],
    "methods": ["constant", "LCN", "V1", "V2"],
    "repetitions": [1, 2],
}


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    path = tmp_path_factory.mktemp("plan") / "tiny.toml"
    path.write_text(TINY)
    return make_plan(read_study(path))


def place(run):
    return (
        run.cell.dataset.name,
        run.cell.fraction,
        run.method.name,
        run.cell.repetition,
    )


@given(
    st.fixed_dictionaries({k: st.lists(st.sampled_from(v)) for k, v in AXES.items()})
)
def test_the_chosen_runs_are_those_that_a_filter_keeps(plan, chosen):
    expected = [
        run
        for run in plan
        if all(not chosen[k] or v in chosen[k] for k, v in zip(AXES, place(run)))
    ]
    if expected:
        assert select_runs(plan, **chosen) == expected
    else:
        with pytest.raises(ParameterError, match="at least one run, got none"):
            select_runs(plan, **chosen)


def test_single_values_need_no_list_and_fractions_may_be_rounded(plan):
    chosen = select_runs(
        plan, datasets="tree", fractions=0.1 + 0.1, methods="V2", repetitions=1
    )
    assert [place(run) for run in chosen] == [("tree", 0.2, "V2", 1)]
    assert select_runs(plan, fractions=0.7 - 0.2)  # 0.49999999999999994


def test_a_set_of_a_collection_has_its_short_name_and_its_long_one(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(
        'fractions = [0.1]\ndatasets = ["GO/pheno", "GO/spo"]\n'
        'methods.a = { class = "PriorClassifier" }\n'
    )
    plan = make_plan(read_study(path))
    for name in ("spo", "GO/spo"):
        [run] = select_runs(plan, datasets=[name])
        assert run.cell.dataset.name == "spo"


@pytest.mark.parametrize(
    ("unknown", "message"),
    [
        ({"datasets": "tre"}, r"one of tree, dag; got 'tre'\. Did you .*'tree'"),
        ({"fractions": 0.3}, "labelled fraction .* one of 0.2, 0.5, 1; got '0.3'"),
        ({"methods": ["LCN", "V9"]}, "method .* constant, LCN, V1, V2; got 'V9'"),
        ({"repetitions": [3]}, "repetition .* one of 1 to 2; got '3'"),
        ({"datasets": [7]}, "one of tree, dag; got '7'"),
    ],
)  # fmt: skip
def test_what_the_study_does_not_have_is_answered_with_what_it_has(
    plan, unknown, message
):
    with pytest.raises(ParameterError, match=message):
        select_runs(plan, **unknown)
