"""Ctrl-C during training: the best model so far, if that is wanted."""

import pytest

from hilabel.classifiers import LinearClassifier, NeighborsClassifier, PriorClassifier
from hilabel.semi_supervised import Blend
from hilabel.testing import make_problem


class Interrupted(PriorClassifier):
    """A candidate during which Ctrl-C is pressed."""

    def scores_itself(self, data):
        return False

    def _fit(self, data):
        raise KeyboardInterrupt


@pytest.fixture(scope="module")
def problem():
    return make_problem("DAG", "MPL", "PD", random_state=0)


def fit(problem, candidates, **parameters):
    model = Blend(
        problem.hierarchy, candidates=candidates, n_jobs=1, random_state=0, **parameters
    )
    return model.fit(problem.X, problem.Y)


def test_the_best_so_far_is_kept_and_the_others_say_why(problem):
    first = {"neighbours": NeighborsClassifier(n_neighbors=5)}
    both = first | {"interrupted": Interrupted(), "linear": LinearClassifier()}
    model = fit(problem, both, keep_best=True)
    status = {one.name: one.status for one in model.candidates_}
    assert status == {
        "neighbours": "kept",
        "interrupted": "skipped",
        "linear": "skipped",
        "constant predictor": "skipped",
    }
    reasons = {one.reason for one in model.candidates_ if one.status == "skipped"}
    assert reasons == {"training was interrupted before it was tried"}
    alone = first["neighbours"].set_params(hierarchy=problem.hierarchy)
    alone.fit(problem.X, problem.Y)
    found = model.predict_proba(problem.X_test)
    assert found == pytest.approx(alone.predict_proba(problem.X_test))


@pytest.mark.parametrize("keep_best", [False, True])
def test_otherwise_and_without_a_model_training_ends(problem, keep_best):
    candidates = {"interrupted": Interrupted(), "linear": LinearClassifier()}
    with pytest.raises(KeyboardInterrupt):
        fit(problem, candidates, keep_best=keep_best)
    if not keep_best:
        some = {"neighbours": NeighborsClassifier(n_neighbors=5)} | candidates
        with pytest.raises(KeyboardInterrupt):
            fit(problem, some)
