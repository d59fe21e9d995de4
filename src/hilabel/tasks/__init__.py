"""The commands of the command line, as Python functions that operate on files."""

from hilabel.tasks._build import FitChoices
from hilabel.tasks._compare import Comparison, compare_methods
from hilabel.tasks._convert import convert_dataset
from hilabel.tasks._evaluate import Evaluation, evaluate_model, evaluate_table
from hilabel.tasks._explain import Explanation, explain_row
from hilabel.tasks._figures import (
    critical_difference_display,
    label_fraction_display,
    pseudo_label_display,
)
from hilabel.tasks._files import TableFiles
from hilabel.tasks._fit import FitResult, fit_table
from hilabel.tasks._inspect import Inspection, inspect_file, inspect_table
from hilabel.tasks._methods import find_method, list_methods, method_table
from hilabel.tasks._predict import PredictChoices, predict_table
from hilabel.tasks._predict_file import predict_file
from hilabel.tasks._problems import Problem
from hilabel.tasks._pseudo_labels import pseudo_label_table, write_pseudo_labels
from hilabel.tasks._report import report_model
from hilabel.tasks._write_table import write_table

__all__ = [
    "Comparison",
    "Evaluation",
    "Explanation",
    "FitChoices",
    "FitResult",
    "Inspection",
    "PredictChoices",
    "Problem",
    "TableFiles",
    "compare_methods",
    "convert_dataset",
    "critical_difference_display",
    "evaluate_model",
    "evaluate_table",
    "explain_row",
    "find_method",
    "fit_table",
    "inspect_file",
    "inspect_table",
    "label_fraction_display",
    "list_methods",
    "method_table",
    "predict_file",
    "predict_table",
    "pseudo_label_display",
    "pseudo_label_table",
    "report_model",
    "write_pseudo_labels",
    "write_table",
]
