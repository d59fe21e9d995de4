"""Models of a user's tables: what ``hilabel fit`` writes and other commands read."""

from hilabel.models._fit_record import (
    FitRecord as FitRecord,
    plain_matching as plain_matching,
    plain_parameters as plain_parameters,
)
from hilabel.models._from_estimator import model_of_estimator
from hilabel.models._summary import (
    is_summary as is_summary,
    judgement_numbers as judgement_numbers,
    model_summary as model_summary,
)
from hilabel.models._table_model import TableModel

# For users; names imported as themselves are for other packages of hilabel.
__all__ = [
    "TableModel",
    "model_of_estimator",
]
