"""
Labels follow links
===================

Papers cite papers on the same topic. With few labelled papers, most citations of a
paper lead to papers without a label, so votes of labelled papers alone say little. But
labels also travel over unlabelled papers: spreading uses what all of them cite.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scipy.sparse as sp

from hilabel import Hierarchy
from hilabel.classifiers import LinkVotes, PriorClassifier
from hilabel.metrics import average_precision
from hilabel.model_selection import mask_labels
from hilabel.semi_supervised import LinkSpreading

fields = {
    "physics": ["optics", "plasma", "gravity"],
    "biology": ["genetics", "ecology"],
    "computing": ["vision", "databases", "logic"],
}
hierarchy = Hierarchy.from_dict(fields)
topics = [topic for field in fields.values() for topic in field]
random = np.random.default_rng(0)
n_papers = 800
topic = random.integers(len(topics), size=n_papers)
own = np.array([[topics[t] == name for name in hierarchy.names] for t in topic])
Y = hierarchy.close(own).astype(int)

# %%
# Citations
# ---------
# A paper cites six papers: most on its own topic, some on anything.

citing = np.repeat(np.arange(n_papers), 6)
cited = random.integers(n_papers, size=citing.size)
for place in np.flatnonzero(random.random(citing.size) < 0.7):
    cited[place] = random.choice(np.flatnonzero(topic == topic[citing[place]]))
once = sp.coo_array((np.ones(citing.size), (citing, cited)), (n_papers, n_papers))
links = (once + once.T).tocsr()  # a citation tells of both papers
links.setdiag(0)
print(f"{(topic[citing] == topic[cited]).mean():.0%} of citations stay in a topic")

# %%
# Increasing numbers of labels
# ----------------------------
# There are no columns: ``X`` is None. Unlabelled papers are rows of -1 in ``y``, and
# each score is of these papers, in the mean over three choices of the labelled ones.

methods = {
    "spreading over all papers": LinkSpreading(hierarchy),
    "votes of labelled papers": LinkVotes(hierarchy),
}
found = {}
for n_labeled in (16, 40, 80, 200, 400):
    means = dict.fromkeys([*methods, "constant predictor"], 0.0)
    for seed in range(3):
        y = mask_labels(Y, n_labeled / n_papers, random_state=seed)
        hidden = np.flatnonzero((y < 0).all(axis=1))
        for name, method in methods.items():
            scores = method.fit(None, y, links=links).predict_proba(links=links[hidden])
            means[name] += average_precision(Y[hidden], scores) / 3
        constant = PriorClassifier(hierarchy).fit(np.zeros((n_papers, 1)), y)
        scores = constant.predict_proba(np.zeros((hidden.size, 1)))
        means["constant predictor"] += average_precision(Y[hidden], scores) / 3
    found[n_labeled] = means
table = pd.DataFrame(found).T
print(table.round(3).to_string())

figure, ax = plt.subplots(figsize=(6, 3.8), layout="constrained")
table.plot(ax=ax, marker="o", color=["#0072B2", "#E69F00", "#8A8A8A"])
ax.set(xscale="log", xlabel=f"labelled papers of {n_papers}", ylim=(0, 1.02))
ax.set(ylabel="micro average precision")
ax.set_xticks(table.index, table.index)
ax.minorticks_off()
figure.savefig("links.png")
