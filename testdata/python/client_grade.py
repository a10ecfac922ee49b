"""The grader: candidates in Triton, CUDA C++ and PTX, and every cheat of testdata/grade/cheats.txt with the verdict that it must get."""
import json
import os
import pathlib
import shlex
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


def confined(grader, folder):
    """Whether a candidate has all layers around it: without them those in Python, which kill what they can reach, are not run."""
    control = pathlib.Path(folder) / "control.cu"
    control.write_text(next(text for name, _, _, text in cheats() if name == "honest"))
    layers = grader.grade(control, GRADE / "scale.py", trials=1).sandbox
    if layers["missing"] or set(layers["has"]) != set(LAYERS):
        print("candidates in Python are NOT RUN: this system lacks", layers["missing"])
        return False
    return True


start = time.monotonic()
prelude = (GRADE / "prelude.py").read_text()
rows = list(cheats())
unknown = wanted - {name for name, *_ in rows}
assert not unknown, f"PTXVM_CHEATS: there is no {unknown}"
with tempfile.TemporaryDirectory() as folder, Grader() as grader:
    seen, run = set(), 0
    safe = confined(grader, folder)
    for name, kind, want, text in rows:
        if wanted and name not in wanted or kind == "py" and not safe:
            continue
        run += 1
        candidate = pathlib.Path(folder) / f"{name}.{kind}"
        candidate.write_text((prelude + "\n\n" if kind == "py" else "") + text)
        seconds = 1.5 if want == "timeout" else 30
        verdict = grader.grade(candidate, GRADE / "scale.py", timeout=seconds, memory=512 << 20)
        check(name, want, verdict)
        seen.add(verdict.verdict)
    assert wanted or len(rows) >= 40, len(rows)
    print(f"{run} of {len(rows)} candidates, {time.monotonic() - start:.1f} s; verdicts seen: {', '.join(sorted(seen))}")
    if not wanted:
        assert not wrong, "\n".join(wrong)
        assert not safe or seen == set(VERDICTS), set(VERDICTS) - seen
        start = time.monotonic()
        verdict = grader.grade(GRADE / "softmax_triton.py", GRADE / "softmax.py", timeout=60)
        check("Triton", "ok", verdict)
        assert verdict.launches[0]["kernel"] == "softmax" and verdict.launches[0]["launches"] == 7, verdict
        assert 0 < verdict.max_error <= 8 and verdict.error_of_reference < 1e-6 and verdict.instructions > 0, verdict
        print(f"Triton: {time.monotonic() - start:.1f} s")

GLUON = """
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

@gluon.jit
def scale(x, n, out, BLOCK: gl.constexpr):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(out + i, gl.load(x + i, mask=i < n) * 3, mask=i < n)

def run(x, n, out):
    scale[((n + 127) // 128,)](x, n, out, BLOCK=128)
"""
# Reads the memory of x from its beginning, whatever its strides are.
FLAT = """

class Flat:
    def __init__(self, of):
        self.data_ptr = of.data_ptr

def run(x, n, out):
    assert x.shape == (n, 5) and x.stride() == STRIDES
    honest(Flat(x), 5 * n, Flat(out))
"""


class Times3:
    """A reference as an object: three times a matrix with these strides."""

    def __init__(self, *strides):
        self.inputs = {"arguments": [{"shape": ["n", 5], "strides": strides}, "n"], "sizes": [7]}

    def run(self, x, n):
        return x * x.dtype.type(3)


def options(folder, grader):
    """Gluon; inputs that are described, with strides; names that are forbidden."""
    def graded(text, **more):
        candidate = pathlib.Path(folder) / "option.py"
        candidate.write_text(text)
        verdict = grader.grade(candidate, GRADE / "scale.py", **more)
        judged.validate(json.loads(verdict.json()))
        return verdict

    check("Gluon", "ok", graded(GLUON, timeout=30))
    described = {"arguments": [{"shape": ["n"], "kinds": ["large", "nan"]}, "n"], "sizes": [130, 2]}
    verdict = graded(prelude + "\n\ndef run(x, n, out):\n    honest(x, n, out)\n", inputs=described, trials=2)
    check("described inputs", "ok", verdict)
    assert verdict.sectors == sum(2 * -(-n // 8) for n in (130, 2, 130, 130)), verdict  # of 8 elements, read once and written once
    assert json.dumps(described) in shlex.split(verdict.replay), verdict.replay
    dot = "\n\ndef run(x, n, out):\n    np.dot(1, 2)\n    honest(x, n, out)\n"
    verdict = graded(prelude + dot, sanitize="")
    check("numpy.dot", "ok", verdict)
    assert verdict.sectors is None, verdict
    verdict = graded(prelude + dot, forbid="numpy.dot")
    check("numpy.dot, forbidden", "cheat", verdict)
    assert "numpy.dot" in verdict.message and verdict.replay.endswith("--forbid numpy.dot"), verdict

    candidate = pathlib.Path(folder) / "flat.py"
    for strides, want in (((5, 1), "ok"), ((1, 7), "wrong")):
        candidate.write_text(prelude + FLAT.replace("STRIDES", str(strides)))
        check(f"strides {strides}", want, grader.grade(candidate, Times3(*strides), trials=1))


def installed(folder):
    """A candidate may import what is installed elsewhere than beside the interpreter: for the user, say."""
    packages = pathlib.Path(folder) / "site-packages"
    (packages / "mine").mkdir(parents=True)
    (packages / "mine" / "__init__.py").write_text("")
    candidate = pathlib.Path(folder) / "imports.py"
    candidate.write_text(prelude + "\n\nimport mine\n\ndef run(x, n, out):\n    honest(x, n, out)\n")
    os.environ["PYTHONPATH"] = str(packages)
    with Grader() as grader:
        check("a package of the user", "ok", grader.grade(candidate, GRADE / "scale.py", trials=1, timeout=30))
    del os.environ["PYTHONPATH"]


def unconfined(folder):
    """Where the system refuses a layer the verdict names it, and --confined runs nothing."""
    shell = 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"'
    command = ["unshare", "-Ur", "sh", "-c", shell, "sh", sys.executable, "-m", "ptxvm", "grade", f"{folder}/control.cu", str(GRADE / "scale.py"), "--trials", "1"]
    if subprocess.run([*command[:6], "true"], capture_output=True).returncode:
        print("a system without namespaces is NOT TRIED: this one has none to begin with")
        return
    done = subprocess.run(command, capture_output=True, text=True)
    told = json.loads(done.stdout)
    judged.validate(told)
    missing = [one.split(":")[0] for one in told["sandbox"]["missing"]]
    assert done.returncode == 0 and missing == LAYERS[:2] and told["sandbox"]["has"] == LAYERS[2:], told
    done = subprocess.run([*command, "--confined"], capture_output=True, text=True)
    assert done.returncode == 2 and not done.stdout and "was not run: the sandbox lacks namespaces" in done.stderr, done


if not wanted:
    with tempfile.TemporaryDirectory() as folder, Grader() as grader:
        if confined(grader, folder):
            options(folder, grader)
            installed(folder)
        unconfined(folder)
    assert not wrong, "\n".join(wrong)
    # The command, whose replay gives the same verdict.
    with Grader() as grader:
        verdict = grader.grade(GRADE / "softmax_triton.py", GRADE / "scale.py", entry="none", tol=0.5)
    assert verdict.verdict == "no_build" and verdict.replay.endswith(" --entry none --tol 0.5"), verdict
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
