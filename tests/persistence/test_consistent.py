"""No model from a file predicts a child above its parent, whatever it contains."""

import io
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from fuzz.model_mutators import pack, saved, sealed, unpack
from fuzz.saved_models import SLOW, fit_method, small_method

from hilabel.classifiers import LocalClassifierPerNode
from hilabel.datasets import write_example
from hilabel.persistence import load_model, save_model
from hilabel.tasks import FitChoices, TableFiles, fit_table, list_methods
from hilabel.testing import make_problem


def _excess(model, scores):
    parent, child = model.hierarchy_.edges.T
    return (scores[:, child] - scores[:, parent]).max(initial=0)


def _changed(data, seed):
    """Return a file in which the values of an array are in another order."""
    members, draw = unpack(data), np.random.default_rng(seed)
    names = [name for name in members if name.endswith(".npy")]
    name = names[draw.integers(len(names))]
    array = np.load(io.BytesIO(members[name]))
    members[name] = saved(draw.permutation(array.ravel()).reshape(array.shape))
    return sealed(pack(members))


@pytest.mark.parametrize("name", [name for name in list_methods() if name not in SLOW])
def test_changed_models_predict_no_child_above_its_parent(tmp_path, name):
    model, data = fit_method(name), small_method(name)[1]
    if not model.method_tags.consistent:
        return
    path = tmp_path / "model.hilabel"
    save_model(model, path)
    content = path.read_bytes()
    for seed in range(8):
        path.write_bytes(_changed(content, seed))
        try:
            loaded = load_model(path)
            scores = loaded.predict_proba(data.X_test)
        except ValueError:  # refused
            continue
        assert _excess(model, scores) == 0
        for decode in ("labels", "path"):
            labels = loaded.predict(data.X_test, decode)
            assert model.hierarchy_.is_consistent(labels)
        top = loaded.predict_top(data.X_test, model.hierarchy_.n_nodes)
        assert _excess(model, top.toarray()) == 0


def test_a_loaded_model_without_constraint_stays_without(tmp_path):
    data = make_problem("T", "SPL", "FD")
    model = LocalClassifierPerNode(data.hierarchy, constraint=None, random_state=0)
    model.fit(data.X, data.Y)
    expected = model.predict_proba(data.X_test)
    assert _excess(model, expected) > 0
    loaded = load_model(save_model(model, tmp_path / "model.hilabel"))
    np.testing.assert_array_equal(loaded.predict_proba(data.X_test), expected)


def test_out_of_fold_probabilities_from_a_file_are_capped(tmp_path):
    files = write_example(tmp_path, "shop")
    paths = [files[name] for name in ("features", "labels", "hierarchy")]
    model = fit_table(TableFiles(*paths), FitChoices(effort="fast", seed=0)).model
    stored = model.left_out
    draw = np.random.default_rng(0)
    values = draw.permutation(stored.data)
    changed = sp.csr_array((values, stored.indices, stored.indptr), stored.shape)
    path = save_model(replace(model, left_out=changed), tmp_path / "model.hilabel")
    loaded = load_model(path)
    scores = loaded.predict_proba(loaded.read(files["features"]))
    assert _excess(model.estimator, scores) == 0
    rows = loaded.scored
    assert (scores[rows] <= changed.toarray()[rows]).all()
