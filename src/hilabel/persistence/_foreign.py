"""Use skops to write and audit the scikit-learn objects inside a model.

skops is imported only here, and only if there are such objects: importing it takes
seconds, because it looks up every scikit-learn estimator.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, is_classifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import PolynomialFeatures

from hilabel._saved_types import Array, Sparse, fits
from hilabel.exceptions import ModelFileError
from hilabel.persistence._bundle import check_bundle, object_names
from hilabel.persistence._checks import limit_jobs, refuse_repetition
from hilabel.persistence._trial import is_moderate

# skops leaves the decision on these types to the caller. They run no code, but the
# numbers of a tree are used without bounds checks; ``check_bundle`` and ``check_parts``
# check them.
TRUSTED: Final = ("numpy.dtype", "sklearn.tree._tree.Tree")
# Scikit-learn classes that predict with NumPy, which checks every index, or that are
# checked here. Other classes would use the numbers of a file unchecked.
CHECKED: Final = (
    *("sklearn.linear_model.", "sklearn.naive_bayes.", "sklearn.dummy."),
    *("sklearn.discriminant_analysis.", "sklearn.neural_network.", "sklearn.tree."),
    *("sklearn.ensemble._forest.", "sklearn.multiclass.", "sklearn.multioutput."),
    *("sklearn.pipeline.", "sklearn.compose.", "sklearn.impute._base."),
    *("sklearn.preprocessing.", "sklearn.feature_selection.", "sklearn._loss."),
    *("sklearn.decomposition.", "sklearn.utils."),
    "sklearn.neighbors._classification.KNeighborsClassifier",
)
_METRICS: Final = ("euclidean", "manhattan", "minkowski", "cosine", "chebyshev")
_MOST_STEPS: Final = 10_000
_MOST_TERMS: Final = (100, 10**7, 10**7)
_MOST_STATE: Final = 624  # of the Mersenne Twister


def dump_foreign(objects: list[Any], trusted: Sequence[str]) -> bytes:
    """Return a bundle of objects; raise an error if any has an untrusted type."""
    from skops import io
    from skops.io.exceptions import UnsupportedTypeException

    try:
        data = io.dumps(objects)
    except (UnsupportedTypeException, TypeError, ValueError) as error:
        raise ModelFileError(
            "The model cannot be saved: it contains an object that skops cannot write "
            f"({error})."
        ) from error
    unknown = _unknown_types(data, trusted)
    # Functions of hilabel are refused like those of a user: a file contains no code.
    ours = [name for name in unknown if _is_class_of_hilabel(name)]
    if ours:
        raise ModelFileError(
            f"The model cannot be saved: {', '.join(ours)} must be declared as a "
            "saved_type."
        )
    if unknown:
        raise ModelFileError(
            f"The model cannot be saved: it contains {_listed(unknown)}, which cannot "
            "be loaded without trusting its author. Use classifiers of hilabel or "
            "scikit-learn and pass policies and metrics as strings, save only the "
            "final classifier, model.estimator_, or list the names in `trusted`."
        )
    return data


def _is_class_of_hilabel(name: str) -> bool:
    return name.startswith("hilabel.") and name.rpartition(".")[2][0].isupper()


def load_foreign(data: bytes, trusted: Sequence[str]) -> list[Any]:
    """Return the objects in a bundle; refuse untrusted types."""
    from skops import io

    check_bundle(data, any_loader=bool(trusted))
    unknown = _unknown_types(data, trusted)
    if unknown:
        raise ModelFileError(
            f"the file contains {_listed(unknown)}, which hilabel does not trust and "
            "therefore does not load. If you trust the source of the file, load it in "
            "Python with load_model(path, trusted=[...])."
        )
    objects = list(io.loads(data, trusted=[*TRUSTED, *trusted]))
    for value in objects:
        refuse_repetition(value)
        check_parts(value)
    return objects


def _unknown_types(data: bytes, trusted: Sequence[str]) -> list[str]:
    from skops import io

    found = {*io.get_untrusted_types(data=data)} - {*TRUSTED}
    found |= {
        name
        for name in object_names(data)
        if name.startswith("sklearn.") and not name.startswith(CHECKED)
    }
    return sorted(found - {*trusted})


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"an object of type {', '.join(names[:3])}{more}"


# Parts --------------------------------------------------------------------------------


def check_parts(value: Any) -> None:
    """Refuse numbers that scikit-learn's compiled code would use without checks."""
    for part in _parts_of(value):
        if not _is_part_sound(part):
            raise ModelFileError(
                f"the arrays of its {type(part).__name__} are inconsistent; the file "
                "was not written by hilabel."
            )


