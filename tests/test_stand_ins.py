"""The two sets that are no longer available: read and studied by their names.

``benchmarks/stand_ins.py`` gives the figures on files of full size.
"""

from itertools import pairwise

import pytest
import scipy.sparse as sp
from benchmarks.stand_ins import Shape, study_of_twelve, write_stand_in

from hilabel.datasets import HMCSplits, load_go, make_hierarchical_classification
from hilabel.studies import bundled_studies, read_results, read_study, run_study

SMALL = {
    "hom": Shape((150, 60, 60), 900, 6, 30, 0.0),
    "struc": Shape((150, 60, 60), 400, 6, 20, 0.5),
}


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Return a data folder with both sets."""
    made = make_hierarchical_classification(
        300, n_nodes=6, structure="dag", random_state=0
    )
    ends = (0, 170, 235, 300)
    donor = HMCSplits(*(made.rows(slice(*part)) for part in pairwise(ends)))
    for name, shape in SMALL.items():
        write_stand_in(tmp_path, name, shape, donor)
    monkeypatch.setenv("HILABEL_DATA", str(tmp_path))
    return tmp_path


def test_sparse_and_nominal_attributes_are_read_as_sparse_numbers(data):
    for name, shape in SMALL.items():
        splits = load_go(name)
        assert tuple(part.n_samples for part in splits) == shape.n_rows
        for part in splits:
            assert sp.issparse(part.X)
            assert part.n_features == shape.n_attributes
            assert 0 < part.X.nnz <= shape.per_row * part.n_samples
        assert set(splits.train.X.data) == {1.0} or shape.numeric
        assert (splits.train.Y.sum(axis=0) >= 50).all()


def test_every_method_of_the_paper_runs_on_both(data, tmp_path):
    twelve, ten = study_of_twelve(), bundled_studies()["paper_go"]
    assert len(read_study(ten).datasets) == 10
    path = tmp_path / "twelve.toml"
    path.write_text(twelve)
    study = read_study(path)
    assert [spec.name for spec in study.datasets][-2:] == ["hom", "struc"]
    status = run_study(
        study,
        tmp_path / "results",
        datasets=["GO/hom", "GO/struc"],
        fractions=0.3,
        repetitions=1,
    )
    assert status.failed == ()
    assert status.n_done == 2 * len(study.methods)
    results = read_results(tmp_path / "results")["results"]
    assert results["value"].notna().all()
