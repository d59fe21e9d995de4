"""The results of a new user; ``python -m benchmarks.newcomer``.

The commands run on genes and a shop (``benchmarks/newcomer_files.py``), and the results
are compared with the hidden truth. "before" is the result with an option that restores
the old behaviour, "n/a" if there is no such option, or "not run" for the known
behaviour of earlier versions that was not measured on these files. The table is written
to ``benchmarks/results/newcomer.md``.
"""

import json
import shlex
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from click.testing import CliRunner

from benchmarks._results import write_table
from benchmarks.newcomer_files import (
    ASPECTS,
    GeneFiles,
    ShopFiles,
    write_genes,
    write_shop,
)
from hilabel.cli import app
from hilabel.constraints import labels_from_scores
from hilabel.hierarchy import Hierarchy
from hilabel.metrics import average_precision, hierarchical_precision_recall_f1
from hilabel.persistence import load_model

HEADINGS = ("what", "before", "now")
NOT_THERE = "n/a"
_ROOTS = [aspect.root for aspect in ASPECTS]


class NotThereError(Exception):
    """A command or an option that this version does not have."""


def hilabel(*words: Any) -> str:
    """Run a command in this process, and return its output."""
    arguments = [str(word) for word in words]
    result = CliRunner().invoke(app, arguments, prog_name="hilabel")
    if "No such option" in result.stderr or "No such command" in result.stderr:
        raise NotThereError(result.stderr)
    if result.exit_code not in (0, 3):
        raise RuntimeError(f"hilabel {' '.join(arguments)}: {result.stderr}")
    return result.stdout


