"""The promise that every display keeps."""

from hilabel.report import Display, PseudoLabelDisplay
from hilabel.semi_supervised import NewRowEvidence, RowEvidence


def test_displays_and_evidence_keep_the_promise():
    for kind in (PseudoLabelDisplay, RowEvidence, NewRowEvidence):
        assert issubclass(kind, Display)


def test_what_cannot_be_drawn_is_no_display():
    class OnlyTable:
        def frame(self):
            return None

    assert not issubclass(OnlyTable, Display)
