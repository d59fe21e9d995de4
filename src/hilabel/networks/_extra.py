"""Check that the libraries required by networks are installed."""

from importlib.util import find_spec


def require_jax() -> None:
    """Raise an error with installation advice if JAX or optax is missing.

    Examples
    --------
    >>> from hilabel.networks import require_jax
    >>> require_jax()  # no error if both are installed
    """
    missing = [name for name in ("jax", "optax") if find_spec(name) is None]
    if missing:
        raise ImportError(
            f"Networks need {' and '.join(missing)}: pip install 'hilabel[networks]'."
        )
