"""Check an installation outside the clone: python tests/installed.py.

`make dist` runs this on the wheel, and cibuildwheel on each wheel that it builds. It
needs nothing but hilabel and what that needs.
"""

import importlib.metadata
import re
import shutil
import subprocess
import sys
from pathlib import Path

import hilabel
from hilabel.classifiers import PredictiveClusteringForest
from hilabel.datasets import make_artificial
from hilabel.studies import bundled_studies, read_study

FILES = (
    "hilabel/py.typed",
    "hilabel/_engine/__init__.pyi",
    "hilabel/datasets/_yeast/registry.txt",
    "hilabel/report/study/templates/page.html",
    "hilabel/studies/bundled/smoke.toml",
    "share/bash-completion/completions/hilabel",
    "share/zsh/site-functions/_hilabel",
    "share/fish/vendor_completions.d/hilabel.fish",
)


def main() -> None:
    """Stop at the first thing that an installation lacks."""
    clone = Path(__file__).parents[1]
    package = Path(hilabel.__file__).parent
    assert clone not in package.parents, f"{package} is not an installation"

    distribution = importlib.metadata.distribution("hilabel")
    assert distribution.version == hilabel.__version__
    held = [path.as_posix() for path in distribution.files or ()]
    lacking = [name for name in FILES if not any(path.endswith(name) for path in held)]
    assert not lacking, f"not in the wheel: {lacking}"
    strangers = [path for path in held if path.startswith(("tests/", "docs/"))]
    assert not strangers, f"should not be in the wheel: {strangers}"

    description = distribution.metadata.json["description"]
    assert description, "no long description"
    relative = re.findall(r"\]\((?!https://)[^)]*\)", description)
    assert not relative, f"links that lead nowhere: {relative}"

    assert read_study(bundled_studies()["smoke"]).methods
    data = make_artificial()
    forest = PredictiveClusteringForest(data.hierarchy, random_state=0)
    forest.fit(data.X_labeled, data.Y_labeled)
    assert forest.predict_proba(data.X_test).shape == data.Y_test.shape
    command = shutil.which("hilabel", path=Path(sys.executable).parent)
    assert command, "the command line is not installed"
    subprocess.run([command, "demo"], check=True)


if __name__ == "__main__":
    main()
