"""Model files that can be shared, and safely loaded even from untrusted authors."""

from hilabel.persistence._model_file import (
    ModelManifest,
    load_model,
    read_manifest,
    save_model,
)
from hilabel.persistence._table_model import TableModel

__all__ = ["ModelManifest", "TableModel", "load_model", "read_manifest", "save_model"]
