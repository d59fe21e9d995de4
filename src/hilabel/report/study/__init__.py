"""The report on a study: one page with figures and their data."""

from hilabel.report.study._write import write_study_report

__all__ = ["write_study_report"]
