"""How good a method is on rows that it has not seen, and which nodes a row gets."""

from hilabel.judgement._decision import (
    Decision,
    choose_decision as choose_decision,
    measure_decision as measure_decision,
)
from hilabel.judgement._judge import (
    Judged as Judged,
    judge as judge,
    judge_hidden as judge_hidden,
    judge_predictions as judge_predictions,
)
from hilabel.judgement._judgement import (
    OUT_OF_FOLD as OUT_OF_FOLD,
    TEST_ROWS as TEST_ROWS,
    Judgement,
)
from hilabel.judgement._quality import Quality, standard_error as standard_error
from hilabel.judgement._sentences import (
    calibration_sentence as calibration_sentence,
    decision_sentence as decision_sentence,
    details as details,
    link_sentence as link_sentence,
    quality_sentence as quality_sentence,
    skipped_sentence as skipped_sentence,
    unlabeled_sentence as unlabeled_sentence,
    verdict as verdict,
)
from hilabel.judgement._tables import (
    depth_table as depth_table,
    measure_table as measure_table,
    node_table as node_table,
)

# For users; names imported as themselves are for other packages of hilabel.
__all__ = [
    "Decision",
    "Judgement",
    "Quality",
]
