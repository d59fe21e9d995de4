"""Warnings of labels that no row has; refusals are tested with the classifiers."""

import warnings

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel.classifiers import HMCLP, LocalClassifierPerParentNode
from hilabel.exceptions import HilabelWarning


def test_labels_without_a_row_are_warned_of_by_name():
    h = Hierarchy([f"n{i}" for i in range(8)])
    Y = np.zeros((2, 8), dtype=int)
    Y[:, 3] = 1
    match = r"^7 of 8 nodes have .* 'n0', 'n1', 'n2', 'n4', 'n5' and 2 more\.$"
    with pytest.warns(HilabelWarning, match=match):
        LocalClassifierPerParentNode(h).fit([[0.0], [1.0]], Y)


def test_nothing_is_warned_of_if_every_label_occurs():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        HMCLP().fit([[0.0], [1.0]], [[1, 0], [0, 1]])
