"""The only place that imports names which scikit-learn does not promise to keep."""

from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    InvalidParameterError,
    StrOptions,
)

__all__ = ["HasMethods", "Interval", "InvalidParameterError", "StrOptions"]
