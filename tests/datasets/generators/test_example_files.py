"""Example files have what real ones have, the same at every call."""

import pytest

from hilabel.datasets import (
    link_new_rows,
    load_table,
    read_features,
    write_example,
)


def load(folder, kind, **options):
    files = write_example(folder, kind)
    return load_table(files["features"], files["labels"], files["hierarchy"], **options)


def test_genes_have_every_kind_of_trouble(tmp_path):
    data = load(tmp_path, "go")
    report = data.report
    assert (report.n_labeled, report.n_unlabeled) == (150, 250)
    assert report.n_not == report.n_duplicates == 1
    assert report.unmatched_ids == ("G9998", "G9999")
    assert report.replaced_terms == (("GO:9000001", "GO:0000001"),)
    assert report.obsolete_terms == ("GO:9000002",)
    assert data.dataset.n_missing == 16
    assert data.preparation.categories_ == {"strand": ("+", "-")}
    assert str(data.dataset.problem_type) == "(DAG, MPL, PD)"
    assert list(data.dataset.sample_ids) != sorted(data.dataset.sample_ids)


def test_genes_can_be_filtered_by_evidence(tmp_path):
    assert load(tmp_path, "go", exclude_evidence=["IEA"]).report.n_filtered > 0


def test_products_are_a_tree_with_one_path_per_row(tmp_path):
    data = load(tmp_path, "shop")
    assert str(data.dataset.problem_type) == "(T, SPL, FD)"
    assert (data.report.n_labeled, data.report.n_unlabeled) == (120, 120)


def test_titles_differ_and_their_truth_is_known(tmp_path):
    files = write_example(tmp_path, "titles")
    data = load_table(files["features"], files["labels"])
    assert data.table.text == ("title",)
    assert data.table.frame["title"].nunique() == len(data.table) == 900
    whole = load_table(files["features"], files["truth"])
    assert (data.report.n_labeled, whole.report.n_labeled) == (450, 900)
    assert whole.dataset.hierarchy == data.dataset.hierarchy
    known = data.dataset.labeled
    assert (whole.dataset.Y[known] == data.dataset.Y[known]).all()


@pytest.mark.parametrize("kind", ["go", "shop", "titles", "proteins"])
def test_files_are_the_same_at_every_call(kind, tmp_path):
    first = write_example(tmp_path / "a", kind)
    second = write_example(tmp_path / "b", kind)
    for name, path in first.items():
        assert path.read_bytes() == second[name].read_bytes()
    other = write_example(tmp_path / "c", kind, seed=1)
    assert other["features"].read_bytes() != first["features"].read_bytes()


def test_proteins_are_linked_by_hits(tmp_path):
    files = write_example(tmp_path, "proteins")
    data = load_table(
        files["features"], files["labels"], files["hierarchy"], links=files["links"]
    )
    assert (data.report.n_labeled, data.report.n_unlabeled) == (60, 240)
    assert data.links.names == ("hits",)
    assert data.report.links.n_rows_without < 30
    new = read_features(files["new"])
    found = link_new_rows(files["new_links"], new.ids, data.table.ids)
    assert found.to_training.n_links > len(new) / 2
    assert not set(new.ids) & set(data.table.ids)


def test_an_unknown_kind_is_refused(tmp_path):
    with pytest.raises(
        ValueError, match="Expected kind to be one of 'go', .* got 'zoo'"
    ):
        write_example(tmp_path, "zoo")
