"""The page about a model: its quality, its predictions, and the evidence for them."""

from hilabel.report._pseudo_labels import has_pseudo_labels
from hilabel.report.page._content import PageContent
from hilabel.report.page._evidence import Evidence, EvidenceFinder
from hilabel.report.page._given_rows import GivenRows, stored_rows
from hilabel.report.page._model_page import SUFFIXES, ModelPage, model_page

__all__ = [
    "SUFFIXES",
    "Evidence",
    "EvidenceFinder",
    "GivenRows",
    "ModelPage",
    "PageContent",
    "has_pseudo_labels",
    "model_page",
    "stored_rows",
]
