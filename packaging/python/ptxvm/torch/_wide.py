"""Arithmetic at least as wide as CUDA's.

CUDA's kernels add up products and sums of 16-bit numbers in float32, and long float32 sums in a tree of partial sums; those of the CPU
round in between, or add one after another. A right kernel would then fail its own test against PyTorch. So operands of 16 bits are
computed in float32, float32 operands of reductions and norms in float64, and each result is rounded once.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import torch

NARROW = (torch.float16, torch.bfloat16)


@dataclasses.dataclass(frozen=True)
class Rule:
    """How an operator is widened.

    outputs: the type of each result: that of the operand of this name, "float32", or "" for that of the first operand.
    double: operands in float32 are computed in float64.
    alike: operands of different types are PyTorch's error, and stay as they are.
    """

    outputs: tuple[str, ...] = ("",)
    double: bool = False
    alike: bool = False


_PRODUCT = Rule(alike=True)
_SUM = Rule(double=True)
_EACH = Rule()

#: By the operator's name without its overload.
RULES: dict[str, Rule] = {
    **dict.fromkeys("mm bmm addmm addmm_ baddbmm baddbmm_ addbmm addbmm_ addmv addmv_ dot vdot _addmm_activation _grouped_mm".split(), _PRODUCT),
    **dict.fromkeys("convolution _convolution convolution_overrideable".split(), _PRODUCT),
    "convolution_backward": Rule(("input", "weight", "weight"), alike=True),
    **dict.fromkeys("sum nansum mean prod var std linalg_vector_norm norm cumsum cumprod logcumsumexp logsumexp trace".split(), _SUM),
    **dict.fromkeys("cumsum_ cumprod_ _foreach_norm _foreach_powsum renorm dist".split(), _SUM),
    **dict.fromkeys("var_mean std_mean".split(), Rule(("", ""), double=True)),
    **dict.fromkeys("_softmax _log_softmax _softmax_backward_data _log_softmax_backward_data".split(), _SUM),
    "native_layer_norm": Rule(("input", "float32", "float32"), double=True),
    "native_layer_norm_backward": Rule(("input", "weight", "bias"), double=True),
    "_fused_rms_norm": Rule(("input", "float32"), double=True),
    "_fused_rms_norm_backward": Rule(("input", "weight"), double=True),
    "native_group_norm": Rule(("input", "input", "input"), double=True),
    "native_group_norm_backward": Rule(("input", "weight", "weight"), double=True),
    **dict.fromkeys("native_batch_norm cudnn_batch_norm".split(), Rule(("input", "float32", "float32"), double=True)),
    **dict.fromkeys(("_native_batch_norm_legit", "_batch_norm_with_update"), Rule(("input", "float32", "float32", ""), double=True)),
    **dict.fromkeys(("native_batch_norm_backward", "batch_norm_backward"), Rule(("input", "weight", "weight"), double=True)),
    **dict.fromkeys("nll_loss_forward nll_loss2d_forward".split(), Rule(("", ""), double=True)),
    **dict.fromkeys("nll_loss_backward nll_loss2d_backward mse_loss smooth_l1_loss huber_loss binary_cross_entropy".split(), _SUM),
    **dict.fromkeys("embedding_dense_backward index_add index_add_ scatter_add scatter_add_ index_reduce index_reduce_".split(), _SUM),
    **dict.fromkeys("avg_pool2d avg_pool3d avg_pool2d_backward avg_pool3d_backward _adaptive_avg_pool2d _adaptive_avg_pool3d".split(), _EACH),
    **dict.fromkeys("_adaptive_avg_pool2d_backward _adaptive_avg_pool3d_backward grid_sampler_2d grid_sampler_3d".split(), _EACH),
    **dict.fromkeys("_thnn_fused_lstm_cell _thnn_fused_gru_cell".split(), Rule(("input_gates", "input_gates", "float32"), double=True)),
    "_thnn_fused_lstm_cell_backward_impl": Rule(("cx", "cx", "cx"), double=True),
    "_thnn_fused_gru_cell_backward": Rule(("grad_hy",) * 5, double=True),
    **dict.fromkeys("_weight_norm_interface".split(), Rule(("v", "float32"), double=True)),
    **dict.fromkeys("_weight_norm_interface_backward".split(), Rule(("saved_v", "saved_g"), double=True)),
    **dict.fromkeys("_cdist_forward _pdist_forward".split(), _SUM),
}

#: What the CPU's kernels say of a type that they do not have.
_ABSENT = re.compile(r"not (?:implemented|supported) for '?(?:Half|BFloat16|c10::Half|c10::BFloat16|at::Half|at::BFloat16)")


def is_absent(error: Exception) -> bool:
    """Whether an error says that the CPU's kernel does not have operands of 16 bits."""
    return _ABSENT.search(str(error)) is not None


def width(rule: Rule, tensors: list[torch.Tensor]) -> torch.dtype | None:
    """The type that an operator computes in, by its floating-point operands; None: as they are."""
    types = {t.dtype for t in tensors if t.dtype.is_floating_point}
    if not types or rule.alike and len(types) > 1:
        return None
    if types & {torch.float64} or not types <= {*NARROW, torch.float32}:
        return None
    if rule.double and types & {torch.float32}:
        return torch.float64
    return torch.float32 if types & set(NARROW) else None


def widened(value: Any, wide: torch.dtype) -> Any:
    """An operand, or a type that results shall have, in the wide type."""
    if isinstance(value, torch.Tensor):
        return value.to(wide) if value.dtype in NARROW or value.dtype == torch.float32 and wide == torch.float64 else value
    if isinstance(value, torch.dtype) and (value in NARROW or value == torch.float32):
        return wide
    return value


def types_of(rule: Rule, named: dict[str, Any]) -> list[torch.dtype]:
    """The types of the results, by the operands' names; the last one counts for all further results."""
    first = next(v.dtype for v in named.values() if isinstance(v, torch.Tensor) and v.dtype.is_floating_point)
    asked = next((v for v in named.values() if isinstance(v, torch.dtype)), None)
    if named.get("half_to_float"):
        asked = torch.float32
    types = []
    for name in rule.outputs:
        operand = named.get(name)
        types.append(torch.float32 if name == "float32" else operand.dtype if isinstance(operand, torch.Tensor) else asked or first)
    return types
