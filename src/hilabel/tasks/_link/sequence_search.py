"""Hits of sequences, found by DIAMOND or MMseqs2."""

import re
import shutil
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from hilabel._progress import Report
from hilabel._typing import FilePath
from hilabel.datasets import fasta_records
from hilabel.exceptions import DatasetFormatError, HilabelError, ParameterError
from hilabel.tasks._link.choices import LinkChoices

N_HITS: Final = 100
_PROGRAMS: Final = {"diamond": "DIAMOND", "mmseqs": "MMseqs2"}
_HOW_TO_INSTALL: Final = (
    "on Debian and Ubuntu: apt install diamond-aligner (or mmseqs2); elsewhere: conda "
    "install -c bioconda diamond (or mmseqs2)"
)
# MMseqs2 has numbers for what DIAMOND has names for.
_MMSEQS_SENSITIVITY: Final = {
    "fast": 4.0,
    "sensitive": 5.7,
    "more-sensitive": 6.5,
    "very-sensitive": 7.0,
    "ultra-sensitive": 7.5,
}
_MMSEQS_COLUMNS: Final = (
    "query,target,pident,alnlen,mismatch,gapopen,qstart,qend,tstart,tend,evalue,bits"
)
# Steps that DIAMOND names while it runs.
_STEP: Final = re.compile(r"query block (\d+).*shape (\d+)/(\d+)")
_DNA: Final = frozenset("ACGTUN")
_LOOKED_AT: Final = 100
_LAST_LINES: Final = 3
_LINES_AT_ONCE: Final = 2**18
_COLUMNS: Final = ("source", "target", "identity", *map(str, range(3, 11)), "weight")


@dataclass(frozen=True)
class Hits:
    """The hits of sequences.

    Attributes
    ----------
    path : path
        A file in outfmt 6, with numbers as ids.
    ids, target_ids : list of str
        The ids of the sequences, which the numbers count.
    """

    path: Path
    ids: list[str]
    target_ids: list[str]

    def blocks(self) -> Iterator[pd.DataFrame]:
        """Yield the columns of blocks of hits, with ids as they were written."""
        if not self.path.stat().st_size:
            return
        named = {"source": self.ids, "target": self.target_ids}
        for block in pd.read_csv(
            self.path,
            sep="\t",
            header=None,
            names=list(_COLUMNS),
            dtype={**dict.fromkeys(_COLUMNS, object), **dict.fromkeys(named, int)},
            na_filter=False,
            chunksize=_LINES_AT_ONCE,
        ):
            for end, ids in named.items():
                block[end] = np.array(ids, dtype=object)[block[end]]
            yield block


@dataclass(frozen=True)
class SequenceSearch:
    """A program that searches sequences, as it is installed.

    Attributes
    ----------
    program : {"diamond", "mmseqs"}
    path : str
        The executable file.
    """

    program: str
    path: str

    @classmethod
    def find(cls, by: str) -> "SequenceSearch":
        """Return the named program or, for "auto", the one that is installed.

        Raises
        ------
        ParameterError
            If it is not installed; the message says how to install it.
        """
        wanted = list(_PROGRAMS) if by == "auto" else [by]
        for program in wanted:
            path = shutil.which(program)
            if path is not None:
                return cls(program, path)
        names = " or ".join(_PROGRAMS[program] for program in wanted)
        raise ParameterError(
            f"Searching sequences needs {names}, which is not installed "
            f"({_HOW_TO_INSTALL}). Or compare rows by their runs of letters: "
            "by='rows'.",
            parameter="by",
        )

    @property
    def name(self) -> str:
        """The program and its version."""
        command = [self.path, "version"]
        told = subprocess.run(command, capture_output=True, text=True, check=False)
        version = told.stdout.strip().rpartition(" ")[2]
        return f"{_PROGRAMS[self.program]} {version}"

    def hits(
        self,
        queries: FilePath,
        targets: FilePath,
        folder: Path,
        choices: LinkChoices,
        report: Report,
    ) -> Hits:
        """Search sequences, and return the hits in outfmt 6.

        Parameters
        ----------
        queries, targets : path-like
            FASTA files, which may be the same.
        folder : path
            An empty folder for temporary files.
        choices : LinkChoices
        report : callable
        """
        report("Reading sequences", 0, 0)
        query, ids = _plain_fasta(queries, folder / "queries.fasta")
        target, target_ids = query, ids
        if not Path(queries).samefile(targets):
            target, target_ids = _plain_fasta(targets, folder / "targets.fasta")
        found = folder / "hits.m8"
        commands = _COMMANDS[self.program](query, target, found, choices)
        told = f"Searching with {_PROGRAMS[self.program]}, {choices.sensitivity}"
        for command in commands:
            _run([self.path, *command], folder, told, report)
        found.touch()  # there may be no hits
        return Hits(found, ids, target_ids)


