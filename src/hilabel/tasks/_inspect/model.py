"""Inspect model files."""

import zipfile
from pathlib import Path
from typing import Any, Final

import pandas as pd

from hilabel._typing import FilePath
from hilabel.persistence import read_manifest
from hilabel.semi_supervised import PseudoLabelingSummary
from hilabel.tasks._inspect.inspection import Inspection

# What is shown of the models that a blend tried or skipped.
_OF_CANDIDATES: Final = ["name", "status", "score", "share", "reason"]


def is_model(path: FilePath) -> bool:
    """Return whether a file is a model, based on its name and content."""
    if Path(path).suffix == ".hilabel":
        return True
    if not zipfile.is_zipfile(path):
        return False
    # Excel files and NumPy archives are zip files too.
    try:
        with zipfile.ZipFile(path) as archive:
            return "manifest.json" in archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError):
        return False


def inspect_model(path: FilePath) -> Inspection:
    """Describe a model file without loading the model."""
    manifest = read_manifest(path)
    summary = manifest.summary
    facts: dict[str, Any] = {
        "kind": manifest.kind,
        "size": f"{Path(path).stat().st_size / 1e6:.2f} MB",
        "versions": ", ".join(f"{k} {v}" for k, v in manifest.versions.items()),
    }
    for name in ("method", "problem_type", "seed", "preset"):
        if summary.get(name) is not None:
            facts[name.replace("_", " ")] = summary[name]
    matching = summary.get("matching")
    if matching:
        facts["training rows"] = matching["n_rows"]
        facts["labelled rows"] = matching["n_labeled"]
        facts["terms"] = matching["n_nodes_kept"]
    facts |= _quality_facts(summary.get("quality") or {})
    parameters = pd.DataFrame(
        [
            {"parameter": name, "value": str(value)}
            for name, value in (summary.get("parameters") or {}).items()
        ]
    )
    tables = {"parameters": parameters}
    if summary.get("candidates"):
        found = pd.DataFrame([dict(one) for one in summary["candidates"]])
        tables["candidates"] = found.reindex(columns=_OF_CANDIDATES)
    if summary.get("pseudo_labeling"):
        learned = PseudoLabelingSummary.from_plain(summary["pseudo_labeling"])
        facts["rows with pseudo-labels"] = learned.n_received
        facts["pseudo-labels"] = learned.n_labels
        tables[learned.steps] = learned.frame()
    statements = tuple(summary.get("statements") or ())
    return Inspection(f"Model {path}", facts, tables, statements)


def _quality_facts(quality: dict[str, Any]) -> dict[str, Any]:
    """Return the numbers that were measured in training, under readable names."""
    plain = (str, int, float, bool)
    return {
        f"quality, {name.replace('_', ' ')}": value
        for name, value in quality.items()
        if isinstance(value, plain)
    }
