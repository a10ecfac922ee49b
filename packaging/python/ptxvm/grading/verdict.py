"""What a grader says of a candidate: one object, with a schema in JSON."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from typing import Any

#: All verdicts, and what each says.
VERDICTS = {
    "ok": "every trial is right",
    "no_build": "the candidate does not compile, cannot be imported, or lacks its entry",
    "invalid": "the PTX is not valid",
    "unsupported": "it needs something that ptxvm does not have",
    "fault": "a kernel faulted, or a sanitizer reported something other than a race",
    "race": "a sanitizer reported a race",
    "wrong": "a value is too far from the oracle's",
    "nan": "an element that should have a value is NaN, or was never written",
    "nondeterministic": "the same inputs were answered rightly once, and wrongly or not at all another time",
    "timeout": "it ran longer than it may",
    "memory": "it took more memory than it may",
    "cheat": "it changed its inputs, called what is forbidden, or launched no kernel",
    "crash": "its process ended, or it raised an exception",
}

#: Where a candidate can fail, in order.
STAGES = ("start", "build", "run", "compare", "done")


@dataclasses.dataclass
class Verdict:
    """A verdict on one candidate. Fields have the names of docs/grade.md; none of them is a time to be compared."""

    verdict: str
    stage: str  # the last that was entered
    message: str = ""
    trial: int | None = None  # the first that is not right
    reports: list[dict[str, Any]] = dataclasses.field(default_factory=list)  # as `exec --report` writes them
    launches: list[dict[str, Any]] = dataclasses.field(default_factory=list)  # {kernel, launches, lane_ops, sectors}
    operators: list[dict[str, Any]] = dataclasses.field(default_factory=list)  # {operator, calls} of PyTorch
    max_error: float | None = None  # in units of the rounding of the reference
    worst_index: list[int] | None = None
    error_of_reference: float | None = None  # the largest absolute error of the reference itself
    instructions: int = 0  # operations of lanes, over all trials
    sectors: int | None = None  # of 32 bytes of global memory, over all trials; None where they are not counted
    seconds: dict[str, float] = dataclasses.field(default_factory=dict)  # of the grader's stages
    replay: str = ""
    seed: int = 0
    sandbox: dict[str, list[str]] = dataclasses.field(default_factory=lambda: {"has": [], "missing": []})
    schema: int = 1

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS or self.stage not in STAGES:
            raise ValueError(f"no such verdict or stage: {self.verdict}, {self.stage}")

    def __bool__(self) -> bool:
        return self.verdict == "ok"

    def __str__(self) -> str:
        at = "" if self.trial is None else f" (trial {self.trial})"
        return f"{self.verdict}{at}: {self.message}" if self.message else self.verdict + at

    def json(self) -> str:
        """One line of JSON. Infinities are texts, since JSON has none."""
        fields = dataclasses.asdict(self)
        if self.max_error is not None and self.max_error in (float("inf"), float("-inf")):
            fields["max_error"] = "inf"
        return json.dumps(fields, allow_nan=False)


def no_number(text: str) -> float:
    """What json.loads calls for NaN and infinities, which Python reads and JSON has not."""
    raise ValueError(f"{text} is no number of JSON")


def schema() -> dict[str, Any]:
    """The schema (JSON Schema 2020-12) of Verdict.json()."""
    text = pathlib.Path(__file__).with_name("verdict.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded
