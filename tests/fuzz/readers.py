"""Spoiled files for every reader: each has to give a result or a documented error."""

import functools
import hashlib
import io
import json
import signal
import tempfile
import traceback
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp

from fuzz.memory import limited_memory
from fuzz.mutators import spoil
from fuzz.obo_oracle import terms_and_edges
from hilabel.datasets import (
    load_hmc_arff,
    read_annotations,
    read_features,
    read_hierarchy,
    read_links,
)
from hilabel.exceptions import DatasetNotFoundError, HilabelError, HilabelWarning
from hilabel.hierarchy import read_obo
from hilabel.studies import read_study

FAILURES = Path(__file__).parent / "failures"
DOCUMENTED = (HilabelError, DatasetNotFoundError, OSError)
# A reader that takes longer for a kilobyte will not end.
SECONDS = 10

ARFF = b"""@RELATION small
@ATTRIBUTE a numeric
@ATTRIBUTE b {x,y,'z w'}
@ATTRIBUTE class hierarchical 1,1/2,1/2/3,4
@DATA
1.5,x,1/2
?,y,1/2/3@4
-2e3,'z w',4
"""
SPARSE_ARFF = b"""@RELATION sparse
@ATTRIBUTE a numeric
@ATTRIBUTE b numeric
@ATTRIBUTE class hierarchical root/a,a/b,root/c
@DATA
{0 1.5, 2 a}
{1 2, 2 b@c}
"""
OBO = b"""format-version: 1.2
ontology: small

[Term]
id: T:1
name: process
namespace: p

[Term]
id: T:2
name: growth
alt_id: T:12
def: "Getting larger." [ref:1]
is_a: T:1 {source="x"} ! process

[Term]
id: T:3
name: cell growth
is_a: T:2 ! growth
relationship: part_of T:4 ! cell
relationship: regulates T:1 ! process

[Term]
id: T:4
name: cell

[Term]
id: T:5
name: obsolete once
is_obsolete: true
replaced_by: T:4

[Typedef]
id: part_of
name: part of
"""
GAF = b"!gaf-version: 2.2\n" + b"".join(
    b"EX\tG%d\tg%d\tenables\tGO:000000%d\tR\t%s\t\tF\t\tal|so\tp\ttaxon:1\t20240101\tEX\t\t\n"
    % (i, i, i % 4 + 1, [b"IEA", b"EXP", b"ND"][i % 3])
    for i in range(6)
)
EDGES = b"parent,child\nfood,tea\nfood,bread\nbread,rye\n,books\n"
PATHS = b"category\nfood > drinks > tea\nfood > bread\nbooks\n"
CSV = b"""id,length,strand,"a name",note
g1,100,+,x,some words here
g2,?,-,"y, z",other words
g3,1e3,+,,"third ""quoted"" one"
g4,-5.5,+,x,
"""
SEMICOLONS = b"id;x;y\na;1,5;2\nb;2,5;3\nc;;4\n"
LABELS = b"id,term\ng1,tea;bread\ng2,rye\ng3,\n"
INTERPROSCAN = b"".join(
    b"P%d\t%032x\t200\tPfam\tPF0000%d\tname\t1\t90\t1e-5\tT\t01-01-2024\tIPR00%d\tn\tGO:1\n"
    % (i, i, i % 3, i % 2)
    for i in range(4)
)
EGGNOG = b"""## emapper-2.1.9
#query\tseed_ortholog\tevalue\tscore\teggNOG_OGs\tCOG_category\tGOs\tEC\tKEGG_ko\tPFAMs
q1\ts1\t1e-9\t50\tCOG1@1|root,COG2@2|Bacteria\tJK\tGO:1\t1.1.1.1\tko:K1\tPkinase
q2\ts2\t1e-9\t50\tCOG1@1|root\tJ\t-\t-\t-\tPkinase,SH2
## 2 queries
"""
FASTA = b">p1 first\nACDAC\nKLX*\n;old comment\n>sp|P2|TWO\nacd-e\n>p3\n\n"
HITS = b"# DIAMOND\n" + b"".join(
    b"q%d\tq%d\t4%d.5\t120\t8\t0\t1\t120\t1\t120\t1e-30\t98.%d\n" % (i % 3, i, i, i)
    for i in range(6)
)
STRING = b"protein1 protein2 combined_score\n9606.E1 9606.E2 490\n9606.E2 9606.E3 7\n"
BIOGRID = (
    b"#BioGRID Interaction ID\tOfficial Symbol Interactor A\t"
    b"Official Symbol Interactor B\tScore\n1\tA\tB\t-\n2\tB\tC\t-0.5\n"
)
LINKS = b'source,target,kind,weight\na,"b, c",part,1\nb,c,topic,2.5\nc,a,part,0\n'
SIF = b"a pp b c\nd pd e\nlone\n"
STUDY = b"""seed = 3
fractions = [0.1, 0.5]
repetitions = 2
supervised = "LCN"
measures = ["fmax"]
datasets = [
  { name = "tree", source = "synthetic", n_samples = 60, n_nodes = 5 },
]
[preprocessing]
scaling = "standard"
[methods.LCN]
class = "LocalClassifierPerNode"
[methods.V2]
class = "SSHMCBLI"
params = { variant = "v2" }
grid = { n_neighbors = [2, 3] }
preprocessing = { imputation = "zero" }
"""


