"""Memory of the device as the CPU's kernels see it.

The bytes of a CUDA tensor lie in ptxvm's memory, which the host may not touch at the tensor's own address (PTXVM_HOST_ACCESS): a
program that dereferences a device pointer is wrong. libcuda tells where else the same bytes are (`ptxvmHostView`), and is told what
was written there (`ptxvmHostWrote`), so that `--sanitize init` knows that those bytes have values.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import mmap
import os

import torch

from . import _names

#: Rows of a strided tensor that are told of one by one; more are told of as the whole span.
MOST_ROWS = 4096


#: Bytes for which it is worth more to have no pages than to have zeros in them, even if they are read soon.
LEAST_EMPTIED = 64 << 20

_MADV_REMOVE = 9  # of Linux: the pages of shared memory, in which ptxvm's lies


@functools.cache
def _libc() -> ctypes.CDLL:
    library = ctypes.CDLL(None)
    library.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return library


@functools.cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(os.path.join(os.environ["PTXVM_EXEC"], "libcuda.so.1"))
    library.ptxvmHostView.argtypes = [ctypes.c_uint64, ctypes.c_size_t, ctypes.POINTER(ctypes.c_uint64)]
    library.ptxvmHostWrote.argtypes = [ctypes.c_uint64, ctypes.c_size_t]
    return library


@functools.cache
def _watched() -> bool:
    """Whether somebody asks which bytes have values."""
    checks = os.environ.get("PTXVM_SANITIZE", "")
    return "init" in checks or "all" in checks


def host_address(address: int, size: int) -> int:
    """Where the host may read and write `size` bytes at a device's address. Raises ValueError unless one allocation holds them."""
    at = ctypes.c_uint64()
    if _library().ptxvmHostView(address, size, ctypes.byref(at)):
        raise ValueError(f"no allocation of ptxvm holds the {size} bytes at {address:#x}, to which a CUDA tensor points")
    return at.value


def span(tensor: torch.Tensor) -> int:
    """The bytes from a tensor's first element to its last; 0 if it has none."""
    if not tensor.numel():
        return 0
    steps = sum((n - 1) * step for n, step in zip(tensor.size(), tensor.stride()))
    return (steps + 1) * tensor.element_size()


def alias(tensor: torch.Tensor) -> torch.Tensor:
    """A CPU tensor on the bytes of a CUDA tensor: its shape, strides, type, and whether it is conjugated or negated."""
    storage = tensor.untyped_storage()
    if not storage.nbytes():  # unlike the rest it may be resized
        return torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype)
    address = host_address(storage.data_ptr(), storage.nbytes())
    same = _names.storage_at(address, torch.device("cpu"), storage.nbytes())
    out = torch.empty(0, dtype=tensor.dtype).set_(same, tensor.storage_offset(), tensor.size(), tensor.stride())
    if tensor.is_conj():
        out = torch.conj(out)
    if tensor.is_neg():
        out = _names.neg_view(out)
    return out


def emptied(tensor: torch.Tensor) -> bool:
    """Make a large CPU tensor zero by giving its whole pages back to the system, which has zeros there when they are touched next.

    False, and nothing has changed: it is small, has gaps, or lies in memory of which the system does not do that.
    """
    size = tensor.numel() * tensor.element_size()
    if size < LEAST_EMPTIED or not tensor.is_contiguous():
        return False
    start = tensor.data_ptr()
    first, last = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE, (start + size) // mmap.PAGESIZE * mmap.PAGESIZE
    if _libc().madvise(first, last - first, _MADV_REMOVE):
        return False
    ctypes.memset(start, 0, first - start)
    ctypes.memset(last, 0, start + size - last)
    return True


def fresh(values: torch.Tensor, device: torch.device) -> torch.Tensor:
    """A new CUDA tensor with the values and strides of a CPU tensor."""
    out = torch.empty_strided(values.size(), values.stride(), dtype=values.dtype, device=device)
    fill(out, values)
    return out


def fill(out: torch.Tensor, values: torch.Tensor) -> None:
    """Copy the bytes of a CPU tensor to a CUDA tensor of the same shape, strides and type."""
    values = values.resolve_conj().resolve_neg()
    if size := span(values):
        ctypes.memmove(host_address(out.data_ptr(), size), values.data_ptr(), size)
        wrote(out)


def wrote(tensor: torch.Tensor) -> None:
    """Tell the sanitizers that the elements of a CUDA tensor have values now."""
    if not _watched() or not tensor.numel():
        return
    item, start = tensor.element_size(), tensor.data_ptr()
    if span(tensor) == tensor.numel() * item:
        _library().ptxvmHostWrote(start, tensor.numel() * item)
        return
    axes = sorted(((step, n) for n, step in zip(tensor.size(), tensor.stride()) if step and n > 1), reverse=True)
    run = item * axes.pop()[1] if axes and axes[-1][0] == 1 else item
    rows = 1
    for _, n in axes:
        rows *= n
    if rows > MOST_ROWS:
        _library().ptxvmHostWrote(start, span(tensor))
        return
    for place in itertools.product(*(range(0, n * step, step) for step, n in axes)):
        _library().ptxvmHostWrote(start + item * sum(place), run)
