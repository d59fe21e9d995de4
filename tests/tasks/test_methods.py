"""The methods by name."""

import pytest

from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.semi_supervised import SSHMCBLI
from hilabel.tasks import find_method, list_methods, method_table


def test_every_public_classifier_is_a_method():
    methods = list_methods()
    assert methods["SSHMCBLI"] is SSHMCBLI
    assert "BaseHierarchicalClassifier" not in methods
    assert all(issubclass(m, BaseHierarchicalClassifier) for m in methods.values())


@pytest.mark.parametrize("name", ["SSHMCBLI", "sshmcbli", "SSHMC-BLI", "sshmc_bli"])
def test_spelling_does_not_matter(name):
    assert find_method(name) is SSHMCBLI


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match="one of .*LocalClassifierPerNode.*, SSHMCBLI"):
        find_method("perceptron")


def test_the_table_says_what_the_tags_say():
    for row in method_table().itertuples():
        tags = list_methods()[row.method].method_tags
        assert row.unlabelled == tags.semi_supervised
        assert row.handles == str(tags.problem_types[-1])
        assert row.summary


def test_summaries_are_plain_text():
    assert not [text for text in method_table()["summary"] if "`" in text]


def test_every_method_is_summed_up_in_twenty_characters():
    assert not [text for text in method_table()["summary"] if len(text) > 20]
