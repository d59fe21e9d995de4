"""The payload of a page, small enough to check by hand."""

N_PLANTS = 30
ODD_NAMES = [
    "<script>document.title = 'run'</script>",
    "\"double\" & 'single' <b>quotes</b>",
    "long" * 75,
    "\N{HEBREW LETTER SHIN}\N{HEBREW LETTER LAMED}\N{HEBREW LETTER MEM} fish",
    "no\N{NO-BREAK SPACE}break\N{NARROW NO-BREAK SPACE}here",
]
# A white image of one pixel.
PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAA"
    "AACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg=="
)
# Its parents, the rows that have it of 100, its average precision and its threshold.
_TERMS = {
    "living": ([], 100, None, 0.5),
    "animals": (["living"], 60, 0.8, 0.5),
    "plants": (["living"], 40, 0.4, 0.5),
    "fish": (["animals"], 30, 0.7, 0.4),
    "flyers": (["animals"], 10, 0.15, 0.3),
    "flying fish": (["fish", "flyers"], 5, 0.03, 0.25),
    **{name: (["fish"], 2, None, 0.5) for name in ODD_NAMES},
    **{f"plant {n}": (["plants"], N_PLANTS - n, 0.5, 0.5) for n in range(N_PLANTS)},
}
TERMS = list(_TERMS)


def small_payload():
    """Return what Python gives to the page: 41 terms, 4 rows."""
    return {
        "kind": "model",
        "title": "Fish & <others>",
        "version": "1",
        "made": "2026-01-01",
        "left_out": ["Of 100 rows 4 are here."],
        "summary": _summary(),
        "measured_on": "out of fold",
        "terms": _terms(),
        "overall_threshold": 0.5,
        "rows": _rows(),
        "to_check": {
            "new": [
                [1, TERMS.index("flying fish"), 0.6, 0.9, 2.15],
                [2, 3, 0.7, None, 0.86],
            ],
            "surprising": [[0, TERMS.index("flyers"), 0.1, None, 1.5]],
            "label_next": [[1, 0.9], [2, 0.4]],
        },
    }


def _summary():
    curve = {"recall": [0, 0.5, 1], "precision": [1, 0.8, 0.4]}
    scores = [("micro average precision", 0.7, 0.5), ("macro", 0.2, 0.3)]
    tried = [
        ("forest", 0.7, "kept", ""),
        ("neighbours", 0.6, "tried", ""),
        ("network", None, "skipped", "JAX is not installed"),
    ]
    return {
        "method": "a forest",
        "predicts": "predicts 41 terms",
        "settings": {"n_estimators": 7},
        "facts": [["method", "a forest"], ["rows", "100"]],
        "choices": ["impute: nothing is missing"],
        "warnings": ["5 terms are not measured."],
        "decision": "decision: a row gets a term from probability 0.50 on",
        "unlabeled": "unlabelled rows: they gave nothing",
        "pseudo_labels": {
            "said": "2 of 3 unlabelled rows received labels in 2 passes",
            "step": "pass",
            "steps": "passes",
            "history": [
                {"pass": 1, "labels": 1200, "mean_similarity": 0.98},
                {"pass": 2, "labels": 1201, "mean_similarity": 0.9},
            ],
            "picture": {"source": PIXEL, "alt": "n1: <2 rows>", "note": "In 2 axes."},
        },
        "scores": [
            {"measure": name, "model": a, "constant": b, "better": "higher"}
            for name, a, b in scores
        ],
        "candidates": [
            {"name": name, "score": score, "status": status, "reason": reason}
            | {"seconds": 1.0, "uses_unlabeled": False, "share": 0.0}
            | {"expected_seconds": 61.5 if reason else None}
            for name, score, status, reason in tried
        ],
        "curves": {
            "precision_recall": [
                {"label": label, "average_precision": 0.7, "constant": 0.2, **curve}
                for label in ("all terms", "depth 1")
            ],
            "reliability": [
                {"label": "all terms", "said": [0.1, 0.9], "true": [0.2, 0.8]}
                | {"count": [90, 10]}
            ],
        },
    }


def _terms():
    parents = [[TERMS.index(p) for p in _TERMS[name][0]] for name in TERMS]
    depth = []
    for above in parents:
        depth.append(1 + max((depth[p] for p in above), default=-1))
    n_rows, ap, threshold = (
        [_TERMS[name][place] for name in TERMS] for place in (1, 2, 3)
    )
    measured = [None if value is None else True for value in ap]
    return {
        "id": [f"T:{number}" for number in range(len(TERMS))],
        "name": TERMS,
        "aspect": None,
        "depth": depth,
        "parents": parents,
        "rows": n_rows,
        "frequency": [n / 100 for n in n_rows],
        "ap": ap,
        "reliable": measured,
        "calibration_error": [value and 0.02 for value in ap],
        "threshold": threshold,
        "precision": [value and 0.75 for value in ap],
        "recall": [value and 0.5 for value in ap],
        "features": [[["fins", 0.5], ["<i>gills</i>", 0.25]] for _ in TERMS],
        "features_are": "coefficients",
        "is_uninformative": [not above for above in parents],
    }


def _rows():
    animals, fish, flyers, both = (
        TERMS.index(name) for name in ("animals", "fish", "flyers", "flying fish")
    )
    above = [[animals, 0.9, 0.95], [fish, 0.7, 0.8]]
    out_of_fold, by_model = "out of fold", "by the model"
    evidence = {
        "neighbors": [
            {"id": name, "distance": distance, "labels": labels}
            | {"labels_given": bool(labels), "found_by": "it", "shares_leaves": False}
            for name, distance, labels in (
                ("cod", 0.25, [fish]),
                ("<u>x</u>", 0.5, [both]),
                ("rock", 0.75, []),
            )
        ],
        "votes": [[fish, 0.66], [both, 0.33]],
        "splits": [
            {"decision": "fins > 0.5", "value": 0.75, "rows": 1200},
            {"decision": "<b>wings</b> > 1", "value": None, "rows": 30},
        ],
        "tests": [],
        "path_of": "",
        "contributions": [[fish, [["gills", 2.0], ["fins", -0.25]]]],
        "contributions_of": "",
        "members": [
            {"name": "forest", "share": 0.4, "scores": [[fish, 0.8], [both, 0.7]]}
        ],
    }
    return {
        "id": ["cod", "exocoetus", "eel", ODD_NAMES[0]],
        "known": [[fish, flyers], [], [animals], []],
        "negative": [[both], [], [], []],
        "predicted": [
            above,
            [*above, [flyers, 0.62, 0.5], [both, 0.6, 0.9]],
            [*above, [flyers, 0.2, None]],
            [],
        ],
        "others": [
            [[0, 1.0, 1.0], [flyers, 0.1, None]],
            [[0, 1.0, 1.0]],
            [[0, 1.0, 1.0], [both, 0.05, None]],
            [],
        ],
        "n_predicted": [2, 4, 3, 0],
        "n_new": [0, 4, 2, 0],
        "most_informative": [None, both, None, None],
        "state": ["labelled", "unlabelled", "labelled", "new"],
        "scored": [out_of_fold, by_model, out_of_fold, by_model],
        "evidence": [None, evidence, None, None],
    }
