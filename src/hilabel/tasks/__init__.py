"""The commands of the command line, as Python functions that operate on files."""

from hilabel._methods import (
    find_method as find_method,
    list_methods,
    method_table as method_table,
)
from hilabel.datasets import TableFiles
from hilabel.tasks._choices import FitChoices
from hilabel.tasks._compare import compare_methods
from hilabel.tasks._comparison import Comparison
from hilabel.tasks._convert import convert_dataset
from hilabel.tasks._evaluate import evaluate_table
from hilabel.tasks._evaluate_model import evaluate_model
from hilabel.tasks._evaluation import Evaluation
from hilabel.tasks._explain import Explanation, explain_row
from hilabel.tasks._figures import (
    critical_difference_display as critical_difference_display,
    label_fraction_display as label_fraction_display,
    pseudo_label_display as pseudo_label_display,
)
from hilabel.tasks._fit import FitResult, fit_table
from hilabel.tasks._inspect.file import inspect_file
from hilabel.tasks._inspect.inspection import Inspection
from hilabel.tasks._inspect.problem import Problem
from hilabel.tasks._inspect.table import inspect_table
from hilabel.tasks._link.choices import LinkChoices
from hilabel.tasks._link.link import link_rows
from hilabel.tasks._predict import predict_table
from hilabel.tasks._predict_choices import PredictChoices
from hilabel.tasks._predict_file import predict_file
from hilabel.tasks._pseudo_labels import (
    pseudo_label_table,
    write_pseudo_labels as write_pseudo_labels,
)
from hilabel.tasks._report import report_model
from hilabel.tasks._write_table import write_table as write_table

# For users; names imported as themselves are for other packages of hilabel.
__all__ = [
    "Comparison",
    "Evaluation",
    "Explanation",
    "FitChoices",
    "FitResult",
    "Inspection",
    "LinkChoices",
    "PredictChoices",
    "Problem",
    "TableFiles",
    "compare_methods",
    "convert_dataset",
    "evaluate_model",
    "evaluate_table",
    "explain_row",
    "fit_table",
    "inspect_file",
    "inspect_table",
    "link_rows",
    "list_methods",
    "predict_file",
    "predict_table",
    "pseudo_label_table",
    "report_model",
]
