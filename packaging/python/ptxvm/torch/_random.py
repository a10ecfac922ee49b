"""Random numbers that repeat from a seed.

A CUDA generator has a seed and an offset, which grows with what is drawn. The CPU's kernels draw from a generator of the CPU, which
is seeded from both for each call: the same seed gives the same numbers again, the state may be read, set and forked as with CUDA, and
the CPU's own generator is left alone. The numbers are not those that a GPU draws.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch

#: Operators that draw numbers without an argument for a generator.
IMPLICIT = {"native_dropout", "_fused_dropout", "_fill_mem_eff_dropout_mask_"}

#: How far a call moves the offset, of which CUDA wants multiples of 4.
STEP = 4

_MASK = (1 << 64) - 1


def _mixed(seed: int, offset: int) -> int:
    """A seed of 64 bits that neighbouring seeds and offsets share no bits of (SplitMix64)."""
    z = (seed + 0x9E3779B97F4A7C15 * (offset // STEP + 1)) & _MASK
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & _MASK
    return (z ^ z >> 31) >> 32  # the CPU's generator takes 32 bits


def drawn(generator: torch.Generator | None, device: torch.device) -> torch.Generator:
    """A generator of the CPU for one call, in the place of a CUDA generator or of the default one of a device."""
    if generator is None:
        generator = torch.cuda.default_generators[_index(device)]
    if generator.device.type != "cuda":
        raise RuntimeError(f"Expected a 'cuda' device type for generator but found '{generator.device.type}'")
    offset = generator.get_offset()
    generator.set_offset(offset + STEP)
    return torch.Generator().manual_seed(_mixed(generator.initial_seed(), offset))


@contextlib.contextmanager
def default(device: torch.device) -> Iterator[None]:
    """Let the CPU's default generator draw what the default one of a device would; its state is put back."""
    kept = torch.default_generator.get_state()
    torch.default_generator.set_state(drawn(None, device).get_state())
    try:
        yield
    finally:
        torch.default_generator.set_state(kept)


def _index(device: torch.device) -> int:
    return torch.cuda.current_device() if device.index is None else device.index
