"""The report of a study: one page, with the figures and the rows behind them."""

from hilabel.report.study._write import write_study_report

__all__ = ["write_study_report"]
