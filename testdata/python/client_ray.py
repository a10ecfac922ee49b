"""ptxvm.ray on a local Ray: two workers, one of which is killed in the middle; no verdict is lost, none comes twice."""
import os
import pathlib
import signal
import tempfile

import ray

import ptxvm.ray

GRADE = pathlib.Path(__file__).resolve().parent.parent / "grade"
RIGHT = """extern "C" __global__ void k(float *x, int n, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] * FACTOR;
}"""
FACTORS = {"3": "ok", "2": "wrong", "q": "no_build"}


def workers():
    """The processes of Ray's actors here."""
    found = []
    for one in pathlib.Path("/proc").iterdir():
        if one.name.isdigit():
            try:
                line = (one / "cmdline").read_bytes()
            except OSError:
                continue
            if line.startswith(b"ray::_Worker"):
                found.append(int(one.name))
    return found


ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
with tempfile.TemporaryDirectory() as folder, ptxvm.ray.pool(2) as pool:
    candidates, want = [], []
    for i in range(24):
        factor = list(FACTORS)[i % 3]
        candidates.append(pathlib.Path(folder) / f"{i}.cu")
        candidates[-1].write_text(RIGHT.replace("FACTOR", factor))
        want.append(FACTORS[factor])
    got, killed = {}, 0
    for index, verdict in pool.grade(candidates, GRADE / "scale.py", trials=2, sanitize=""):
        assert index not in got, index
        got[index] = verdict.verdict
        if len(got) == 6:
            killed = workers()[0]
            os.kill(killed, signal.SIGKILL)
    assert [got[i] for i in range(24)] == want, got
    assert killed and killed not in workers(), (killed, workers())
    for bad in ({"trails": 1}, {"trials": 0}):
        try:
            list(pool.grade(candidates[:1], GRADE / "scale.py", **bad))
        except ValueError as error:
            assert list(bad)[0] in str(error), error
        else:
            raise AssertionError("no error")
    try:
        list(pool.grade(candidates[:1], GRADE / "prelude.py"))
    except ValueError as error:
        assert "has no function run" in str(error), error
    else:
        raise AssertionError("no error")
ray.shutdown()
print("PASSED")
