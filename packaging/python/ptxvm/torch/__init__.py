"""PyTorch's CUDA tensors in ptxvm's memory, with PyTorch's own operators computed by its kernels for the CPU.

PyTorch's kernels for CUDA are machine code without PTX, which nothing but a GPU runs. All else of torch.cuda works on ptxvm's
libraries: memory, streams, events, and every kernel that Triton, nvcc or NVRTC make. This package gives the CUDA key of the dispatcher
another kernel for each operator that has one for the CPU: it waits for the stream, shows the CPU's kernel the same bytes, and gives
back tensors on the device.

Nothing needs to be imported: PyTorch loads what stands in the entry point group `torch.backends`. Outside `ptxvm exec` that does
nothing; under it the operators are replaced when CUDA is used first.

    >>> import torch                                    # under ptxvm exec
    >>> torch.arange(4.0, device="cuda") @ torch.ones(4, device="cuda")
    tensor(6., device='cuda:0')

counts: how often each operator has run, by its name ("aten::mm").
"""

from __future__ import annotations

import os
from collections.abc import Callable

__all__ = ["autoload", "install", "counts", "TESTED"]

#: The versions of PyTorch that the tests of this package run with.
TESTED = ("2.15.0",)

#: Calls by the operator's full name, for those who want to know what a program leaves to PyTorch.
counts: dict[str, int] = {}

_installed = False

#: Of a process that forks: whether CUDA has begun in it. Until then it asks others of the device. Set before PyTorch is imported.
forks: Callable[[], bool] | None = None


def autoload() -> None:
    """What PyTorch calls at the end of its import. Silent, and without effect, unless the process runs under `ptxvm exec`."""
    if not os.environ.get("PTXVM_EXEC"):
        return
    import torch

    if torch.version.cuda is not None:
        from . import _asking
        from ._names import lazy_call

        lazy_call(install)
        if forks:
            _asking.begin(forks)


def install() -> None:
    """Replace the operators now, once; CUDA is not begun by it.

    Raises ImportError if this version of PyTorch lacks a private name that the package needs.
    """
    global _installed
    if _installed:
        return
    from . import _names, _operators

    _names.check()
    _operators.register()
    _installed = True
