"""Encoding against a row-by-row oracle, dense and sparse."""

import tracemalloc

import numpy as np
from hypothesis import given, strategies as st

from hilabel.datasets import load_hmc_arff

DECLARED = {"x": None, "y": ["p", "q", "r"], "z": ["no", "yes"], "w": ["only"]}
numbers = st.sampled_from(["0", "1.5", "-2", "?"])
rows_of_fields = st.lists(
    st.tuples(
        numbers,
        st.sampled_from(["p", "q", "r", "?"]),
        st.sampled_from(["no", "yes", "?"]),
        st.sampled_from(["only", "?"]),
    ),
    min_size=1,
    max_size=6,
)


def content(lines: list[str]) -> str:
    kinds = [
        f"@attribute {name} {'numeric' if values is None else '{' + ','.join(values)}"
        + ("" if values is None else "}")
        for name, values in DECLARED.items()
    ]
    return "\n".join([*kinds, "@attribute c hierarchical root/a", "@data", *lines])


def expected_columns(rows: list[tuple[str, ...]]) -> dict[str, list[float]]:
    """Encode with plain loops, straight from the rules."""
    columns: dict[str, list[float]] = {}
    for i, (name, values) in enumerate(DECLARED.items()):
        fields = [row[i] for row in rows]
        if values is None:
            columns[name] = [np.nan if f == "?" else float(f) for f in fields]
            continue
        values = [*values, "?"] if "?" in fields else values
        shown = values[1:] if len(values) == 2 else values
        for value in shown:
            columns[f"{name}={value}"] = [float(f == value) for f in fields]
    return columns


def as_sparse(row: tuple[str, ...], base: int, written: bool) -> str:
    """Write a row, leaving out what is implied unless ``written``."""
    implied = ("0", "p", "no", "only")
    items = [
        f"{i + base} {field}"
        for i, field in enumerate(row)
        if written or field != implied[i]
    ]
    return "{" + ", ".join([*items, f"{len(row) + base} a"]) + "}"


@given(rows=rows_of_fields)
def test_dense_rows_are_encoded_by_the_rules(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("dense") / "some.arff"
    path.write_text(content([",".join([*row, "a"]) for row in rows]))
    data = load_hmc_arff(path)
    expected = expected_columns(rows)
    assert data.feature_names == tuple(expected)
    np.testing.assert_array_equal(data.X, np.array(list(expected.values())).T)


@given(rows=rows_of_fields, base=st.sampled_from([0, 1]), written=st.booleans())
def test_sparse_rows_are_encoded_like_dense_ones(rows, base, written, tmp_path_factory):
    path = tmp_path_factory.mktemp("sparse") / "some.arff"
    path.write_text(content([as_sparse(row, base, written) for row in rows]))
    data = load_hmc_arff(path)
    expected = expected_columns(rows)
    assert data.feature_names == tuple(expected)
    np.testing.assert_array_equal(data.X.toarray(), np.array(list(expected.values())).T)
    assert np.count_nonzero(data.X.data) == data.X.nnz


def test_a_wide_sparse_file_is_never_made_dense(tmp_path):
    n_attributes, n_rows = 20_000, 2_000  # 320 MB as a dense table
    attributes = [f"@attribute a{i} numeric" for i in range(n_attributes)]
    rows = [f"{{{i} 1,{n_attributes} a}}" for i in range(n_rows)]
    path = tmp_path / "wide.arff"
    path.write_text(
        "\n".join([*attributes, "@attribute c hierarchical root/a", "@data", *rows])
    )
    tracemalloc.start()
    data = load_hmc_arff(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert data.X.shape == (n_rows, n_attributes)
    assert data.X.nnz == n_rows
    assert peak < 100e6
