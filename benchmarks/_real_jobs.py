"""The jobs at real size: commands on a set, single methods, and rivals."""

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks._few_labels import GO_SETS
from benchmarks._real_rivals import RIVALS
from benchmarks._real_sets import EXAMPLES
from benchmarks._real_trees import TREES

MINUTE = 60.0


@dataclass(frozen=True)
class Wanted:
    """What a job should reach; None means that nothing is asked.

    Attributes
    ----------
    seconds, gigabytes : float or None
        At most, for the whole of ``fit``.
    micro : float or None
        At least, on the rows of the test.
    above : tuple of str
        Jobs whose micro average precision it should reach.
    within : float
        How far below these it may be.
    """

    seconds: float | None = None
    gigabytes: float | None = None
    micro: float | None = None
    above: tuple[str, ...] = ()
    within: float = 0.0


@dataclass(frozen=True)
class Job:
    """One line of the table.

    Attributes
    ----------
    name : str
        The set, and what is done with it.
    of : str
        The set.
    options : tuple of str
        Of ``hilabel fit``.
    rival : str
        What runs instead of the commands, on the matrices of the set.
    wanted : Wanted
    most_seconds : float
        The limit of each command; it is stopped there.
    is_usual : bool
        Whether it runs unless others are asked for.
    """

    name: str
    of: str
    options: tuple[str, ...] = ()
    rival: str = ""
    wanted: Wanted = Wanted()
    most_seconds: float = 15 * MINUTE
    is_usual: bool = True


# Single models that the default should not be below, by option of ``hilabel fit``.
SINGLE = {
    "forest": ("--method", "PredictiveClusteringForest"),
    "network": ("--method", "HierarchicalNetwork"),
    "linear": ("--method", "LinearClassifier"),
    "near": ("--method", "NeighborsClassifier"),
}


def all_jobs() -> dict[str, Job]:
    """Return all jobs by name, in the order of the table."""
    parts = (
        _wordnet(),
        _wordnet_few(),
        _proteins(),
        _linked(),
        _examples(),
        _yeast(),
        _whole(),
    )
    return {job.name: job for part in parts for job in part}


def _wordnet() -> Iterator[Job]:
    rivals = tuple(f"wordnet/{rival}" for rival in (*TREES, *RIVALS))
    trees = rivals[: len(TREES)]
    default = Wanted(5 * MINUTE, 6.0, 0.848, above=trees)
    fast = Wanted(MINUTE, 4.0, above=("wordnet/plt",))
    yield Job("wordnet", "wordnet", wanted=default)
    yield Job("wordnet/fast", "wordnet", ("--fast",), wanted=fast)
    small = Wanted(gigabytes=4.0)
    yield Job("wordnet/4GB", "wordnet", ("--memory", "4G"), wanted=small)
    for name in rivals:
        rival = name.partition("/")[2]
        above = ("wordnet/omikuji",) if rival == "mined" else ()
        yield Job(name, "wordnet", rival=rival, wanted=Wanted(above=above))


def _wordnet_few() -> Iterator[Job]:
    wanted = Wanted(5 * MINUTE, 6.0, 0.705, above=("wordnet10/mined",))
    # The terms that enough rows have, labelled or not, are measured.
    keep_all = ("--min-count", "1")
    yield Job("wordnet10", "wordnet10", keep_all, wanted=wanted)
    yield Job("wordnet10/fast", "wordnet10", (*keep_all, "--fast"))
    for rival in (*TREES, *RIVALS):
        yield Job(f"wordnet10/{rival}", "wordnet10", rival=rival)


def _proteins() -> Iterator[Job]:
    others = ("forest", "near", "logistic", "near_rows")
    above = tuple(f"proteins/{other}" for other in others)
    yield Job("proteins", "proteins", wanted=Wanted(10 * MINUTE, 6.0, above=above))
    yield Job("proteins/fast", "proteins", ("--fast",), wanted=Wanted(2 * MINUTE))
    for single in ("forest", "linear", "near"):
        yield Job(f"proteins/{single}", "proteins", SINGLE[single])
    for rival in (*TREES, "near_rows", "logistic"):
        yield Job(f"proteins/{rival}", "proteins", rival=rival)


def _linked() -> Iterator[Job]:
    keep_all = ("--min-count", "1")
    alone = {"votes": "LinkVotes", "spreading": "LinkSpreading"}
    for of, micro, minutes, options in (
        ("proteins10-links", 0.74, 10, keep_all),
        ("proteins-links", 0.88, 10, ()),
        ("wordnet10-links", 0.713, 5, keep_all),
        ("wordnet-links", 0.857, 10, ()),
    ):
        names = alone if of.startswith("proteins") else {}
        above = tuple(f"{of}/{name}" for name in names)
        wanted = Wanted(minutes * MINUTE, 6.0, micro, above=above)
        yield Job(of, of, options, wanted=wanted)
        for name, method in names.items():
            yield Job(f"{of}/{name}", of, (*options, "--method", method))


def _examples() -> Iterator[Job]:
    for kind in EXAMPLES:
        yield Job(f"demo/{kind}", f"demo/{kind}", wanted=Wanted(seconds=10))


def _yeast() -> Iterator[Job]:
    keep_all = ("--min-count", "1")
    for name in GO_SETS:
        of = f"yeast/{name}"
        singles = tuple(f"{of}/{single}" for single in SINGLE)
        wanted = Wanted(5 * MINUTE, above=singles, within=0.005)
        yield Job(of, of, keep_all, wanted=wanted, most_seconds=10 * MINUTE)
        for single, options in SINGLE.items():
            job = f"{of}/{single}"
            yield Job(job, of, (*keep_all, *options), most_seconds=5 * MINUTE)
    for name in GO_SETS:
        yield Job(f"yeast10/{name}", f"yeast10/{name}", keep_all)


# The average precision that the paper of C-HMCNN(h) reports.
PUBLISHED = {
    "cellcycle": 0.413,
    "derisi": 0.370,
    "eisen": 0.455,
    "expr": 0.447,
    "gasch1": 0.436,
    "gasch2": 0.414,
    "seq": 0.446,
    "spo": 0.382,
}


def _whole() -> Iterator[Job]:
    options = ("--min-count", "1", "--effort", "best")
    for name, published in PUBLISHED.items():
        of = f"whole/{name}"
        wanted = Wanted(micro=published)
        yield Job(of, of, options, "", wanted, 60 * MINUTE, is_usual=False)
