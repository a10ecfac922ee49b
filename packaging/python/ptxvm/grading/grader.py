"""The judge: it has reference, inputs and comparison, and never runs a line of a candidate."""

from __future__ import annotations

import json
import os
import pathlib
import select
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any

import numpy as np

from .compare import distance
from .reference import Reference
from .verdict import Verdict

Path = str | os.PathLike[str]


def grade(candidate: Path, reference: Any, **options: Any) -> Verdict:
    """A verdict on one candidate, by a grader of its own. The options are those of Grader.grade."""
    with Grader() as grader:
        return grader.grade(candidate, reference, **options)


class Grader:
    """A warm parent, which forks a process for each candidate. Not for several threads at once."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Grader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the warm parent, and with it what it has forked."""
        if self._process:
            self._jobs.close()
            self._answers.close()
            self._process.kill()
            self._process.wait()
        self._process = None

    def grade(
        self,
        candidate: Path,
        reference: Any,
        *,
        entry: str | None = None,
        trials: int = 5,
        seed: int = 0,
        tol: float | None = None,
        sanitize: str = "mem,race,sync",
        timeout: float = 10,
        memory: int = 4 << 30,
        arch: str = "sm_90",
    ) -> Verdict:
        """A verdict on a candidate.

        candidate: a path. NAME.py has a function `entry` ("run") of the inputs and, behind them, the outputs, all ptxvm.cuda.array,
            which it fills; NAME.cu (CUDA C++ for NVRTC) and NAME.ptx a kernel `entry` (the only one), whose parameters are the same.
        reference: the path of a module, or an object: ptxvm.grading.reference.
        trials: with inputs of their own; behind them the first is repeated, and repeated with other values.
        tol: the largest error, in units of the reference's rounding; that of the reference, or 8, unless given.
        sanitize: checks as for `exec`, "" for none; timeout: in seconds, of all trials; memory: in bytes, of the candidate's processes.
        Raises ValueError if the reference cannot be used, OSError if the grader itself fails.
        """
        start = time.monotonic()
        path = pathlib.Path(candidate)
        if path.suffix not in (".py", ".cu", ".ptx"):
            raise ValueError(f"{path}: a candidate is .py, .cu or .ptx")
        judged = _Judged(Reference(reference), trials, seed)
        verdict = Verdict("ok", "start", seed=seed, replay=_replay(path, reference, trials, seed, sanitize, timeout, arch, entry, tol))
        with tempfile.TemporaryDirectory(prefix="ptxvm-grade-") as folder:
            (pathlib.Path(folder) / "scratch").mkdir()
            shutil.copyfile(path, pathlib.Path(folder) / f"candidate{path.suffix}")
            job = {
                "folder": os.path.realpath(folder),
                "file": f"candidate{path.suffix}",
                "entry": entry if entry is not None else "run" if path.suffix == ".py" else "",
                "trials": judged.jobs(folder),
                "timeout": timeout,
                "memory": memory,
                "arch": arch,
                "environment": {
                    "PTXVM_SANITIZE": sanitize,
                    "PTXVM_SEED": str(seed),
                    "PTXVM_ARCH": arch,
                    "PTXVM_ERROR_EXITCODE": "0",
                    "PTXVM_WORKERS": "1",
                    "PTXVM_TIMEOUT": f"{timeout:g}s",
                },
            }
            verdict.seconds["inputs"] = _since(start)
            self._begin()
            verdict.seconds["start"] = _since(start, verdict)
            answer = self._ask(job)
            verdict.seconds["candidate"] = _since(start, verdict)
            _heard(verdict, answer)
            if verdict.verdict == "ok":
                judged.compare(verdict, pathlib.Path(folder, "results").read_bytes(), tol)
            verdict.seconds["compare"] = _since(start, verdict)
        return verdict

    def _begin(self) -> None:
        """Start the warm parent, if it is not there."""
        if self._process and self._process.poll() is None:
            return
        from ptxvm import binary

        self.close()
        asked, jobs = os.pipe()
        answers, told = os.pipe()
        command = [binary(), "exec", "--error-exitcode", "0", sys.executable, "-m", "ptxvm.grading.parent", str(asked), str(told)]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=(asked, told), env={**os.environ, "PTXVM_QUIET": "1"})
        os.close(asked)
        os.close(told)
        self._jobs, self._answers = os.fdopen(jobs, "w"), os.fdopen(answers)
        self._answer(120)

    def _ask(self, job: dict[str, Any]) -> dict[str, Any]:
        self._jobs.write(json.dumps(job) + "\n")
        self._jobs.flush()
        return self._answer(job["timeout"] + 30)

    def _answer(self, seconds: float) -> dict[str, Any]:
        """A line of the parent's. Raises OSError where none comes."""
        if not select.select([self._answers], [], [], seconds)[0]:
            self.close()
            raise OSError("the warm parent does not answer")
        line = self._answers.readline()
        if not line:
            self.close()
            raise OSError("the warm parent has ended; does `ptxvm exec python -m ptxvm` run?")
        answer: dict[str, Any] = json.loads(line)
        return answer


