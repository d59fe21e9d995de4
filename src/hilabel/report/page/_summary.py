"""What a page says about a model as a whole: what it is, and how good it is."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

from hilabel.judgement import (
    Judgement,
    decision_sentence,
    link_sentence,
    measure_table,
    unlabeled_sentence,
)
from hilabel.models import TableModel
from hilabel.report.page._content import PageContent

_UNKNOWN: Final = (
    "The quality of this model is unknown: it was not measured in training, and no "
    "labelled rows that are new to the model were given."
)
_NO_BETTER: Final = (
    "The model is no better than the constant predictor, which predicts the label "
    "frequencies for every row."
)


def summary_of(content: PageContent) -> dict[str, Any]:
    """Return the plain values of the first screen of a page."""
    model, judgement = content.model, content.judgement
    return {
        "method": model.record.method,
        "predicts": _predicts(model),
        "settings": model.record.settings,
        "facts": [list(fact) for fact in _facts(model)],
        "choices": list(model.record.statements),
        "warnings": list(_warnings(content)),
        "decision": decision_sentence(content.decision),
        "unlabeled": None
        if judgement is None
        else _gains(judgement, model.estimator.learns_from_unlabeled),
        "pseudo_labels": _pseudo_labels(content),
        "scores": []
        if judgement is None
        else measure_table(judgement).to_dict("records"),
        "candidates": [
            asdict(one) for one in getattr(model.estimator, "candidates_", ())
        ],
        "curves": _curves(content),
    }


def _gains(judgement: Judgement, learns: bool) -> str:
    """Say what unlabelled rows gave and, if that was measured, what links gave."""
    return "; ".join([unlabeled_sentence(judgement, learns), *link_sentence(judgement)])


def _predicts(model: TableModel) -> str:
    """Describe what the model predicts, and name the files used."""
    files = model.record.files
    terms, source = files.get("hierarchy") or files.get("labels"), files.get("features")
    return (
        f"predicts {model.hierarchy.n_nodes:,} terms{f' of {terms}' if terms else ''} "
        f"from {len(model.feature_names):,} features{f' of {source}' if source else ''}"
    )


def _facts(model: TableModel) -> Iterator[tuple[str, str]]:
    hierarchy, record = model.hierarchy, model.record
    n_rows, n_labeled = len(model.sample_ids), int(model.labeled.sum())
    n_roots = int((~model.informative).sum())
    kind = "tree" if hierarchy.is_tree else "DAG"
    shape = f"{hierarchy.n_nodes:,} in a {kind} of depth {hierarchy.max_depth}"
    roots = "" if n_roots == 1 else "s"
    yield "method", record.method
    if n_rows:
        n_unlabeled = n_rows - n_labeled
        yield (
            "rows in training",
            f"{n_rows:,}: {n_labeled:,} labelled, {n_unlabeled:,} unlabelled",
        )
    yield (
        "terms",
        f"{shape}, {n_roots} of them root{roots} that nearly all rows have"
        if n_roots
        else shape,
    )
    yield "features", f"{len(model.feature_names):,}"
    if record.files:
        yield "files", ", ".join(record.files.values())
    if record.preset:
        yield "preset", record.preset
    yield "seed", str(record.seed)


def _warnings(content: PageContent) -> Iterator[str]:
    if content.judgement is None:
        yield _UNKNOWN
    elif content.judgement.is_no_better:
        yield _NO_BETTER


def _pseudo_labels(content: PageContent) -> dict[str, Any] | None:
    learned, picture = content.model.record.pseudo_labels, content.picture
    if learned is None:
        return None
    return {
        "said": str(learned),
        "step": learned.step,
        "steps": learned.steps,
        "history": list(learned.history),
        "picture": None if picture is None else picture._asdict(),
    }


def _curves(content: PageContent) -> dict[str, Any]:
    groups = () if content.judgement is None else content.judgement.groups
    return {
        "precision_recall": [
            {
                "label": group.label,
                "recall": group.recall,
                "precision": group.precision,
                "average_precision": group.average_precision,
                "constant": group.constant,
            }
            for group in groups
        ],
        "reliability": [
            {
                "label": group.label,
                "said": group.said,
                "true": group.true,
                "count": group.count,
            }
            for group in groups
            if group.said.size
        ],
    }
