"""Run and check GPU kernels on a CPU.

>>> import numpy as np, ptxvm
>>> y = np.ones(8, np.float32)
>>> r = ptxvm.run("saxpy.ptx", 8, 2.5, np.arange(8, dtype=np.float32), y, block=32)
>>> y
array([ 1. ,  3.5,  6. ,  8.5, 11. , 13.5, 16. , 18.5], dtype=float32)

run() and check() call the command `ptxvm`, which the package brings, and read its JSON. What they return has the names of
docs/json.md. $PTXVM names another binary.
"""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy

    from .grading import Verdict

__all__ = ["run", "check", "grade", "In", "Out", "Result", "Checked", "RunError", "binary"]


#: The path of a .ptx file, or PTX itself.
Source = str | bytes | os.PathLike[str]
#: Numbers of CTAs, or of threads, by dimension.
Extent = int | tuple[int, ...] | None
#: Arrays, each with the file that its bytes come back in.
Results = list[tuple[Any, str]]


class In:
    """An array that the kernel reads: it is copied to a buffer, and not back."""

    def __init__(self, array: numpy.ndarray[Any, Any]) -> None:
        self.array = array


class Out:
    """An array that the kernel fills: its buffer starts unwritten, which `sanitize="init"` watches."""

    def __init__(self, array: numpy.ndarray[Any, Any]) -> None:
        self.array = array


@dataclasses.dataclass
class Result:
    """What a launch came to. Fields below `stderr` are objects with the names of `run --report` (docs/json.md)."""

    outcome: str  # "done", "invalid", "usage", "fault", "limit", "unsupported", "differs", "interrupted"
    exit: int  # the exit code of the command
    message: str  # what standard error was told at the end
    stdout: str  # printf of the kernel
    stderr: str  # the report, as text
    launches: list[Any] = dataclasses.field(default_factory=list)
    diagnostics: list[Any] = dataclasses.field(default_factory=list)
    fault: Any = None
    sanitizer: list[Any] = dataclasses.field(default_factory=list)
    waiters: list[Any] = dataclasses.field(default_factory=list)
    running: list[Any] = dataclasses.field(default_factory=list)
    missing: list[Any] = dataclasses.field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether the launch ended well: the command's exit code is 0."""
        return self.exit == 0