def _since(start: float, verdict: Verdict | None = None) -> float:
    return round(time.monotonic() - start - (sum(verdict.seconds.values()) if verdict is not None else 0), 4)


def _replay(
    path: pathlib.Path,
    reference: Any,
    trials: int,
    seed: int,
    sanitize: str,
    timeout: float,
    arch: str,
    entry: str | None,
    tol: float | None,
) -> str:
    if not isinstance(reference, (str, os.PathLike)):
        return ""
    flags = ["--trials", str(trials), "--seed", str(seed), "--sanitize", sanitize, "--timeout", f"{timeout:g}", "--arch", arch]
    flags += ["--entry", entry] if entry is not None else []
    flags += ["--tol", repr(tol)] if tol is not None else []
    return shlex.join(["python", "-m", "ptxvm", "grade", str(path), os.fspath(reference), *flags])


class _Judged:
    """The trials of a grading, and what their outputs must be."""

    def __init__(self, reference: Reference, trials: int, seed: int) -> None:
        if trials < 1:
            raise ValueError("a grading has at least one trial")
        self.reference = reference
        self.trials = reference.trials(trials, seed)
        self.answers = [reference.answers(inputs) for _, inputs in self.trials]

    def jobs(self, folder: str) -> list[dict[str, Any]]:
        """The trials as the child gets them: inputs as files, shapes of outputs; no answers."""
        jobs = []
        for (trial, inputs), answers in zip(self.trials, self.answers, strict=True):
            said: list[Any] = []
            for i, value in enumerate(inputs):
                if isinstance(value, np.ndarray):
                    name = f"{trial.number}-{i}.npy"
                    np.save(os.path.join(folder, name), value, allow_pickle=False)
                    said.append(name)
                else:
                    said.append(value)
            outputs = [(a.shape, a.dtype.str) for a in answers]
            jobs.append({"inputs": said, "outputs": outputs, "launch": self.reference.launch(inputs)})
        return jobs

    def compare(self, verdict: Verdict, data: bytes, tol: float | None) -> None:
        """Compare what the child left in its file, trial by trial, up to the first that is not right."""
        tolerance, at = self.reference.tolerance if tol is None else tol, 0
        verdict.stage = "compare"
        for (trial, inputs), answers in zip(self.trials, self.answers, strict=True):
            oracles = self.reference.oracle(inputs)
            verdict.trial = trial.number
            for want, oracle in zip(answers, oracles, strict=True):
                have, at = _taken(data, at, want)
                if have is None:
                    verdict.verdict, verdict.message = "crash", "the process ended before it gave all outputs"
                    return
                found = distance(have, oracle, want, tolerance)
                if verdict.max_error is None or found.error >= verdict.max_error:
                    verdict.max_error, verdict.worst_index = found.error, found.index
                verdict.error_of_reference = max(verdict.error_of_reference or 0.0, found.of_reference)
                if found.verdict:
                    again = trial.number == len(self.trials) - 2
                    verdict.verdict, verdict.worst_index = "nondeterministic" if again else found.verdict, found.index
                    verdict.message = found.message
                    return
            at = _unchanged(verdict, inputs, data, at)
            if verdict.verdict != "ok":
                return
        verdict.trial, verdict.stage = None, "done"
        if not verdict.launches:
            verdict.verdict, verdict.message = "cheat", "no kernel was launched"


