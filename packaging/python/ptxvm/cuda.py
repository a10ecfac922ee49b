"""Arrays in memory of the device, for kernels that need no PyTorch.

    >>> import numpy as np
    >>> from ptxvm.cuda import array            # in a process under `ptxvm exec`
    >>> a = array(np.arange(4, dtype=np.float32))
    >>> a.numpy()
    array([0., 1., 2., 3.], dtype=float32)

Triton takes an array by data_ptr() and dtype, numba and CuPy by __cuda_array_interface__, PyTorch and JAX by DLPack.
"""

from __future__ import annotations

import ctypes
import functools
import os
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["array", "empty", "synchronize", "CUDAError"]

_CUDA = 2  # of DLPack's kinds of devices


class CUDAError(RuntimeError):
    """A call of CUDA that failed; `code` is its number (CUresult)."""

    def __init__(self, code: int, call: str) -> None:
        text = ctypes.c_char_p()
        _library().cuGetErrorString(code, ctypes.byref(text))
        super().__init__(f"{call}: {(text.value or b'unknown error').decode()} ({code})")
        self.code = code


class array:
    """A copy of an array of numpy in memory of the device, in C order unless strides are given.

    values: what numpy.asarray takes; dtype: of the elements, or that of the values; strides: in elements, 0 or more, for each dimension.
    Raises CUDAError, in particular when the device is out of memory. The memory is freed with the object.
    """

    def __init__(self, values: npt.ArrayLike, dtype: npt.DTypeLike | None = None, *, strides: Sequence[int] | None = None) -> None:
        host = np.asarray(values, dtype)
        self._begin(host.shape, host.dtype, strides)
        self.set(host)

    def _begin(self, shape: tuple[int, ...], dtype: np.dtype[Any], strides: Sequence[int] | None = None) -> None:
        self.shape, self.dtype = shape, dtype
        self.size = int(np.prod(shape, dtype=np.int64))
        self.nbytes = self.size * dtype.itemsize
        self._strides = None if strides is None else tuple(strides)
        if self._strides is not None:
            if len(self._strides) != len(shape) or any(stride < 0 for stride in self._strides):
                raise ValueError(f"strides {self._strides} for an array of shape {shape}")
            self.nbytes = self.size and dtype.itemsize * (1 + sum((n - 1) * s for n, s in zip(shape, self._strides, strict=True)))
        self._at = ctypes.c_uint64()
        if self.nbytes:
            _call("cuMemAlloc_v2", ctypes.byref(self._at), ctypes.c_size_t(self.nbytes))
            self._end = weakref.finalize(self, _library().cuMemFree_v2, self._at)
            self._end.atexit = False  # the device has ended before

    def data_ptr(self) -> int:
        """The address of the first element; 0 if there is none."""
        return self._at.value

    def set(self, values: npt.ArrayLike) -> None:
        """Copy values of the array's shape to the device, behind what its default stream does. Raises ValueError for another shape."""
        host = np.asarray(values, self.dtype)
        if host.size != self.size:
            raise ValueError(f"values of shape {host.shape} for an array of shape {self.shape}")
        if self._strides is None:
            host = np.ascontiguousarray(host)
        else:
            memory = np.zeros(self.nbytes // self.dtype.itemsize, self.dtype)
            self._view(memory)[...] = host.reshape(self.shape)
            host = memory
        if self.nbytes:
            _call("cuMemcpyHtoD_v2", self._at, ctypes.c_void_p(host.ctypes.data), ctypes.c_size_t(self.nbytes))

    def numpy(self) -> np.ndarray[Any, Any]:
        """A copy of the values, when the kernels of the default stream are over. Raises CUDAError if one of them has failed."""
        out = np.empty(self.nbytes // self.dtype.itemsize, self.dtype)
        if self.nbytes:
            _call("cuMemcpyDtoH_v2", ctypes.c_void_p(out.ctypes.data), self._at, ctypes.c_size_t(self.nbytes))
        return out.reshape(self.shape) if self._strides is None else self._view(out).copy()

    def _view(self, memory: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.lib.stride_tricks.as_strided(memory, self.shape, [n * self.dtype.itemsize for n in self._strides or ()])

    def stride(self, dimension: int | None = None) -> int | tuple[int, ...]:
        """The distance of two elements along a dimension, in elements, or all of them: as torch counts."""
        strides = self._strides
        if strides is None:
            strides = tuple(int(np.prod(self.shape[i + 1 :], dtype=np.int64)) for i in range(len(self.shape)))
        return strides if dimension is None else strides[dimension]

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("values of the device are copied")
        return np.asarray(self.numpy(), dtype)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        strides = None if self._strides is None else tuple(n * self.dtype.itemsize for n in self._strides)
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.data_ptr(), False), "strides": strides, "stream": 1, "version": 3}

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CUDA, 0

    def __dlpack__(self, *, stream: int | None = None, **options: Any) -> Any:
        """A capsule of DLPack, which keeps the memory."""
        synchronize()
        return _capsule(self)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without dimensions")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"ptxvm.cuda.{self.numpy()!r}"


def empty(shape: int | tuple[int, ...], dtype: npt.DTypeLike = np.float32) -> array:
    """An array without values: zeros, or what `--sanitize init` calls unwritten."""
    made = array.__new__(array)
    made._begin((shape,) if isinstance(shape, int) else tuple(shape), np.dtype(dtype))
    return made


def synchronize() -> None:
    """Wait for all kernels. Raises CUDAError if one of them has failed."""
    _call("cuCtxSynchronize")


@functools.cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(os.path.join(os.environ.get("PTXVM_EXEC", ""), "libcuda.so.1"))


@functools.cache
def _begin_device(process: int) -> None:
    """Begin CUDA, once a process: retain the primary context of device 0."""
    device, context = ctypes.c_int(), ctypes.c_void_p()
    steps = (("cuInit", 0), ("cuDeviceGet", ctypes.byref(device), 0), ("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0))
    for name, *arguments in steps:
        if code := getattr(_library(), name)(*arguments):
            raise CUDAError(code, name)
    _contexts[process] = context


_contexts: dict[int, ctypes.c_void_p] = {}


def _call(name: str, *arguments: Any) -> None:
    _begin_device(os.getpid())
    held = ctypes.c_void_p()
    if not _library().cuCtxGetCurrent(ctypes.byref(held)) and not held.value:
        _library().cuCtxSetCurrent(_contexts[os.getpid()])
    if code := getattr(_library(), name)(*arguments):
        raise CUDAError(code, name)


class _Tensor(ctypes.Structure):
    """DLManagedTensor of DLPack, whose first eight fields are a DLTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_held: dict[int, Any] = {}  # what capsules keep, by the address of their tensor
_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def _forget(tensor: int) -> None:
    _held.pop(tensor, None)


def _end(capsule: int) -> None:
    """Release the tensor of a capsule that none has taken: such a one is renamed."""
    if _python("PyCapsule_IsValid", ctypes.c_int, capsule, b"dltensor"):
        _forget(_python("PyCapsule_GetPointer", ctypes.c_void_p, capsule, b"dltensor"))


_release, _unused = _DELETER(_forget), _DELETER(_end)


def _python(name: str, result: Any, capsule: int, text: bytes) -> Any:
    function = getattr(ctypes.pythonapi, name)
    function.restype, function.argtypes = result, [ctypes.c_void_p, ctypes.c_char_p]
    return function(capsule, text)


def _capsule(of: array) -> Any:
    if of.dtype.kind not in _CODES:
        raise BufferError(f"DLPack has no type for {of.dtype}")
    shape = (ctypes.c_int64 * len(of.shape))(*of.shape)
    tensor = _Tensor(of.data_ptr(), _CUDA, 0, len(of.shape), _CODES[of.dtype.kind], 8 * of.dtype.itemsize, 1, shape, None, 0, None)
    if of._strides is not None:
        tensor.strides = (ctypes.c_int64 * len(of.shape))(*of._strides)
    tensor.deleter = ctypes.cast(_release, ctypes.c_void_p)
    _held[ctypes.addressof(tensor)] = (of, shape, tensor)
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return make(ctypes.addressof(tensor), b"dltensor", ctypes.cast(_unused, ctypes.c_void_p))
