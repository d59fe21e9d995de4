"""Compare methods in studies, which are defined in files and can be resumed."""

from hilabel.studies._bundled import bundled_studies
from hilabel.studies._config import Study, read_study
from hilabel.studies._measures import (
    DEFAULT_MEASURES as DEFAULT_MEASURES,
    MEASURES as MEASURES,
)
from hilabel.studies._plan import make_plan as make_plan
from hilabel.studies._records import (
    TABLES as TABLES,
    TIMING_COLUMNS as TIMING_COLUMNS,
    RunRecord as RunRecord,
)
from hilabel.studies._run import run_one as run_one
from hilabel.studies._specs import (
    CellSpec as CellSpec,
    DatasetSpec as DatasetSpec,
    MethodSpec as MethodSpec,
    Preprocessing as Preprocessing,
    RunSpec as RunSpec,
)
from hilabel.studies._statistics import (
    FriedmanResult,
    RankComparison,
    compare_ranks,
    critical_difference,
    friedman_test,
    mean_ranks,
    nemenyi_test,
    wilcoxon_holm,
)
from hilabel.studies._store import (
    ResultsStore as ResultsStore,
    read_results,
    stale_results as stale_results,
)
from hilabel.studies._study import (
    StudyStatus,
    run_study,
    stale_sentence as stale_sentence,
    study_status,
)
from hilabel.studies._summary import block_scores, gap_closed

# For users; names imported as themselves are for other packages of hilabel.
__all__ = [
    "FriedmanResult",
    "RankComparison",
    "Study",
    "StudyStatus",
    "block_scores",
    "bundled_studies",
    "compare_ranks",
    "critical_difference",
    "friedman_test",
    "gap_closed",
    "mean_ranks",
    "nemenyi_test",
    "read_results",
    "read_study",
    "run_study",
    "study_status",
    "wilcoxon_holm",
]
