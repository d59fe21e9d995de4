"""Types that a model file may hold, which say so where they are defined."""

from typing import TypeVar

SAVED_TYPES: dict[str, type] = {}
"""By the name that stands in model files."""

Type = TypeVar("Type", bound=type)


def saved_type(kind: Type) -> Type:
    """Let model files hold objects of this class, a part of fitted models.

    Loading makes an empty object and fills its attributes, so the class must run no
    code of its own when that happens.
    """
    if kind.__name__ in SAVED_TYPES:
        raise TypeError(f"Two saved types are called {kind.__name__!r}; rename one.")
    SAVED_TYPES[kind.__name__] = kind
    return kind
