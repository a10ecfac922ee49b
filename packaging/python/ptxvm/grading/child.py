"""What runs a candidate: the process that is forked for it, and confined. Nothing that it says of values is believed.

Outputs exist before the candidate runs, filled with a pattern that is NaN; what is in them afterwards is what it has computed.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import pathlib
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import natives, poison
from .watch import Watch

#: A candidate as a function of inputs and outputs, in that order.
Entry = Callable[..., Any]


class Refused(Exception):
    """A candidate that cannot be run: `verdict` says why."""

    def __init__(self, verdict: str, message: str) -> None:
        super().__init__(message)
        self.verdict = verdict


def work(job: dict[str, Any], tell: Callable[[dict[str, Any]], None], results: int) -> None:
    """Build the candidate of a job and run its trials; outputs and inputs, as they are afterwards, go to the file `results`."""
    from ptxvm import cuda

    cuda.synchronize()  # begins CUDA: what the candidate sets from here on changes nothing
    watch = Watch(job["forbid"])
    tell({"stage": "build"})
    with watch.active():
        entry = _entry(job)
    tell({"stage": "run"})
    for number, trial in enumerate(job["trials"]):
        given = [_load(job, one) for one in trial["inputs"]]
        outputs = [cuda.array(poison.filled(tuple(shape), np.dtype(dtype))) for shape, dtype in trial["outputs"]]
        tell({"trial": number})
        with watch.active():
            entry(trial, given, outputs)
        cuda.synchronize()
        for array in (*outputs, *(a for a in given if hasattr(a, "data_ptr"))):
            _write(results, array.numpy().tobytes())
        if watch.forbidden:
            raise Refused("cheat", f"it calls {watch.forbidden}, which is forbidden")
    tell({"stage": "compare", "operators": watch.operators})


def _load(job: dict[str, Any], what: Any) -> Any:
    """An input: a number as it is, an array from its file."""
    if not isinstance(what, dict):
        return what
    from ptxvm import cuda

    values = np.load(os.path.join(job["folder"], what["file"]), allow_pickle=False)
    return cuda.array(values, strides=what["strides"])


def _entry(job: dict[str, Any]) -> Callable[[dict[str, Any], list[Any], list[Any]], None]:
    path = os.path.join(job["folder"], job["file"])
    if path.endswith(".py"):
        function = _python(path, job["entry"])
        tensors = _tensors(function)

        def python(trial: dict[str, Any], inputs: list[Any], outputs: list[Any]) -> None:
            function(*map(tensors, inputs), *map(tensors, outputs))

        return python
    kernel = _native(path, job["arch"], job["entry"])

    def native(trial: dict[str, Any], inputs: list[Any], outputs: list[Any]) -> None:
        if not trial.get("launch"):
            raise Refused("no_build", "the reference has no launch(): it says how CUDA C++ and PTX are launched")
        kernel(trial["launch"], inputs, outputs)

    return native


def _tensors(function: Entry) -> Callable[[Any], Any]:
    """What makes arguments of a function: tensors on the same memory where its module has imported torch."""
    torch: Any = getattr(function, "__globals__", {}).get("torch")
    if getattr(torch, "__name__", "") != "torch":
        return lambda value: value
    return lambda value: torch.from_dlpack(value) if hasattr(value, "data_ptr") else value


def _python(path: str, name: str) -> Entry:
    spec = importlib.util.spec_from_file_location("candidate", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["candidate"] = module
    try:
        spec.loader.exec_module(module)
    except Exception:
        raise Refused("no_build", _last()) from None
    function = getattr(module, name, None)
    if not callable(function):
        raise Refused("no_build", f"the candidate has no function {name}")
    entry: Entry = function
    return entry


def _native(path: str, arch: str, name: str) -> Callable[[Any, Sequence[Any], Sequence[Any]], None]:
    text = pathlib.Path(path).read_bytes()
    try:
        ptx = natives.compiled(text, arch) if path.endswith(".cu") else text
        return natives.Kernel(ptx, name).launch
    except natives.BuildError as error:
        raise Refused("no_build" if path.endswith(".cu") else "invalid", str(error)) from None


def _last() -> str:
    """The exception that is being handled, as one line, and where it came from."""
    lines = traceback.format_exc(limit=-2).strip().splitlines()
    return "\n".join(lines[-6:])[-2000:]


def _write(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]


def serve(job: dict[str, Any], told: int, results: int) -> int:
    """Run a job, telling what happens as lines of JSON; the exit status of the process."""

    def tell(what: dict[str, Any]) -> None:
        _write(told, json.dumps(what).encode() + b"\n")

    try:
        with contextlib.redirect_stdout(sys.stderr):
            work(job, tell, results)
        return 0
    except Refused as error:
        tell({"verdict": error.verdict, "message": str(error)})
    except natives.LaunchError as error:
        tell({"verdict": "crash", "message": str(error)})
    except MemoryError:
        tell({"verdict": "memory", "message": _last()})
    except Exception as error:
        lacking = type(error).__name__ == "CUDAError" and getattr(error, "code", 0) == 801
        full = getattr(error, "code", 0) == 2
        tell({"verdict": "unsupported" if lacking else "memory" if full else "crash", "message": _last()})
    return 1
