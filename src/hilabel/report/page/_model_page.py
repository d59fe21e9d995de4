"""A page that can be written to a file or displayed in a notebook."""

import html
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from hilabel._typing import FilePath
from hilabel._writing import check_target, written_aside
from hilabel.report.page._about import AboutModel, AboutRows
from hilabel.report.page._payload import page_payload
from hilabel.report.page._template import render

_HEIGHT_IN_NOTEBOOKS: Final = 760
SUFFIXES: Final = (".html", ".htm")


@dataclass(frozen=True, eq=False)
class ModelPage:
    """A page about a model and its predictions, which notebooks can display.

    Attributes
    ----------
    payload : dict
        The content of the page, in plain values.

    See Also
    --------
    model_page : Creates the page.

    Examples
    --------
    >>> from hilabel.report import ModelPage
    >>> page = ModelPage({"kind": "model", "title": "Genes"})
    >>> page.payload["title"]
    'Genes'
    """

    payload: dict[str, Any]

    @classmethod
    def of(cls, about: AboutModel, rows: AboutRows | None = None) -> "ModelPage":
        """Create a page about a model and, if given, about rows."""
        return cls(page_payload(about, rows))

    @cached_property
    def html(self) -> str:
        """The complete page, which needs no other file and no network."""
        return render(self.payload)

    def write(self, path: FilePath) -> Path:
        """Write the page to a file atomically.

        Parameters
        ----------
        path : path-like
            Must end in ``.html``. An existing file is replaced.
        """
        check_target(path, SUFFIXES)
        content = self.html.encode("utf-8")
        with written_aside(path) as unfinished:
            unfinished.write_bytes(content)
        return Path(path)

    def _repr_html_(self) -> str:
        # In a separate frame, which the styles of the notebook do not affect.
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" width="100%" '
            f'height="{_HEIGHT_IN_NOTEBOOKS}" style="border:0" '
            f'title="{html.escape(self.payload["title"])}"></iframe>'
        )
