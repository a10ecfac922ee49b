"""Settings of ptxvm for one test, from its mark."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

#: The variable that each argument of the mark sets.
VARIABLES = {"sanitize": "PTXVM_SANITIZE", "arch": "PTXVM_ARCH", "seed": "PTXVM_SEED"}


@dataclasses.dataclass(frozen=True)
class Settings:
    """environment: variables that the libraries read when CUDA begins; timeout: in seconds, 0 for none."""

    environment: tuple[tuple[str, str], ...] = ()
    timeout: float = 0


def settings(item: pytest.Item, timeout: float) -> Settings:
    """The settings of a test: those of its nearest mark count. Raises pytest.UsageError for arguments that the mark does not have."""
    found: dict[str, Any] = {}
    for mark in item.iter_markers("ptxvm"):
        wrong = [*map(repr, mark.args), *(set(mark.kwargs) - {*VARIABLES, "timeout"})]
        if wrong:
            raise pytest.UsageError(f"{item.nodeid}: mark ptxvm takes {', '.join([*VARIABLES, 'timeout'])} by name, not {', '.join(wrong)}")
        found = dict(mark.kwargs) | found
    chosen = {VARIABLES[name]: _text(value) for name, value in found.items() if name in VARIABLES and value is not None}
    return Settings(tuple(sorted(chosen.items())), float(found.get("timeout") or timeout))


def _text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
