"""Compare methods in studies, which are defined in files and can be resumed."""

from hilabel.studies._bundled import bundled_studies
from hilabel.studies._config import Study, read_study
from hilabel.studies._measures import DEFAULT_MEASURES, MEASURES
from hilabel.studies._plan import make_plan
from hilabel.studies._records import TABLES, TIMING_COLUMNS, RunRecord
from hilabel.studies._run import run_one
from hilabel.studies._specs import (
    CellSpec,
    DatasetSpec,
    MethodSpec,
    Preprocessing,
    RunSpec,
)
from hilabel.studies._statistics import (
    Comparison,
    FriedmanResult,
    compare_methods,
    critical_difference,
    friedman_test,
    mean_ranks,
    nemenyi_test,
    wilcoxon_holm,
)
from hilabel.studies._store import ResultsStore, read_results, stale_results
from hilabel.studies._study import (
    StudyStatus,
    run_study,
    stale_sentence,
    study_status,
)
from hilabel.studies._summary import block_scores, gap_closed

__all__ = [
    "DEFAULT_MEASURES",
    "MEASURES",
    "TABLES",
    "TIMING_COLUMNS",
    "CellSpec",
    "Comparison",
    "DatasetSpec",
    "FriedmanResult",
    "MethodSpec",
    "Preprocessing",
    "ResultsStore",
    "RunRecord",
    "RunSpec",
    "Study",
    "StudyStatus",
    "block_scores",
    "bundled_studies",
    "compare_methods",
    "critical_difference",
    "friedman_test",
    "gap_closed",
    "make_plan",
    "mean_ranks",
    "nemenyi_test",
    "read_results",
    "read_study",
    "run_one",
    "run_study",
    "stale_results",
    "stale_sentence",
    "study_status",
    "wilcoxon_holm",
]