class Kind(NamedTuple):
    """A reader, what it can read, and how that is spoiled."""

    suffix: str
    read: Callable[[Path], Any]
    files: Callable[[], list[Any]]
    spoil: Callable[[Any, Random], bytes] = spoil


# Files that are no text ---------------------------------------------------------------


def _parquets():
    """Return (table, metadata of pandas) pairs; both can be spoiled."""
    import pyarrow as pa

    frame = pd.DataFrame({"x": [1.0, 2.0, np.nan], "w": ["a", "b", "c"]})
    frames = [frame.assign(id=["p", "q", "r"])[["id", "x", "w"]]]
    frames += [frame.set_index(pd.Index(["p", "q", "r"], name="gene")), frame.iloc[1:]]
    return [pa.Table.from_pandas(each) for each in frames]


def _spoil_parquet(table, random):
    import pyarrow.parquet as pq

    where = random.randrange(3)
    if where == 0:
        metadata = spoil(table.schema.metadata[b"pandas"], random)
        table = table.replace_schema_metadata({b"pandas": metadata})
    elif where == 1:
        name = random.choice(["", "x", "id", "__index_level_0__", "\x00", "1"])
        names = [*table.column_names]
        names[random.randrange(len(names))] = name
        table = table.rename_columns(names)
    file = io.BytesIO()
    pq.write_table(table, file)
    return spoil(file.getvalue(), random) if where == 2 else file.getvalue()


def _npys():
    files = []
    for array in (
        np.arange(6.0).reshape(3, 2),
        np.arange(6, dtype="int8").reshape(3, 2),
    ):
        file = io.BytesIO()
        np.save(file, array)
        files.append(file.getvalue())
    return files


def _npzs():
    dense, sparse = io.BytesIO(), io.BytesIO()
    ids, names = np.array(["a", "b", "c"]), np.array(["u", "v"])
    np.savez(dense, X=np.eye(3, 2), ids=ids, feature_names=names)
    sp.save_npz(sparse, sp.csr_array(np.eye(3, 2)))
    with zipfile.ZipFile(sparse, "a") as archive:
        file = io.BytesIO()
        np.save(file, ids)
        archive.writestr("ids.npy", file.getvalue())
    return [dense.getvalue(), sparse.getvalue()]


def _workbooks():
    file = io.BytesIO()
    pd.read_csv(io.BytesIO(CSV)).to_excel(file, index=False)
    return [file.getvalue()]


def _spoil_zip(data, random):
    """Spoil a member, whose checksum is renewed, or the archive."""
    if random.random() < 0.2:
        return spoil(data, random)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = random.choice([*members])
    members[name] = spoil(members[name], random)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


# Readers ------------------------------------------------------------------------------


