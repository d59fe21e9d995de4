"""Write the report on a study: a page, its figures and its tables."""

from pathlib import Path

from hilabel._typing import FilePath
from hilabel._writing import folder_aside
from hilabel.report._save import save_figure
from hilabel.report.study._look import figure_style
from hilabel.report.study._page import StudyPage
from hilabel.report.study._results import StudyResults
from hilabel.studies import ResultsStore

_PAGE = "index.html"


def write_study_report(store: ResultsStore | FilePath, folder: FilePath) -> Path:
    """Write a report that opens in any browser without a server or network access.

    The page contains everything: figures, tables, and scripts to sort and filter the
    tables. The figures are also written as PNG and SVG files (``figures/``), and the
    tables as CSV files (``tables/``). The report is as complete as possible if the
    study is unfinished, has failed runs or has only one data set.

    Parameters
    ----------
    store : ResultsStore or path-like
        A results folder of ``hilabel study run``.
    folder : path-like
        The output folder; created if missing. Files of an earlier report are replaced.

    Returns
    -------
    Path
        The page, ``index.html`` in the folder.

    Raises
    ------
    StudyStoreError
        If the results folder has no results.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.report.study import write_study_report
    >>> from hilabel.studies import run_study
    >>> text = '''
    ... fractions = [0.5]
    ... datasets = [{ name = "tree", source = "synthetic", n_samples = 100 }]
    ... methods.constant = { class = "PriorClassifier" }
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "study.toml")
    ...     _ = path.write_text(text)
    ...     _ = run_study(path, Path(folder, "results"))
    ...     page = write_study_report(Path(folder, "results"), Path(folder, "report"))
    >>> page.name
    'index.html'
    """
    page = StudyPage(StudyResults.read(store))
    with folder_aside(folder) as aside:
        _write_page(page, aside)
    return Path(folder) / _PAGE


def _write_page(page: StudyPage, folder: Path) -> None:
    for name in ("figures", "tables"):
        (folder / name).mkdir()
    for name, display in page.displays.items():
        figure = display.plot()
        with figure_style():
            for suffix in ("png", "svg"):
                save_figure(figure, folder / "figures" / f"{name}.{suffix}")
    for name, table in page.tables.items():
        path = folder / "tables" / f"{name}.csv"
        path.write_text(table.to_csv(), encoding="utf-8")
    (folder / _PAGE).write_text(page.html(), encoding="utf-8")
