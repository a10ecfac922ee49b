"""What a warm parent imports, so that no candidate has to wait for it. CUDA is not begun by it."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import tempfile
import types

#: What candidates begin with, where it is installed. PyTorch comes first: Triton's driver asks whether it is there.
_MODULES = (
    "torch", "ptxvm.cuda", "triton", "triton.language", "triton.compiler.compiler", "triton.tools.tensor_descriptor",
    "triton.backends.nvidia.compiler", "triton.experimental.gluon.language",
)  # fmt: skip


def begin() -> None:
    """Import what candidates begin with, and make Triton's launcher."""
    for name in _MODULES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for step in (_operators, _launcher, _keys):
        with contextlib.suppress(Exception):  # what cannot be done here each child does, or says
            step()


def _operators() -> None:
    """Replace PyTorch's operators, if it is there."""
    if "torch" in sys.modules:
        importlib.import_module("ptxvm.torch").install()


def _launcher() -> None:
    """Build and load the C module by which Triton launches; a child would have to run gcc for seconds.

    It is in this process's memory when children are forked, and its file is gone: no candidate can change what another one gets.
    """
    driver = importlib.import_module("triton.backends.nvidia.driver")
    with tempfile.TemporaryDirectory(prefix="ptxvm-triton-") as folder:
        os.environ["TRITON_CACHE_DIR"] = folder
        try:
            importlib.import_module("triton.runtime").driver.set_active(driver.CudaDriver())
        finally:
            del os.environ["TRITON_CACHE_DIR"]


def _keys() -> None:
    """What Triton finds out once a process for its cache: a hash of all its files (0.4 s of processor time), the version of ptxas."""
    importlib.import_module("triton.runtime.cache").triton_key()
    compiler = importlib.import_module("triton.backends.nvidia.compiler")
    for arch in (80, 90):
        compiler.get_ptxas_version(arch)
        compiler.get_ptx_version_from_options(types.SimpleNamespace(ptx_version=None), arch)
