"""`python -m ptxvm grade CANDIDATE REFERENCE`: one line of JSON, or, with --text, one for people; exit status 0 only for "ok"."""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from typing import Any

from .grader import grade
from .options import Options


def main(words: list[str]) -> int:
    """The command, without its verb. Exit status: 0 for ok, 1 for every other verdict, 2 where there is none."""
    parser = argparse.ArgumentParser("python -m ptxvm grade", description="Say whether a kernel computes what a reference does (docs/grade.md).")
    parser.add_argument("candidate", help="a .py, .cu or .ptx file")
    parser.add_argument("reference", help="a module of Python with run() and inputs()")
    parser.add_argument("--entry", help="the function, or kernel; default run, and the only kernel")
    parser.add_argument("--trials", type=int, default=Options.trials)
    parser.add_argument("--seed", type=int, default=Options.seed)
    parser.add_argument("--tol", type=float, help="the largest error in units of the reference's rounding")
    parser.add_argument("--sanitize", default=Options.sanitize, help="checks as for `ptxvm exec`; '' for none")
    parser.add_argument("--timeout", type=float, default=Options.timeout, help="seconds for all trials")
    parser.add_argument("--memory", type=int, default=Options.memory, help="bytes for the candidate's processes")
    parser.add_argument("--arch", default=Options.arch)
    parser.add_argument("--inputs", help="JSON, or @FILE, that describes the inputs instead of the reference's inputs()")
    parser.add_argument("--forbid", action="append", default=[], metavar="NAME", help="aten::mm, torch.matmul, numpy.dot: the candidate must not call it")
    parser.add_argument("--confined", action="store_true", help="run the candidate only where all layers of the sandbox hold")
    parser.add_argument("--text", action="store_true", help="a line for people instead of JSON")
    options = vars(parser.parse_args(words))
    text, candidate, reference = (options.pop(name) for name in ("text", "candidate", "reference"))
    try:
        verdict = grade(candidate, reference, **{**options, "inputs": described(options["inputs"])})
    except (ValueError, OSError) as error:
        print(f"ptxvm grade: {error}", file=sys.stderr)
        return 2
    print(verdict if text else verdict.json())
    return 0 if verdict else 1


def described(text: str | None) -> Any:
    """The description of inputs that a word of the command line is, or names. Raises ValueError, OSError."""
    if text is None:
        return None
    try:
        return json.loads(pathlib.Path(text[1:]).read_text(encoding="utf-8") if text.startswith("@") else text)
    except json.JSONDecodeError as error:
        raise ValueError(f"inputs: this is no JSON: {error}") from None
