"""Reading an ARFF file, compared with pandas on the data block alone.

pandas only reads the numbers. We also read the header, build the hierarchy of about
4,000 terms, close the labels and encode the nominal attributes.
"""

import gzip
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from benchmarks._comparison import Comparison, compare
from hilabel.datasets import load_hmc_arff


def run() -> Iterator[Comparison]:
    folder = os.environ.get("HILABEL_DATA")
    source = Path(folder or "", "GO", "expr", "expr_GO.train.arff.gz")
    if not folder or not source.is_file():
        print(
            "bench_arff: nothing to read; set HILABEL_DATA to the folder with "
            "GO/expr/expr_GO.train.arff.gz.",
            file=sys.stderr,
        )
        return
    content = gzip.decompress(source.read_bytes())
    block = content[content.index(b"@DATA") + len(b"@DATA\n") :]
    with TemporaryDirectory() as temporary:
        plain = Path(temporary, "expr_GO.train.arff")
        plain.write_bytes(content)
        for path in (plain, source):
            yield compare(
                f"load_hmc_arff, {path.name}",
                lambda path=path: load_hmc_arff(path),
                "pandas.read_csv, data block in memory",
                lambda: pd.read_csv(io.BytesIO(block), header=None, na_values=["?"]),
                repeats=15,
            )
