"""The private names of PyTorch that this package uses: all of them, in one table.

They may go with any version. `missing` names those that are gone, and the test of the table fails by their names.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

import torch

#: By what this package calls them.
PRIVATE = {
    "storage_at": "torch._C._construct_storage_from_data_pointer",
    "registered": "torch._C._dispatch_get_registrations_for_dispatch_key",
    "has_kernel": "torch._C._dispatch_has_kernel_for_dispatch_key",
    "takes_numbers": "torch._C._should_allow_numbers_as_tensors",
    "set_cudnn_enabled": "torch._C._set_cudnn_enabled",
    "lazy_call": "torch.cuda._lazy_call",
    "neg_view": "torch._neg_view",
    "current_device": "torch._C._cuda_getDevice",
    "device_count": "torch._C._cuda_getDeviceCount",
    "capturing": "torch._C._cuda_isCurrentStreamCapturing",
}


def _find(path: str) -> Any:
    module, *names = path.split(".")
    return functools.reduce(getattr, names, importlib.import_module(module))


def missing() -> list[str]:
    """The names of the table that this version of PyTorch does not have."""
    gone = []
    for path in PRIVATE.values():
        try:
            _find(path)
        except AttributeError:
            gone.append(path)
    return gone


def check() -> None:
    """Raise ImportError unless all names are there."""
    from . import TESTED

    if gone := missing():
        raise ImportError(
            f"PyTorch {torch.__version__} has no {', '.join(gone)}, which ptxvm.torch needs; "
            f"it is tested with {', '.join(TESTED)} (TORCH_DEVICE_BACKEND_AUTOLOAD=0 leaves it out)"
        )


def __getattr__(name: str) -> Any:
    if name in PRIVATE:
        found = globals()[name] = _find(PRIVATE[name])  # looked for once
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
