"""Numbers as text, with the digits that they deserve."""

import math

# Decimals without an error that says how many are known.
_DECIMALS = 3
# The error of a difference computed in double precision, which is none.
_ROUNDING_ERROR = 1e-9


def gain_with_error(gain: float | None, error: float | None = None) -> str:
    """Return a signed difference with its standard error, such as "+.012 ± .004".

    The error has one significant digit, or two if the first is 1, and the difference as
    many decimals as the error.

    Parameters
    ----------
    gain : float or None
        None and NaN are unknown, and shown as "-".
    error : float or None
        If unknown or 0, three decimals of the difference are shown alone.

    Examples
    --------
    >>> from hilabel._number_text import gain_with_error
    >>> gain_with_error(0.0123, 0.0041), gain_with_error(-0.2, 0.13)
    ('+.012 ± .004', '-.20 ± .13')
    >>> gain_with_error(0.0123), gain_with_error(float("nan"))
    ('+.012', '-')
    """
    if gain is None or math.isnan(gain):
        return "-"
    if error is None or not math.isfinite(error) or error < _ROUNDING_ERROR:
        return _signed(gain, _DECIMALS)
    decimals = _decimals_known(error)
    return f"{_signed(gain, decimals)} ± {_short(error, decimals)}"


def _decimals_known(error: float) -> int:
    """Return how many decimals an error leaves known."""
    power = math.floor(math.log10(error))
    starts_with_one = error < 2 * 10.0**power
    return max(0, starts_with_one - power)


def _signed(value: float, decimals: int) -> str:
    shown = _short(abs(value), decimals)
    is_negative = value < 0 and any(digit in "123456789" for digit in shown)
    return f"{'-' if is_negative else '+'}{shown}"


def _short(value: float, decimals: int) -> str:
    """Format a number without the 0 before the decimal point."""
    text = f"{value:,.{decimals}f}"
    return text.removeprefix("0") if decimals else text
