"""Which operators run on the CPU's kernels, which stay CUDA's own, and which are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from . import _names
from ._call import Operator
from ._cells import COMPOSED

#: Operators that make, view or copy memory by CUDA's runtime and launch no kernel.
KEPT = {
    "empty.memory_format",
    "empty_strided",
    "set_",
    "set_.source_Storage",
    "set_.source_Storage_storage_offset",
    "set_.source_Tensor",
    "resize_",
    "_local_scalar_dense",
    "record_stream",
    "is_pinned",
    "_pin_memory",
    "is_set_to",
    "lift_fresh",
}

#: Operators without a kernel of their own for CUDA: what they are composed of would launch some, or choose one of cuDNN's.
ADDED = ("copy_", "convolution", "_convolution", "ldexp.Tensor", "ldexp_", "ldexp.out")

#: What does the same as operators that are refused, by the beginning of their names. The first one counts.
INSTEAD = {
    "_scaled_dot_product": "torch.nn.functional.scaled_dot_product_attention",
    "_flash_attention": "torch.nn.functional.scaled_dot_product_attention",
    "_efficient_attention": "torch.nn.functional.scaled_dot_product_attention",
    "_cudnn_attention": "torch.nn.functional.scaled_dot_product_attention",
    "_triton_": "torch.nn.functional.scaled_dot_product_attention",
    "cudnn_convolution": "torch.nn.functional.conv2d",
    "_cudnn_rnn": "torch.nn.LSTM with torch.backends.cudnn.enabled = False",
    "cudnn_batch_norm": "torch.nn.functional.batch_norm",
    "batch_norm_": "torch.nn.functional.batch_norm",
    "_cudnn_ctc_loss": "torch.nn.functional.ctc_loss",
    "_fused_dropout": "torch.nn.functional.dropout",
    "_scaled_addmm": "torch._scaled_mm",
    "_scaled_grouped_mm": "torch._scaled_mm",
    "cudnn_grid_sampler": "torch.nn.functional.grid_sample",
    "cudnn_affine_grid": "torch.nn.functional.affine_grid",
}

_CPU_KEYS = ("CPU", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional", "CompositeImplicitAutograd")

_library: Any = None  # lives as long as what it has registered


def register() -> None:
    """Give the CUDA key the kernels of this package."""
    global _library
    library: Any = torch.library.Library  # without types of its own
    _library = library("aten", "IMPL")
    full = [name for name in _names.registered("CUDA") if name.startswith("aten::")]
    for name in dict.fromkeys(full + ["aten::" + name for name in ADDED]):
        if kernel := kernel_of(name.removeprefix("aten::")):
            _library.impl(name.removeprefix("aten::"), kernel, "CUDA", allow_override=True)
    # Attention and layers are made of operators, not of one kernel for all of it.
    _names.set_cudnn_enabled(False)
    torch.backends.cuda.enable_flash_sdp(False)
    torch.backends.cuda.enable_mem_efficient_sdp(False)
    torch.backends.cuda.enable_cudnn_sdp(False)


def kernel_of(name: str) -> Callable[..., Any] | None:
    """The kernel for an operator, by its name with its overload; None: CUDA's own stays."""
    overload = _overload(name)
    if overload is None or name in KEPT or _views(overload):
        return None
    if name in COMPOSED:
        return Operator(overload, COMPOSED[name]).__call__
    if not any(_names.has_kernel("aten::" + name, key) for key in _CPU_KEYS):
        return _refusal(name)
    return Operator(overload).__call__


def _overload(name: str) -> torch._ops.OpOverload | None:
    base, _, overload = name.partition(".")
    packet = getattr(torch.ops.aten, base, None)
    found: torch._ops.OpOverload | None = getattr(packet, overload or "default", None)
    return found


def _views(overload: torch._ops.OpOverload) -> bool:
    """Whether results are views of operands, which have been changed by nothing."""
    return any(r.alias_info is not None and not r.alias_info.is_write for r in overload._schema.returns)


def _refusal(name: str) -> Callable[..., Any]:
    instead = next((other for start, other in INSTEAD.items() if name.startswith(start)), None)
    text = f"aten::{name} has no CPU kernel, so torch on ptxvm cannot run it" + (f"; {instead} does the same" if instead else "")

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(text)

    return refuse
