"""Verdicts on many machines: Ray's actors, each with a warm parent. Needs `pip install ray`.

>>> import ray, ptxvm.ray
>>> ray.init()
>>> with ptxvm.ray.pool(8) as pool:
...     for index, verdict in pool.grade(candidates, reference):
...         print(candidates[index], verdict)

A worker that ends, with its machine or without, is replaced, and what it had not answered is given to another: each candidate has one
verdict.
"""

from __future__ import annotations

import collections
import dataclasses
import importlib
import os
import pathlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any

from .grading import Options, Verdict
from .grading.grader import KINDS, Grader, ParentEnded

__all__ = ["pool", "Pool"]

#: How often a candidate is given to a worker, if workers end under it.
TRIES = 3


def pool(workers: int, **resources: Any) -> Pool:
    """Workers of the Ray cluster that this program is connected to (ray.init() connects it).

    workers: how many; resources: for each, as Ray's .options() takes them, such as num_cpus=2; one processor unless given.
    Raises ImportError without Ray, ValueError for fewer than one worker.
    """
    return Pool(workers, resources)


@dataclasses.dataclass
class _Task:
    index: int
    name: str  # of a file, whose end says what it holds
    text: bytes
    tries: int = 0


class Pool:
    """Workers for candidates. Use it from one thread."""

    def __init__(self, workers: int, resources: Mapping[str, Any]) -> None:
        if workers < 1:
            raise ValueError("a pool has at least one worker")
        self._ray = importlib.import_module("ray")
        self._actor = self._ray.remote(_Worker).options(**{"num_cpus": 1, **resources})
        self._workers = [self._actor.remote() for _ in range(workers)]

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the workers."""
        for worker in self._workers:
            self._ray.kill(worker)
        self._workers = []

    def grade(self, candidates: Iterable[str | os.PathLike[str]], reference: str | os.PathLike[str], **options: Any) -> Iterator[tuple[int, Verdict]]:
        """Verdicts, each with the number of its candidate, in the order in which they come.

        candidates, reference: paths on this machine; workers get the texts. The reference imports nothing that lies beside it.
        options: those of ptxvm.grading.Options; a function as `inputs` goes by pickle.
        Raises ValueError for a reference or an option that cannot be used, OSError where a file or a worker's machine fails.
        """
        Options.of(options)
        given = (pathlib.Path(reference).name, self._ray.put(pathlib.Path(reference).read_bytes()), options)
        tasks = (_Task(i, pathlib.Path(one).name, pathlib.Path(one).read_bytes()) for i, one in enumerate(candidates))
        again: collections.deque[_Task] = collections.deque()
        idle, running = list(self._workers), {}
        while True:
            while idle and (task := again.popleft() if again else next(tasks, None)):
                worker = idle.pop()
                running[worker.grade.remote(task.name, task.text, *given)] = (worker, task)
            if not running:
                return
            (done,), _ = self._ray.wait(list(running), num_returns=1)
            worker, task = running.pop(done)
            try:
                answer = self._ray.get(done)
            except self._ray.exceptions.RayActorError as error:
                idle.append(self._replaced(worker))
                task.tries += 1
                if task.tries < TRIES:
                    again.append(task)
                    continue
                answer = Verdict("crash", "start", f"each of {TRIES} workers ended under it: {error}".splitlines()[0])
            else:
                idle.append(worker)
            if isinstance(answer, Exception):
                raise answer
            yield task.index, answer

    def _replaced(self, worker: Any) -> Any:
        """Another worker in the place of one that has ended."""
        new = self._actor.remote()
        self._workers[self._workers.index(worker)] = new
        return new


class _Worker:
    """An actor: a warm parent, and the texts that it has been given, as files."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ptxvm-ray-")
        self._grader = Grader()

    def grade(self, name: str, text: bytes, reference: str, reference_text: bytes, options: dict[str, Any]) -> Verdict | Exception:
        """The verdict on a text; an error of the reference, or of this machine, is a value: Ray would wrap it."""
        try:
            if pathlib.Path(name).suffix not in KINDS:
                raise ValueError(f"{name}: a candidate is {', '.join(KINDS)}")
            path, beside = (os.path.join(self._folder.name, kind) for kind in ("candidate", "reference"))
            for folder, file, data in ((path, name, text), (beside, reference, reference_text)):
                os.makedirs(folder, exist_ok=True)
                where = pathlib.Path(folder, file)
                if not where.exists() or where.read_bytes() != data:
                    where.write_bytes(data)
            verdict = self._twice(os.path.join(path, name), os.path.join(beside, reference), options)
            os.remove(os.path.join(path, name))
        except (ValueError, OSError) as error:
            return error
        verdict.replay = verdict.replay.replace(path + os.sep, "").replace(beside + os.sep, "")
        return verdict

    def _twice(self, candidate: str, reference: str, options: dict[str, Any]) -> Verdict:
        try:
            return self._grader.grade(candidate, reference, **options)
        except ParentEnded:
            return self._grader.grade(candidate, reference, **options)
