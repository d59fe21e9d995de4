"""The picture of pseudo-labels in a page: there if it can be drawn, and small."""

import base64
import io
import sys

import pytest
from matplotlib.image import imread
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from hilabel.classifiers import PriorClassifier
from hilabel.datasets import make_artificial, make_hierarchical_classification
from hilabel.model_selection import mask_labels
from hilabel.models import model_of_estimator
from hilabel.report import model_page
from hilabel.report.page._picture import pseudo_label_picture
from hilabel.semi_supervised import SSHMCBLI, SSLPCT, STHC

TREE = DecisionTreeClassifier(max_depth=3, random_state=0)


@pytest.fixture(scope="module")
def data():
    return make_artificial()


@pytest.fixture(scope="module")
def model(data):
    model = SSHMCBLI(data.hierarchy, estimator=TREE, variant="v1")
    return model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)


def test_a_page_has_the_picture_and_tells_it_in_words(model):
    page = model_page(model_of_estimator(model))
    picture = page.payload["summary"]["pseudo_labels"]["picture"]
    kind, content = picture["source"].split(",")
    assert kind == "data:image/png;base64"
    image = imread(io.BytesIO(base64.b64decode(content)))
    assert image.shape[1] > 600
    assert "SSHMCBLI: 328 of 330 accepted" in picture["alt"]
    assert picture["source"] in page.html


def test_a_picture_of_many_rows_is_small_and_says_what_it_shows():
    many = make_hierarchical_classification(2000, 4, n_nodes=8, random_state=0)
    model = SSHMCBLI(many.hierarchy, estimator=TREE, max_iter=2)
    model.fit(many.X, mask_labels(many.Y, 0.1, random_state=0))
    picture = pseudo_label_picture(model)
    assert picture.note.endswith("; 1,500 of 2,000 rows are drawn.")
    assert len(picture.source) < 800_000


def test_models_without_pseudo_labels_or_rows_have_none(data):
    prior = PriorClassifier(data.hierarchy).fit(data.X_labeled, data.Y_labeled)
    assert pseudo_label_picture(prior, data.X_labeled) is None
    transductive = SSLPCT(data.hierarchy, w=0.5, max_depth=1, random_state=0)
    transductive.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_labeled)
    assert pseudo_label_picture(transductive, [*data.X_labeled] * 2) is None
    assert (
        model_page(model_of_estimator(prior)).payload["summary"]["pseudo_labels"]
        is None
    )
    trained = STHC(data.hierarchy, estimator=LogisticRegression(), max_iter=1)
    trained.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_labeled)
    assert pseudo_label_picture(trained) is None
    rows = [*data.X_labeled, *data.X_labeled]
    assert pseudo_label_picture(trained, rows).alt.count("STHC") == 3


def test_a_page_needs_no_matplotlib(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = model_page(model_of_estimator(model)).payload["summary"]["pseudo_labels"]
    assert found["picture"] is None
    assert found["history"]
