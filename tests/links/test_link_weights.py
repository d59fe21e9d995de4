"""One weight from links of several kinds."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from hilabel.links import TRANSFORMS, Links, LinkWeights

weights = hnp.arrays(float, (4, 5), elements=st.sampled_from([0.0, 0.0, 1.0, 2.5, 9.0]))


@given(A=weights, unit=st.sampled_from([1e-9, 0.5, 1e9]))
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_the_unit_of_weights_is_irrelevant(transform, A, unit):
    one, other = (Links.of(values, 4, 5) for values in (A, unit * A))
    of_one = LinkWeights.of(one, transform).of_links(one)
    of_other = LinkWeights.of(other, transform).of_links(other)
    np.testing.assert_allclose(of_one.toarray(), of_other.toarray(), rtol=1e-9)


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_the_median_weight_stays_1(transform):
    links = Links.of([[1.0, 7.0, 20.0]], 1, 3)
    found = LinkWeights.of(links, transform).of_links(links).toarray()
    assert found[0, 1] == pytest.approx(1)
    assert found[0, 0] < 1 < found[0, 2]


def test_kinds_are_added_by_their_importance():
    links = Links.of({"hits": [[4.0, 0.0, 4.0]], "partners": [[0.0, 3.0, 3.0]]}, 1, 3)
    found = LinkWeights.of(links, "raw", {"hits": 1, "partners": 0.25}).of_links(links)
    np.testing.assert_allclose(found.toarray(), [[1, 0.25, 1.25]])
    alone = LinkWeights.of(links, "raw", {"hits": 0, "partners": 1}).of_links(links)
    np.testing.assert_allclose(alone.toarray(), [[0, 1, 1]])
    none = LinkWeights.of(links, "raw", {"hits": 0, "partners": 0}).of_links(links)
    assert none.nnz == 0


def test_new_rows_are_measured_by_the_medians_of_training():
    training, new = Links.of([[2.0, 2.0]], 1, 2), Links.of([[8.0, 0.0]], 1, 2)
    found = LinkWeights.of(training).of_links(new)
    np.testing.assert_allclose(found.toarray(), [[4, 0]])


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_extreme_weights_stay_finite(transform):
    links = Links.of([[5e-324, 1.0, 1e308]], 1, 3)
    found = LinkWeights.of(links, transform).of_links(links)
    assert np.isfinite(found.data).all()
    tiny = Links.of([[5e-324, 5e-324, 1e308]], 1, 3)
    assert np.isfinite(LinkWeights.of(tiny, transform).of_links(tiny).data).all()


def test_no_links_have_no_weights():
    links = Links.none(["hits"], 2, 3)
    assert LinkWeights.of(links, "log").of_links(links).shape == (2, 3)
