"""Every script of the gallery runs, draws a figure and shows the constant predictor."""

import runpy
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

SCRIPTS = sorted((Path(__file__).parents[1] / "examples").glob("plot_*.py"))


def test_there_are_at_least_twelve():
    assert len(SCRIPTS) >= 12


# A cluster warns of its own sockets while it is taken down.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_script_runs_and_draws(script, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    names = runpy.run_path(str(script), run_name="__main__")
    assert any(isinstance(value, Figure) for value in names.values())
    assert [path.suffix for path in tmp_path.iterdir()] == [".png"]
    assert "PriorClassifier" in script.read_text(encoding="utf-8")
    mpl.pyplot.close("all")
