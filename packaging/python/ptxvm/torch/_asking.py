"""Questions about the device, answered by another process.

Suites ask while they are collected: `skipif(not torch.cuda.is_available())`, `get_device_capability()`. Where CUDA begins for that, it has
begun in the process that each test should be forked from, which neither ptxvm nor PyTorch allows. So a child that is forked for
the question begins CUDA and answers, and the process that asks stays as it was.
"""

from __future__ import annotations

import functools
import importlib
import os
import pickle
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

#: What is asked, by the module that has it; all else comes down to these. Triton's driver asks PyTorch.
QUESTIONS = {
    "torch._C": ("_cuda_getDeviceCount",),
    "torch.cuda": ("current_device", "get_device_capability", "get_device_name", "get_device_properties", "mem_get_info"),
}


class Properties(types.SimpleNamespace):
    """What torch.cuda.get_device_properties has told; it goes from process to process."""


def begin(begun: Callable[[], bool]) -> None:
    """Have this process ask children as long as CUDA has not begun in it. Behind a fork questions are PyTorch's own."""
    here = os.getpid()
    for module, names in QUESTIONS.items():
        owner = importlib.import_module(module)
        for name in names:
            setattr(owner, name, _asking(getattr(owner, name), lambda: os.getpid() == here and not begun()))


def _asking(function: Callable[..., Any], elsewhere: Callable[[], bool]) -> Callable[..., Any]:
    """The function, as a child answers it; each question once."""
    known: dict[str, Any] = {}

    @functools.wraps(function)
    def asking(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True  # of pytest
        if not elsewhere():
            return function(*args, **kwargs)
        key = repr((args, kwargs))
        if key not in known:
            known[key] = _asked(functools.partial(function, *args, **kwargs))
        right, answer = known[key]
        if not right:
            raise answer
        return answer

    return asking


def _asked(question: Callable[[], Any]) -> tuple[bool, Any]:
    """What a child answers, or the exception that it raises."""
    answer, into = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads of PyTorch that wait for work
        pid = os.fork()
    if not pid:
        _answer(question, into)
    os.close(into)
    with os.fdopen(answer, "rb") as file:
        data = file.read()
    os.waitpid(pid, 0)
    if not data:
        return False, RuntimeError("the process that asked the device for this has ended")
    told: tuple[bool, Any] = pickle.loads(data)
    return told


def _answer(question: Callable[[], Any], into: int) -> NoReturn:
    try:
        try:
            told = (True, _plain(question()))
        except Exception as error:
            told = (False, error)
        try:
            data = pickle.dumps(told)
        except Exception:
            data = pickle.dumps((False, RuntimeError(f"{told[1]!r}")))
        with os.fdopen(into, "wb") as file:
            file.write(data)
    finally:
        os._exit(0)  # what is registered for the end is the other process's


def _plain(value: Any) -> Any:
    """The value, or what can be read of it where it is an object of PyTorch's own."""
    if type(value).__name__ != "_CudaDeviceProperties":
        return value
    return Properties(**{n: v for n in dir(value) if not n.startswith("_") and isinstance(v := getattr(value, n), (int, float, str))})
