"""What ``save_model`` accepts, ``load_model`` loads; the rest is refused at once."""

import copy
import json
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from fuzz.model_mutators import pack, sealed, unpack
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import (
    NMF,
    PCA,
    DictionaryLearning,
    FactorAnalysis,
    FastICA,
    IncrementalPCA,
    KernelPCA,
    LatentDirichletAllocation,
    SparsePCA,
    TruncatedSVD,
)
from sklearn.ensemble import RandomTreesEmbedding
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.feature_selection import VarianceThreshold
from sklearn.impute import KNNImputer, MissingIndicator, SimpleImputer
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.pipeline import Pipeline, make_pipeline, make_union
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
)
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection

from hilabel.classifiers import LinearClassifier
from hilabel.exceptions import ModelFileError
from hilabel.persistence import load_model, save_model
from hilabel.semi_supervised import ViewsClassifier
from hilabel.testing import make_problem
from hilabel.views import NeighborhoodMeans

PROBLEM = make_problem("T", "SPL", "FD")
ROWS = np.abs(PROBLEM.X)
NAMES = [f"c{column}" for column in range(ROWS.shape[1])]
FRAME = pd.DataFrame(ROWS, columns=NAMES)
MIXED = FRAME.assign(
    colour=np.where(ROWS[:, 0] > 1, "red", "blue"),
    title=[f"pan{row % 3} lid{row % 5}" for row in range(len(ROWS))],
)
GAPS = np.where(np.arange(ROWS.size).reshape(ROWS.shape) % 7 == 0, np.nan, ROWS)
WHOLE = ROWS.round()
TITLES = MIXED["title"]


def _columns(*parts, **how):
    """Return a ColumnTransformer of transformers and their columns."""
    named = [(f"part{at}", *part) for at, part in enumerate(parts)]
    return ColumnTransformer(named, **how)


