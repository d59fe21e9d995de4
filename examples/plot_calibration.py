"""
Calibrating probabilities
=========================

If probabilities are calibrated, about 70 % of the cells with a probability near 0.7
have the label. The base classifier of the paper trains each node on as many negatives
as positives, so its probabilities of rare labels are too high. Calibration on
out-of-fold scores corrects this.
"""

import matplotlib.pyplot as plt

from hilabel.calibration import calibrate_by_folds
from hilabel.classifiers import LocalClassifierPerNode, PriorClassifier
from hilabel.datasets import make_hierarchical_classification
from hilabel.forests import ForestClassifier
from hilabel.metrics import average_precision
from hilabel.model_selection import draw_folds, out_of_fold_scores
from hilabel.report import CalibrationDisplay

data = make_hierarchical_classification(
    800, 10, n_nodes=20, labels_per_row=2, noise=1.0, random_state=0
)
X, Y, hierarchy = data.X[:500], data.Y[:500], data.hierarchy
X_test, Y_test = data.X[500:], data.Y[500:]

# %%
# Calibration on out-of-fold scores
# ---------------------------------

model = LocalClassifierPerNode(
    hierarchy,
    estimator=ForestClassifier(n_estimators=20),
    policy="balanced_bottom_up",
    random_state=0,
)
fold = draw_folds(Y, 3)
scores = out_of_fold_scores(model, X, Y, fold=fold)
calibration, _ = calibrate_by_folds(Y, scores, fold, hierarchy)

# %%
# Evaluation on other rows
# ------------------------
# Calibration also makes the scores of different nodes comparable, which improves the
# micro average precision.

raw = model.fit(X, Y).predict_proba(X_test)
calibrated = calibration.transform(raw)
constant = PriorClassifier(hierarchy).fit(X, Y).predict_proba(X_test)
found = {"raw": raw, "calibrated": calibrated, "constant predictor": constant}
for name, values in found.items():
    print(f"{name:20} {average_precision(Y_test, values):.3f}")

figure, ax = plt.subplots(figsize=(4.4, 4.2), layout="constrained")
ax.plot([0, 1], [0, 1], color="#8A8A8A", lw=0.8, label="perfect")
for name, color in (("raw", "#E69F00"), ("calibrated", "#0072B2")):
    curve = CalibrationDisplay.from_scores(Y_test, found[name]).frame()
    ax.plot(curve.iloc[:, 0], curve.iloc[:, 1], "o-", color=color, label=name)
ax.set(xlabel="mean probability", ylabel="share with the label", xlim=(0, 1))
ax.legend()
figure.savefig("calibration.png")
