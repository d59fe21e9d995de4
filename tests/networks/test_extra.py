"""Without JAX: all but training and prediction works, and these say what to install."""

import subprocess
import sys

import pytest

from hilabel.classifiers import HierarchicalNetwork
from hilabel.datasets import make_artificial
from hilabel.persistence import save_model

BLOCKED = """
import sys
sys.modules[{name!r}] = None  # as if it were not installed
import hilabel
from hilabel.classifiers import CHMCNN, HierarchicalNetwork
from hilabel.datasets import make_artificial
from hilabel.persistence import load_model
data = make_artificial()
model = load_model({path!r})
print(model.quality_)
for call in (
    lambda: HierarchicalNetwork(data.hierarchy).fit(data.X_labeled, data.Y_labeled),
    lambda: CHMCNN(data.hierarchy).fit(data.X_labeled, data.Y_labeled),
    lambda: model.predict_proba(data.X_test),
):
    try:
        call()
    except ImportError as error:
        print(error)
"""


@pytest.mark.parametrize("name", ["jax", "optax"])
def test_without_the_extra_only_training_and_prediction_say_what_to_install(
    name, tmp_path
):
    data = make_artificial()
    model = HierarchicalNetwork(
        data.hierarchy, shape={"layers": (), "swap": 0}, n_members=2, max_steps=2
    )
    model.fit(data.X_labeled, data.Y_labeled)
    path = save_model(model, tmp_path / "m.hilabel")
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED.format(name=name, path=str(path))],
        capture_output=True,
        text=True,
        check=True,
    )
    message = f"Networks need {name}: pip install 'hilabel[networks]'."
    assert done.stdout.splitlines() == [str(model.quality_), *[message] * 3]