@dataclass(frozen=True, eq=False)
class Genes:
    """The genes, and models that are trained on first use."""

    files: GeneFiles
    folder: Path
    n_jobs: int

    @property
    def data(self) -> list[Any]:
        """The arguments for the files, as in all commands that train."""
        files = self.files
        data = [files.features, "-l", files.labels, "-H", files.hierarchy]
        return [*data, "--strip-version", "--jobs", self.n_jobs]

    @cached_property
    def truth(self) -> pd.DataFrame:
        """Return hidden genes in rows and terms in columns, 0 and 1."""
        cells = pd.read_csv(self.files.truth)
        return pd.crosstab(cells["id"], cells["term"]).clip(upper=1)

    def model(self, name: str, *options: Any, data: list[Any] | None = None) -> Path:
        """Return a model file, trained with these options if it does not exist."""
        path = self.folder / f"{name}.hilabel"
        if not path.exists():
            hilabel("fit", *(data or self.data), *options, "-o", path, "--quiet")
        return path

    def scores(self, model: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return truth and probabilities of the hidden genes for the common terms."""
        path = model.with_suffix(".csv")
        if not path.exists():
            words = ["predict", model, self.files.features, "-o", path, "--roots"]
            hilabel(*words, "--format", "wide", "--quiet")
        wide = pd.read_csv(path, index_col="id")
        wide.index = wide.index.str.replace(r"\.\d+$", "", regex=True)
        terms = [term for term in wide.columns if term in self.truth]
        return self.truth[terms], wide.loc[self.truth.index, terms]

    def quality(self, model: Path, terms: Callable[[str], bool]) -> float:
        """Return the micro average precision on hidden genes, of some terms."""
        truth, scores = self.scores(model)
        chosen = [term for term in truth.columns if terms(term)]
        return float(average_precision(truth[chosen], scores[chosen]))


def is_process(term: str) -> bool:
    """Return whether a term belongs to the aspect BP and is not its root."""
    return term.startswith("GO:001")


def is_no_root(term: str) -> bool:
    """Return whether a term is informative."""
    return term not in _ROOTS


# Lines of the table -------------------------------------------------------------------


def one_aspect_only(genes: Genes) -> tuple[str, str]:
    """BP micro AP; a gene without a line in an aspect is unknown there."""
    try:
        old = genes.model("complete", "--assume-complete")
        before = f"{genes.quality(old, is_process):.3f} with --assume-complete"
    except NotThereError:
        before = NOT_THERE
    lines = genes.files.labels.read_text().splitlines(keepends=True)
    own = [line for line in lines if line[0] == "!" or line.split("\t")[8] == "P"]
    labels = genes.folder / "bp.gaf"
    labels.write_text("".join(own))
    data = [labels if word == genes.files.labels else word for word in genes.data]
    alone = genes.quality(genes.model("bp_alone", data=data), is_process)
    whole = genes.quality(genes.model("default"), is_process)
    return before, f"{whole:.3f}; trained on BP lines alone {alone:.3f}"


def no_data(genes: Genes) -> tuple[str, str]:
    """Genes with ND lines alone that count as labelled, or are not predicted."""
    model = load_model(genes.model("default"))
    labeled = np.array(model.sample_ids, dtype=object)[model.labeled]
    own = set(genes.files.no_data)
    path = genes.folder / "without.csv"
    words = ["predict", genes.model("default"), genes.files.features, "-o", path]
    hilabel(*words, "--without", genes.files.labels, "--quiet")
    predicted = set(pd.read_csv(path)["id"].str.replace(r"\.\d+$", "", regex=True))
    return (
        f"{len(own)}, not run",
        f"{len(own & set(labeled))} labelled, {len(own - predicted)} not predicted",
    )


def evidence(genes: Genes) -> tuple[str, str]:
    """Lines that --exclude-evidence ND,IEA drops."""
    told = json.loads(
        hilabel("inspect", *genes.data[:-2], "--exclude-evidence", "ND,IEA", "--json")
    )
    n_lines = genes.files.labels.read_text().count("\tIEA\t")
    found = _deep(told, "n_filtered", "dropped by evidence")
    return "0, not run", f"{found} ({n_lines} lines have IEA)"


def _deep(value: Any, *names: str) -> Any:
    """Return the first value of one of the names, at any depth."""
    inner = value.values() if isinstance(value, dict) else value
    if isinstance(value, dict):
        for name in names:
            if name in value:
                return value[name]
    if isinstance(value, dict | list):
        for part in inner:
            found = _deep(part, *names)
            if found is not None:
                return found
    return None


def roots_shown(genes: Genes) -> tuple[str, str]:
    """Root terms among --top 5, per hidden gene."""
    counts = []
    for more in (["--roots"], []):
        path = genes.folder / "top.csv"
        words = ["predict", genes.model("default"), genes.files.features, "-o", path]
        hilabel(*words, "--top", "5", "--quiet", *more)
        lines = pd.read_csv(path)
        counts.append(lines["term"].isin(_ROOTS).sum() / lines["id"].nunique())
    return f"{counts[0]:.2f} with --roots", f"{counts[1]:.2f}"


def roots_measured(genes: Genes) -> tuple[str, str]:
    """Micro AP on hidden genes, with the roots and without."""
    model = genes.model("default")
    with_roots = genes.quality(model, lambda term: True)
    said = load_model(model).judgement.quality.micro
    without = genes.quality(model, is_no_root)
    return (
        f"{with_roots:.3f} with roots",
        f"{without:.3f} without; {said:.3f} said out of fold",
    )


def default_and_best(genes: Genes) -> tuple[str, str]:
    """Default and best method, out of fold (compare) and on hidden genes."""
    told = json.loads(hilabel("compare", *genes.data, "--json"))
    scores = {row["method"]: row["micro_AP"] for row in told["measures"]}
    command = shlex.split(told["command"])
    start = command.index("--method") if "--method" in command else len(command)
    best = genes.model("best", *command[start:])
    default = genes.quality(genes.model("default"), is_no_root)
    listed = ", ".join(
        f"{name} {score:.3f}" for name, score in scores.items() if score is not None
    )
    return (
        f"default {default:.3f} hidden",
        f"best {told['best']} {genes.quality(best, is_no_root):.3f} hidden; {listed}",
    )


def decision(genes: Genes) -> tuple[str, str]:
    """Precision and recall on hidden genes, of the model's decisions and as said."""
    path = genes.model("default")
    model = load_model(path)
    truth, scores = genes.scores(path)
    nodes = [model.hierarchy.node(term) for term in truth.columns]
    order, hierarchy = np.argsort(nodes), model.hierarchy.restrict(np.sort(nodes))
    labels = labels_from_scores(
        scores.to_numpy()[:, order],
        hierarchy,
        model.decision.threshold[np.sort(nodes)],
        on_conflict="close",
    )
    found = _precision_recall(truth.to_numpy()[:, order], labels, hierarchy)
    said = (
        f"precision {model.decision.precision:.3f}, recall {model.decision.recall:.3f}"
    )
    return f"said: {said}", f"found: {found}"


def _precision_recall(truth: Any, labels: Any, hierarchy: Hierarchy) -> str:
    inner = np.setdiff1d(np.arange(hierarchy.n_nodes), hierarchy.roots)
    own = hierarchy.restrict(inner)
    found = hierarchical_precision_recall_f1(truth[:, inner], labels[:, inner], own)
    return f"precision {found.precision:.3f}, recall {found.recall:.3f}"


def reliability(method: list[str], name: str) -> Callable[[Genes], tuple[str, str]]:
    """Return a row on the calibration of probabilities on hidden genes."""

    def line(genes: Genes) -> tuple[str, str]:
        try:
            old = genes.model(f"{name}_raw", *method, "--no-calibrate")
            before = _reliability(*genes.scores(old))
        except NotThereError:
            before = NOT_THERE
        return before, _reliability(*genes.scores(genes.model(name, *method)))

    line.__doc__ = f"Probabilities of {name} on hidden genes, said and true."
    return line


def _reliability(truth: pd.DataFrame, scores: pd.DataFrame) -> str:
    terms = [term for term in truth.columns if is_no_root(term)]
    said, true = scores[terms].to_numpy().ravel(), truth[terms].to_numpy().ravel()
    shown = []
    for low in (0.3, 0.5, 0.6, 0.8):
        inside = (said >= low) & (said < low + 0.1)
        if inside.any():
            shown.append(f"{low:.1f}-{low + 0.1:.1f}: {true[inside].mean():.3f}")
    return (
        f"error {_error(said, true):.3f}, above .1 {_error(said, true, 0.1):.3f}; "
        + (", ".join(shown))
    )


def _error(said: Any, true: Any, least: float = 0.0) -> float:
    """Return the mean calibration error in ten bins of equal count."""
    order = np.argsort(said[said > least], kind="stable")
    bins = np.array_split(order, 10)
    said, true = said[said > least], true[said > least]
    return float(
        np.mean([abs(said[b].mean() - true[b].mean()) for b in bins if b.size])
    )


def retired_ids(genes: Genes) -> tuple[str, str]:
    """Retired ids in evaluate --model without -H: the micro AP."""
    words = [genes.files.features, "-l", genes.files.labels]
    words += ["-m", genes.model("default"), "--json"]
    found = [
        json.loads(hilabel("evaluate", *words, *more))["measures"][0]["model"]
        for more in ([], ["-H", genes.files.hierarchy])
    ]
    return NOT_THERE, f"{found[0]:.4f} without -H, {found[1]:.4f} with it"


def study_on_tables(genes: Genes) -> tuple[str, str]:
    """A study on CSV, GAF and OBO."""
    folder = genes.folder / "study"
    folder.mkdir(exist_ok=True)
    files = genes.files
    for path in (files.features, files.labels, files.hierarchy):
        shutil.copy(path, folder)
    (folder / "study.toml").write_text(
        "repetitions = 1\nfractions = [0.5]\nsupervised = 'constant'\n"
        "measures = ['micro_average_precision']\n\n"
        f"[datasets.mine]\nfeatures = '{files.features.name}'\n"
        f"labels = '{files.labels.name}'\nhierarchy = '{files.hierarchy.name}'\n"
        "strip_version = true\nmin_count = 5\nfolds = 2\n\n"
        "[methods.constant]\nclass = 'PriorClassifier'\n"
    )
    hilabel("study", "run", folder / "study.toml", "--quiet")
    return "only ARFF, not run", "runs"


def titles(shop: ShopFiles, folder: Path, n_jobs: int) -> tuple[str, str]:
    """Titles: micro AP on hidden products out of the box, and seconds of fit."""
    model = folder / "titles.hilabel"
    start = time.perf_counter()
    data = [shop.features, "-l", shop.labels, "--jobs", n_jobs]
    hilabel("fit", *data, "-o", model, "--quiet")
    seconds = time.perf_counter() - start
    words = [shop.features, "-l", shop.truth, "-m", model, "--json"]
    found = json.loads(hilabel("evaluate", *words))["measures"][0]
    text = f"{found['model']:.3f} (constant {found['constant']:.3f}), {seconds:.0f} s"
    return "refused or names, not run", text


def deeper_paths(shop: ShopFiles, folder: Path, n_jobs: int) -> tuple[str, str]:
    """Paths deeper than any in training that evaluate --model loses."""
    words = [shop.features, "-l", shop.truth, "-m", folder / "titles.hilabel"]
    told = hilabel("evaluate", *words, "--details")
    line = next(line for line in told.splitlines() if line.startswith("terms:"))
    return "all dropped, not run", line


GENE_LINES = (
    one_aspect_only,
    no_data,
    evidence,
    roots_shown,
    roots_measured,
    default_and_best,
    decision,
    reliability([], "default"),
    reliability(["--method", "SSHMCBLI"], "SSHMCBLI"),
    study_on_tables,
    retired_ids,
)
SHOP_LINES = (titles, deeper_paths)


def measure(folder: Path, n_genes: int, n_products: int) -> list[tuple[str, ...]]:
    """Return the rows of the table: what was tested, before, and now."""
    genes = Genes(write_genes(folder / "genes", n_genes), folder, 2)
    shop = write_shop(folder / "shop", n_products)
    rows = [_row(line, genes) for line in GENE_LINES]
    return rows + [_row(line, shop, folder, 2) for line in SHOP_LINES]


def _row(line: Callable[..., tuple[str, str]], *on: Any) -> tuple[str, ...]:
    try:
        found = line(*on)
    except NotThereError:
        found = (NOT_THERE, NOT_THERE)
    except Exception:  # one failure does not affect the other rows
        traceback.print_exc()
        found = (NOT_THERE, "failed")
    row = ((line.__doc__ or "").strip().rstrip("."), *found)
    print(" | ".join(row), flush=True)
    return row


def main() -> None:
    """Measure everything and write the table."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(Path(folder), 3000, 2000)
    print(write_table("newcomer", HEADINGS, rows))


if __name__ == "__main__":
    sys.exit(main())
