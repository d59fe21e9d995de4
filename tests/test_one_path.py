"""Each step from rows to judgement is taken in one module; all others call it.

A second module that draws folds, scores out of fold, calibrates or measures the
constant predictor would sooner or later give other numbers for the same rows.
"""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import hilabel

SOURCE = Path(hilabel.__file__).parent
TREES = {
    path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(SOURCE.rglob("*.py"))
}


def names_called(tree: ast.AST) -> Iterator[str]:
    """Yield the last name of everything that is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield last_name(node.func)


def last_name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def names_within(tree: ast.AST) -> set[str]:
    return {last_name(node) for node in ast.walk(tree)} - {""}


SPLITTERS = {"assign_parts", "train_test_split", "check_cv", "cross_val_predict"}


def draws_folds(tree: ast.AST) -> bool:
    """Whether rows are divided, by a splitter or by counting through them."""
    for name in names_called(tree):
        if name in SPLITTERS or name.endswith(("KFold", "ShuffleSplit")):
            return True
    return any(
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mod)
        and last_name(node.right) in {"n_folds", "n_splits", "folds"}
        for node in ast.walk(tree)
    )


def trains_without_folds(tree: ast.AST) -> bool:
    """Whether a loop selects the rows of a fold and trains a model on the others."""
    for loop in ast.walk(tree):
        if not isinstance(loop, ast.For):
            continue
        selects = any(
            isinstance(node, ast.Compare)
            and any(last_name(one) in {"fold", "folds"} for one in operands(node))
            for node in ast.walk(loop)
        )
        if selects and {"fit", "fit_checked", "train"} & set(names_called(loop)):
            return True
    return False


def operands(node: ast.Compare) -> Iterator[ast.AST]:
    yield from (node.left, *node.comparators)


def calibrates(tree: ast.AST) -> bool:
    """Whether a map from scores to probabilities is fitted."""
    fits = {"IsotonicRegression", "CalibratedClassifierCV", "isotonic_regression"}
    return bool({"ScoreCalibration", *fits} & set(names_called(tree)))


def counts_frequencies(tree: ast.AST) -> bool:
    """Whether positives are divided by known labels, which the constant predicts."""
    for node in ast.walk(tree):
        parts: list[ast.AST] = []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            parts = [node.left, node.right]
        elif isinstance(node, ast.Call) and last_name(node.func) == "divide":
            parts = [*node.args[:2]]
        if len(parts) == 2:
            above, below = map(names_within, parts)
            if "n_positive" in above and {"n_known", "total"} & below:
                return True
    return False


def calls(*names: str) -> Callable[[ast.AST], bool]:
    return lambda tree: bool(set(names) & set(names_called(tree)))


STEPS = {
    "divides rows": (
        draws_folds,
        {
            "model_selection/_folds.py",
            # A training and a test part, and rows whose labels are hidden.
            "model_selection/_split.py",
            "model_selection/_masking.py",
            # Which of the folds a repetition tests on.
            "studies/_specs.py",
            # Which of the given folds a member leaves out.
            "networks/_ensemble.py",
        },
    ),
    "draws the folds of a command": (
        calls("draw_folds"),
        {
            "model_selection/_split.py",
            "model_selection/_out_of_fold.py",
            "models/_from_estimator.py",
            # Methods that are trained in Python, where data come without folds.
            "classifiers/_linear.py",
            "classifiers/_network.py",
            "semi_supervised/_blend_trials.py",
            "semi_supervised/_sslpct.py",
            # Errors of a classifier within another one's training.
            "semi_supervised/_residual_spreading.py",
            # Scores of a classifier on columns, from which trees learn.
            "semi_supervised/_link_combiner.py",
            "tasks/_prepared.py",
            # The test rows of a study, which no command shares.
            "studies/_tables.py",
            # More folds than anywhere else, to judge unlabelled rows.
            "tasks/_fit.py",
        },
    ),
    "scores out of fold": (
        trains_without_folds,
        {"model_selection/_out_of_fold.py"},
    ),
    "calibrates": (
        calibrates,
        {
            "calibration/_by_folds.py",
            "calibration/_score_calibration.py",
            # How often predictions were right, from counts of calibrated scores.
            "metrics/_reliability.py",
        },
    ),
    "counts label frequencies": (
        counts_frequencies,
        {
            "metrics/_constant.py",
            # A column of the table of nodes, which users may read without a judgement.
            "metrics/_tables.py",
        },
    ),
    "measures the constant predictor": (
        calls("constant_predictor"),
        {"judgement/_judge.py"},
    ),
    "decides which nodes a row gets": (
        calls("choose_thresholds"),
        {"judgement/_decision.py"},
    ),
}


@pytest.mark.parametrize("step", STEPS)
def test_each_step_has_its_modules(step):
    takes, modules = STEPS[step]
    assert {name for name, tree in TREES.items() if takes(tree)} == modules


@pytest.mark.parametrize(
    ("takes", "source"),
    [
        (draws_folds, "for train, test in KFold(5).split(X): pass"),
        (draws_folds, "fold = np.arange(n) % n_folds"),
        (
            trains_without_folds,
            "for k in range(5):\n    model = clone(m).fit(X[fold != k], y[fold != k])",
        ),
        (calibrates, "probabilities = IsotonicRegression().fit(s, y).predict(s)"),
        (counts_frequencies, "prior = labels.n_positive / labels.n_known"),
        (counts_frequencies, "prior = np.divide(one.n_positive, one.n_known)"),
    ],
)
def test_a_second_way_is_noticed(takes, source):
    assert takes(ast.parse(source))
