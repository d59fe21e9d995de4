"""What training, scoring and judging cost: seconds and bytes, before they are spent."""

from hilabel.costs._cost import Cost
from hilabel.costs._machine import machine_factor
from hilabel.costs._predicted import (
    judging_seconds,
    scoring_cost,
    training_cost,
    usual_seconds,
    views_cost,
    widened_shape,
)
from hilabel.costs._shape import DataShape

__all__ = [
    "Cost",
    "DataShape",
    "judging_seconds",
    "machine_factor",
    "scoring_cost",
    "training_cost",
    "usual_seconds",
    "views_cost",
    "widened_shape",
]