def _taken(data: bytes, at: int, like: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any] | None, int]:
    end = at + like.nbytes
    if end > len(data):
        return None, at
    return np.frombuffer(data[at:end], like.dtype).reshape(like.shape), end


def _unchanged(verdict: Verdict, inputs: Sequence[Any], data: bytes, at: int) -> int:
    for i, value in enumerate(inputs):
        if isinstance(value, np.ndarray):
            have, at = _taken(data, at, value)
            if have is None or have.tobytes() != value.tobytes():
                verdict.verdict, verdict.message = "cheat", f"input {i} is another one than before"
    return at


def _heard(verdict: Verdict, answer: dict[str, Any]) -> None:
    """What the child's end, its words and ptxvm's reports make of a verdict."""
    verdict.sandbox = answer["layers"]
    verdict.reports = [r for r in answer["reports"] if _is_report(r)]
    for report in answer["reports"]:
        tallies = report.get("stats")
        verdict.launches += [{name: t[name] for name in _TALLY} for t in tallies if _is_tally(t)] if isinstance(tallies, list) else []
    verdict.instructions = sum(one["lane_ops"] for one in verdict.launches)
    said: dict[str, Any] = {}
    for one in answer["told"]:
        said |= one
    if said.get("stage") in ("build", "run", "compare"):
        verdict.stage = said["stage"]
    if type(said.get("trial")) is int and said["trial"] >= 0:
        verdict.trial = said["trial"]
    verdict.verdict, verdict.message = _outcome(verdict, answer, said)
    if verdict.verdict in ("crash", "no_build", "invalid", "unsupported") and answer["printed"]:
        verdict.message += "\nit printed: " + answer["printed"][-1000:].strip()


#: The errors behind which every call fails (CUresult), and that of a kernel that ran too long.
_STICKY, _TIMEOUT = range(700, 720), 702

_TALLY = {"kernel": str, "launches": int, "lane_ops": int}


def _is_tally(one: Any) -> bool:
    """Whether this is what ptxvm says of a kernel: a candidate can write to the same pipe."""
    return isinstance(one, dict) and all(type(one.get(n)) is t for n, t in _TALLY.items()) and one["launches"] > 0 <= one["lane_ops"]


def _is_report(one: dict[str, Any]) -> bool:
    found = one.get("sanitizer") or []
    known = type(one.get("schema")) is int and type(one.get("error")) is int and isinstance(one.get("message"), str)
    return known and isinstance(found, list) and all(isinstance(r, dict) and isinstance(r.get("code"), str) for r in found)


def _outcome(verdict: Verdict, answer: dict[str, Any], said: dict[str, Any]) -> tuple[str, str]:
    if answer["why"]:
        limit = "time" if answer["why"] == "timeout" else f"memory ({answer['peak'] >> 20} MiB)"
        return answer["why"], f"it took more {limit} than it may"
    severe = [r for r in verdict.reports if r.get("fault") or r.get("sanitizer") or r["error"] in _STICKY]
    if severe:
        return _reported(severe)
    if "verdict" in said:
        known = said["verdict"] in ("no_build", "invalid", "unsupported", "memory")
        return said["verdict"] if known else "crash", str(said.get("message", ""))
    end = answer["status"] or {}
    if end.get("signal"):
        return ("timeout" if end["signal"] == 24 else "crash"), f"signal {end['signal']} ended its process"
    if verdict.stage != "compare":
        return "crash", f"it ended its process with status {end.get('exit')}"
    return "ok", ""


def _reported(reports: list[dict[str, Any]]) -> tuple[str, str]:
    """What reports come to: a fault before a race."""
    first = next((r for r in reports if r.get("fault")), reports[0])
    if first["error"] == _TIMEOUT:
        return "timeout", str(first["message"])
    codes = {one.get("code") for r in reports for one in r.get("sanitizer") or []}
    race = not first.get("fault") and codes == {"P8002"}
    return ("race" if race else "fault"), str(first["message"])
