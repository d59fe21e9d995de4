"""Base class for methods that delegate prediction to another classifier."""

from abc import abstractmethod
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

from sklearn.base import clone
from sklearn.utils import Tags, get_tags

from hilabel._compat import HasMethods, InvalidParameterError
from hilabel._saved_types import Maybe
from hilabel._typing import BoolArray, FloatArray
from hilabel.classifiers._base import BaseHierarchicalClassifier
from hilabel.exceptions import HierarchyError


@dataclass(eq=False, repr=False, kw_only=True)
class DelegatesToFitted(BaseHierarchicalClassifier):
    """Base class for methods that fit another hierarchical classifier, ``estimator_``.

    ``estimator`` is either that hierarchical classifier or a local classifier for use
    in the method's default classifier. A subclass creates the default classifier in
    ``_own_base`` and sets ``estimator_`` in ``_fit``.

    Examples
    --------
    >>> from hilabel.classifiers import DelegatesToFitted
    >>> from hilabel.semi_supervised import SSHMCBLI
    >>> issubclass(SSHMCBLI, DelegatesToFitted)  # fit sets estimator_
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseHierarchicalClassifier._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    estimator: Any = None
    n_jobs: int | None = None
    random_state: Any = None
    verbose: int = 0

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "estimator_": Maybe(BaseHierarchicalClassifier),
    }

    def _validate_params(self) -> None:
        """Validate the parameters, and give advice if ``hierarchy`` is a classifier."""
        if isinstance(self.hierarchy, BaseHierarchicalClassifier):
            raise InvalidParameterError(
                f"The 'hierarchy' parameter of {type(self).__name__} comes first. Got "
                f"a {type(self.hierarchy).__name__}; pass it as estimator=."
            )
        super()._validate_params()

    def is_sound(self) -> bool:
        """Return whether ``estimator_`` has the features and nodes of the method."""
        fitted = getattr(self, "estimator_", None)
        return super().is_sound() and (
            fitted is None
            or (fitted._is_fitted_for(self.hierarchy_) and self._is_width_sound(fitted))
        )

    def _is_width_sound(self, fitted: BaseHierarchicalClassifier) -> bool:
        return fitted.n_features_in_ == self.n_features_in_

    def base_classifier(self) -> BaseHierarchicalClassifier:
        """Return the unfitted classifier to train.

        If its hierarchy, seed or number of jobs is None, the method's value is used.
        """
        base = clone(self._template())
        if base.hierarchy is None:
            base.set_params(hierarchy=self.hierarchy_)
        elif base.hierarchy != self.hierarchy_:
            raise HierarchyError(
                f"The hierarchy of the estimator, {base.hierarchy!r}, differs from "
                f"that of {type(self).__name__}, {self.hierarchy_!r}; pass the same to "
                "both, or None to the estimator."
            )
        params = base.get_params(deep=False)
        for name in ("random_state", "n_jobs"):
            if name in params and params[name] is None:
                base.set_params(**{name: getattr(self, name)})
        return base

    @abstractmethod
    def _own_base(self, local: Any) -> BaseHierarchicalClassifier:
        """Return the method's default classifier, using the given local classifier."""

    def _template(self) -> BaseHierarchicalClassifier:
        if isinstance(self.estimator, BaseHierarchicalClassifier):
            return self.estimator
        return self._own_base(self.estimator)

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether the classifier ``estimator_`` has been fitted."""
        return hasattr(self, "estimator_")

    def _predict_scores(self, X: Any) -> FloatArray:
        return self.estimator_._predict_scores(X)

    @property
    def _must_cap(self) -> bool:
        return super()._must_cap and self.estimator_._must_cap

    def _predict_labels(self, X: Any) -> BoolArray:
        return self.estimator_._predict_labels(X)

    def _missing_value_advice(self) -> str | None:
        return self._template()._missing_value_advice()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self._template()).input_tags.sparse
        return tags
