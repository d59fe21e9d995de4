"""``hilabel report``: a page from files."""

import json

import pytest


def test_a_model_and_its_rows_become_one_file(shop, run):
    result = run("report", "model.hilabel", "-f", "products.csv", "-o", "page.html")
    assert result.exit_code == 0, result.stderr
    size = (shop / "page.html").stat().st_size
    said = f"page: page.html, {size / 1e6:.1f} MB; open it in a browser\n"
    assert result.stdout == said
    page = (shop / "page.html").read_text(encoding="utf-8")
    assert "P0001" in page
    assert "http://" not in page.split('id="payload"')[1].split("</script>")[0]


def test_json_says_what_was_left_out(shop, run):
    result = run("report", "plain.hilabel", "--json")
    outcome = json.loads(result.stdout)
    assert outcome["output"] == "report.html"
    assert outcome["bytes"] == (shop / "report.html").stat().st_size
    assert "No quality measures" in outcome["left_out"][0]


def test_labels_are_read_as_by_the_other_commands(shop, run):
    options = ["-f", "products.csv", "-l", "labels.csv", "-H", "taxonomy.csv"]
    result = run("report", "neighbors.hilabel", *options, "-o", "page.html")
    assert result.exit_code == 0, result.stderr
    assert '"votes":[[' in (shop / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "page.txt"], "ends in .html or .htm"),
        (["-o", "nowhere/page.html"], "the folder nowhere does not exist"),
        (["-l", "labels.csv"], "--labels needs rows"),
        (["-f", "products.csv", "--lenient"], "--lenient needs labels"),
        (["-f", "products.csv", "--min-count", "3"], "--min-count controls training"),
        (["-f", "labels.csv"], "labels.csv"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(options, message, shop, run):
    result = run("report", "model.hilabel", *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (shop / "report.html").exists()


def test_an_input_is_never_written_over(shop, run):
    (shop / "model.html").write_bytes((shop / "model.hilabel").read_bytes())
    result = run("report", "model.html", "-o", "model.html")
    assert result.exit_code == 2
    assert "is also an input" in result.stderr
