"""Methods, that is, public hierarchical classifiers, and their parameters, by name."""

from hilabel._methods._bases import BASES, SCALED_BASES, make_base
from hilabel._methods._parameters import (
    named_parameters,
    parameter_sentence,
    set_parameters,
)
from hilabel._methods._registry import (
    find_meaning,
    find_method,
    known_meaning,
    list_methods,
)
from hilabel._methods._table import method_table
from hilabel._methods._words import (
    METHOD_WORDS,
    PARAMETER_WORDS,
    Meaning,
    parameter_meant,
)

__all__ = [
    "BASES",
    "METHOD_WORDS",
    "PARAMETER_WORDS",
    "SCALED_BASES",
    "Meaning",
    "find_meaning",
    "find_method",
    "known_meaning",
    "list_methods",
    "make_base",
    "method_table",
    "named_parameters",
    "parameter_meant",
    "parameter_sentence",
    "set_parameters",
]
