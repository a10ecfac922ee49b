"""The judge: it has reference, inputs and comparison, and never runs a line of a candidate."""

from __future__ import annotations

import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time
from types import TracebackType
from typing import Any

from .heard import heard
from .judged import Judged, Known
from .options import Options
from .verdict import Verdict

Path = str | os.PathLike[str]

#: Seconds within which a warm parent has imported what it imports, also on a machine that has much else to do.
_START = 300
#: The kinds of candidates, as their files end.
KINDS = (".py", ".cu", ".ptx")


class ParentEnded(OSError):
    """The warm parent ended, or does not answer; the next candidate gets a new one."""


def grade(candidate: Path, reference: Any, **options: Any) -> Verdict:
    """A verdict on one candidate, by a grader of its own. The options are those of ptxvm.grading.Options."""
    with Grader() as grader:
        return grader.grade(candidate, reference, **options)


class Grader:
    """A warm parent, which forks a process for each candidate. Not for several threads at once.

    known: trials of references, which several graders can share.
    """

    def __init__(self, known: Known | None = None) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None  # what the warm parent writes, and leaves where it is killed
        self._known = known or Known()

    def __enter__(self) -> Grader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The number of the warm parent's process, if there is one."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start the warm parent, if it is not there; the first candidate would. Raises ParentEnded."""
        if self._process and self._process.poll() is None:
            return
        from ptxvm import binary

        self.close()
        self._folder = tempfile.TemporaryDirectory(prefix="ptxvm-grade-", ignore_cleanup_errors=True)
        environment = {**os.environ, "PTXVM_QUIET": "1", "TMPDIR": self._folder.name}
        asked, jobs = os.pipe()
        answers, told = os.pipe()
        command = [binary(), "exec", "--error-exitcode", "0", sys.executable, "-m", "ptxvm.grading.parent", str(asked), str(told)]
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=(asked, told), env=environment)
        finally:
            os.close(asked)
            os.close(told)
            self._jobs, self._answers = os.fdopen(jobs, "w"), os.fdopen(answers)
        self._answer(_START)

    def close(self) -> None:
        """End the warm parent, and with it what it has forked."""
        if self._process:
            self._process.kill()
            self._process.wait()
            for end in (self._jobs, self._answers):
                try:
                    end.close()
                except OSError:
                    pass  # what was not written has no reader any more
        if self._folder:
            self._folder.cleanup()
        self._process = self._folder = None

    def kill(self) -> None:
        """End the warm parent from another thread than the one that grades, which gets ParentEnded."""
        if process := self._process:
            process.kill()

    def grade(self, candidate: Path, reference: Any, **options: Any) -> Verdict:
        """A verdict on a candidate.

        candidate: a path. NAME.py has a function `entry` ("run") of the inputs and, behind them, the outputs, which it fills: tensors
            of torch where it has imported that, else ptxvm.cuda.array; NAME.cu (CUDA C++ for NVRTC) and NAME.ptx a kernel `entry` (the
            only one), whose parameters are the same.
        reference: the path of a module, or an object: ptxvm.grading.reference.
        options: those of ptxvm.grading.Options.
        Raises ValueError if the reference or an option cannot be used, OSError if the grader itself fails.
        """
        start, path, chosen = time.monotonic(), pathlib.Path(candidate), Options.of(options)
        if path.suffix not in KINDS:
            raise ValueError(f"{path}: a candidate is {', '.join(KINDS)}")
        judged = self._known.judged(reference, chosen)
        verdict = Verdict("ok", "start", seed=chosen.seed, replay=chosen.replay(path, reference))
        with tempfile.TemporaryDirectory(prefix="ptxvm-grade-") as folder:
            job = _job(os.path.realpath(folder), path, judged, chosen)
            verdict.seconds["inputs"] = _since(start)
            self.start()
            verdict.seconds["start"] = _since(start, verdict)
            answer = self._ask(job)
            verdict.seconds["candidate"] = _since(start, verdict)
            heard(verdict, answer, chosen.sanitize)
            if chosen.confined and verdict.sandbox["missing"]:
                raise OSError(f"the candidate was not run: the sandbox lacks {'; '.join(verdict.sandbox['missing'])}")
            if verdict.verdict == "ok":
                judged.compare(verdict, os.path.join(folder, "results"), chosen.tol)
            verdict.seconds["compare"] = _since(start, verdict)
        return verdict

    def _ask(self, job: dict[str, Any]) -> dict[str, Any]:
        try:
            self._jobs.write(json.dumps(job) + "\n")
            self._jobs.flush()
        except BrokenPipeError:
            self.close()
            raise ParentEnded("the warm parent has ended") from None
        return self._answer(job["timeout"] + 30)

    def _answer(self, seconds: float) -> dict[str, Any]:
        """A line of the parent's. Raises ParentEnded where none comes."""
        if not select.select([self._answers], [], [], seconds)[0]:
            self.close()
            raise ParentEnded("the warm parent does not answer")
        line = self._answers.readline()
        if not line.endswith("\n"):
            self.close()
            raise ParentEnded("the warm parent has ended; does `ptxvm exec python -m ptxvm` run?")
        answer: dict[str, Any] = json.loads(line)
        return answer


def _job(folder: str, path: pathlib.Path, judged: Judged, options: Options) -> dict[str, Any]:
    """What the warm parent is told of a candidate: where it is, its trials, its limits. Nothing of what is expected."""
    os.mkdir(os.path.join(folder, "scratch"))
    shutil.copyfile(path, os.path.join(folder, f"candidate{path.suffix}"))
    return {
        "folder": folder,
        "file": f"candidate{path.suffix}",
        "entry": options.entry if options.entry is not None else "run" if path.suffix == ".py" else "",
        "trials": judged.jobs(folder),
        "timeout": options.timeout,
        "memory": options.memory,
        "arch": options.arch,
        "forbid": options.forbid,
        "confined": options.confined,
        "environment": {
            "PTXVM_SANITIZE": options.sanitize,
            "PTXVM_SEED": str(options.seed),
            "PTXVM_ARCH": options.arch,
            "PTXVM_ERROR_EXITCODE": "0",
            "PTXVM_WORKERS": "1",
            "PTXVM_TIMEOUT": f"{options.timeout:g}s",
        },
    }


def _since(start: float, verdict: Verdict | None = None) -> float:
    return round(max(time.monotonic() - start - (sum(verdict.seconds.values()) if verdict is not None else 0), 0), 4)
