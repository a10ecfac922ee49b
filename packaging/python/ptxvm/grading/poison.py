"""The pattern that outputs begin with."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Of unsigned words by their size. As floats of 16, 32 and 64 bits they are NaNs that no operation makes.
_WORDS = {1: 0xA5, 2: 0x7E5A, 4: 0x7FDA5A5A, 8: 0x7FFDA5A5A5A5A5A5}


def filled(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """An array in which every word has the pattern."""
    size = min(dtype.itemsize, 8)
    words = np.full(int(np.prod(shape, dtype=np.int64)) * (dtype.itemsize // size), _WORDS[size], f"u{size}")
    return words.view(dtype).reshape(shape)


def untouched(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Which elements still have the pattern: flags of the shape of `values`."""
    kind = np.dtype((np.void, values.dtype.itemsize))
    same = np.ascontiguousarray(values).view(kind) == filled(values.shape, values.dtype).view(kind)
    return np.asarray(same).reshape(values.shape)
