"""The reference: what a candidate is held to. A module of Python, or an object with the same names; it runs in the judge alone.

    def run(*inputs)                    the answer, or several; on arrays of numpy, of any floating type
    def inputs(trial)                   a list of arrays, and numbers, for a trial
    def launch(*inputs)                 {"grid": …, "block": …, "shared": …} of CUDA C++ and PTX; optional
    tolerance = 8                       in units of the reference's own rounding; optional
"""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import pathlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = np.ndarray[Any, Any]

#: Sizes of the trials, in turn: one element, primes, multiples of blocks, and one more or less.
SIZES = (257, 1, 128, 31, 1009, 127, 1024, 64, 33, 3)
#: What values are like, in turn. Where oracle and reference differ in being finite, any value is right.
KINDS = ("plain", "plain", "wide", "subnormal", "special")


@dataclasses.dataclass
class Trial:
    """A trial: how large its inputs are, and what their values are like. inputs() makes them by its methods."""

    number: int
    n: int  # a size, for the reference to use as it likes
    kind: str  # one of KINDS
    rng: np.random.Generator

    def values(self, shape: int | Sequence[int], dtype: npt.DTypeLike = np.float32) -> Array:
        """Values of the trial's kind: normal ones, over many magnitudes, subnormal ones among them, or zeros and infinities, too."""
        values = self.rng.standard_normal(shape)
        chosen = self.rng.random(shape) < 0.05
        limits = np.finfo(np.dtype(dtype).name)
        if self.kind == "wide":
            values = values * np.exp2(self.rng.integers(-12, 12, shape))
        elif self.kind == "subnormal":
            values = np.where(chosen, values * float(limits.tiny) / 4, values)
        elif self.kind == "special":
            values = np.where(chosen, self.rng.choice([0.0, -0.0, np.inf, -np.inf, float(limits.max)], shape), values)
        return np.asarray(values).astype(dtype)


class Reference:
    """A reference, by its path, or an object with the names above."""

    def __init__(self, of: Any) -> None:
        self.of = _module(os.fspath(of)) if isinstance(of, (str, os.PathLike)) else of
        self.run: Callable[..., Any] = self.of.run
        self.tolerance = float(getattr(self.of, "tolerance", 8))

    def answers(self, inputs: Sequence[Any]) -> list[Array]:
        """What the reference says, as a list of arrays."""
        with np.errstate(all="ignore"):
            told = self.run(*inputs)
        return [np.asarray(one) for one in (told if isinstance(told, (tuple, list)) else [told])]

    def oracle(self, inputs: Sequence[Any]) -> list[Array]:
        """What it says if all floats are float64."""
        return self.answers([a.astype(np.float64) if getattr(a, "dtype", np.dtype(int)).kind == "f" else a for a in inputs])

    def trials(self, count: int, seed: int) -> list[tuple[Trial, list[Any]]]:
        """Trials with their inputs. The last but one repeats the first, and the last has its shapes with other values."""
        made: list[tuple[Trial, list[Any]]] = []
        for number in range(count):
            trial = Trial(number, SIZES[number % len(SIZES)], KINDS[number % len(KINDS)], np.random.default_rng([seed, number]))
            made.append((trial, list(self.of.inputs(trial))))
        first, inputs = made[0]
        again = dataclasses.replace(first, number=count)
        other = Trial(count + 1, first.n, "plain", np.random.default_rng([seed, count + 1]))
        return [*made, (again, inputs), (other, list(self.of.inputs(other)))]

    def launch(self, inputs: Sequence[Any]) -> dict[str, Any] | None:
        if not hasattr(self.of, "launch"):
            return None
        shape: dict[str, Any] = self.of.launch(*inputs)
        return shape


def _module(path: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"reference_{pathlib.Path(path).stem}", path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} is no module of Python")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("run", "inputs"):
        if not callable(getattr(module, name, None)):
            raise ValueError(f"{path} has no function {name}")
    return module
