"""What unlabelled rows were worth, in a sentence."""

import pytest

from hilabel.semi_supervised import UnlabeledGain


def gain_of(score_with, score_without, error=0.01):
    return UnlabeledGain(score_with, score_without, error, 0.3, 0.05)


@pytest.mark.parametrize(
    ("gain", "sentence", "is_used"),
    [
        (gain_of(0.65, 0.6), "unlabelled rows help: 0.650 with them", True),
        (gain_of(0.61, 0.6), "unlabelled rows seem to help", True),
        (gain_of(0.6, 0.6), "unlabelled rows make no difference", True),
        (gain_of(0.59, 0.6), "unlabelled rows do not help, and are not used", False),
        (gain_of(0.39, 0.3), "unlabelled rows are not used, since nothing", False),
    ],
)
def test_the_sentence_says_what_was_measured_and_done(gain, sentence, is_used):
    assert str(gain).startswith(sentence)
    assert gain.helps == is_used
