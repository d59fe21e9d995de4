import pytest

from hilabel.classifiers import MethodTags


def test_default_handles_all_eight_problem_types():
    assert len(MethodTags().problem_types) == 8


def test_tree_single_path_full_depth_handles_that_alone():
    tags = MethodTags(structure="T", paths="SPL", depth="FD")
    assert tags.problem_types == (("T", "SPL", "FD"),)


def test_harder_problems_include_the_easier_ones():
    tags = MethodTags(structure="DAG", paths="SPL", depth="PD")
    assert tags.handles("T", "SPL", "FD")
    assert tags.handles("DAG", "SPL", "PD")
    assert not tags.handles("T", "MPL", "FD")


def test_unknown_value_is_refused():
    with pytest.raises(ValueError, match="Expected 'T' or 'DAG', got 'tree'"):
        MethodTags(structure="tree")
