"""The page about a model: its quality, its predictions, and the evidence for them."""

from hilabel.report._pseudo_labels import has_pseudo_labels
from hilabel.report.page._about import (
    AboutModel,
    AboutRows,
    Quality,
    TellingFeatures,
)
from hilabel.report.page._bounds import ROWS_LOOKED_AT
from hilabel.report.page._evidence import Evidence, TrainingRows
from hilabel.report.page._features import telling_features
from hilabel.report.page._from_estimator import model_page
from hilabel.report.page._lacking import said_to_lack
from hilabel.report.page._model_page import SUFFIXES, ModelPage
from hilabel.report.page._picture import Picture, pseudo_label_picture
from hilabel.report.page._quality import (
    ON_ROWS_GIVEN,
    OUT_OF_FOLD,
    macro_average_precision,
    measured_quality,
)

__all__ = [
    "ON_ROWS_GIVEN",
    "OUT_OF_FOLD",
    "ROWS_LOOKED_AT",
    "SUFFIXES",
    "AboutModel",
    "AboutRows",
    "Evidence",
    "ModelPage",
    "Picture",
    "Quality",
    "TellingFeatures",
    "TrainingRows",
    "has_pseudo_labels",
    "macro_average_precision",
    "measured_quality",
    "model_page",
    "pseudo_label_picture",
    "said_to_lack",
    "telling_features",
]
