"""`python -m ptxvm serve`: no request lost and none answered twice, whatever ends; by lines and by HTTP.

PTXVM_GRADE_MANY is the number of candidates in a row (60), PTXVM_GRADE_SIGNALS=all has a candidate die by every signal.
"""
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import jsonschema

from ptxvm.grading import schema

GRADE = pathlib.Path(__file__).resolve().parent.parent / "grade"
MANY = int(os.environ.get("PTXVM_GRADE_MANY", "60"))
REFERENCE = str(GRADE / "scale.py")
RIGHT = """extern "C" __global__ void k(float *x, int n, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] * 3;
}"""
PRELUDE = (GRADE / "prelude.py").read_text()
judged = jsonschema.Draft202012Validator(schema())


def python(body):
    return {"text": f"{PRELUDE}\n\ndef run(x, n, out):\n    {body}\n", "kind": "py"}


def cuda(text):
    return {"text": text, "kind": "cu"}


class Served:
    """A running `serve`. answers: what it has said so far, by id."""

    def __init__(self, folder, *flags):
        command = [sys.executable, "-m", "ptxvm", "serve", *flags]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": folder})
        self.answers, self.twice, self.nameless = {}, [], []
        self.thread = threading.Thread(target=self._read)
        self.thread.start()

    def _read(self):
        for line in self.process.stdout:
            answer = json.loads(line)
            number = answer.pop("id")
            if number is None:
                self.nameless.append(answer)
            elif number in self.answers:
                self.twice.append(number)
            else:
                self.answers[number] = answer

    def ask(self, number, candidate, reference=REFERENCE, **options):
        self.say(json.dumps({"id": number, "candidate": candidate, "reference": reference, "options": options}))

    def say(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def wait(self, number, seconds=120):
        """The answer to a request."""
        until = time.monotonic() + seconds
        while number not in self.answers:
            assert time.monotonic() < until, f"no answer to {number}; there are {len(self.answers)}"
            assert self.thread.is_alive(), "serve has ended"
            time.sleep(0.02)
        return self.answers[number]

    def end(self):
        """Close its input; its status, when all is answered."""
        self.process.stdin.close()
        self.thread.join(600)
        return self.process.wait(10)


def children(pid):
    """The processes that one has started: of a `serve`, its warm parents."""
    found = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            found += map(int, pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text().split())
    return found


def below(pid):
    """The processes below one."""
    return [one for child in children(pid) for one in (child, *below(child))]


def ours(pid):
    """Whether a process is a warm parent, or forked from one."""
    with contextlib.suppress(OSError):
        return b"ptxvm.grading.parent" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def gone(pids, seconds=10):
    until = time.monotonic() + seconds
    while alive := [one for one in pids if os.path.exists(f"/proc/{one}") and not ended(one)]:
        assert time.monotonic() < until, f"{alive} are left"
        time.sleep(0.05)


def ended(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX"
    return True


def size(pid):
    """Open files, and bytes of its own, of a process."""
    fields = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
    return len(os.listdir(f"/proc/{pid}/fd")), int(fields["RssAnon"].split()[0]) << 10


def confined(served):
    """Whether candidates in Python may run here: with all layers of the sandbox."""
    served.ask("control", cuda(RIGHT), trials=1)
    answer = served.wait("control")
    judged.validate(answer)
    assert answer["verdict"] == "ok", answer
    if answer["sandbox"]["missing"]:
        print("candidates in Python are NOT RUN: this system lacks", answer["sandbox"]["missing"])
    return not answer["sandbox"]["missing"]


def many(folder):
    """Candidates in a row, good, bad and no requests at all; a warm parent that is killed; nothing grows."""
    served = Served(folder, "--jobs", "2")
    safe = confined(served)
    want, sizes = {}, {}
    wrong = RIGHT.replace("* 3", "* 2")
    for number in range(MANY):
        kind = number % 4
        want[number] = ("ok", "wrong", "ok", "no_build")[kind]
        served.ask(number, cuda((RIGHT, wrong, RIGHT, "int k(")[kind]), trials=1, sanitize="", timeout=60)
        if number % 20 == 5:
            served.say("this is no request")
        if number == MANY // 3:
            os.kill(children(served.process.pid)[0], signal.SIGKILL)
        if number == MANY // 2:
            served.wait(number, 120 + MANY)
            sizes = {one: size(one) for one in (served.process.pid, *children(served.process.pid))}
    for number in want:
        served.wait(number, 120 + MANY)
    assert len(sizes) == 3, sizes
    for one, (files, memory) in sizes.items():
        after, most = size(one)
        assert after <= files + 2, f"open files grow from {files} to {after}"
        assert most < memory + (16 << 20), f"memory grows from {memory} to {most}"
    got = {number: served.answers[number]["verdict"] for number in want}
    assert got == want, {n: served.answers[n] for n in want if got[n] != want[n]}
    assert served.end() == 0 and not served.twice and served.nameless and all("no JSON" in one["error"] for one in served.nameless)
    return safe


def bad_requests(folder):
    served = Served(folder, "--jobs", "1", "--references", str(GRADE))
    asked = {
        1: ({"candidate": 5, "reference": "scale.py"}, "candidate: want"),
        2: ({"candidate": cuda(RIGHT), "reference": "../../README.md"}, "reference: want a file in"),
        3: ({"candidate": cuda(RIGHT), "reference": "none.py"}, "No such file"),
        4: ({"candidate": cuda(RIGHT), "reference": "scale.py", "options": {"trails": 3}}, "no option trails"),
        5: ({"candidate": cuda(RIGHT), "reference": "scale.py", "options": {"trials": "3"}}, "trials: want"),
        6: ({"candidate": {"text": "", "kind": "exe"}, "reference": "scale.py"}, "kind is"),
        7: ({"candidate": cuda(RIGHT), "reference": "scale.py", "more": 1}, "no field more"),
        8: ({"candidate": cuda(RIGHT), "reference": "scale.py", "options": {"inputs": {"arguments": [{"shape": ["m"]}]}}}, "'m' is no number"),
        9: ({"candidate": "none.cu", "reference": "scale.py"}, "No such file"),
        10: ({"candidate": cuda(RIGHT), "reference": "scale.py", "options": {"forbid": ["os.system"]}}, "forbid: want"),
    }
    for number, (fields, _) in asked.items():
        served.say(json.dumps({"id": number, **fields}))
    served.say("[" * 100000)
    served.say("x" * (17 << 20))
    assert served.end() == 0
    for number, (_, message) in asked.items():
        assert message in served.answers[number]["error"], (number, served.answers[number])
    assert len(served.nameless) == 2 and "at most" in served.nameless[1]["error"], served.nameless


def signals(folder):
    """A candidate that dies by a signal is a crash, and the next one has nothing of it."""
    stops = {signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}
    passes = {signal.SIGCHLD, signal.SIGURG, signal.SIGWINCH, signal.SIGCONT, signal.SIGPIPE, signal.SIGXFSZ}  # Python ignores the last two
    every = os.environ.get("PTXVM_GRADE_SIGNALS") == "all"
    chosen = sorted(signal.valid_signals()) if every else [signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM, signal.SIGXCPU, signal.SIGSTOP, signal.SIGPIPE]
    served = Served(folder, "--jobs", "2")
    for number in chosen:
        body = f"os.kill(os.getpid(), {int(number)}); honest(x, n, out)"
        served.ask(int(number), python(body), trials=1, timeout=3 if number in stops else 60)
    assert served.end() == 0
    for number in chosen:
        answer = served.answers[int(number)]
        want = {"timeout"} if number in stops else {"ok"} if number in passes else {"crash"}
        if number == signal.SIGXCPU:
            want = {"timeout"}
        if number == signal.SIGUSR1:
            want = {"ok", "crash"}  # Triton's LLVM has a handler
        assert answer["verdict"] in want, (number, answer)
    return len(chosen)


def ends(folder):
    """Ctrl-C, SIGTERM and SIGKILL end all children; nothing but SIGKILL leaves files."""
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)):
        served = Served(folder, "--jobs", "2")
        for one in range(2):
            served.ask(one, python("import time; time.sleep(60)"), timeout=60)
        until = time.monotonic() + 60
        while sum(map(ours, below(served.process.pid))) < 8:  # each parent, and the three processes of its child
            assert time.monotonic() < until, below(served.process.pid)
            time.sleep(0.05)
        all_ = below(served.process.pid)
        served.process.send_signal(number)
        served.thread.join(30)
        assert served.process.wait(10) == status, (number, served.process.returncode)
        gone(all_)
        served.process.stdin.close()
        left = os.listdir(folder)
        assert number == signal.SIGKILL or not left, left


