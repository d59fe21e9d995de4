"""Training time of networks: a complete fit, a step, and one member.

A step is compared with its matrix products alone. A member is compared with
scikit-learn's ``MLPClassifier``, with the same layers and the same number of rows
processed.
"""

import time
import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from benchmarks._comparison import Comparison, Measurement
from benchmarks._data import go_rows, missing_data_reason
from hilabel.classifiers import HierarchicalNetwork, MultiOutputAdapter, PriorClassifier

N_MEMBERS, N_STEPS, BATCH = 12, 1000, 128
SECONDS = 60
LAYERS = (512, 512)


def run() -> Iterator[Comparison | Measurement]:
    reason = missing_data_reason()
    if reason:
        print(f"bench_network_training: {reason}")
        return
    X, Y, X_test, Y_test, hierarchy = go_rows("cellcycle", 1.0)
    work = f"cellcycle_GO, {hierarchy.n_nodes} nodes, all rows labelled"
    network = HierarchicalNetwork(
        hierarchy,
        shape="mid",
        n_members=N_MEMBERS,
        max_steps=N_STEPS,
        batch_size=BATCH,
        random_state=0,
    )
    seconds = _seconds(network, X, Y)
    score = network.score(X_test, Y_test)
    constant = PriorClassifier(hierarchy).fit(X, Y).score(X_test, Y_test)
    yield Measurement(
        f"{work}: {N_MEMBERS} members, {N_STEPS} steps, fit",
        seconds,
        "s",
        bound=SECONDS,
        note=f"compiling counted; AP {score:.4f}, constant {constant:.4f}",
    )
    products = N_STEPS * _products_seconds([X.shape[1], *LAYERS, hierarchy.n_nodes])
    yield Measurement(
        f"{work}: the same in bare matrix products of all steps",
        seconds / products,
        "times",
        bound=2,
        note=f"the products {products:.1f} s",
    )
    yield _beside_mlp(work, (X, Y, X_test, Y_test, hierarchy), seconds, score)


def _beside_mlp(work: str, data: Any, seconds: float, score: float) -> Comparison:
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, Y, X_test, Y_test, hierarchy = data
    model = make_pipeline(
        StandardScaler(),
        MultiOutputAdapter(
            hierarchy,
            estimator=MLPClassifier(
                LAYERS,
                batch_size=BATCH,
                max_iter=round(N_STEPS * BATCH / len(X)),
                n_iter_no_change=N_STEPS,
                random_state=0,
            ),
        ),
    )
    theirs = _seconds(model, X, Y)
    return Comparison(
        f"{work}: a member, layers of {LAYERS}, {N_STEPS * BATCH:,} rows seen, fit",
        seconds / N_MEMBERS,
        "MLPClassifier",
        theirs,
        target=1,
        note=f"AP of {N_MEMBERS} members {score:.4f}, of MLPClassifier "
        f"{model.score(X_test, Y_test):.4f}",
    )


def _seconds(model: Any, X: Any, Y: Any) -> float:
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # MLPClassifier would train longer
        model.fit(X, Y)
    return time.perf_counter() - start


def _products_seconds(sizes: list[int]) -> float:
    """Return the seconds of the products of one step: forward, and two backward."""
    import jax
    import jax.numpy as jnp

    inputs = [jnp.ones((N_MEMBERS, BATCH, size)) for size in sizes]
    weights = [jnp.ones((N_MEMBERS, *pair)) for pair in pairwise(sizes)]

    @jax.jit
    def products(inputs: Any, weights: Any) -> Any:
        found = []
        for number, weight in enumerate(weights):
            below, above = inputs[number], inputs[number + 1]
            found.append(below @ weight)
            found.append(below.swapaxes(1, 2) @ above)
            if number:  # nothing below the first layer learns
                found.append(above @ weight.swapaxes(1, 2))
        return found

    jax.block_until_ready(products(inputs, weights))
    start = time.perf_counter()
    for _ in range(20):
        found = products(inputs, weights)
    jax.block_until_ready(found)
    return (time.perf_counter() - start) / 20