SAVED = {
    "passthrough": ("passthrough", ROWS),
    "identity": (FunctionTransformer(), ROWS),
    "log1p": (FunctionTransformer(np.log1p), ROWS),
    "log1p, expm1": (FunctionTransformer(np.log1p, np.expm1), ROWS),
    "sqrt": (FunctionTransformer(np.sqrt), ROWS),
    "StandardScaler": (StandardScaler(), ROWS),
    "StandardScaler of a frame": (StandardScaler(), FRAME),
    "StandardScaler, sparse": (StandardScaler(with_mean=False), sp.csr_array(ROWS)),
    "MinMaxScaler": (MinMaxScaler(), ROWS),
    "MaxAbsScaler": (MaxAbsScaler(), ROWS),
    "RobustScaler": (RobustScaler(), ROWS),
    "Normalizer": (Normalizer(), ROWS),
    "Binarizer": (Binarizer(), ROWS),
    "QuantileTransformer": (QuantileTransformer(n_quantiles=10), ROWS),
    "PowerTransformer": (PowerTransformer(), ROWS),
    "KBinsDiscretizer": (KBinsDiscretizer(3), ROWS),
    "KBinsDiscretizer, ordinal": (KBinsDiscretizer(3, encode="ordinal"), ROWS),
    "PolynomialFeatures": (PolynomialFeatures(2), ROWS),
    "OneHotEncoder": (OneHotEncoder(handle_unknown="ignore"), WHOLE),
    "OneHotEncoder, known": (OneHotEncoder(), WHOLE),
    "OrdinalEncoder": (OrdinalEncoder(), WHOLE),
    "OrdinalEncoder of words": (
        make_pipeline(OrdinalEncoder(), StandardScaler()),
        MIXED[["colour"]],
    ),
    "PCA": (PCA(2), ROWS),
    "TruncatedSVD": (TruncatedSVD(2), ROWS),
    "IncrementalPCA": (IncrementalPCA(2), ROWS),
    "KernelPCA": (KernelPCA(2), ROWS),
    "FastICA": (FastICA(2, random_state=0), ROWS),
    "NMF": (NMF(2, random_state=0), ROWS),
    "FactorAnalysis": (FactorAnalysis(2), ROWS),
    "LatentDirichletAllocation": (LatentDirichletAllocation(2, random_state=0), ROWS),
    "SparsePCA": (SparsePCA(2, random_state=0), ROWS),
    "DictionaryLearning": (DictionaryLearning(2, max_iter=5, random_state=0), ROWS),
    "VarianceThreshold": (VarianceThreshold(), ROWS),
    "SimpleImputer": (SimpleImputer(), GAPS),
    "SimpleImputer of words": (
        make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()),
        MIXED[["colour"]],
    ),
    "SimpleImputer, indicator": (
        SimpleImputer(strategy="median", add_indicator=True),
        GAPS,
    ),
    "MissingIndicator": (MissingIndicator(features="all"), GAPS),
    "ColumnTransformer": (
        _columns((StandardScaler(), [0]), ("passthrough", [1, 2])),
        ROWS,
    ),
    "ColumnTransformer by slice": (_columns((StandardScaler(), slice(0, 2))), ROWS),
    "ColumnTransformer by name": (
        _columns(
            (StandardScaler(), ["c0"]),
            (KBinsDiscretizer(2), ["c1"]),
            remainder="passthrough",
        ),
        FRAME,
    ),
    "ColumnTransformer of categories": (
        _columns((StandardScaler(), NAMES), (OneHotEncoder(), ["colour"])),
        MIXED,
    ),
    "ColumnTransformer of text": (
        _columns((TfidfVectorizer(), "title"), (FunctionTransformer(np.log), NAMES)),
        MIXED,
    ),
    "ColumnTransformer of pipelines": (
        _columns(
            (make_pipeline(SimpleImputer(), StandardScaler()), NAMES),
            (
                make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()),
                ["colour"],
            ),
        ),
        MIXED,
    ),
    "TfidfVectorizer": (TfidfVectorizer(), TITLES),
    "TfidfVectorizer of pairs": (
        TfidfVectorizer(stop_words="english", ngram_range=(1, 2), sublinear_tf=True),
        TITLES,
    ),
    "TfidfVectorizer of characters": (
        TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4)),
        TITLES,
    ),
    "CountVectorizer": (CountVectorizer(), TITLES),
    "HashingVectorizer": (HashingVectorizer(n_features=64), TITLES),
    "CountVectorizer, TfidfTransformer": (
        make_pipeline(CountVectorizer(), TfidfTransformer()),
        TITLES,
    ),
    "TfidfTransformer": (TfidfTransformer(), ROWS),
    "a union": (make_union(StandardScaler(), PCA(2)), ROWS),
    "a pipeline": (make_pipeline(StandardScaler(), PCA(2)), ROWS),
    "RandomTreesEmbedding": (RandomTreesEmbedding(3, random_state=0), ROWS),
    "NeighborhoodMeans": (NeighborhoodMeans(3), ROWS),
}
DEFAULT_COLUMNS = ColumnTransformer([]).get_params(deep=False)
DICTS = [{"a": float(row)} for row in range(len(ROWS))]
REFUSED = {
    "a function": (FunctionTransformer(lambda rows: rows), ROWS, "lambda"),
    "SplineTransformer": (SplineTransformer(), ROWS, "scipy.interpolate"),
    "KNNImputer": (KNNImputer(), GAPS, "KNNImputer"),
    "a selector": (
        _columns((StandardScaler(), make_column_selector(dtype_include=float))),
        FRAME,
        "make_column_selector",
    ),
    "a tokenizer": (
        TfidfVectorizer(tokenizer=str.split, token_pattern=None),
        TITLES,
        "method_descriptor",
    ),
    "a pattern": (
        TfidfVectorizer(token_pattern=r"\w{3,}"),
        TITLES,
        r"expected token_pattern=.* of its TfidfVectorizer, got '\\\\w\{3,\}'",
    ),
    "many steps": (
        NMF(2, max_iter=50_000, random_state=0),
        ROWS,
        "could not be loaded: the arrays of its NMF",
    ),
    "Gaussian projection": (GaussianRandomProjection(2), ROWS, "Gaussian"),
    "sparse projection": (SparseRandomProjection(2), ROWS, "SparseRandom"),
    "RBFSampler": (RBFSampler(), ROWS, "RBFSampler"),
    "Nystroem": (Nystroem(n_components=5), ROWS, "Nystroem"),
    "KMeans": (KMeans(2), ROWS, "KMeans"),
    "DictVectorizer": (DictVectorizer(), DICTS, "DictVectorizer"),
}


