"""Which operators of PyTorch a candidate calls, and whether one of them, or of other functions, is forbidden.

A candidate in Python that wants to hide what it calls can: it shares its process with this. What honest programs do by mistake is found.
"""

from __future__ import annotations

import contextlib
import fnmatch
import functools
import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any


class Watch:
    """Calls of a candidate, while it is `active`. forbid: names as of ptxvm.grading.Options.

    Operators are counted where ptxvm.torch runs them, on tensors of the device. A mode of PyTorch's dispatcher would see those on the
    CPU, too, but under one torch.compile compiles nothing.
    """

    def __init__(self, forbid: Sequence[str]) -> None:
        self._called: str = ""  # the first forbidden function that was called
        self._aten = [name for name in forbid if name.startswith("aten::")]
        self._on = False
        self._counts: Mapping[str, int] = importlib.import_module("ptxvm.torch").counts
        self._before = dict(self._counts)
        for name in forbid:
            if not name.startswith("aten::"):
                self._replace(name)

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """While code of the candidate runs."""
        self._on = True
        try:
            yield
        finally:
            self._on = False

    @property
    def operators(self) -> dict[str, int]:
        """How often each operator was called."""
        return {name: n - self._before.get(name, 0) for name, n in self._counts.items() if n > self._before.get(name, 0)}

    @property
    def forbidden(self) -> str:
        """A forbidden name that was called; "" if none was."""
        return self._called or next((name for name in self.operators if self._is_forbidden(name)), "")

    def _is_forbidden(self, name: str) -> bool:
        """Whether an operator, or all of its overloads, is meant."""
        return any(fnmatch.fnmatchcase(one, pattern) for one in (name, name.partition(".")[0]) for pattern in self._aten)

    def _replace(self, name: str) -> None:
        """Have a function of a module note its calls."""
        path = name.split(".")
        try:
            owner: Any = importlib.import_module(path[0])
            for part in path[1:-1]:
                owner = getattr(owner, part)
            function = getattr(owner, path[-1])
            setattr(owner, path[-1], self._noting(name, function))
        except (ImportError, AttributeError, TypeError):
            return  # what is not there cannot be called

    def _noting(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function, updated=())
        def noting(*args: Any, **kwargs: Any) -> Any:
            if self._on:
                self._called = self._called or name
            return function(*args, **kwargs)

        return noting
