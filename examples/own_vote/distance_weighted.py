"""A vote for SSHMC-BLI in which nearer neighbours count more."""


def distance_weighted(labels, distances):
    """Return the share of the votes for each node, weighted by 1 / distance."""
    weights = 1 / (distances + 1e-9)
    votes = (labels * weights[:, :, None]).sum(axis=1)
    return votes / weights.sum(axis=1, keepdims=True)
