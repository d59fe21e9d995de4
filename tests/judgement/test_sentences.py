"""Sentences say what the fields of a judgement hold."""

from dataclasses import replace

import numpy as np
import pytest
from judgement_cases import HIERARCHY, out_of_fold, scored_rows

from hilabel.judgement import (
    TEST_ROWS,
    Decision,
    calibration_sentence,
    decision_sentence,
    details,
    judge,
    quality_sentence,
    skipped_sentence,
    unlabeled_sentence,
    verdict,
)
from hilabel.semi_supervised import Candidate, UnlabeledGain


@pytest.fixture(scope="module")
def judgement():
    rows = scored_rows(600, sharpness=0.3)
    return judge(out_of_fold(*rows), HIERARCHY, method="Forest").judgement


@pytest.fixture(scope="module")
def raw():
    rows = scored_rows(600, sharpness=0.3)
    return judge(
        out_of_fold(*rows), HIERARCHY, method="Forest", calibrate=False
    ).judgement


def test_a_verdict_has_three_lines(judgement):
    quality, unlabeled, decision = verdict(judgement, learns=False)
    assert quality == (
        f"quality: micro average precision {judgement.quality.micro:.3f}, constant "
        f"predictor {judgement.constant.micro:.3f}, on 600 labelled rows "
        "cross-validated in 5 folds"
    )
    assert unlabeled == "unlabelled rows: not used, since Forest is supervised"
    rule = judgement.decision
    assert f"{rule.precision:.0%} of these terms are right" in decision
    assert f"{rule.recall:.0%} of the known ones" in decision


def test_quality_says_how_it_was_measured(judgement):
    own = replace(judgement, is_own=True)
    assert quality_sentence(own).endswith("scored by models trained without them")
    given = replace(judgement, measured_on=TEST_ROWS)
    assert quality_sentence(given).endswith("labelled rows that the model has not seen")
    nothing = replace(judgement.raw, micro=np.nan)
    unknown = replace(judgement, raw=nothing, calibrated=None)
    assert quality_sentence(unknown) == (
        "quality: unknown, since none of the 600 rows has a term"
    )


def test_unlabelled_rows_give_what_was_measured(judgement, raw):
    gain = UnlabeledGain(0.9, 0.8, 0.02, score_by_chance=0.3, chance_error=0.02)
    assert unlabeled_sentence(raw.with_gain(gain), learns=True) == str(gain)
    # What is calibrated has another quality than the one that the gain refers to.
    told = unlabeled_sentence(judgement.with_gain(gain), learns=True)
    assert told == f"{gain} (before calibration)"
    assert "was not measured" in unlabeled_sentence(raw, learns=True)


def test_unlabelled_rows_are_compared_with_a_judgement_without_them(judgement, raw):
    told = unlabeled_sentence(judgement, True, raw)
    with_them, without = judgement.quality.micro, raw.quality.micro
    assert f"{with_them:.3f} with them, {without:.3f} without" in told
    assert f"difference {with_them - without:+.3f}" in told


def test_a_decision_says_its_threshold(judgement):
    rule = replace(judgement.decision, n_own=0, overall=0.4)
    assert "a row gets a term from probability 0.40 on; " in decision_sentence(rule)
    rule = replace(rule, n_own=3)
    told = "from a probability of its own on (0.40 for rare terms)"
    assert told in decision_sentence(rule)
    assert decision_sentence(Decision.unmeasured(2)) == (
        "decision: a row gets a term from probability 0.50 on, which was not measured"
    )


def test_calibration_says_whether_it_is_kept(judgement, raw):
    assert calibration_sentence(judgement) == (
        f"calibration: mean error {judgement.error:.3f}, {judgement.raw_error:.3f} "
        "before, for probabilities of at least 0.1"
    )
    assert calibration_sentence(raw) == "calibration: none, since it was disabled"
    alone = replace(judgement, raw_error=np.nan)
    assert "before" not in calibration_sentence(alone)
    assert "no probability reaches 0.1" in calibration_sentence(
        replace(judgement, error=np.nan)
    )


def test_details_name_raw_and_calibrated_quality(judgement, raw):
    told = list(details(judgement))
    assert told[1].startswith(
        f"before calibration: micro average precision {judgement.raw.micro:.3f}"
    )
    assert "terms predicted better than by chance: 6 of 6" in told
    assert "left out of all measures: 1 root that nearly all rows have" in told
    assert not any("before calibration" in line for line in details(raw))
    hidden = replace(judgement, unlabeled=0.5)
    assert any(
        "unlabelled rows of this table: micro average" in d for d in details(hidden)
    )


def test_what_was_skipped_says_why_and_what_it_would_have_cost():
    kept = Candidate("forest", uses_unlabeled=False, status="kept")
    skipped = replace(kept, name="network", status="skipped", reason="it needs JAX")
    costly = replace(skipped, name="views", reason="too slow", expected_seconds=100.0)
    assert skipped_sentence([kept]) == ""
    assert skipped_sentence([kept, skipped, costly]) == (
        "not tried, 2 of 3 candidates: it needs JAX ('network'); too slow ('views', "
        "about 2 min)"
    )
