"""Operators in a graph: each is a host function, which computes anew at every launch of the graph.

A capture runs nothing. So the operator is called once on copies, which tells the shapes of its results, and its memory on the device
is allocated; the host function then computes into that. What it needs lives as long as the process, since no graph says when it ends.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from typing import TYPE_CHECKING, Any

import torch

from . import _memory

if TYPE_CHECKING:
    from ._call import Call

_HOST_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

#: The host functions of graphs, which are called by address.
_kept: list[Any] = []


@functools.cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(os.path.join(os.environ["PTXVM_EXEC"], "libcuda.so.1"))
    library.cuLaunchHostFunc.argtypes = [ctypes.c_void_p, _HOST_FUNCTION, ctypes.c_void_p]
    return library


def node(call: Call, named: dict[str, Any]) -> Any:
    """Add the call to the graph that the current stream captures; the results, whose values a launch of the graph makes."""
    inner = call.inward(named)
    writes = call.operator.writes
    trial = {name: _copied(value) if name in writes else value for name, value in inner.items()}
    try:
        shapes = call.compute(trial)
    except RuntimeError as error:
        raise RuntimeError(f"{call.operator.full} cannot be captured in a graph: what it does depends on values, which a capture does not compute ({error})") from error
    results = _allocated(call, inner, trial, shapes)

    def launched(_: Any) -> None:
        try:
            for new, out in zip(_list(call.compute(inner)), _list(results)):
                if isinstance(out, torch.Tensor) and not any(out is tensor for _, tensor in call.pairs):
                    _memory.fill(out, new)
            for name in writes:
                for same, tensor in call.pairs:
                    if same is inner.get(name):
                        _memory.wrote(tensor)
        except BaseException as error:  # a host function has no caller to tell
            print(f"ptxvm: {call.operator.full} in a graph: {type(error).__name__}: {error}", file=sys.stderr, flush=True)

    function = _HOST_FUNCTION(launched)
    _kept.append((function, inner, results))
    if code := _library().cuLaunchHostFunc(torch.cuda.current_stream(call.device).cuda_stream, function, None):
        raise RuntimeError(f"{call.operator.full} cannot be captured in a graph: cuLaunchHostFunc answers {code}")
    return results


def _copied(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.clone()
    return [_copied(v) for v in value] if isinstance(value, (list, tuple)) else value


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [value]


def _allocated(call: Call, inner: dict[str, Any], trial: dict[str, Any], shapes: Any) -> Any:
    """Tensors of the device for results: those that are written in place, and new ones."""
    places = {id(new): old for name in call.operator.writes for old, new in zip(_list(inner.get(name)), _list(trial.get(name)))}

    def one(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        if id(value) in places:
            return call.outward(places[id(value)])
        if "PYTORCH_NO_CUDA_MEMORY_CACHING" in os.environ:
            raise RuntimeError(
                f"{call.operator.full} cannot make a tensor in a graph, whose memory comes from PyTorch's caching allocator, which `ptxvm exec` "
                "turns off so that tensors have exact bounds: start with PYTORCH_NO_CUDA_MEMORY_CACHING=0"
            )
        return torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device=call.device)

    if isinstance(shapes, (tuple, list)):
        return type(shapes)(one(v) for v in shapes) if type(shapes) in (tuple, list) else tuple(one(v) for v in shapes)
    return one(shapes)
