"""Verdicts for whoever asks: requests of JSON, any number of warm parents, one answer for each request.

    {"id": 1, "candidate": "a.py", "reference": "softmax.py", "options": {"trials": 3}}
    {"id": 2, "candidate": {"text": "extern \\"C\\" __global__ …", "kind": "cu"}, "reference": "scale.py"}

The answer is the verdict with the request's id, or {"id": 2, "error": "…"} where there is none.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
import queue
import tempfile
import threading
from collections.abc import Callable
from typing import Any

from .. import binary
from .grader import KINDS, Grader, ParentEnded
from .judged import Known
from .verdict import Verdict, no_number

#: The longest request, in bytes.
MOST = 16 << 20
#: How often a candidate is tried whose warm parent ends under it.
_TRIES = 2


class BadRequest(ValueError):
    """A request that cannot be answered by a verdict. id: the request's, or None."""

    def __init__(self, message: str, id: Any = None) -> None:
        super().__init__(message)
        self.id = id


@dataclasses.dataclass
class Request:
    """What to grade. text: of the candidate; None where `candidate` is its path."""

    id: Any
    candidate: str
    reference: str
    options: dict[str, Any]
    text: str | None = None


def request(line: str | bytes, references: pathlib.Path | None = None, paths: bool = True) -> Request:
    """The request of a line. Raises BadRequest.

    references: the folder in which references lie, by paths relative to it; None for any.
    paths: whether a candidate may be a file of this machine.
    """
    try:
        asked = json.loads(line, parse_constant=no_number)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"this is no JSON: {error}") from None
    if not isinstance(asked, dict):
        raise BadRequest('want an object: {"id": …, "candidate": …, "reference": …, "options": {…}}')
    id = asked.get("id")
    if unknown := set(asked) - {"id", "candidate", "reference", "options"}:
        raise BadRequest(f"there is no field {sorted(unknown)[0]}; want id, candidate, reference, options", id)
    reference, options, candidate = asked.get("reference"), asked.get("options", {}), asked.get("candidate")
    if not isinstance(reference, str) or not reference:
        raise BadRequest("reference: want the path of a module of Python", id)
    if not isinstance(options, dict):
        raise BadRequest("options: want an object", id)
    if references is not None:
        reference = str((references / reference).resolve())
        if not pathlib.Path(reference).is_relative_to(references.resolve()):
            raise BadRequest(f"reference: want a file in {references}", id)
    if isinstance(candidate, str) and paths:
        return Request(id, candidate, reference, options)
    if not isinstance(candidate, dict) or set(candidate) != {"text", "kind"} or not isinstance(candidate["text"], str):
        raise BadRequest('candidate: want {"text": …, "kind": "py", "cu" or "ptx"}' + (", or a path" if paths else ""), id)
    if f".{candidate['kind']}" not in KINDS:
        raise BadRequest(f"candidate: kind is py, cu or ptx, not {candidate['kind']}", id)
    return Request(id, f"candidate.{candidate['kind']}", reference, options, candidate["text"])


Reply = Callable[[dict[str, Any]], None]


class Service:
    """Threads with a warm parent each, which take requests in turn. jobs: how many; waiting: how many requests may wait."""

    def __init__(self, jobs: int, waiting: int | None = None) -> None:
        binary()  # raises FileNotFoundError here, and not in a thread; sysconfig, which it asks, wants one thread at first
        self._ended = False
        self._asked: queue.Queue[tuple[Request, Reply] | None] = queue.Queue(waiting if waiting is not None else 2 * jobs)
        self._known = Known()
        self._graders = [Grader(self._known) for _ in range(jobs)]
        self._threads = [threading.Thread(target=self._work, args=(grader,), daemon=True) for grader in self._graders]
        self._lock = threading.Lock()
        self.answered = 0
        for thread in self._threads:
            thread.start()

    @property
    def parents(self) -> list[int]:
        """The processes of the warm parents that have been started."""
        return [grader.pid for grader in self._graders if grader.pid]

    @property
    def waiting(self) -> int:
        """How many requests no parent has taken yet."""
        return self._asked.qsize()

    def submit(self, asked: Request, reply: Reply, block: bool = True) -> bool:
        """Have a request answered by one call of `reply`, in a thread. Waits while too many wait, or, unless `block`, says False."""
        try:
            self._asked.put((asked, reply), block)
        except queue.Full:
            return False
        return True

    def finish(self) -> None:
        """Answer all that was submitted, and end the warm parents."""
        for _ in self._threads:
            self._asked.put(None)
        for thread in self._threads:
            thread.join()

    def close(self) -> None:
        """End the warm parents, and what they have forked, at once. What was not answered is not answered any more."""
        self._ended = True
        with contextlib.suppress(queue.Empty):
            while True:
                self._asked.get_nowait()
        for grader in self._graders:
            grader.kill()
        for thread in self._threads:
            with contextlib.suppress(queue.Full):
                self._asked.put_nowait(None)
            thread.join(5)

    def _work(self, grader: Grader) -> None:
        with grader:
            with contextlib.suppress(OSError):
                grader.start()  # the first request says what is wrong
            while (item := self._asked.get()) is not None and not self._ended:
                asked, reply = item
                answer = self._answer(grader, asked)
                if self._ended:
                    return
                with self._lock:
                    self.answered += 1
                reply(answer)

    def _answer(self, grader: Grader, asked: Request) -> dict[str, Any]:
        try:
            verdict = self._graded(grader, asked)
        except Exception as error:  # of the reference, whatever it raises, or of this machine: a full disk
            kind = "" if isinstance(error, (ValueError, OSError)) else f"{type(error).__name__}: "
            return {"id": asked.id, "error": f"{kind}{error}"}
        told: dict[str, Any] = {"id": asked.id, **json.loads(verdict.json())}
        return told

    def _graded(self, grader: Grader, asked: Request) -> Verdict:
        """A verdict; a candidate under which a warm parent ends twice has crashed it."""
        for tried in range(1, _TRIES + 1):
            try:
                return _once(grader, asked)
            except ParentEnded as error:
                if tried == _TRIES or self._ended:
                    return Verdict("crash", "start", f"{error}, under each of {_TRIES} tries", seed=asked.options.get("seed", 0))
        raise AssertionError("a loop without a turn")


def refusal(error: BadRequest) -> dict[str, Any]:
    """The answer to a request that is none."""
    return {"id": error.id, "error": str(error)}


def _once(grader: Grader, asked: Request) -> Verdict:
    if asked.text is None:
        return grader.grade(asked.candidate, asked.reference, **asked.options)
    with tempfile.TemporaryDirectory(prefix="ptxvm-serve-") as folder:
        path = os.path.join(folder, asked.candidate)
        pathlib.Path(path).write_text(asked.text, encoding="utf-8")
        verdict = grader.grade(path, asked.reference, **asked.options)
        verdict.replay = verdict.replay.replace(path, asked.candidate)
        return verdict
