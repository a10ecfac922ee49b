"""`python -m ptxvm grade CANDIDATE REFERENCE`: one line of JSON, or, with --text, one for people; exit status 0 only for "ok"."""

from __future__ import annotations

import argparse
import sys

from .grader import grade


def main(words: list[str]) -> int:
    """The command, without its verb. Exit status: 0 for ok, 1 for every other verdict, 2 where there is none."""
    parser = argparse.ArgumentParser("python -m ptxvm grade", description="Say whether a kernel computes what a reference does (docs/grade.md).")
    parser.add_argument("candidate", help="a .py, .cu or .ptx file")
    parser.add_argument("reference", help="a module of Python with run() and inputs()")
    parser.add_argument("--entry", help="the function, or kernel; default run, and the only kernel")
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tol", type=float, help="the largest error in units of the reference's rounding")
    parser.add_argument("--sanitize", default="mem,race,sync", help="checks as for `ptxvm exec`; '' for none")
    parser.add_argument("--timeout", type=float, default=10, help="seconds for all trials")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--text", action="store_true", help="a line for people instead of JSON")
    options = vars(parser.parse_args(words))
    text = options.pop("text")
    try:
        verdict = grade(options.pop("candidate"), options.pop("reference"), **options)
    except (ValueError, OSError) as error:
        print(f"ptxvm grade: {error}", file=sys.stderr)
        return 2
    print(verdict if text else verdict.json())
    return 0 if verdict else 1
