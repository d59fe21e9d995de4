"""
Explaining a pseudo-label
=========================

SSHMC-BLI stores the evidence for every pseudo-label: the neighbours in each pass, their
votes, and their similarity to the row.
"""

from hilabel.classifiers import PriorClassifier
from hilabel.datasets import make_artificial
from hilabel.semi_supervised import SSHMCBLI

data = make_artificial()
model = SSHMCBLI(data.hierarchy, variant="v2", random_state=0)
model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
constant = PriorClassifier(data.hierarchy).fit(data.X_labeled, data.Y_labeled)
print(f"SSHMC-BLI          {model.score(data.X_test, data.Y_test):.3f}")
print(f"constant predictor {constant.score(data.X_test, data.Y_test):.3f}")

# %%
# One row
# -------
# Rows are numbered in the order of ``fit``, with the unlabelled rows last.

why = model.explain(100)
print(why)
print(why.frame().head(3).to_string(index=False))

# %%
# The votes
# ---------
# The table shows the neighbours in the last pass. Labels that are themselves
# pseudo-labels are marked, since they can propagate errors.

neighbors = why.frame("neighbors")
last = neighbors["iteration"] == neighbors["iteration"].max()
print(neighbors[last].to_string(index=False))

figure = why.plot()
figure.savefig("explanation.png")

# %%
# Was it right?
# -------------
# The data are synthetic, so the true labels are known.

truth = data.Y_unlabeled[100 - len(data.X_labeled)]
print("given", data.hierarchy.to_names(model.transduction_[[100]])[0])
print("truth", data.hierarchy.to_names([truth])[0])
