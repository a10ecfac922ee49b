"""Tests in processes that are forked before CUDA begins: what one does to its device, or its process, is no other test's.

The parent writes an order, which says the test and what comes behind it; the child answers with one message, reports of
pytest. Both are JSON behind its length. A child that ends without an answer has been ended by its test.

Children are forked from pytest's own process, which has collected the tests. Where CUDA has begun in that meanwhile, they are forked
from a process that was forked before (Before), and collect their file again.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import socket
import struct
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any, NoReturn, Protocol

from .settings import Settings

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_HEADER = struct.Struct("<Q")


class Ended(Exception):
    """A child ended without an answer; str() says how."""


#: What a child is asked: `test`, by its name, or `index` in the session; `next`, which is its next test, or None; `log`, its file of reports.
Order = dict[str, Any]
#: What it answers to an order.
Answer = Callable[[Order], Any]


class Start(Protocol):
    """How children begin and end."""

    def fork(self, asked: int, told: int, others: tuple[int, int]) -> int:
        """Begin a child that reads orders from one end of a pipe and writes to another, without the other ends; its number."""

    def wait(self, pid: int) -> int:
        """The status of one that has ended, or will."""


class Here:
    """Children are forked from this process."""

    def __init__(self, settings: Settings, answer: Answer) -> None:
        self.settings, self.answer = settings, answer

    def fork(self, asked: int, told: int, others: tuple[int, int]) -> int:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # other threads: they wait for work, and are not forked
            pid = os.fork()
        if not pid:
            for handle in others:
                os.close(handle)
            _one_thread()
            _serve(asked, told, self.settings, self.answer)
        return pid

    def wait(self, pid: int) -> int:
        return os.waitpid(pid, 0)[1]


class Before:
    """A process that has been forked before tests were collected, and forks children for files of them.

    answering: what a child for a file does with orders.
    """

    def __init__(self, answering: Callable[[str], Answer]) -> None:
        self._to, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._pid = os.fork()
        if not self._pid:
            self._to.close()
            _fork_for(theirs, answering)
        theirs.close()

    def start(self, settings: Settings, path: str) -> Start:
        """Children for tests of a file."""
        return _There(self._to, settings, path)

    def close(self) -> None:
        """End the process, whose children have ended."""
        self._to.close()
        os.waitpid(self._pid, 0)


class _There:
    """Children are forked from a Before."""

    def __init__(self, to: socket.socket, settings: Settings, path: str) -> None:
        self.to = to
        self.begin = json.dumps([settings.environment, settings.timeout, path]).encode()

    def fork(self, asked: int, told: int, others: tuple[int, int]) -> int:
        socket.send_fds(self.to, [self.begin], [asked, told])
        return self._told()

    def wait(self, pid: int) -> int:
        self.to.send(b"%d" % pid)
        return self._told()

    def _told(self) -> int:
        if text := self.to.recv(64):
            return int(text)
        raise RuntimeError("the process that tests are forked from has ended")


def _fork_for(orders: socket.socket, answering: Callable[[str], Answer]) -> NoReturn:
    """What a Before does: fork, or say with which status a child has ended, until there is no one who asks."""
    try:
        _die_with_parent()
        while True:
            text, handles, _, _ = socket.recv_fds(orders, 1 << 16, 2)
            if not text:
                break
            if not handles:
                orders.send(b"%d" % os.waitpid(int(text), 0)[1])
                continue
            pid = os.fork()
            if not pid:
                orders.close()
                environment, timeout, path = json.loads(text)
                settings = Settings(tuple((name, value) for name, value in environment), timeout)
                _serve(handles[0], handles[1], settings, answering(path))
            for handle in handles:
                os.close(handle)
            orders.send(b"%d" % pid)
    except KeyboardInterrupt:
        pass
    finally:
        os._exit(0)


class Child:
    """A process that runs tests."""

    def __init__(self, settings: Settings, start: Start) -> None:
        self.settings, self._start = settings, start
        asked, self._ask = os.pipe()
        self._answer, told = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = start.fork(asked, told, (self._ask, self._answer))
        os.close(asked)
        os.close(told)
        self._end = os.pidfd_open(self.pid)

    def run(self, order: Order) -> Any:
        """The answer for a test. Raises Ended, TimeoutError."""
        try:
            _send(self._ask, order)
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
        status = self._start.wait(self.pid)
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
            self._start.wait(self.pid)
        os.close(self._end)


def _serve(asked: int, told: int, settings: Settings, answer: Answer) -> NoReturn:
    """What the child does: it never returns to pytest's own loop."""
    status = 1
    try:
        _die_with_parent()
        os.environ.update(settings.environment)
        more = True
        with os.fdopen(asked, "rb") as orders:
            while more and (header := orders.read(_HEADER.size)):
                order = json.loads(orders.read(*_HEADER.unpack(header)))
                _send(told, answer(order))
                more = order["next"] is not None
        status = 0
    except KeyboardInterrupt:
        status = 130
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)  # what the parent registered for its end is the parent's


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def _send(handle: int, message: Any) -> None:
    text = json.dumps(message, default=str).encode()
    text = _HEADER.pack(len(text)) + text
    while text:
        text = text[os.write(handle, text) :]


def _one_thread() -> None:
    """PyTorch's threads are not forked; a child that asked them for work would wait for ever."""
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)
