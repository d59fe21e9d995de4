"""
Images with a network
=====================

A small convolutional network classifies scikit-learn's digits into a hierarchy of
shapes. A 9 is a ring with a stem, so the hierarchy is a DAG. Install the requirements
with ``pip install 'hilabel[networks]'``.
"""

import jax
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from hilabel import Hierarchy
from hilabel.classifiers import HierarchicalNetwork, PriorClassifier

shapes = {"ring": "0689", "bow": "235", "stem": "149", "bar": "2457"}
hierarchy = Hierarchy.from_edges(
    [(shape, digit) for shape, digits in shapes.items() for digit in digits]
)
print(hierarchy)

images = load_digits()
X = images.images
y = [{str(digit)} for digit in images.target]
X_train, y_train, X_test, y_test = X[:200], y[:200], X[-300:], y[-300:]

# %%
# The backbone
# ------------
# The backbone consists of two JAX functions: one creates the weights, and the other
# computes features from images. Here, it has sixteen filters of 3 x 3 pixels, followed
# by 2 x 2 max pooling.


def init(key, rows):
    return jax.random.normal(key, (9, 16)) / 3


def apply(filters, images):
    windows = [images[:, i : i + 6, j : j + 6] for i in range(3) for j in range(3)]
    found = jax.nn.relu(jax.numpy.stack(windows, axis=-1) @ filters)
    return found.reshape(-1, 3, 2, 3, 2, 16).max(axis=(2, 4))


# %%
# Training
# --------
# This example uses far fewer networks and steps than the defaults, so that it runs in
# seconds.

network = HierarchicalNetwork(
    hierarchy,
    backbone=(init, apply),
    n_members=3,
    max_steps=120,
    random_state=0,
)
network.fit(X_train, y_train)
constant = PriorClassifier(hierarchy).fit(X_train.reshape(200, -1), y_train)
constant_score = constant.score(X_test.reshape(300, -1), y_test)
print(f"network            {network.score(X_test, y_test):.3f}")
print(f"constant predictor {constant_score:.3f}")

# %%
# Predictions
# -----------
# The figure shows the most probable digit of some test images, and its ancestors.
# Errors are red.

labels = hierarchy.to_names(network.predict(X_test[:12], decode="path"))
figure, axes = plt.subplots(2, 6, figsize=(8, 3.2), layout="constrained")
for ax, image, found, truth in zip(axes.flat, X_test, labels, y_test):
    is_right = truth <= found
    ax.imshow(image, cmap="gray_r")
    ax.set_title(" ".join(sorted(found)), color="black" if is_right else "red")
    ax.set_axis_off()
figure.savefig("images_network.png")
