"""Candidates without Python: CUDA C++, which NVRTC compiles, and PTX; launched by the driver's functions."""

from __future__ import annotations

import ctypes
import importlib.util
import os
from collections.abc import Sequence
from typing import Any

import numpy as np


class BuildError(Exception):
    """What does not compile, or has no such kernel."""


class LaunchError(Exception):
    """What the driver refuses to launch."""


def compiled(text: bytes, arch: str) -> bytes:
    """PTX of a source in CUDA C++ for an architecture such as sm_90. Raises BuildError with the compiler's messages."""
    nvrtc = _nvrtc()
    program = ctypes.c_void_p()
    if nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, b"candidate.cu", 0, None, None):
        raise BuildError("NVRTC takes no program")
    options = [b"--std=c++17", b"-lineinfo", b"--gpu-architecture=" + arch.replace("sm_", "compute_").encode()]
    failed = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    if failed:
        raise BuildError(_text(nvrtc, program, "ProgramLog").decode(errors="replace").strip())
    return _text(nvrtc, program, "PTX")


def _nvrtc() -> ctypes.CDLL:
    """NVIDIA's, where pip has put it; `exec` has loaded ptxvm's in front of it."""
    for folder in importlib.import_module("nvidia").__path__ if importlib.util.find_spec("nvidia") else ():
        path = os.path.join(folder, "cu13", "lib", "libnvrtc.so.13")
        if os.path.exists(path):
            return ctypes.CDLL(path)
    raise BuildError("NVRTC is not installed: pip install nvidia-cuda-nvrtc")


def _text(nvrtc: ctypes.CDLL, program: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{what}")(program, text)
    return text.raw[: size.value - 1]


class Kernel:
    """A kernel of a module. name: its symbol, or "" for the only one, or the only one whose symbol contains the name."""

    def __init__(self, ptx: bytes, name: str) -> None:
        self._driver = ctypes.CDLL(os.path.join(os.environ["PTXVM_EXEC"], "libcuda.so.1"))
        self._module = ctypes.c_void_p()
        self._ptx = ptx + b"\0"
        if code := self._driver.cuModuleLoadData(ctypes.byref(self._module), self._ptx):
            raise BuildError(f"the module does not load: {_error(self._driver, code)}")
        self._function = self._find(name)

    def _find(self, name: str) -> ctypes.c_void_p:
        count = ctypes.c_uint()
        self._driver.cuModuleGetFunctionCount(ctypes.byref(count), self._module)
        functions = (ctypes.c_void_p * count.value)()
        self._driver.cuModuleEnumerateFunctions(functions, count, self._module)
        names: dict[str, Any] = {}
        for function in functions:
            text = ctypes.c_char_p()
            self._driver.cuFuncGetName(ctypes.byref(text), ctypes.c_void_p(function))
            names[(text.value or b"").decode()] = function
        found = [name] if name in names else [n for n in names if name in n]
        if len(found) != 1:
            raise BuildError(f"{'no kernel' if not found else 'several kernels'} {name}: the module has {', '.join(names) or 'none'}")
        return ctypes.c_void_p(names[found[0]])

    def launch(self, shape: dict[str, Any], inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Launch with the inputs and outputs as arguments, in that order. Raises LaunchError."""
        arguments = [*map(_argument, inputs), *map(_argument, outputs)]
        pointers = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(a) for a in arguments))
        grid, block = _three(shape["grid"]), _three(shape["block"])
        code = self._driver.cuLaunchKernel(self._function, *grid, *block, shape.get("shared", 0), None, pointers, None)
        if code:
            raise LaunchError(f"the launch fails: {_error(self._driver, code)}")


def _argument(value: Any) -> Any:
    if hasattr(value, "data_ptr"):
        return ctypes.c_uint64(value.data_ptr())
    if isinstance(value, np.generic):
        return ctypes.create_string_buffer(value.tobytes())
    return ctypes.c_float(value) if isinstance(value, float) else ctypes.c_int32(value)


def _three(extent: int | Sequence[int]) -> tuple[int, int, int]:
    parts = [extent] if isinstance(extent, int) else list(extent)
    x, y, z = (parts + [1, 1])[:3]
    return x, y, z


def _error(driver: ctypes.CDLL, code: int) -> str:
    text = ctypes.c_char_p()
    driver.cuGetErrorString(code, ctypes.byref(text))
    return (text.value or b"unknown error").decode() + f" ({code})"
