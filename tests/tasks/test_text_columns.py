"""A model of a table with short names knows the parts of their words."""

import numpy as np
import pandas as pd
import pytest

from hilabel.persistence import load_model, save_model
from hilabel.tasks import FitChoices, TableFiles, explain_row, fit_table

NAMES = [
    f"{first} {second}ology"
    for first in ("marine", "human", "ancient", "rural")
    for second in ("bi", "ge", "zo", "anthrop", "psych", "cosm")
]


@pytest.fixture
def files(tmp_path):
    rows = pd.DataFrame({"id": [f"r{i}" for i in range(24)], "name": NAMES})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    terms = ["life" if "bio" in name or "zoo" in name else "other" for name in NAMES]
    labels = pd.DataFrame({"id": rows["id"], "term": terms})
    labels.to_csv(tmp_path / "labels.csv", index=False)
    return TableFiles(tmp_path / "rows.csv", tmp_path / "labels.csv")


def test_a_model_file_keeps_the_parts(files, tmp_path):
    choices = FitChoices(method="PredictiveClusteringForest", measure=False)
    result = fit_table(files, choices)
    told = "\n".join(result.details)
    assert "of words and pairs of adjacent words, and 3 of parts of words" in told
    again = load_model(save_model(result.model, tmp_path / "m.hilabel"))
    table = again.read(files.features)
    np.testing.assert_array_equal(
        again.predict_proba(table), result.model.predict_proba(table)
    )
    # What new names share with the old ones is found in a new file, too.
    new = pd.DataFrame({"id": ["n1"], "name": ["theology and mineralogy"]})
    new.to_csv(tmp_path / "new.csv", index=False)
    names = np.array(again.feature_names)
    found = again.matrix(again.read(tmp_path / "new.csv"))
    assert {"name:~logy~", "name:~ogy"} < set(names[found.indices])
    assert explain_row(again, "n1", tmp_path / "new.csv").row_id == "n1"
