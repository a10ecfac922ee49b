"""The trials of a grading: what a candidate is given, and what it must answer. No line of a candidate runs here."""

from __future__ import annotations

import collections
import json
import os
import pathlib
import threading
from typing import Any

import numpy as np

from .compare import Expected, distance
from .options import Options
from .reference import Reference
from .verdict import Verdict

Array = np.ndarray[Any, Any]


class Judged:
    """The trials of a reference, with inputs and expected outputs; good for any number of candidates.

    reference: a path, or an object; inputs: ptxvm.grading.inputs, instead of the reference's own.
    """

    def __init__(self, reference: Any, trials: int, seed: int, inputs: Any = None) -> None:
        self.reference = Reference(reference, inputs)
        self.trials = self.reference.made.trials(trials, seed)
        self.strides = [[_strides(value) for value in inputs] for _, inputs in self.trials]
        known: dict[int, list[Expected]] = {}  # by the inputs, which a repeated trial shares
        for _, inputs in self.trials:
            if id(inputs) not in known:
                known[id(inputs)] = self.reference.expected(inputs, seed)
        self.expected = [known[id(inputs)] for _, inputs in self.trials]

    def jobs(self, folder: str) -> list[dict[str, Any]]:
        """The trials as the child gets them: inputs as files, shapes of outputs; no answers."""
        jobs = []
        for (trial, inputs), strides, expected in zip(self.trials, self.strides, self.expected, strict=True):
            said: list[Any] = []
            for i, value in enumerate(inputs):
                if isinstance(value, np.ndarray):
                    name = f"{trial.number}-{i}.npy"
                    np.save(os.path.join(folder, name), value, allow_pickle=False)
                    said.append({"file": name, "strides": strides[i]})
                else:
                    said.append(value)
            outputs = [(one.reference.shape, one.reference.dtype.str) for one in expected]
            jobs.append({"inputs": said, "outputs": outputs, "launch": self.reference.launch(inputs)})
        return jobs

    def compare(self, verdict: Verdict, results: str, tol: float | None) -> None:
        """Compare what the child left in its file, trial by trial, up to the first that is not right."""
        tolerance, left = self.reference.tolerance if tol is None else tol, _Left(results)
        verdict.stage = "compare"
        for (trial, inputs), expected in zip(self.trials, self.expected, strict=True):
            verdict.trial = trial.number
            for one in expected:
                have = left.like(one.reference)
                if have is None:
                    verdict.verdict, verdict.message = "crash", "the process ended before it gave all outputs"
                    return
                found = distance(have, one, tolerance)
                if verdict.max_error is None or found.error >= verdict.max_error:
                    verdict.max_error, verdict.worst_index = found.error, found.index
                verdict.error_of_reference = max(verdict.error_of_reference or 0.0, found.of_reference)
                if found.verdict:
                    again = trial.number == len(self.trials) - 2
                    verdict.verdict, verdict.worst_index = "nondeterministic" if again else found.verdict, found.index
                    verdict.message = found.message
                    return
            for i, value in enumerate(inputs):
                if isinstance(value, np.ndarray) and not _same(left.like(value), value):
                    verdict.verdict, verdict.message = "cheat", f"input {i} is another one than before"
                    return
        verdict.trial, verdict.stage = None, "done"
        if not verdict.launches:
            verdict.verdict, verdict.message = "cheat", "no kernel was launched"


class _Left:
    """What a child left in its file, array by array."""

    def __init__(self, file: str) -> None:
        self._data, self._at = pathlib.Path(file).read_bytes(), 0

    def like(self, like: Array) -> Array | None:
        """The next array, of the type and shape of another; None where the file ends before."""
        end = self._at + like.nbytes
        if end > len(self._data):
            return None
        data, self._at = self._data[self._at : end], end
        return np.frombuffer(data, like.dtype).reshape(like.shape)


def _same(have: Array | None, value: Array) -> bool:
    return have is not None and have.tobytes() == value.tobytes()


def _strides(value: Any) -> list[int] | None:
    """The strides of an array in elements; None for what is no array, or lies in C order. Raises ValueError for negative ones."""
    if not isinstance(value, np.ndarray) or value.flags.c_contiguous:
        return None
    if any(stride < 0 or stride % value.dtype.itemsize for stride in value.strides):
        raise ValueError("an input has a negative stride, or one that is no multiple of its elements")
    return [stride // value.dtype.itemsize for stride in value.strides]


class Known:
    """The trials of the references that were last asked for, whose answers need not be computed again. For several threads at once."""

    _MOST = 8

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: collections.OrderedDict[Any, tuple[threading.Lock, list[Judged]]] = collections.OrderedDict()

    def judged(self, reference: Any, options: Options) -> Judged:
        """The trials of a reference. One that is named by its path is read again when its file has changed."""
        key = (_identity(reference), options.trials, options.seed, _inputs_identity(options.inputs))
        with self._lock:
            lock, found = self._known.setdefault(key, (threading.Lock(), []))
            self._known.move_to_end(key)
            while len(self._known) > self._MOST:
                self._known.popitem(last=False)
        with lock:
            if not found:
                found.append(Judged(reference, options.trials, options.seed, options.inputs))
        return found[0]


def _identity(reference: Any) -> Any:
    if not isinstance(reference, (str, os.PathLike)):
        return ("object", id(reference))  # the trials keep it, so that its number is nobody else's
    found = os.stat(reference)
    return (os.path.realpath(reference), found.st_mtime_ns, found.st_size, found.st_ino)


def _inputs_identity(inputs: Any) -> Any:
    return ("function", id(inputs)) if callable(inputs) else json.dumps(inputs, sort_keys=True, default=repr)