class RunError(Exception):
    """A launch that did not end well; `result` says how. str() is the report as the command prints it."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.stderr.strip() or result.message)
        self.result = result


@dataclasses.dataclass
class Checked:
    """The verdict on a module; true if it is valid. `diagnostics` have the names of `check --format json`."""

    ok: bool
    message: str  # of the first error, "" if ok
    diagnostics: list[Any]

    def __bool__(self) -> bool:
        return self.ok


def binary() -> str:
    """The path of the command: $PTXVM, the one that this package brought, or the one on the PATH."""
    name = "ptxvm" + (sysconfig.get_config_var("EXE") or "")
    user = sysconfig.get_preferred_scheme("user")
    beside = [pathlib.Path(sysconfig.get_path("scripts")) / name, pathlib.Path(sysconfig.get_path("scripts", scheme=user)) / name]
    for path in [os.environ.get("PTXVM"), *beside, shutil.which("ptxvm")]:
        if path and os.path.isfile(path):
            return str(path)
    raise FileNotFoundError("the command ptxvm is neither beside this Python nor on the PATH; set PTXVM to its path")


def check(source: Source, *, arch: str | None = None, judge: str | None = None, compile_only: bool = False) -> Checked:
    """Judge a module as ptxas does.

    source: the path of a .ptx file, or PTX as str or bytes.
    arch: an architecture such as "sm_90" instead of the module's; judge: "ptxas" or "manual";
    compile_only: one module of several, as ptxas -c.
    """
    with tempfile.TemporaryDirectory() as folder:
        flags = _flags(arch=arch, judge=judge, compile_only=compile_only)
        done = _call(["check", "--format", "json", *flags, _file(source, folder)])
    if done.returncode not in (0, 1):
        raise ValueError(done.stderr.strip())
    answer = _objects(done.stdout)
    return Checked(answer.ok, answer.message, answer.diagnostics)


def run(
    source: Source, *args: Any, kernel: str | None = None, grid: Extent = None, block: Extent = None, check: bool = True, options: Sequence[str] = (), **flags: Any
) -> Result:
    """Launch a kernel, and copy back the arrays that it wrote.

    source: the path of a .ptx file, or PTX as str or bytes.
    args: one for each parameter. A numpy array is the address of a buffer with its contents, which are copied back unless it
        is In(array), or cannot be written; Out(array) begins unwritten. A numpy scalar is passed as its type, a Python number as
        the parameter's, bytes by value, None as zero.
    grid, block: extents, a number or a tuple.
    flags: those of the command (`ptxvm help run`), with _ for -: sanitize="race", timeout="10s", arch="sm_90", shared=1024.
    options: further words for the command line.
    check: raise RunError unless all went well; arrays are copied back only then.
    """
    with tempfile.TemporaryDirectory() as folder:
        path, report = _file(source, folder), os.path.join(folder, "report.json")
        words, results = _arguments(path, kernel, args, folder)
        command = ["run", path, "--report", report, *_flags(kernel=kernel, grid=grid, block=block, **flags), *words, *options]
        done = _call(command)
        result = _result(done, report)
        if result.ok:
            for array, file in results:
                _copy_back(array, file)
    if check and not result.ok:
        raise RunError(result)
    return result


def grade(candidate: str | os.PathLike[str], reference: Any, **options: Any) -> Verdict:
    """A verdict on a kernel in Python, CUDA C++ or PTX, which runs confined: ptxvm.grading.Grader.grade has the options."""
    from .grading import grade as graded

    return graded(candidate, reference, **options)


def _call(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([binary(), *words], capture_output=True, text=True, encoding="utf-8")


def _objects(text: str) -> Any:
    return json.loads(text, object_hook=lambda fields: SimpleNamespace(**fields))


def _result(done: subprocess.CompletedProcess[str], report: str) -> Result:
    result = Result("usage", done.returncode, done.stderr.strip(), done.stdout, done.stderr)
    if os.path.exists(report):
        told = vars(_objects(pathlib.Path(report).read_text(encoding="utf-8")))
        for name in set(told) & {field.name for field in dataclasses.fields(Result)}:
            setattr(result, name, told[name] if told[name] is not None else getattr(result, name))
    return result


def _file(source: Source, folder: str) -> str:
    """The path of a module; PTX itself is written to a file first."""
    if isinstance(source, os.PathLike) or isinstance(source, str) and "\n" not in source:
        return os.fspath(source)
    path = os.path.join(folder, "module.ptx")
    pathlib.Path(path).write_bytes(source if isinstance(source, bytes) else source.encode("utf-8"))
    return path


def _flags(**flags: Any) -> list[str]:
    words: list[str] = []
    for name, value in flags.items():
        flag = "--" + name.strip("_").replace("_", "-")
        if value is True:
            words.append(flag)
        elif value is not None and value is not False:
            words += [flag, _value(value)]
    return words


def _value(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)


def _arguments(path: str, kernel: str | None, args: Sequence[Any], folder: str) -> tuple[list[str], Results]:
    """The words for args, and each array with the file that its bytes come back in."""
    words: list[str] = []
    results: Results = []
    types: list[str] | None = None
    for i, arg in enumerate(args):
        if isinstance(arg, (int, float)) and not hasattr(arg, "dtype"):
            types = types or _types(path, kernel)
            if i >= len(types):
                raise TypeError(f"the kernel takes {len(types)} arguments; {len(args)} were given")
            words += ["--arg", _number(types[i], arg)]
        else:
            words += ["--arg", _argument(arg, os.path.join(folder, str(i)), results)]
    return words, results


def _types(path: str, kernel: str | None) -> list[str]:
    """The types of a kernel's parameters."""
    done = _call(["info", "--format", "json", path])
    if done.returncode:
        raise ValueError((done.stdout + done.stderr).strip())
    kernels = _objects(done.stdout).kernels
    found = [k for k in kernels if kernel is None or kernel in (k.name, k.demangled, k.demangled.split("(")[0])]
    if len(found) != 1:
        raise ValueError("kernel= must name one of: " + ", ".join(k.demangled for k in kernels))
    return [p.type for p in found[0].params]


def _number(kind: str, value: float) -> str:
    if kind[0] in "usb" and kind != "bf16":
        if isinstance(value, float) and not value.is_integer():
            raise TypeError(f"{value!r} is no whole number; the parameter has type {kind}")
        return f"{kind}:{int(value)}"
    return f"{kind}:{float(value)!r}"


def _argument(arg: Any, stem: str, results: Results) -> str:
    if arg is None:
        return "null"
    if isinstance(arg, (bytes, bytearray)):
        return "bytes:" + arg.hex()
    array = arg.array if isinstance(arg, (In, Out)) else arg
    if not hasattr(array, "dtype"):
        raise TypeError(f"an argument is a numpy array or scalar, a number, bytes or None, not {type(arg).__name__}")
    if array.shape == () and not isinstance(arg, Out) and not _is_array(array):
        return f"{_type(array.dtype)}:{array.item()!r}" if array.dtype.kind in "uif" else f"u8:{int(array)}"
    if isinstance(arg, Out):
        results.append((array, stem + ".out"))
        return f"out:{array.nbytes}:@{stem}.out"
    pathlib.Path(stem + ".in").write_bytes(array.tobytes())
    if isinstance(arg, In) or not array.flags.writeable:
        return f"in:@{stem}.in"
    results.append((array, stem + ".out"))
    return f"inout:@{stem}.in:@{stem}.out"


def _is_array(value: Any) -> bool:
    import numpy

    return isinstance(value, numpy.ndarray)


def _type(dtype: numpy.dtype[Any]) -> str:
    return {"u": "u", "i": "s", "f": "f"}[dtype.kind] + str(8 * dtype.itemsize)


def _copy_back(array: numpy.ndarray[Any, Any], file: str) -> None:
    import numpy

    array[...] = numpy.frombuffer(pathlib.Path(file).read_bytes(), array.dtype).reshape(array.shape)