def full_disk(folder):
    """Where nothing can be written there is an error that says so, and no verdict."""
    if subprocess.run(["unshare", "-Urm", "mount", "-t", "tmpfs", "none", folder], capture_output=True).returncode:
        print("a full disk is NOT TRIED: no namespaces here")
        return
    shell = f'mount -t tmpfs -o size=16k none {folder} && exec "$@"'
    command = [sys.executable, "-m", "ptxvm", "grade", str(GRADE / "softmax_triton.py"), str(GRADE / "softmax.py")]
    done = subprocess.run(["unshare", "-Urm", "sh", "-c", shell, "sh", *command], capture_output=True, text=True, env={**os.environ, "TMPDIR": folder})
    assert done.returncode == 2 and "No space left" in done.stderr, done


def by_http(folder):
    command = [sys.executable, "-m", "ptxvm", "serve", "--jobs", "2", "--http", ":0", "--references", str(GRADE)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": folder})
    address = server.stderr.readline().strip().removeprefix("http://")

    def call(method, path, body=None, **headers):
        with contextlib.closing(http.client.HTTPConnection(address, timeout=120)) as connection:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())

    def post(fields, **headers):
        return call("POST", "/", json.dumps(fields), **(headers or {"Content-Type": "application/json"}))

    good = {"id": "a", "candidate": cuda(RIGHT), "reference": "scale.py", "options": {"trials": 1}}
    try:
        assert call("GET", "/schema") == (200, schema())
        status, answer = post(good)
        assert status == 200 and answer.pop("id") == "a" and answer["verdict"] == "ok", answer
        judged.validate(answer)
        told = []
        threads = [threading.Thread(target=lambda i=i: told.append(post({**good, "id": i}))) for i in range(8)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert sorted(answer["id"] for _, answer in told) == list(range(8)) and all(status == 200 for status, _ in told), told
        assert post({**good, "candidate": "/etc/passwd.py"})[0] == 400
        assert post({**good, "reference": str(GRADE.parent / "python" / "device.py")})[0] == 400
        assert post({**good, "reference": "none.py"})[0] == 422
        assert post(good, **{"Content-Type": "text/plain"})[0] == 400
        assert call("GET", "/none")[0] == 404 and call("POST", "/", "{", **{"Content-Type": "application/json"})[0] == 400
        status, health = call("GET", "/health")
        assert status == 200 and health["parents"] == 2 and health["answered"] == 10, health
        everyone = below(server.pid)
    finally:
        server.send_signal(signal.SIGINT)
        assert server.wait(20) == 130
        server.stderr.close()
    gone(everyone)


with tempfile.TemporaryDirectory() as scratch:
    for number, step in enumerate((many, bad_requests, signals, ends, full_disk, by_http)):
        if step in (signals, ends) and not safe:
            continue
        place = os.path.join(scratch, str(number))
        os.mkdir(place)
        start = time.monotonic()
        told = step(place)
        if step is many:
            safe = told
        print(f"{step.__name__}: {time.monotonic() - start:.1f} s", flush=True)
        shutil.rmtree(place)
print("PASSED")
