"""The payload in its page: one file, from which no request leaves."""

import base64
import hashlib
from importlib import resources
from typing import Any, Final

from hilabel.report.page._json_text import json_text

_PACKAGE: Final = "hilabel.report.page"


def render(payload: dict[str, Any]) -> str:
    """Return the page that shows a payload, styles and scripts inside."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
        from markupsafe import Markup
    except ImportError:
        raise ImportError(
            "Pages need Jinja2, which is not installed; pip install 'hilabel[page]'."
        ) from None
    environment = Environment(
        loader=PackageLoader(_PACKAGE, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
    )
    style, script = (_asset(name) for name in ("page.css", "page.js"))
    return environment.get_template("page.html").render(
        title=payload["title"],
        style=Markup(style),
        script=Markup(script),
        style_hash=_digest(style),
        script_hash=_digest(script),
        payload=Markup(json_text(payload)),
    )


def _asset(name: str) -> str:
    path = resources.files(_PACKAGE) / "assets" / name
    return path.read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()
