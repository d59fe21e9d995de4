"""
Gene Ontology terms from OBO and GAF files
==========================================

This example trains a model on a table of genes, with annotations in a GAF file and an
ontology in an OBO file. The files are synthetic, in the formats of the Gene Ontology;
replace their paths with your own.
"""

from tempfile import TemporaryDirectory

from hilabel.classifiers import PredictiveClusteringForest, PriorClassifier
from hilabel.datasets import load_table, write_example
from hilabel.metrics import average_precision
from hilabel.model_selection import out_of_fold_scores
from hilabel.report import PrecisionRecallDisplay

with TemporaryDirectory() as folder:
    files = write_example(folder, "go")
    table = load_table(
        files["features"], files["labels"], files["hierarchy"], min_count=5
    )

# %%
# What matched
# ------------
# Rows are matched by identifier. The report counts mismatches: genes without features,
# obsolete terms, and terms with fewer than ``min_count`` genes.

print(table.report)

# %%
# Is the model better than guessing?
# ----------------------------------
# Each annotated gene is scored by a forest that was trained without it.

data = table.dataset
forest = PredictiveClusteringForest(data.hierarchy, n_estimators=50, random_state=0)
constant = PriorClassifier(data.hierarchy)
annotated = (data.Y != -1).any(axis=1)
Y, scores = data.Y[annotated], {}
for name, method in {"forest": forest, "constant predictor": constant}.items():
    scores[name] = out_of_fold_scores(method, data.X, data.Y, random_state=0)[annotated]
    print(f"{name:20} {average_precision(Y, scores[name]):.3f}")

figure = PrecisionRecallDisplay.from_scores(Y, scores).plot()
figure.savefig("gene_ontology.png")

# %%
# Terms for genes without annotations
# -----------------------------------
# Unlabelled rows are rows of -1 in ``Y``. On the command line, use ``hilabel fit`` and
# ``hilabel predict --new-only``.

forest.fit(data.X, data.Y)
unknown = (~annotated).nonzero()[0][:3]
probabilities = forest.predict_proba(data.X[unknown])
for row, values in zip(unknown, probabilities):
    best = values.argsort()[::-1][:3]
    terms = ", ".join(f"{data.hierarchy.names[i]} {values[i]:.2f}" for i in best)
    print(data.sample_ids[row], "->", terms)
