"""What all views over links have in common: input, errors, names and conventions."""

import numpy as np
import pytest
import scipy.sparse as sp
from link_view_cases import make_links, make_rows
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from hilabel.exceptions import LinkError
from hilabel.links import Links
from hilabel.views import BaseLinkView, LinkIds, LinkLabels, LinkMeans

VIEWS = [LinkMeans(), LinkMeans(2), LinkIds(), LinkIds(1), LinkLabels()]
names = pytest.mark.parametrize("view", VIEWS, ids=repr)
LABELS = np.random.default_rng(0).integers(0, 2, (12, 3))


def as_array(found):
    return found.toarray() if sp.issparse(found) else found


@names
def test_links_may_have_any_form(view):
    rows, links = make_rows(0), make_links(0)
    given = [links, sp.coo_matrix(links), {"links": links}, Links.of(links, 12)]
    first, *others = (
        as_array(clone(view).fit_transform(rows, LABELS, links=one)) for one in given
    )
    for other in others:
        np.testing.assert_array_equal(first, other)


@names
def test_links_of_a_row_to_itself_and_the_unit_of_weights_are_irrelevant(view):
    rows, links = make_rows(0), make_links(0)
    first, again = (
        as_array(clone(view).fit_transform(rows, LABELS, links=one))
        for one in (links, 64 * links + np.eye(12))
    )
    np.testing.assert_allclose(first, again)


@names
def test_kinds_are_scaled_by_their_medians_in_training(view):
    rows, hits, partners = make_rows(0), make_links(0), make_links(1)
    both = {"hits": hits, "partners": 1_000 * partners}
    view = clone(view).fit(rows, LABELS, links=both)
    median = np.median(partners[partners > 0])
    one = view.transform(rows[:2], links={"hits": hits[:2]})
    weak = {"hits": hits[:2], "partners": np.zeros((2, 12))}
    again = view.transform(rows[:2], links=weak)
    np.testing.assert_array_equal(as_array(one), as_array(again))
    np.testing.assert_allclose(view._weights.medians["partners"], 1_000 * median)
    with pytest.raises(LinkError, match="kinds hits, partners"):
        view.transform(rows[:2], links={"other": hits[:2]})


@names
def test_links_are_needed_and_lead_to_training_rows(view):
    rows, links = make_rows(0), make_links(0)
    with pytest.raises(LinkError, match=r"Expected links for .*, got None"):
        clone(view).fit(rows, LABELS)
    view = clone(view).fit(rows, LABELS, links=links)
    with pytest.raises(LinkError, match=r"shape \(2, 12\)"):
        view.transform(rows[:2], links=links[:2, :5])


@names
def test_rows_may_have_no_columns(view):
    links = make_links(0)
    found = clone(view).fit_transform(None, LABELS, links={"hits": links})
    assert found.shape[0] == 12


@names
def test_a_second_fit_forgets_the_first(view):
    rows, links = make_rows(0), make_links(0)
    again = clone(view).fit(sp.csr_array(rows[:5]), LABELS[:5], links=links[:5, :5])
    again.fit(rows, LABELS, links=links)
    once = clone(view).fit(rows, LABELS, links=links)
    np.testing.assert_array_equal(
        as_array(again.transform(rows, links=links)),
        as_array(once.transform(rows, links=links)),
    )
    assert vars(again).keys() == vars(once).keys()


@names
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_how_new_rows_are_stored_is_irrelevant(view, form):
    rows, links = make_rows(0), make_links(0)
    view = clone(view).fit(form(rows), LABELS, links=links)
    dense = as_array(view.transform(rows[:5], links=links[:5]))
    sparse = as_array(view.transform(sp.csr_array(rows[:5]), links=links[:5]))
    np.testing.assert_array_equal(dense, sparse)


@names
def test_there_is_a_name_for_each_column(view):
    rows, links = make_rows(0), make_links(0)
    for X in (rows, sp.csr_array(rows)):
        one = clone(view).fit(X, LABELS, links=links)
        assert isinstance(one, BaseLinkView)
        names = one.get_feature_names_out()
        assert len({*names}) == one.n_columns_out
        assert one.transform(X, links=links).shape == (12, one.n_columns_out)


class InARing(LinkMeans):
    """Means of the next and the previous row, for checks that pass no links."""

    def fit(self, X, y=None, links=None):
        return super().fit(X, y, _ring(X, links))

    def fit_transform(self, X, y=None, links=None, **params):
        return super().fit_transform(X, y, _ring(X, links))

    def transform(self, X, links=None):
        if links is None and hasattr(self, "n_targets_"):
            links = sp.csr_array((_n_rows(X), self.n_targets_))
        return super().transform(X, links)


def _n_rows(X):
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _ring(X, links):
    n = _n_rows(X)
    rows = np.arange(n)
    return sp.csr_array((np.ones(n), (rows, (rows + 1) % n)), shape=(n, n))


ROWS_ARE_LINKED = {
    f"check_{name}": "the links of the ring are not those of new rows"
    for name in ("transformer_general", "transformer_data_not_an_array")
}


@parametrize_with_checks(
    [InARing()], expected_failed_checks=lambda estimator: ROWS_ARE_LINKED
)
def test_follows_the_conventions_of_scikit_learn(estimator, check):
    check(estimator)
