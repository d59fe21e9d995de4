"""Downloads, from a real server on this machine."""

import functools
import hashlib
import socket
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from hilabel.datasets import fetch_dataset, list_datasets, load_go
from hilabel.datasets._yeast.collections import read_registry
from hilabel.datasets._yeast.fetch import fetch_files
from hilabel.exceptions import DatasetFormatError, DatasetNotFoundError, ParameterError

PATHS = ("GO/tiny/tiny_GO.train.arff.gz", "GO/tiny/tiny_GO.valid.arff.gz")


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


class CutShortHandler(QuietHandler):
    """Promises more bytes than it sends."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"content of")


def serve(handler) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv("HILABEL_DATA_URL", raising=False)


@pytest.fixture
def mirror(tmp_path) -> Path:
    folder = tmp_path / "mirror"
    for path in PATHS:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(f"content of {path}")
    return folder


@pytest.fixture
def url(mirror) -> Iterator[str]:
    yield from serve(functools.partial(QuietHandler, directory=str(mirror)))


@pytest.fixture
def registry(mirror) -> dict[str, str]:
    return {
        path: hashlib.sha256((mirror / path).read_bytes()).hexdigest() for path in PATHS
    }


def files_below(folder: Path) -> list[str]:
    found = [path for path in folder.rglob("*") if path.is_file()]
    return sorted(path.relative_to(folder).as_posix() for path in found)


def test_files_arrive_in_the_layout_of_the_data_folder(url, registry, mirror, tmp_path):
    home = tmp_path / "home"
    fetch_files(PATHS, registry, url, home)
    assert files_below(home) == sorted(PATHS)
    for path in PATHS:
        assert (home / path).read_bytes() == (mirror / path).read_bytes()


def test_a_file_that_is_there_is_not_downloaded_again(url, registry, mirror, tmp_path):
    home = tmp_path / "home"
    fetch_files(PATHS, registry, url, home)
    for path in PATHS:
        (mirror / path).unlink()
    fetch_files(PATHS, registry, url + "/", home)
    assert files_below(home) == sorted(PATHS)


def test_a_file_with_another_checksum_is_not_kept(url, registry, mirror, tmp_path):
    (mirror / PATHS[1]).write_text("something else")
    home = tmp_path / "home"
    with pytest.raises(DatasetFormatError, match=registry[PATHS[1]]) as caught:
        fetch_files(PATHS, registry, url, home)
    assert f"{url}/{PATHS[1]} is not the expected file" in str(caught.value)
    assert files_below(home) == [PATHS[0]]


def test_a_file_that_is_not_there_leaves_nothing(url, registry, mirror, tmp_path):
    (mirror / PATHS[0]).unlink()
    home = tmp_path / "home"
    with pytest.raises(DatasetNotFoundError, match=r"could not be downloaded.*404"):
        fetch_files(PATHS, registry, url, home)
    assert files_below(home) == []


def test_a_server_that_cannot_be_reached_leaves_nothing(registry, tmp_path):
    with socket.socket() as probe:  # a port that nobody listens on once it is closed
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    home = tmp_path / "home"
    with pytest.raises(DatasetNotFoundError, match="Check the URL") as caught:
        fetch_files(PATHS, registry, f"http://127.0.0.1:{port}", home)
    message = str(caught.value)
    assert "ConnectionError" in message
    assert str(home / PATHS[0]) in message
    assert "hmcdatasets" in message
    assert files_below(home) == []


def test_a_download_cut_short_leaves_nothing(registry, tmp_path):
    home = tmp_path / "home"
    server = serve(CutShortHandler)
    url = next(server)
    with pytest.raises((DatasetNotFoundError, DatasetFormatError), match=url):
        fetch_files(PATHS, registry, url, home)
    next(server, None)
    assert files_below(home) == []


def test_an_address_that_is_not_http_is_refused(registry, tmp_path):
    with pytest.raises(ValueError, match="starts with http:// or https://, got 'ftp:"):
        fetch_files(PATHS, registry, "ftp://127.0.0.1", tmp_path)


def test_without_an_address_the_folder_and_the_collection_are_named(tmp_path):
    with pytest.raises(ParameterError, match="HILABEL_DATA_URL") as caught:
        fetch_dataset("GO", "pheno", data_home=tmp_path)
    message = str(caught.value)
    assert str(tmp_path / "GO" / "pheno") in message
    assert "pheno_GO.train.arff.gz" in message
    assert "https://dtai.cs.kuleuven.be/software/clus/hmcdatasets/" in message


def test_a_set_without_checksum_is_not_downloaded(url, tmp_path):
    with pytest.raises(DatasetNotFoundError, match="No checksum is known for the GO"):
        fetch_dataset("GO", "hom", data_home=tmp_path, base_url=url)


@pytest.mark.parametrize(
    ("collection", "name", "expected"),
    [
        ("EC", "pheno", "Unknown collection 'EC'; expected one of GO, FUN"),
        ("GO", "yeast", "Unknown GO data set 'yeast'; expected one of cellcycle"),
    ],
)
def test_unknown_names_are_refused(collection, name, expected, tmp_path):
    with pytest.raises(ValueError, match=expected):
        fetch_dataset(collection, name, data_home=tmp_path)


def test_the_registry_has_the_three_files_of_each_set(tmp_path):
    registry = read_registry()
    assert all(len(checksum) == 64 for checksum in registry.values())
    expected = {
        f"{known.collection}/{known.name}/{file}"
        for known in list_datasets(tmp_path)
        for file in known.file_names
    }
    assert registry.keys() <= expected
    assert len(registry) == 3 * 12


def test_a_real_set_is_fetched_checked_and_loaded(data_home, tmp_path, monkeypatch):
    server = serve(functools.partial(QuietHandler, directory=str(data_home)))
    monkeypatch.setenv("HILABEL_DATA_URL", next(server))
    folder = fetch_dataset("GO", "pheno", data_home=tmp_path)
    next(server, None)
    assert folder == tmp_path / "GO" / "pheno"
    assert load_go("pheno", data_home=tmp_path).hierarchy.n_nodes == 68


def test_the_checksums_are_those_of_the_real_files(data_home):
    for path, checksum in read_registry().items():
        content = (data_home / path).read_bytes()
        assert hashlib.sha256(content).hexdigest() == checksum, path
