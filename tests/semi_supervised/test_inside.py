"""The parts of a fitted estimator that find neighbours."""

import numpy as np
import scipy.sparse as sp

from hilabel.classifiers import LinearClassifier
from hilabel.semi_supervised import ViewsClassifier, neighbor_finders
from hilabel.views import LinkMeans, NeighborColumns, NeighborhoodMeans


def test_all_views_of_neighbours_are_found_and_named_by_how_they_compare():
    random = np.random.default_rng(0)
    X = sp.csr_array(random.poisson(0.5, (30, 6)).astype(float))
    y = random.integers(0, 2, (30, 2))
    views = [NeighborColumns(3, by="angle"), LinkMeans(), NeighborhoodMeans(3)]
    model = ViewsClassifier(estimator=LinearClassifier(C=1.0), views=views)
    model.fit(X, y, links=np.zeros((30, 30)))
    found = dict(neighbor_finders(model))
    assert [*found] == ["views, angle", "views, euclidean"]
    for finder in found.values():
        numbers, distances = finder.neighbors(X[:2])
        assert numbers.shape == distances.shape == (2, 3)
