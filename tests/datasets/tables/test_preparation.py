"""Words become 0 and 1, numbers are filled and scaled, alike in every table."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from hilabel.datasets import TablePreparation, open_features, read_features
from hilabel.exceptions import DatasetFormatError

VALUES = st.one_of(st.just(np.nan), st.integers(-5, 5).map(float))
TABLES = hnp.arrays(np.float64, (6, 3), elements=VALUES)


def frame_of(X):
    X = np.asarray(X, dtype=np.float64)
    return pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])


# Words ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "names", "encoded"),
    [
        (["a", "b"], ["c=b"], [[0], [1]]),
        (["a", None], ["c=?"], [[0], [1]]),
        (["a", "a"], ["c=a"], [[1], [1]]),
        (["b", "a", None], ["c=a", "c=b", "c=?"], [[0, 1, 0], [1, 0, 0], [0, 0, 1]]),
        ([True, False], ["c=True"], [[1], [0]]),
        ([1, 2], ["c"], [[1], [2]]),
        ([0.5, None], ["c"], [[0.5], [np.nan]]),
        ([None, None], ["c"], [[np.nan], [np.nan]]),
    ],
)
def test_words_get_a_column_per_value_and_numbers_stay(values, names, encoded):
    frame = pd.DataFrame({"c": values})
    before = frame.copy(deep=True)
    preparation = TablePreparation()
    np.testing.assert_array_equal(preparation.fit_transform(frame), encoded)
    assert preparation.get_feature_names_out().tolist() == names
    pd.testing.assert_frame_equal(frame, before)


def test_columns_keep_the_order_of_the_table():
    frame = pd.DataFrame({"c": ["a", "b", "d"], "x": [1.0, 2, 3], "e": ["u", "v", "v"]})
    preparation = TablePreparation(scale="range").fit(frame)
    names = ["c=a", "c=b", "c=d", "x", "e=v"]
    assert preparation.get_feature_names_out().tolist() == names
    expected = [[1, 0, 0, 0, 0], [0, 1, 0, 0.5, 1], [0, 0, 1, 1, 1]]
    np.testing.assert_array_equal(preparation.transform(frame), expected)
    center, spread = preparation.scaling()
    assert (center.tolist(), spread.tolist()) == ([0, 0, 0, 1, 0], [1, 1, 1, 2, 1])


def test_a_new_table_gets_the_columns_of_the_first():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "c": ["1", "2", "2b"]})
    preparation = TablePreparation().fit(frame)
    new = pd.DataFrame({"extra": [0, 0, 0], "c": [2.0, np.nan, 9.0], "x": [7, 8, 9]})
    np.testing.assert_array_equal(
        preparation.transform(new), [[7, 0, 1, 0], [8, 0, 0, 0], [9, 0, 0, 0]]
    )


SPELLINGS = [("TRUE", "FALSE"), ("true", "false"), ("True", "False")]


@pytest.mark.parametrize("declared", [False, True])
@pytest.mark.parametrize("seen", SPELLINGS)
@pytest.mark.parametrize("new", SPELLINGS)
def test_true_and_false_are_the_same_in_fit_and_predict(tmp_path, declared, seen, new):
    def read(words, **how):
        yes, no = words
        path = tmp_path / "x.csv"
        path.write_text(f"id,alive,x\na,{yes},1\nb,{no},2\nc,,3\nd,{yes},4\n")
        return path, read_features(path, **how)

    path, table = read(seen, categorical=["alive"] if declared else [])
    # What the file says is shown as it is spelt.
    assert table.frame["alive"].dropna().tolist() == [seen[0], seen[1], seen[0]]
    preparation = TablePreparation().fit(table)
    names = ["alive=False", "alive=True", "alive=?", "x"]
    assert preparation.get_feature_names_out().tolist() == names
    expected = preparation.transform(table)
    assert expected[:, :3].tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]]
    how = {"categorical": preparation.categories_}
    path, table = read(new, **how)
    np.testing.assert_array_equal(preparation.transform(table), expected)
    blocks = open_features(path, 1, columns=["alive", "x"], **how)
    found = np.vstack([preparation.transform(block) for block in blocks])
    np.testing.assert_array_equal(found, expected)
    frame = pd.DataFrame({"alive": [True, False, None, True], "x": [1.0, 2, 3, 4]})
    np.testing.assert_array_equal(preparation.transform(frame), expected)


WRITERS = {
    "csv": lambda frame, path: frame.to_csv(path),
    "tsv": lambda frame, path: frame.to_csv(path, sep="\t"),
    "xlsx": lambda frame, path: frame.to_excel(path),
    "parquet": lambda frame, path: frame.to_parquet(path),
}


@pytest.mark.parametrize("first", WRITERS)
@pytest.mark.parametrize("then", WRITERS)
def test_true_and_false_are_the_same_in_all_formats(tmp_path, first, then):
    frame = pd.DataFrame(
        {
            "alive": [True, False, True, True],
            "seen": pd.array([True, None, False, True], dtype="boolean"),
            "x": [1.0, 2.0, 3.0, 4.0],
        },
        index=pd.Index(["a", "b", "c", "d"], name="id"),
    )
    paths = {kind: tmp_path / f"x.{kind}" for kind in {first, then}}
    for kind, path in paths.items():
        WRITERS[kind](frame, path)
    table = read_features(paths[first])
    preparation = TablePreparation().fit(table)
    names = ["alive=True", "seen=False", "seen=True", "seen=?", "x"]
    assert preparation.get_feature_names_out().tolist() == names
    how = {"categorical": preparation.categories_}
    expected = [[1, 0, 1, 0, 1], [0, 0, 0, 1, 2], [1, 1, 0, 0, 3], [1, 0, 1, 0, 4]]
    found = preparation.transform(read_features(paths[then], **how))
    np.testing.assert_array_equal(found, expected)
    blocks = open_features(paths[then], 1, columns=["alive", "seen", "x"], **how)
    found = np.vstack([preparation.transform(block) for block in blocks])
    np.testing.assert_array_equal(found, expected)


def test_true_beside_other_words_is_a_word_as_it_is_spelt():
    frame = pd.DataFrame({"c": ["true", "TRUE", "unknown"]})
    preparation = TablePreparation().fit(frame)
    assert preparation.categories_ == {"c": ("TRUE", "true", "unknown")}
    found = preparation.transform(pd.DataFrame({"c": ["true", "TRUE"]}))
    assert found.tolist() == [[0, 1, 0], [1, 0, 0]]


def test_it_is_a_scikit_learn_transformer():
    frame = pd.DataFrame({"x": [1.0, 2.0], "c": ["a", "b"]}, index=["i", "j"])
    preparation = clone(TablePreparation())
    out = preparation.set_output(transform="pandas").fit_transform(frame)
    assert list(out.columns) == ["x", "c=b"]
    assert list(out.index) == ["i", "j"]
    assert preparation.n_features_in_ == 2
    with pytest.raises(NotFittedError, match="not fitted"):
        TablePreparation().transform(frame)


# Numbers ----------------------------------------------------------------------------


@settings(max_examples=20)
@given(TABLES, st.sampled_from(["mean", "median", "zero"]))
def test_filling_is_that_of_scikit_learn(X, impute):
    X[0] = 1.0  # scikit-learn drops columns without a value
    strategy = {"strategy": "constant", "fill_value": 0.0}
    strategy = strategy if impute == "zero" else {"strategy": impute}
    expected = SimpleImputer(**strategy).fit_transform(X)
    got = TablePreparation(impute).fit_transform(frame_of(X))
    np.testing.assert_array_equal(got, expected)


@settings(max_examples=20)
@given(TABLES)
def test_scaling_is_that_of_scikit_learn_and_can_be_undone(X):
    X[0] = 1.0
    for scale, scaler in (("standard", StandardScaler()), ("range", MinMaxScaler())):
        preparation = TablePreparation(None, scale)
        got = preparation.fit_transform(frame_of(X))
        np.testing.assert_allclose(got, scaler.fit_transform(X), atol=1e-12)
        center, spread = preparation.scaling()
        np.testing.assert_allclose(got * spread + center, X, atol=1e-12)


def test_new_rows_are_treated_as_the_old_ones_were():
    preparation = TablePreparation("mean", "standard")
    preparation.fit(frame_of([[0.0], [2.0], [np.nan]]))
    got = preparation.transform(frame_of([[np.nan], [5.0]]))
    np.testing.assert_allclose(got, [[0.0], [4.0 / np.std([0.0, 2.0, 1.0])]])


def test_a_range_holds_for_new_rows_too():
    preparation = TablePreparation(None, "range").fit(frame_of([[1.0], [3.0]]))
    new = frame_of([[0.0], [9.0], [np.nan]])
    np.testing.assert_array_equal(preparation.transform(new), [[0], [1], [np.nan]])


@pytest.mark.parametrize("scale", [None, "standard", "range"])
def test_a_column_without_values_becomes_zero_or_stays_so(scale):
    empty = frame_of([[np.nan], [np.nan]])
    assert (TablePreparation("mean", scale).fit_transform(empty) == 0).all()
    assert np.isnan(TablePreparation(None, scale).fit_transform(empty)).all()


# Errors -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (pd.DataFrame({"x": [1.0]}), "the 2 columns .* 1 are missing, such as 'c'"),
        (
            pd.DataFrame({"x": [None, "many"], "c": ["a", "b"]}, index=["i", "j"]),
            "expected numbers in column 'x', .* got 'many' in row 'j'",
        ),
        (np.zeros((2, 2)), "Expected a FeatureTable or a DataFrame, got ndarray"),
    ],
)
def test_an_unfit_table_is_refused(new, message):
    frame = pd.DataFrame({"x": [1.0, 2.0], "c": ["a", "b"]})
    preparation = TablePreparation().fit(frame)
    with pytest.raises(DatasetFormatError, match=message):
        preparation.transform(new)


def test_what_cannot_be_fitted_is_refused():
    frame = pd.DataFrame({"sequence": [f"M{n}" for n in range(1001)]})
    with pytest.raises(DatasetFormatError, match="'sequence' has 1001 .* the 1000"):
        TablePreparation().fit(frame)
    with pytest.raises(DatasetFormatError, match="at least one column, got 0"):
        TablePreparation().fit(pd.DataFrame(index=[0, 1]))
    with pytest.raises(ValueError, match="'impute' parameter"):
        TablePreparation(impute="mode").fit(frame)
