"""Trials and their inputs: by a function, or by a description that JSON can hold.

    {"arguments": [{"shape": [5, "n"], "dtype": "float32"}, "n", 2.5],      each an array, the trial's size, or a number
     "sizes": [257, 1, 128],                                                the trials' sizes, in turn
     "kinds": ["plain", "special"]}                                         what values are like, in turn

An array may say "strides", in elements as torch counts them ([1, "n"] is a transposed matrix, 0 repeats a row), "kinds" of its own, and,
for integers, "range" (the least, and one more than the largest). "n", "2*n", "n+3" and "2*n+3" are numbers that follow the size.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = np.ndarray[Any, Any]

#: Sizes of the trials, in turn: one element, primes, multiples of blocks, and one more or less.
SIZES = (257, 1, 128, 31, 1009, 127, 1024, 64, 33, 3)
#: What values are like, in turn. Where oracle and reference differ in being finite, any value is right.
KINDS = ("plain", "plain", "wide", "subnormal", "special")
#: Those that a description can ask for.
ALL_KINDS = ("plain", "wide", "subnormal", "special", "large", "nan", "integers")


@dataclasses.dataclass
class Trial:
    """A trial: how large its inputs are, and what their values are like. inputs() makes them by its methods."""

    number: int
    n: int  # a size, for the reference to use as it likes
    kind: str  # one of ALL_KINDS
    rng: np.random.Generator

    def values(self, shape: int | Sequence[int], dtype: npt.DTypeLike = np.float32) -> Array:
        """Values of the trial's kind: normal ones, over many magnitudes, subnormal ones among them, zeros and infinities, large ones,
        NaN among them, or small whole numbers.
        """
        values = self.rng.standard_normal(shape)
        chosen = self.rng.random(shape) < 0.05
        limits = np.finfo(np.dtype(dtype).name)
        if self.kind == "wide":
            values = values * np.exp2(self.rng.integers(-12, 12, shape))
        elif self.kind == "subnormal":
            values = np.where(chosen, values * float(limits.tiny) / 4, values)
        elif self.kind == "special":
            values = np.where(chosen, self.rng.choice([0.0, -0.0, np.inf, -np.inf, float(limits.max)], shape), values)
        elif self.kind == "large":
            values = values * np.exp2(0.75 * float(limits.maxexp))
        elif self.kind == "nan":
            values = np.where(chosen, np.nan, values)
        elif self.kind == "integers":
            values = np.rint(values * 4)
        return np.asarray(values).astype(dtype)


@dataclasses.dataclass
class Made:
    """How the inputs of trials are made."""

    inputs: Callable[[Trial], Sequence[Any]]
    sizes: Sequence[int] = SIZES
    kinds: Sequence[str] = KINDS

    def trials(self, count: int, seed: int) -> list[tuple[Trial, list[Any]]]:
        """Trials with their inputs. The last but one repeats the first, and the last has its shapes with other values."""
        every: list[tuple[Trial, list[Any]]] = []
        for number in range(count):
            size, kind = self.sizes[number % len(self.sizes)], self.kinds[number % len(self.kinds)]
            every.append(self._trial(number, size, kind, seed))
        first, inputs = every[0]
        other = self._trial(count + 1, first.n, self.kinds[0], seed)
        return [*every, (dataclasses.replace(first, number=count), inputs), other]

    def _trial(self, number: int, size: int, kind: str, seed: int) -> tuple[Trial, list[Any]]:
        trial = Trial(number, size, kind, np.random.default_rng([seed, number]))
        return trial, list(self.inputs(trial))


def made(of: Any) -> Made:
    """Inputs by a function of a trial, or by a description. Raises ValueError, which says what is wrong with a description."""
    if callable(of):
        return Made(of)
    if not isinstance(of, dict) or not isinstance(of.get("arguments"), list):
        raise ValueError('inputs: want a function, or {"arguments": [{"shape": [5, "n"], "dtype": "float32"}, "n", …], "sizes": […], "kinds": […]}')
    if unknown := set(of) - {"arguments", "sizes", "kinds"}:
        raise ValueError(f"inputs: there is no {sorted(unknown)[0]}; want arguments, sizes, kinds")
    sizes = of.get("sizes", SIZES)
    if not _is_list(sizes) or not sizes or not all(type(n) is int and n >= 0 for n in sizes):
        raise ValueError(f"inputs: sizes are a list of whole numbers, not {sizes}")
    arguments = [_argument(i, one) for i, one in enumerate(of["arguments"])]
    return Made(lambda trial: [argument(trial) for argument in arguments], sizes, _kinds("inputs", of.get("kinds", KINDS)))


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _kinds(of: str, kinds: Any) -> Sequence[str]:
    if not _is_list(kinds) or not kinds or not all(kind in ALL_KINDS for kind in kinds):
        raise ValueError(f"{of}: kinds are a list of {', '.join(ALL_KINDS)}, not {kinds}")
    chosen: Sequence[str] = kinds
    return chosen


def _argument(number: int, of: Any) -> Callable[[Trial], Any]:
    """An argument, as a function of the trial."""
    at = f"inputs: argument {number}"
    if not isinstance(of, dict):
        return _scalar(at, of)
    if unknown := set(of) - {"shape", "dtype", "strides", "kinds", "range"}:
        raise ValueError(f"{at}: there is no {sorted(unknown)[0]}; want shape, dtype, strides, kinds, range")
    try:
        dtype = np.dtype(of.get("dtype", "float32"))
    except TypeError:
        raise ValueError(f"{at}: numpy has no type {of['dtype']}") from None
    if dtype.kind not in "fiub":
        raise ValueError(f"{at}: {dtype} is no type of floats, integers or flags")
    for name in ("shape", "strides", "range"):
        if name in of and not _is_list(of[name]):
            raise ValueError(f"{at}: {name} is a list, not {of[name]!r}")
    shape = [_extent(at, one) for one in of.get("shape", ["n"])]
    strides = [_extent(at, one) for one in of["strides"]] if "strides" in of else None
    if strides is not None and len(strides) != len(shape):
        raise ValueError(f"{at}: {len(strides)} strides for {len(shape)} dimensions")
    kinds = _kinds(at, of["kinds"]) if "kinds" in of else None
    bounds = of.get("range", (0, 2) if dtype.kind == "b" else (0, 100))
    if len(bounds) != 2 or not all(type(one) is int for one in bounds) or not bounds[0] < bounds[1]:
        raise ValueError(f"{at}: range is the least, and one more than the largest, not {bounds}")

    def make(trial: Trial) -> Array:
        extents = tuple(one(trial.n) for one in shape)
        if kinds:
            trial = dataclasses.replace(trial, kind=kinds[trial.number % len(kinds)])
        values = trial.values(extents, dtype) if dtype.kind == "f" else trial.rng.integers(bounds[0], bounds[1], extents).astype(dtype)
        return values if strides is None else strided(values, [one(trial.n) for one in strides])

    return make


def _scalar(at: str, of: Any) -> Callable[[Trial], Any]:
    if isinstance(of, str):
        extent = _extent(at, of)
        return lambda trial: extent(trial.n)
    if type(of) not in (int, float):
        raise ValueError(f"{at}: want an array as an object, a number, or a text such as n, not {of!r}")
    return lambda trial: of


def _extent(at: str, of: Any) -> Callable[[int], int]:
    """A number that may follow the size: 5, "n", "2*n", "n+3", "2*n+3"."""
    if type(of) is int and of >= 0:
        return lambda n: int(of)
    found = re.fullmatch(r"(?:(\d+)\*)?n(?:\+(\d+))?", of) if isinstance(of, str) else None
    if not found:
        raise ValueError(f'{at}: {of!r} is no number; want 5, "n", "2*n", "n+3" or "2*n+3"')
    times, more = int(found[1] or 1), int(found[2] or 0)
    return lambda n: times * n + more


def strided(values: Array, strides: Sequence[int]) -> Array:
    """The values as a view with these strides, in elements, on memory of its own. Where elements overlap, the last one counts."""
    span = 1 + sum((extent - 1) * stride for extent, stride in zip(values.shape, strides, strict=True)) if values.size else 0
    memory = np.zeros(span, values.dtype)
    view: Array = np.lib.stride_tricks.as_strided(memory, values.shape, [stride * values.dtype.itemsize for stride in strides])
    view[...] = values
    return view
