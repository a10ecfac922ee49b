"""Tests in processes that are forked before CUDA begins: what one does to its device, or its process, is no other test's.

The parent writes an index of a test and whether it is the child's last; the child answers with one message, reports of pytest as
JSON behind their length. A child that ends without an answer has been ended by its test.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import struct
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

from .settings import Settings

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_HEADER = struct.Struct("<Q")


class Ended(Exception):
    """A child ended without an answer; str() says how."""


class Child:
    """A process that runs tests: `answer(index, last)` gives what its message has."""

    def __init__(self, settings: Settings, answer: Callable[[int, bool], Any]) -> None:
        self.settings = settings
        asked, self._ask = os.pipe()
        self._answer, told = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # other threads: they wait for work, and are not forked
            self.pid = os.fork()
        if not self.pid:
            os.close(self._ask)
            os.close(self._answer)
            _serve(asked, told, settings, answer)
        os.close(asked)
        os.close(told)
        self._end = os.pidfd_open(self.pid)

    def run(self, index: int, last: bool) -> Any:
        """The answer for a test. Raises Ended, TimeoutError."""
        try:
            os.write(self._ask, struct.pack("<Q?", index, last))
        except BrokenPipeError:
            raise self._ended() from None
        until = time.monotonic() + self.settings.timeout if self.settings.timeout else None
        message = b""
        while len(message) < _HEADER.size or len(message) < _HEADER.size + _HEADER.unpack_from(message)[0]:
            left = None if until is None else max(until - time.monotonic(), 0)
            ready, _, _ = select.select([self._answer, self._end], [], [], left)
            if not ready:
                self._show()
                raise TimeoutError(f"the test ran longer than {self.settings.timeout:g} s")
            part = os.read(self._answer, 1 << 16) if self._answer in ready else b""
            if not part:
                raise self._ended()
            message += part
        return json.loads(message[_HEADER.size :])

    def _show(self) -> None:
        """Ask which kernel runs (`exec` answers on standard error)."""
        os.kill(self.pid, signal.SIGUSR1)
        select.select([self._end], [], [], 0.5)

    def _ended(self) -> Ended:
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            return Ended(f"the test's process was ended by signal {number} ({signal.strsignal(number) or 'unknown'})")
        return Ended(f"the test ended its process with status {os.WEXITSTATUS(status)}")

    def close(self, kill: bool = False) -> None:
        """End the child, which has answered its last test or is killed."""
        for handle in (self._ask, self._answer):
            os.close(handle)
        if self.pid:
            if kill:
                os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._end)


def _serve(asked: int, told: int, settings: Settings, answer: Callable[[int, bool], Any]) -> NoReturn:
    """What the child does: it never returns to pytest's own loop."""
    status = 1
    try:
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        os.environ.update(settings.environment)
        _one_thread()
        last = False
        while not last and (order := os.read(asked, 9)):
            index, last = struct.unpack("<Q?", order)
            text = json.dumps(answer(index, last), default=str).encode()
            _write(told, _HEADER.pack(len(text)) + text)
        status = 0
    except KeyboardInterrupt:
        status = 130
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)  # what the parent registered for its end is the parent's


def _write(handle: int, text: bytes) -> None:
    while text:
        text = text[os.write(handle, text) :]


def _one_thread() -> None:
    """PyTorch's threads are not forked; a child that asked them for work would wait for ever."""
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)
