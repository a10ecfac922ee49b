"""What a grading can be told. One object, whose fields are the options of grade(), of the command and of `serve`."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any

#: Names that a candidate can be forbidden to call: an operator of PyTorch, or a function of torch or numpy.
_FORBIDDEN = re.compile(r"aten::[\w.*?]+|(torch|numpy)(\.\w+)+")


@dataclasses.dataclass(frozen=True)
class Options:
    """The options of a grading.

    entry: the function of a candidate in Python ("run"), or the kernel of another one (the only one).
    trials: with inputs of their own; behind them the first is repeated, and repeated with other values.
    seed: of inputs, and of the order of CTAs and warps.
    tol: the largest error, in units of the reference's rounding; that of the reference, or 8, unless given.
    sanitize: checks as for `exec`, "" for none.
    timeout: in seconds, of all trials; memory: in bytes, of the candidate's processes.
    arch: the architecture of the device.
    inputs: a function of a trial, or a description (ptxvm.grading.inputs), instead of the reference's inputs().
    forbid: names that the candidate must not call: "aten::mm" ("aten::*conv*"), "torch.matmul", "numpy.dot".
    confined: run the candidate only where all layers of the sandbox hold; else OSError says which do not.
    Raises ValueError for a value that an option does not take.
    """

    entry: str | None = None
    trials: int = 5
    seed: int = 0
    tol: float | None = None
    sanitize: str = "mem,race,sync"
    timeout: float = 10
    memory: int = 4 << 30
    arch: str = "sm_90"
    inputs: Callable[..., Any] | Mapping[str, Any] | None = None
    forbid: tuple[str, ...] = ()
    confined: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.forbid, (str, list, tuple)):
            raise ValueError(f"forbid: want a list of names, have {self.forbid!r}")
        object.__setattr__(self, "forbid", (self.forbid,) if isinstance(self.forbid, str) else tuple(self.forbid))
        for name, right, want in (
            ("entry", self.entry is None or isinstance(self.entry, str), "a name"),
            ("trials", _whole(self.trials) and self.trials >= 1, "a whole number, 1 or more: a grading has at least one trial"),
            ("seed", _whole(self.seed) and self.seed >= 0, "a whole number, 0 or more"),
            ("tol", self.tol is None or (_number(self.tol) and self.tol >= 0), "a number, 0 or more"),
            ("sanitize", isinstance(self.sanitize, str), 'a text such as "mem,race,sync"'),
            ("timeout", _number(self.timeout) and 0 < self.timeout <= 86400, "seconds, up to 86400"),
            ("memory", _whole(self.memory) and self.memory > 0, "bytes"),
            ("arch", isinstance(self.arch, str) and bool(re.fullmatch(r"sm_\d+[af]?", self.arch)), 'an architecture such as "sm_90"'),
            ("forbid", all(isinstance(one, str) and _FORBIDDEN.fullmatch(one) for one in self.forbid), 'names such as "aten::mm", "torch.matmul", "numpy.dot"'),
            ("confined", type(self.confined) is bool, "true or false"),
        ):
            if not right:
                raise ValueError(f"{name}: want {want}, have {getattr(self, name)!r}")

    @classmethod
    def of(cls, words: Mapping[str, Any]) -> Options:
        """Options by their names. Raises ValueError, also for a name that there is not."""
        names = [field.name for field in dataclasses.fields(cls)]
        if unknown := set(words) - set(names):
            raise ValueError(f"there is no option {sorted(unknown)[0]}; want {', '.join(names)}")
        return cls(**words)

    def replay(self, candidate: str | os.PathLike[str], reference: Any) -> str:
        """A command line that grades again; "" where an object or a function stands for the reference or its inputs."""
        if not isinstance(reference, (str, os.PathLike)) or callable(self.inputs):
            return ""
        flags = ["--trials", str(self.trials), "--seed", str(self.seed), "--sanitize", self.sanitize]
        flags += ["--timeout", f"{self.timeout:g}", "--arch", self.arch]
        flags += ["--entry", self.entry] if self.entry is not None else []
        flags += ["--tol", repr(self.tol)] if self.tol is not None else []
        flags += ["--memory", str(self.memory)] if self.memory != Options.memory else []
        flags += ["--inputs", json.dumps(self.inputs)] if self.inputs is not None else []
        flags += [word for name in self.forbid for word in ("--forbid", name)]
        flags += ["--confined"] if self.confined else []
        return shlex.join(["python", "-m", "ptxvm", "grade", os.fspath(candidate), os.fspath(reference), *flags])


def _whole(value: Any) -> bool:
    return type(value) is int


def _number(value: Any) -> bool:
    return type(value) in (int, float) and value == value
