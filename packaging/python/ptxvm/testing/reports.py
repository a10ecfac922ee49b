"""Reports and faults of ptxvm, as the libraries write them to a file (`exec --report FILE`), by the test that caused them."""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
import tempfile
from typing import Any

#: The variable that names the file.
VARIABLE = "PTXVM_REPORT"

#: The errors behind which every call fails (CUresult).
_STICKY = range(700, 720)


class Log:
    """The file that the libraries of one process write to, named before CUDA begins in it: a new one, unless it has a name.

    A file that the command line names (`--report FILE`) gets all of it, too, unless it is a SARIF log, which stays the libraries' alone.
    """

    def __init__(self, folder: str, name: str = "") -> None:
        self.wanted = os.environ.get(VARIABLE, "")
        if not name:
            handle, name = tempfile.mkstemp(dir=folder, suffix=".jsonl")
            os.close(handle)
        self.path = pathlib.Path(name)
        self.read = 0

    def begin(self) -> None:
        """Have this process write to the file."""
        if not self.wanted.endswith(".sarif"):
            os.environ[VARIABLE] = str(self.path)

    def new(self) -> list[dict[str, Any]]:
        """What has come since the last call."""
        with self.path.open("rb") as file:
            file.seek(self.read)
            text = file.read()
        whole = text[: text.rfind(b"\n") + 1]
        self.read += len(whole)
        if whole and self.wanted:
            with open(self.wanted, "ab") as file:
                file.write(whole)
        return [json.loads(line) for line in whole.splitlines()]


def begun() -> bool:
    """Whether CUDA has begun in this process: the engine is loaded at the first call that needs a device."""
    try:
        return "/libptxvm.so" in pathlib.Path("/proc/self/maps").read_text()
    except OSError:
        return False


def wait() -> bool:
    """Wait for the work of the device, if CUDA has begun. False: a fault has ended the device for this process."""
    if not begun():
        return True
    library = ctypes.CDLL(os.path.join(os.environ["PTXVM_EXEC"], "libcuda.so.1"))
    return library.cuCtxSynchronize() not in _STICKY


def text(reports: list[dict[str, Any]]) -> str:
    """Reports as standard error has them."""
    return "\n".join(str(r.get("detail") or r.get("message") or json.dumps(r)) for r in reports)


def severe(reports: list[dict[str, Any]]) -> bool:
    """Whether one of them is more than a note."""
    return any(r.get("severity") != "note" for r in reports)