def _features_with_ids(path):
    ids = path.with_name("ids.txt")
    ids.write_text("a\nb\nc\n")
    return read_features(path, ids=ids)


def _read_checked_obo(path):
    """Read, and compare with what the other reader finds."""
    hierarchy = read_obo(path).hierarchy
    text = path.read_bytes().decode("utf-8-sig")
    found = terms_and_edges(text.replace("\r\n", "\n").replace("\r", "\n"))
    names = hierarchy.names
    got = set(names), {(names[a], names[b]) for a, b in hierarchy.edges}
    if found != got:
        raise AssertionError(f"silent misread: expected {found}, got {got}")


# AnnData's files are not among them: the HDF5 library itself loops for ever on some
# that were spoiled, which no reader above it can prevent.
KINDS = {
    "arff": Kind(".arff", load_hmc_arff, lambda: [ARFF, SPARSE_ARFF]),
    "obo": Kind(".obo", _read_checked_obo, lambda: [OBO]),
    "obo-lenient": Kind(
        ".obo", functools.partial(read_obo, lenient=True), lambda: [OBO]
    ),
    "gaf": Kind(".gaf", read_annotations, lambda: [GAF]),
    "edges": Kind(".csv", read_hierarchy, lambda: [EDGES]),
    "paths": Kind(".txt", read_hierarchy, lambda: [PATHS]),
    "csv": Kind(".csv", read_features, lambda: [CSV, SEMICOLONS]),
    "labels": Kind(".csv", read_annotations, lambda: [LABELS]),
    "parquet": Kind(".parquet", read_features, _parquets, _spoil_parquet),
    "toml": Kind(".toml", read_study, lambda: [STUDY]),
    "npy": Kind(".npy", _features_with_ids, _npys),
    "npz": Kind(".npz", read_features, _npzs, _spoil_zip),
    "interproscan": Kind(".tsv", read_features, lambda: [INTERPROSCAN]),
    "eggnog": Kind(".annotations", read_features, lambda: [EGGNOG]),
    "fasta": Kind(".fasta", read_features, lambda: [FASTA]),
    "links": Kind(".csv", read_links, lambda: [LINKS, HITS, STRING, BIOGRID]),
    "sif": Kind(".sif", read_links, lambda: [SIF]),
    "excel": Kind(".xlsx", read_features, _workbooks, _spoil_zip),
}


class Endless(Exception):
    """A reader that did not come back."""


def failure_of(kind: str, path: Path) -> str | None:
    """Read a file; return what went wrong, None for a result or a documented error."""

    def stop(*args):
        raise Endless

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", HilabelWarning)
            KINDS[kind].read(path)
    except DOCUMENTED as error:
        return None if str(error) else f"{kind}: {type(error).__name__} without a word"
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return (
            f"{kind}: {type(error).__name__}: {str(error)[:200]} "
            f"({Path(where.filename).name}:{where.lineno})"
        )
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return None


def run(n_cases: int, seed: int) -> list[str]:
    """Spoil so many files, one kind after the other; return what failed.

    Files that failed are kept in ``failures``, to be read again by the tests.
    """
    whole = {name: kind.files() for name, kind in KINDS.items()}
    failures: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder, limited_memory():
        for number in range(n_cases):
            name = [*KINDS][number % len(KINDS)]
            random = Random(json.dumps([seed, number]))
            content = KINDS[name].spoil(random.choice(whole[name]), random)
            path = Path(folder) / f"file{KINDS[name].suffix}"
            path.write_bytes(content)
            failure = failure_of(name, path)
            # One file for each kind of failure is enough.
            if failure is not None and _kind_of(failure) not in failures:
                failures[_kind_of(failure)] = f"{failure} <- {_keep(name, content)}"
    return list(failures.values())


def _kind_of(failure: str) -> str:
    return failure.split(" ")[0] + failure.split(" ")[1] + failure.split("(")[-1]


def _keep(kind: str, content: bytes) -> str:
    digest = hashlib.sha256(content).hexdigest()[:8]
    path = FAILURES / f"{kind}.{digest}{KINDS[kind].suffix}"
    FAILURES.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path.name
