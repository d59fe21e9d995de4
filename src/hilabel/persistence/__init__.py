"""Model files that can be shared, and safely loaded even from untrusted authors."""

from hilabel.persistence._model_file import (
    ModelManifest,
    load_model,
    read_manifest,
    save_model,
)

__all__ = ["ModelManifest", "load_model", "read_manifest", "save_model"]