def _parts_of(value: Any) -> Iterator[Any]:
    """Yield each part of an object once."""
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if id(part) in seen or isinstance(part, str | int | float | type):
            continue
        seen.add(id(part))
        yield part
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list | tuple | set):
            waiting.extend(part)
        elif isinstance(part, np.ndarray):
            waiting.extend(part.flat if part.dtype.hasobject else ())
        elif hasattr(part, "__dict__"):
            waiting.extend(vars(part).values())


def _is_part_sound(part: Any) -> bool:
    if isinstance(part, np.ndarray | np.floating):
        # NaN may mark unknown values; a trial reveals where it is not allowed.
        return is_moderate(part)
    if sp.issparse(part):
        return _is_sparse_sound(part)
    if isinstance(part, np.random.RandomState):
        return 0 <= part.get_state(legacy=False)["state"]["pos"] <= _MOST_STATE
    if not isinstance(part, BaseEstimator):
        return True
    limit_jobs(part)
    if not _is_work_bounded(part):
        return False
    if isinstance(part, KNeighborsClassifier) and hasattr(part, "_fit_X"):
        return _are_neighbors_sound(part)
    return _are_trees_sound(part) and _are_classes_sound(part)


def _is_sparse_sound(matrix: Any) -> bool:
    if matrix.format not in ("csr", "csc") or matrix.data.dtype.kind not in "biuf":
        return False
    matrix.check_format(full_check=True)
    return is_moderate(matrix.data)


def _is_work_bounded(estimator: BaseEstimator) -> bool:
    """Return whether transforming a row takes a bounded amount of work and memory."""
    if isinstance(estimator, PolynomialFeatures):
        names = ("_max_degree", "n_output_features_", "_n_out_full")
        return all(getattr(estimator, n, 0) <= m for n, m in zip(names, _MOST_TERMS))
    if not type(estimator).__module__.startswith("sklearn.decomposition."):
        return True
    # Others iterate only in ``fit``.
    names = ("max_iter", "max_doc_update_iter", "transform_max_iter")
    return all((getattr(estimator, n, 0) or 0) <= _MOST_STEPS for n in names)


def _are_trees_sound(estimator: Any) -> bool:
    """Return whether an estimator's trees are valid and have its number of features."""
    trees = [getattr(estimator, "tree_", None)]
    trees += [
        getattr(part, "tree_", None)
        for part in np.ravel(getattr(estimator, "estimators_", []))
        if getattr(part, "estimators_", None) is None
    ]
    return all(
        tree is None
        or (
            tree.n_features == estimator.n_features_in_
            and _is_tree_sound(tree)
            and (not is_classifier(estimator) or _are_shares(tree.value))
        )
        for tree in trees
    )


def _are_shares(values: Any) -> bool:
    return bool((values >= 0).all() and (values <= 1).all())


def _is_tree_sound(tree: Any) -> bool:
    is_split = tree.children_left != -1  # scikit-learn continues at anything else
    place = np.arange(tree.node_count)[is_split]
    children = (tree.children_left[is_split], tree.children_right[is_split])
    return bool(
        all((child > place).all() for child in children)
        and all((child < tree.node_count).all() for child in children)
        and (tree.feature[is_split] >= 0).all()
        and (tree.feature[is_split] < tree.n_features).all()
        and np.isfinite(tree.threshold[is_split]).all()
        and np.isfinite(tree.value).all()
        and is_moderate(tree.value)
    )


def _are_classes_sound(estimator: Any) -> bool:
    """Return whether each output of an estimator has the declared number of classes."""
    counted = getattr(estimator, "n_classes_", None)
    classes = getattr(estimator, "classes_", None)
    if counted is None or classes is None:
        return True
    lists = classes if isinstance(classes, list) else [classes]
    return (
        np.ravel(counted).tolist() == [len(each) for each in lists]
        and (np.ndim(counted) > 0) == isinstance(classes, list)
        and getattr(estimator, "n_outputs_", len(lists)) == len(lists)
    )


def _are_neighbors_sound(model: Any) -> bool:
    """Return whether a nearest-neighbour classifier's rows and classes are valid."""
    rows = ("n_rows", "n_features")
    lists = model.classes_ if model.outputs_2d_ else [model.classes_]
    axes = ("n_rows", len(lists)) if model.outputs_2d_ else ("n_rows",)
    sizes: dict[str, int] = {}
    return bool(
        model._fit_method == "brute"
        and model._tree is None
        and model.effective_metric_ in _METRICS
        and fits(model._fit_X, Array("f8", rows) | Sparse("f8", rows), sizes)
        and fits(model._y, Array("i8", axes, 0), sizes)
        and sizes["n_features"] == model.n_features_in_
        and 0 < model.n_neighbors <= sizes["n_rows"] == model.n_samples_fit_
        and all(
            codes.max(initial=-1) < len(each)
            for codes, each in zip(model._y.reshape(sizes["n_rows"], -1).T, lists)
        )
    )
