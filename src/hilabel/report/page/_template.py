"""Render pages as single files that make no network requests."""

import base64
import hashlib
from importlib import resources
from typing import Any, Final

from hilabel.report.page._json_text import json_text

_PACKAGE: Final = "hilabel.report.page"


def render(payload: dict[str, Any]) -> str:
    """Return the page that shows a payload, including styles and scripts."""
    values = {"title": payload["title"], "payload": json_text(payload)}
    return render_template("model", "page", values, markup=("payload",))


def render_template(
    name: str, extra: str, values: dict[str, Any], *, markup: tuple[str, ...] = ()
) -> str:
    """Render the template of a page, ``"model"`` or ``"study"``, with the given values.

    Values named in ``markup`` are not escaped. ``extra`` is the hilabel extra to
    install if Jinja2 is missing.
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
        from markupsafe import Markup
    except ImportError:
        raise ImportError(
            "Pages need Jinja2, which is not installed; "
            f"pip install 'hilabel[{extra}]'."
        ) from None
    environment = Environment(
        loader=PackageLoader(_PACKAGE, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, script = _asset("page.css"), _asset(f"{name}.js")
    return environment.get_template(f"{name}.html").render(
        {
            **values,
            **{key: Markup(values[key]) for key in markup},
            "style": Markup(style),
            "script": Markup(script),
            "style_hash": _digest(style),
            "script_hash": _digest(script),
        }
    )


def _asset(name: str) -> str:
    path = resources.files(_PACKAGE) / "assets" / name
    return path.read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()
