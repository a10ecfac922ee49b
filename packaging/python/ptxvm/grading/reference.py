"""The reference: what a candidate is held to. A module of Python, or an object with the same names; it runs in the judge alone.

    def run(*inputs)                    the answer, or several; on arrays of numpy, of any floating type
    def inputs(trial)                   a list of arrays, and numbers, for a trial; or what inputs.py takes
    def launch(*inputs)                 {"grid": …, "block": …, "shared": …} of CUDA C++ and PTX; optional
    tolerance = 8                       in units of the reference's own rounding; optional
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .compare import Expected
from .inputs import Made, made

Array = np.ndarray[Any, Any]

#: How many answers to inputs that are one rounding away tell how much noise a trial's outputs have.
NEARBY = 4


class Reference:
    """A reference, by its path, or an object with the names above."""

    def __init__(self, of: Any, inputs: Any = None) -> None:
        self.of = _module(os.fspath(of)) if isinstance(of, (str, os.PathLike)) else of
        self.run: Callable[..., Any] = self.of.run
        if inputs is None and not hasattr(self.of, "inputs"):
            raise ValueError(f"{of}: the reference has no inputs(), and none are given")
        self.made: Made = made(self.of.inputs if inputs is None else inputs)
        self.tolerance = float(getattr(self.of, "tolerance", 8))

    def answers(self, inputs: Sequence[Any]) -> list[Array]:
        """What the reference says, as a list of arrays."""
        with np.errstate(all="ignore"):
            told = self.run(*inputs)
        return [np.asarray(one) for one in (told if isinstance(told, (tuple, list)) else [told])]

    def expected(self, inputs: Sequence[Any], seed: int) -> list[Expected]:
        """What each output must be."""
        wide = [a.astype(np.float64) if _floating(a) else a for a in inputs]
        rng = np.random.default_rng([seed, NEARBY])
        nearby = [self.answers([_moved(a, w, rng) for a, w in zip(inputs, wide, strict=True)]) for _ in range(NEARBY)]
        answers, oracles = self.answers(inputs), self.answers(wide)
        if len({len(one) for one in (answers, oracles, *nearby)}) > 1:
            raise ValueError("run() of the reference does not always have the same number of answers")
        return [Expected(a, o, list(near)) for a, o, near in zip(answers, oracles, zip(*nearby, strict=True), strict=True)]

    def launch(self, inputs: Sequence[Any]) -> dict[str, Any] | None:
        if not hasattr(self.of, "launch"):
            return None
        shape: dict[str, Any] = self.of.launch(*inputs)
        return shape


def _floating(value: Any) -> bool:
    return bool(getattr(value, "dtype", np.dtype(int)).kind == "f")


def _moved(value: Any, wide: Any, rng: np.random.Generator) -> Any:
    """The value in float64, each element one rounding of its type away, up or down."""
    if not _floating(value):
        return value
    with np.errstate(all="ignore"):
        return wide * (1 + rng.choice([-1.0, 1.0], np.shape(value)) * float(np.finfo(value.dtype).eps))


def _module(path: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"reference_{pathlib.Path(path).stem}", path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} is no module of Python")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not callable(getattr(module, "run", None)):
        raise ValueError(f"{path} has no function run")
    return module