def _fitted(step, rows):
    model = Pipeline(
        [("first", step), ("last", LinearClassifier(PROBLEM.hierarchy, n_jobs=1))]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numbers that suit another step
        return model.fit(rows, PROBLEM.Y)


@pytest.mark.parametrize("name", SAVED)
def test_a_saved_pipeline_is_loaded_and_predicts_the_same(tmp_path, name):
    step, rows = SAVED[name]
    model = _fitted(step, rows)
    loaded = load_model(save_model(model, tmp_path / "model.hilabel"))
    expected = model.predict_proba(rows)
    np.testing.assert_array_equal(loaded.predict_proba(rows), expected)


@pytest.mark.parametrize("name", REFUSED)
def test_other_pipelines_are_refused_when_they_are_saved(tmp_path, name):
    step, rows, reason = REFUSED[name]
    model = _fitted(step, rows)
    with pytest.raises(ModelFileError, match=reason):
        save_model(model, tmp_path / "model.hilabel")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("kind", ["Pipeline", "ColumnTransformer"])
def test_pipelines_in_pipelines_are_counted_as_often_as_they_run(tmp_path, kind):
    last = _fitted(StandardScaler(), ROWS)
    path = save_model(last, tmp_path / "model.hilabel")
    members = unpack(path.read_bytes())
    tree = json.loads(members["model.json"])
    entries = tree["entries"]
    root = len(entries) - 1
    assert tree["root"] == {"ref": root}
    step = next(at for at, e in enumerate(entries) if e.get("type") == "StandardScaler")
    state = entries[root]["state"]
    for _ in range(40):
        steps = [{"tuple": [name, {"ref": step}]} for name in "ab"]
        if kind == "ColumnTransformer":
            steps = [{"tuple": [*s["tuple"], {"list": [0]}]} for s in steps]
            new = {**DEFAULT_COLUMNS, "transformers": {"list": steps}}
        else:
            new = {**state, "steps": {"list": steps}}
        entries.append({"type": kind, "state": new})
        step = len(entries) - 1
    state = copy.deepcopy(state)
    entries.append({"type": "Pipeline", "state": state})
    state["steps"]["list"][0]["tuple"][1] = {"ref": step}
    tree["root"] = {"ref": len(entries) - 1}
    members["model.json"] = json.dumps(tree).encode()
    path.write_bytes(sealed(pack(members)))
    with pytest.raises(ModelFileError, match=r"it would run 1023 estimators, but"):
        load_model(path)


@pytest.mark.parametrize("width", [2**31 - 1, 10**9])
def test_the_width_of_views_is_checked_before_rows_are_made(tmp_path, width):
    model = ViewsClassifier(PROBLEM.hierarchy, estimator=LinearClassifier())
    model.fit(ROWS, PROBLEM.Y)
    path = save_model(model, tmp_path / "model.hilabel")
    members = unpack(path.read_bytes())
    text = members["model.json"].decode()
    old = f'"n_features_in_": {ROWS.shape[1]}'
    assert old in text
    members["model.json"] = text.replace(old, f'"n_features_in_": {width}').encode()
    path.write_bytes(sealed(pack(members)))
    with pytest.raises(ModelFileError):
        load_model(path)
