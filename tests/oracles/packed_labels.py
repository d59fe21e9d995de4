"""Plain versions of the packed votes."""

import numpy as np


def vote(labels, neighbors, needed):
    """Labels that at least ``needed`` neighbours have; bool in, bool out."""
    return np.array([labels[row].sum(axis=0) >= needed for row in neighbors])


def share_a_label(labels, neighbors, proposed):
    """Whether each neighbour has one of the proposed labels."""
    return np.array(
        [
            [(labels[n] & wanted).any() for n in row]
            for row, wanted in zip(neighbors, proposed, strict=True)
        ]
    )
