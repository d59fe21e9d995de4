"""Objects of scikit-learn inside a model: skops writes and audits them.

skops is imported here and only when there are such objects, since it looks up every
estimator of scikit-learn first, which takes seconds.
"""

from collections.abc import Sequence
from typing import Any

from hilabel.exceptions import ModelFileError

__all__ = ["dump_foreign", "load_foreign"]


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
    unknown = sorted(set(io.get_untrusted_types(data=data)) - set(trusted))
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

    unknown = sorted(set(io.get_untrusted_types(data=data)) - set(trusted))
    if unknown:
        raise ModelFileError(
            f"the file holds {_listed(unknown)}, which hilabel does not trust and "
            "therefore does not load. If you know where the file comes from, load it "
            "in Python with load_model(path, trusted=[...])."
        )
    return list(io.loads(data, trusted=list(trusted)))


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"an object of type {', '.join(names[:3])}{more}"
