"""The builds of the engine that this processor runs: all must give the same bits."""

from hilabel import _engine
from hilabel._engine import _portable

LEVELS = (_portable, _engine)
