"""The grader: candidates in Triton, CUDA C++ and PTX, and every cheat of testdata/grade/cheats.txt with the verdict that it must get."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import jsonschema

from ptxvm.grading import VERDICTS, Grader, schema

GRADE = pathlib.Path(__file__).resolve().parent.parent / "grade"
PACKAGE = GRADE.parent.parent / "packaging" / "python"
LAYERS = ["namespaces", "scratch in memory", "landlock", "seccomp"]

wanted = set(filter(None, os.environ.get("PTXVM_CHEATS", "").split(",")))
judged = jsonschema.Draft202012Validator(schema())
jsonschema.Draft202012Validator.check_schema(schema())
assert set(schema()["properties"]["verdict"]["enum"]) == set(VERDICTS)
wrong = []


def cheats():
    """(name, kind, verdict, candidate) of each cheat."""
    for part in (GRADE / "cheats.txt").read_text().split("\n== ")[1:]:
        head, text = part.split("\n--\n", 1)
        yield *head.split("\n")[0].split(), text


def check(name, want, verdict):
    judged.validate(json.loads(verdict.json()))
    if verdict.verdict not in want.split("|"):
        wrong.append(f"{name}: want {want}, have {verdict}\n    {verdict.reports[:1]}")
    if verdict.sandbox["missing"]:
        print("this system lacks", verdict.sandbox["missing"])


start = time.monotonic()
prelude = (GRADE / "prelude.py").read_text()
with tempfile.TemporaryDirectory() as folder, Grader() as grader:
    seen = set()
    for name, kind, want, text in cheats():
        if wanted and name not in wanted:
            continue
        candidate = pathlib.Path(folder) / f"{name}.{kind}"
        candidate.write_text((prelude + "\n\n" if kind == "py" else "") + text)
        seconds = 1.5 if want == "timeout" else 10
        verdict = grader.grade(candidate, GRADE / "scale.py", timeout=seconds, memory=512 << 20)
        check(name, want, verdict)
        seen.add(verdict.verdict)
    count = len(list(cheats()))
    assert wanted or count >= 40, count
    print(f"{count} cheats, {time.monotonic() - start:.1f} s; verdicts seen: {', '.join(sorted(seen))}")
    if not wanted:
        assert not wrong, "\n".join(wrong)
        assert seen == set(VERDICTS), set(VERDICTS) - seen
        start = time.monotonic()
        verdict = grader.grade(GRADE / "softmax_triton.py", GRADE / "softmax.py", timeout=60)
        check("Triton", "ok", verdict)
        assert verdict.launches[0]["kernel"] == "softmax" and verdict.launches[0]["launches"] == 7, verdict
        assert 0 < verdict.max_error <= 8 and verdict.error_of_reference < 1e-6 and verdict.instructions > 0, verdict
        print(f"Triton: {time.monotonic() - start:.1f} s")

if not wanted:
    # The command, whose replay gives the same verdict.
    command = [sys.executable, "-m", "ptxvm", "grade", str(GRADE / "softmax_triton.py"), str(GRADE / "scale.py"), "--timeout", "20"]
    done = subprocess.run(command, capture_output=True, text=True)
    told = json.loads(done.stdout)
    judged.validate(told)
    assert done.returncode == 1 and told["verdict"] == "crash" and "TypeError" in told["message"], (done, told)
    assert told["replay"].split()[4:] == [*command[4:6], *"--trials 5 --seed 0 --sanitize mem,race,sync --timeout 20 --arch sm_90".split()], told["replay"]
    assert subprocess.run([*command[:4], "none.py", "none.py"], capture_output=True).returncode == 2
    strict = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-incremental", "-p", "ptxvm.grading"], cwd=PACKAGE, capture_output=True, text=True)
    assert strict.returncode == 0, strict.stdout + strict.stderr
assert not wrong, "\n".join(wrong)
print("PASSED")
