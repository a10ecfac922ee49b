"""How far an answer is from the oracle's, in units of what the reference's own rounding makes."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from . import poison

Array = np.ndarray[Any, Any]

#: Magnitudes are alike if their powers of two are no further apart.
ALIKE = 4


@dataclasses.dataclass
class Distance:
    """The largest error, where it is, and what is wrong ("" if nothing is, "nan", "wrong")."""

    error: float
    index: list[int] | None
    of_reference: float
    verdict: str = ""
    message: str = ""


@dataclasses.dataclass
class Expected:
    """What an output must be. reference: in the output's type; oracle: the same in float64.

    nearby: the oracle's answers to inputs that are each one rounding away, in any direction: what no kernel can tell from the inputs.
    """

    reference: Array
    oracle: Array
    nearby: list[Array] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        if self.reference.dtype.kind != "f":
            return
        with np.errstate(all="ignore"):
            self.want = self.oracle.astype(np.float64)
            self.near = np.isfinite(self.want) & np.isfinite(self.reference)
            self.own = np.abs(np.where(self.near, self.reference.astype(np.float64) - self.want, 0))
            self.unit = self._unit()

    def _unit(self) -> Array:
        """The unit of each element: the largest of its last place, its noise, and twice what elements of like magnitude mostly have.

        An element's noise may be small by luck, as the rounding of a sum that comes out even; its neighbours tell. Their median does, so
        that one huge element, or one that jumps, says nothing of others.
        """
        limits = np.finfo(self.reference.dtype)
        noise = np.maximum(self.own, np.max([_apart(self.want, one) for one in self.nearby] or [np.zeros(self.want.shape)], axis=0))
        places = np.maximum(np.abs(self.want) * float(limits.eps), float(limits.smallest_subnormal))
        powers = np.frexp(np.where(self.near, self.want, 0))[1]
        alike = np.zeros(self.want.shape)
        for power in np.unique(powers[self.near]):
            block = self.near & (np.abs(powers - power) <= ALIKE)
            alike[powers == power] = np.median(noise[block])
        unit: Array = np.maximum(np.maximum(places, noise), 2 * alike)
        return unit


def _apart(want: Array, other: Array) -> Array:
    """How far two answers are apart, where both are finite; 0 elsewhere."""
    with np.errstate(all="ignore"):
        off = np.abs(other.astype(np.float64) - want)
    return np.where(np.isfinite(off), off, 0.0)


def distance(have: Array, expected: Expected, tolerance: float) -> Distance:
    """Compare an output with what it must be, which has its type and shape.

    Where oracle and reference are not the same kind of number (NaN, infinite, finite), any value will do.
    """
    if have.dtype.kind != "f":
        return _exact(have, expected.reference)
    with np.errstate(all="ignore"):
        off = np.abs(have.astype(np.float64) - expected.want) / expected.unit
        off = np.where(expected.near, np.where(np.isfinite(have), off, np.inf), _kinds(have, expected.want, expected.reference))
    found = _worst(off, float(expected.own.max(initial=0.0)))
    return _judged(found, have, off > tolerance, expected.want)


def _kinds(have: Array, want: Array, reference: Array) -> Array:
    """0 where NaN, or an infinity, is as oracle and reference agree, or where they do not; infinite elsewhere."""
    agree = (np.isnan(want) & np.isnan(reference)) | (np.isinf(want) & (want == reference))
    right = (np.isnan(have) & np.isnan(want)) | (have == want)
    return np.where(~agree | right, 0.0, np.inf)


def _exact(have: Array, want: Array) -> Distance:
    off = np.where(have == want, 0.0, np.inf)
    return _judged(_worst(off, 0.0), have, off > 0, want)


def _worst(off: Array, of_reference: float) -> Distance:
    if not off.size:
        return Distance(0.0, None, of_reference)
    index = np.unravel_index(int(np.argmax(off)), off.shape)
    return Distance(float(off[index]), [int(i) for i in index], of_reference)


def _judged(found: Distance, have: Array, bad: Array, want: Array) -> Distance:
    never = poison.untouched(have) & bad
    if not bad.any():
        return found
    if never.any() or (have.dtype.kind == "f" and (np.isnan(have) & bad).any()):
        chosen = never if never.any() else np.isnan(have) & bad
        index = np.unravel_index(int(np.argmax(chosen)), chosen.shape)
        found.index = [int(i) for i in index]
        found.verdict = "nan"
        what = "was never written" if never.any() else "is NaN"
        found.message = f"element {found.index} {what}; {int(chosen.sum())} of {chosen.size} are so"
        return found
    found.verdict = "wrong"
    at = tuple(found.index or [])
    found.message = f"element {found.index} is {have[at]!s} and should be {want[at]!s}: {found.error:.3g} units off; {int(bad.sum())} of {bad.size} are too far"
    return found
