"""Operands of one call lie on one device, as PyTorch's own kernels want it."""

from __future__ import annotations

from collections.abc import Iterable

import torch

#: Operators whose operands may lie on two devices: copies, and indices and lengths that may be the CPU's.
MIXED = {
    "copy_",
    "copy",
    "_copy_from",
    "_foreach_copy_",
    "index",
    "index_put",
    "index_put_",
    "_index_put_impl_",
    "_unsafe_index",
    "_unsafe_index_put",
    "_pack_padded_sequence",
    "_ctc_loss",
    "_use_cudnn_ctc_loss",
    "_use_miopen_ctc_loss",
    "set_",
}

#: Operators that do not take a number of the CPU (a tensor without dimensions) for an operand of the device.
STRICT = {"mm", "bmm", "addmm", "baddbmm", "addbmm", "addmv", "mv", "dot", "vdot", "gather", "scatter", "scatter_add", "index_select", "embedding"}


def common(operator: str, tensors: Iterable[torch.Tensor]) -> torch.device | None:
    """The CUDA device of the operands; None if none has one. Raises RuntimeError, in PyTorch's words, if they lie on two."""
    device: torch.device | None = None
    other: torch.device | None = None
    for tensor in tensors:
        here = tensor.device
        if device is None and here.type == "cuda":
            device = here
        elif here.type != "cuda" and (tensor.dim() or operator in STRICT):
            other = here
        elif here.type == "cuda" and here != device:
            other = here
    if device is not None and other is not None and operator not in MIXED:
        raise RuntimeError(f"Expected all tensors to be on the same device, but found at least two devices, {device} and {other}! (when checking arguments of aten::{operator})")
    return device
