"""Operators that have a kernel for CUDA and none for the CPU, or a slow one, composed of those that both have.

Each function takes the operator's arguments with tensors of the CPU, and gives what the operator's kernel for CUDA would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from . import _memory

aten = torch.ops.aten


def lstm_cell(input_gates: Tensor, hidden_gates: Tensor, cx: Tensor, input_bias: Tensor | None = None, hidden_bias: Tensor | None = None) -> tuple[Tensor, ...]:
    """One step: gates have shape (batch, 4 * hidden) in the order i, f, g, o. Also gives the gates behind their functions."""
    gates = _biased(input_gates, input_bias) + _biased(hidden_gates, hidden_bias)
    i, f, g, o = gates.chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    cy = f * cx + i * g
    return o * cy.tanh(), cy, torch.cat((i, f, g, o), 1)


def lstm_cell_backward(grad_hy: Tensor | None, grad_cy: Tensor | None, cx: Tensor, cy: Tensor, workspace: Tensor, has_bias: bool) -> tuple[Tensor | None, ...]:
    """The gradients of the gates, of cx and of a bias."""
    i, f, g, o = workspace.chunk(4, 1)
    squashed = cy.tanh()
    down = torch.zeros_like(cx) if grad_cy is None else grad_cy
    out = torch.zeros_like(cx)
    if grad_hy is not None:
        down = down + grad_hy * o * (1 - squashed * squashed)
        out = grad_hy * squashed * o * (1 - o)
    gates = torch.cat((down * g * i * (1 - i), down * cx * f * (1 - f), down * i * (1 - g * g), out), 1)
    return gates, down * f, gates.sum(0) if has_bias else None


def gru_cell(input_gates: Tensor, hidden_gates: Tensor, hx: Tensor, input_bias: Tensor | None = None, hidden_bias: Tensor | None = None) -> tuple[Tensor, ...]:
    """One step: gates have shape (batch, 3 * hidden) in the order r, z, n. Also gives r, z, n, hx and the hidden part of n."""
    ir, iz, n = _biased(input_gates, input_bias).chunk(3, 1)
    hr, hz, hn = _biased(hidden_gates, hidden_bias).chunk(3, 1)
    r, z = (ir + hr).sigmoid(), (iz + hz).sigmoid()
    n = (n + r * hn).tanh()
    return n + z * (hx - n), torch.cat((r, z, n, hx, hn), 1)


def gru_cell_backward(grad_hy: Tensor, workspace: Tensor, has_bias: bool) -> tuple[Tensor | None, ...]:
    """The gradients of input gates, hidden gates, hx and of the two biases."""
    r, z, n, hx, hn = workspace.chunk(5, 1)
    update = grad_hy * (hx - n) * z * (1 - z)
    new = grad_hy * (1 - z) * (1 - n * n)
    reset = new * hn * r * (1 - r)
    inputs, hidden = torch.cat((reset, update, new), 1), torch.cat((reset, update, new * r), 1)
    biases = (inputs.sum(0), hidden.sum(0)) if has_bias else (None, None)
    return inputs, hidden, grad_hy * z, *biases


def rms_norm_backward(grad_out: Tensor, input: Tensor, normalized_shape: Sequence[int], rstd: Tensor, weight: Tensor | None, output_mask: Sequence[bool]) -> tuple[Tensor | None, ...]:
    """The gradients of the input and of the weight; rstd has size 1 in each normalized dimension."""
    last = list(range(-len(normalized_shape), 0))
    normal = input * rstd
    inner = grad_out if weight is None else grad_out * weight
    grad = rstd * (inner - normal * (inner * normal).mean(last, keepdim=True)) if output_mask[0] else None
    if weight is None or not output_mask[1]:
        return grad, None
    first = list(range(input.dim() - len(normalized_shape)))
    return grad, (grad_out * normal).sum(first) if first else grad_out * normal


def depthwise(self: Tensor, weight: Tensor, kernel_size: Sequence[int], bias: Tensor | None, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int]) -> Any:
    """A convolution with as many groups as channels."""
    return aten.convolution(self, weight, bias, stride, padding, dilation, False, [0] * len(stride), self.size(1))


def zero(self: Tensor) -> Tensor:
    """Zeros in place. Much of them is not written: triton.testing.do_bench zeroes 256 MiB before each launch, which no one reads."""
    return self if _memory.emptied(self) else aten.zero_(self)


def _biased(gates: Tensor, bias: Tensor | None) -> Tensor:
    return gates if bias is None else gates + bias


def _typed(product: Callable[..., Tensor], operands: int) -> Callable[..., Tensor]:
    """A product whose result has a type of its own: `operands` tensors, and behind them the type."""

    def typed(*args: Any, **scales: Any) -> Tensor:
        return product(*(t.to(args[operands]) for t in args[:operands]), **scales)

    return typed


#: By the operator's name, with its overload where that is not the default.
COMPOSED: dict[str, Callable[..., Any]] = {
    "_thnn_fused_lstm_cell": lstm_cell,
    "_thnn_fused_lstm_cell_backward_impl": lstm_cell_backward,
    "_thnn_fused_gru_cell": gru_cell,
    "_thnn_fused_gru_cell_backward": gru_cell_backward,
    "_fused_rms_norm_backward": rms_norm_backward,
    "_conv_depthwise2d": depthwise,
    "conv_depthwise3d": depthwise,
    "zero_": zero,
    "mm.dtype": _typed(torch.mm, 2),
    "bmm.dtype": _typed(torch.bmm, 2),
    "addmm.dtype": _typed(torch.addmm, 3),
    "baddbmm.dtype": _typed(torch.baddbmm, 3),
    "_fused_sdp_choice": lambda *args, **options: 0,  # the composite implementation, for attention of every shape
    **dict.fromkeys(("_use_cudnn_ctc_loss", "_use_cudnn_ctc_loss.Tensor"), lambda *args, **options: False),
    **dict.fromkeys(("_use_miopen_ctc_loss", "_use_miopen_ctc_loss.Tensor"), lambda *args, **options: False),
}
