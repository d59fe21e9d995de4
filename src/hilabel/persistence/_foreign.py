"""Objects of scikit-learn inside a model: skops writes and audits them.

skops is imported here and only when there are such objects, since it looks up every
estimator of scikit-learn first, which takes seconds.
"""

from collections.abc import Sequence
from typing import Any, Final

from hilabel.exceptions import ModelFileError
from hilabel.persistence._checks import check_trees

# skops leaves these to us. They run no code, but the numbers of a tree are followed
# without looking; ``check_trees`` looks at them.
TRUSTED: Final = ("numpy.dtype", "sklearn.tree._tree.Tree")


def dump_foreign(objects: list[Any], trusted: Sequence[str]) -> bytes:
    """Return a bundle of objects, if it can be loaded again without trust."""
    from skops import io
    from skops.io.exceptions import UnsupportedTypeException

    try:
        data = io.dumps(objects)
    except (UnsupportedTypeException, TypeError, ValueError) as error:
        raise ModelFileError(
            f"The model cannot be saved: it holds an object that skops cannot write "
            f"({error})."
        ) from error
    unknown = _unknown_types(data, trusted)
    ours = [name for name in unknown if name.startswith("hilabel.")]
    if ours:
        raise ModelFileError(
            f"The model cannot be saved: {', '.join(ours)} must be a "
            "saved_type where it is defined."
        )
    if unknown:
        raise ModelFileError(
            f"The model cannot be saved: it holds {_listed(unknown)}, which nobody "
            "could load without trusting its author. Use classifiers of hilabel or "
            "scikit-learn and name policies and metrics by their strings, or pass the "
            "names in `trusted`."
        )
    return data


def load_foreign(data: bytes, trusted: Sequence[str]) -> list[Any]:
    """Return the objects of a bundle; refuse types that are not trusted."""
    from skops import io

    unknown = _unknown_types(data, trusted)
    if unknown:
        raise ModelFileError(
            f"the file holds {_listed(unknown)}, which hilabel does not trust and "
            "therefore does not load. If you know where the file comes from, load it "
            "in Python with load_model(path, trusted=[...])."
        )
    objects = list(io.loads(data, trusted=[*TRUSTED, *trusted]))
    for value in objects:
        check_trees(value)
    return objects


def _unknown_types(data: bytes, trusted: Sequence[str]) -> list[str]:
    from skops import io

    return sorted({*io.get_untrusted_types(data=data)} - {*TRUSTED, *trusted})


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"an object of type {', '.join(names[:3])}{more}"
