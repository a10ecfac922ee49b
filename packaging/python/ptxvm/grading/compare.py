"""How far an answer is from the oracle's, in units of what the reference's own rounding makes."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from . import poison

Array = np.ndarray[Any, Any]


@dataclasses.dataclass
class Distance:
    """The largest error, where it is, and what is wrong ("" if nothing is, "nan", "wrong")."""

    error: float
    index: list[int] | None
    of_reference: float
    verdict: str = ""
    message: str = ""


def distance(have: Array, oracle: Array, reference: Array, tolerance: float) -> Distance:
    """Compare an output with the oracle's and the reference's, which has the output's type and shape.

    A unit, for an element, is the larger of the reference's largest error in this output and one rounding of the element: an ulp of
    the oracle's value. Where oracle and reference are not the same kind of number (NaN, infinite, finite), any value will do.
    """
    if reference.dtype.kind != "f":
        return _exact(have, reference)
    with np.errstate(all="ignore"):
        want = oracle.astype(np.float64)
        near = np.isfinite(want) & np.isfinite(reference)
        own = np.abs(np.where(near, reference.astype(np.float64) - want, 0))
        limits = np.finfo(reference.dtype)
        rounding = np.maximum(np.abs(want) * float(limits.eps), float(limits.smallest_subnormal))
        unit = np.maximum(rounding, own.max(initial=0.0))
        off = np.abs(have.astype(np.float64) - want) / unit
        off = np.where(near, np.where(np.isfinite(have), off, np.inf), _kinds(have, want, reference))
    found = _worst(off, float(own.max(initial=0.0)))
    return _judged(found, have, off > tolerance, want)


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