def _plain_fasta(path: FilePath, target: Path) -> tuple[Path, list[str]]:
    """Write sequences as every program reads them, and return their ids.

    They are numbered, since MMseqs2 changes ids such as ``sp|P12345|NAME_HUMAN``.
    """
    ids, n_written, n_dna = [], 0, 0
    with target.open("w", encoding="utf-8") as file:
        for name, sequence in fasta_records(path):
            ids.append(name)
            letters = sequence.upper().rstrip("*")
            if not letters:
                continue
            if n_written < _LOOKED_AT:
                n_dna += set(letters) <= _DNA
            file.write(f">{len(ids) - 1}\n{letters}\n")
            n_written += 1
    if not n_written:
        raise DatasetFormatError("expected sequences, got none.", source=path)
    if n_dna == min(n_written, _LOOKED_AT):
        raise DatasetFormatError(
            "expected proteins, but the sequences look like DNA; translate them, or "
            "compare rows by their runs of letters.",
            source=path,
            parameter="by",
        )
    return target, ids


# Commands ---------------------------------------------------------------------------


def _diamond(
    query: Path, target: Path, found: Path, choices: LinkChoices
) -> list[list[str]]:
    database = str(found.parent / "targets.dmnd")
    threads = ["--threads", str(choices.n_jobs)] if choices.n_jobs > 0 else []
    make = ["makedb", "--in", str(target), "--db", database, *threads]
    search = [
        *("blastp", "--query", str(query), "--db", database, "--out", str(found)),
        *("--outfmt", "6", f"--{choices.sensitivity}"),
        *("--max-target-seqs", str(choices.n_links or N_HITS)),
        *("--evalue", str(choices.evalue), "--tmpdir", str(found.parent)),
    ]
    return [make, [*search, *threads]]


def _mmseqs(
    query: Path, target: Path, found: Path, choices: LinkChoices
) -> list[list[str]]:
    threads = ["--threads", str(choices.n_jobs)] if choices.n_jobs > 0 else []
    return [
        [
            *("easy-search", str(query), str(target), str(found)),
            str(found.parent / "mmseqs"),
            *("-s", str(_MMSEQS_SENSITIVITY[choices.sensitivity])),
            *("--max-seqs", str(choices.n_links or N_HITS), "-e", str(choices.evalue)),
            *("--format-output", _MMSEQS_COLUMNS, *threads),
        ]
    ]


_COMMANDS: Final[dict[str, Callable[..., list[list[str]]]]] = {
    "diamond": _diamond,
    "mmseqs": _mmseqs,
}


def _run(command: Sequence[str], folder: Path, told: str, report: Report) -> None:
    """Run a program and report its steps; it ends if this process is interrupted."""
    report(told, 0, 0)
    last: deque[str] = deque(maxlen=_LAST_LINES)
    with subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                last.append(line.strip())
                step = _STEP.search(line)
                if step:
                    block, shape, n_shapes = map(int, step.groups())
                    more = f", block {block}" if block > 1 else ""
                    report(f"{told}{more}", shape - 1, n_shapes)
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise HilabelError(
            f"{Path(command[0]).name} {command[1]} failed with code "
            f"{process.returncode}: {' '.join(filter(None, last))}"
        )
