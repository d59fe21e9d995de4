"""Base classifiers by name."""

import pytest

from hilabel._methods import BASES, make_base
from hilabel.classifiers import HMCLP, HierarchicalNetwork, LocalClassifierPerNode
from hilabel.exceptions import ParameterError
from hilabel.semi_supervised import (
    SSHMCBLI,
    STHC,
    BatchSelfTraining,
    ViewsClassifier,
)


def test_every_base_is_a_new_classifier():
    for name in BASES:
        assert hasattr(make_base(name, SSHMCBLI), "predict_proba")
        assert make_base(name, SSHMCBLI) is not make_base(name, SSHMCBLI)
    with pytest.raises(ParameterError, match="Unknown base 'forrest'.*'forest'"):
        make_base("forrest", SSHMCBLI)


@pytest.mark.parametrize("method", [LocalClassifierPerNode, HMCLP, STHC])
def test_a_network_is_no_base_of_methods_with_a_classifier_per_term(method):
    with pytest.raises(ValueError, match=f"but {method.__name__} trains a classifier"):
        make_base("network", method)


@pytest.mark.parametrize("method", [SSHMCBLI, BatchSelfTraining, ViewsClassifier])
def test_a_network_is_the_base_of_methods_that_train_any_classifier(method):
    assert isinstance(make_base("network", method), HierarchicalNetwork)
