"""The plug-in of pytest: what a test does wrong fails that test, with the report in its section, and no other."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))

# A kernel that adds 1 to n words; tests pass more than there are, or words without values.
COMMON = '''
import sys
sys.path.insert(0, %r)
import numpy as np
from cuda.bindings import driver
from device import ok
from ptxvm.cuda import array, empty, synchronize

PTX = b""".version 8.0
.target sm_75
.address_size 64
.visible .entry add(.param .u64 at, .param .u32 n)
{
	.reg .b64 %%a, %%o; .reg .b32 %%i, %%n, %%v; .reg .pred %%p;
	ld.param.u64 %%a, [at]; ld.param.u32 %%n, [n];
	mov.u32 %%i, %%tid.x; setp.ge.u32 %%p, %%i, %%n;
	@%%p ret;
	mul.wide.u32 %%o, %%i, 4; add.u64 %%a, %%a, %%o;
	ld.global.u32 %%v, [%%a]; add.u32 %%v, %%v, 1; st.global.u32 [%%a], %%v;
	ret;
}
"""

kept = []


def address(a):
    kept.append(a)  # until the process ends
    return a.data_ptr()


def add(at, n, wait=True):
    module = ok(driver.cuModuleLoadData(PTX))
    kernel = ok(driver.cuModuleGetFunction(module, b"add"))
    values = (np.array([at], np.uint64), np.array([n], np.uint32))
    arguments = np.array([v.ctypes.data for v in values], np.uint64)
    ok(driver.cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, 0, arguments.ctypes.data, 0))
    if wait:
        ok(driver.cuCtxSynchronize())
''' % HERE

TESTS = '''
import os, signal, time, warnings
import pytest
from common import *


@pytest.fixture(scope="module")
def device():
    synchronize()


def test_right(device):
    a = array(np.arange(8, dtype=np.uint32))
    add(a.data_ptr(), 8)
    assert a.numpy().tolist() == list(range(1, 9))


def test_fault(device):
    add(address(array(np.zeros(8, np.uint32))), 9)


def test_fault_unseen(device):
    add(address(array(np.zeros(8, np.uint32))), 9, wait=False)


def test_after(device, tmp_path):
    warnings.warn("a warning of the test")
    (tmp_path / "x").write_text("x")
    add(address(array(np.zeros(8, np.uint32))), 8)


@pytest.mark.ptxvm(sanitize="init:loads")
def test_without_value(device):
    add(address(empty(8, np.uint32)), 8)


def test_without_value_unwatched(device):
    add(address(empty(8, np.uint32)), 8)


@pytest.mark.ptxvm(arch="sm_100")
def test_arch(device):
    major = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
    assert ok(driver.cuDeviceGetAttribute(major, 0)) == 10


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_signal(number):
    print("last words", flush=True)
    os.kill(os.getpid(), number)


def test_exit():
    os._exit(0)


@pytest.mark.ptxvm(timeout=0.5)
def test_slow():
    time.sleep(60)


@pytest.mark.xfail
def test_expected():
    assert False


def test_skipped():
    pytest.skip("a reason")
'''

WRONG = {"test_fault", "test_fault_unseen", "test_without_value", "test_signal", "test_exit", "test_slow"}


def pytest(*arguments, files=None, **environment):
    """Run tests in a folder of their own; the text and the JUnit report, as outcomes and elements by name."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"common.py": COMMON, "test_it.py": TESTS, **(files or {})}.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(textwrap.dedent(text))
        command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--junit-xml=junit.xml", *arguments]
        done = subprocess.run(command, cwd=folder, env=os.environ | environment, capture_output=True, text=True)
        text = done.stdout + done.stderr
        assert "INTERNALERROR" not in text, text
        cases = {c.get("name"): c for c in xml.etree.ElementTree.parse(os.path.join(folder, "junit.xml")).iter("testcase")}
        leaked = [n for n in os.listdir(folder) if n.endswith(".jsonl")]
        assert not leaked, leaked
    return text, cases


def failed(cases):
    return {name.partition("[")[0] for name, case in cases.items() if case.find("failure") is not None or case.find("error") is not None}


def section(text, name):
    """What stands below a failed test's title."""
    return re.search(rf"_+ {re.escape(name)} _+\n(.*?)(?=\n_{{5,}} |\n={{5,}} )", text, re.S).group(1)


def test_each_alone():
    text, cases = pytest()
    assert len(cases) == 14 and failed(cases) == WRONG, text
    for name, code in ("test_fault", "P7001"), ("test_fault_unseen", "P7001"), ("test_without_value", "P8001"):
        assert code in section(text, name) and "kernel add" in section(text, name), section(text, name)
        properties = [p.get("value") for p in cases[name].iter("property") if p.get("name") == "ptxvm"]
        assert len(properties) == 1 and code in properties[0], properties
    assert text.count("P7001: ") >= 2 and not list(cases["test_after"].iter("property"))
    assert "signal 9" in section(text, "test_signal[9]") and "last words" in section(text, "test_signal[9]")
    assert "status 0" in section(text, "test_exit") and "longer than 0.5 s" in section(text, "test_slow")
    assert "a warning of the test" in text and "a reason" in str(xml.etree.ElementTree.tostring(cases["test_skipped"]))


def test_files():
    """A child for a file: its fixtures are set up once, until a test ends it."""
    counted = """
        import os, pytest

        @pytest.fixture(scope="module")
        def once(): return os.getpid()

        def test_1(once): assert once == os.getpid() != os.getppid()
        def test_2(once): assert once == os.getpid(); print("pid", once); assert os.environ.get("first") is None; os.environ["first"] = "1"
        def test_3(once): assert os.environ["first"] == "1"
        def test_4(once): os._exit(1)
        def test_5(once): assert "first" not in os.environ
    """
    text, cases = pytest("--ptxvm-isolate=file", "test_counted.py", "test_it.py", files={"test_counted.py": counted})
    assert failed(cases) == {"test_4", *WRONG}, text
    assert "test_5 PASSED" in text and "test_1 PASSED" in text, text


def test_reports():
    for mode, wrong in ("warn", {"test_fault"}), ("off", {"test_fault"}):
        text, cases = pytest(f"--ptxvm-reports={mode}", "-k", "fault or value")
        assert failed(cases) == wrong, text
        assert ("ptxvm has reports" in text) == (mode == "warn"), text


def test_workers():
    text, cases = pytest("-n", "2")
    assert len(cases) == 14 and failed(cases) == WRONG, text


EARLY = """
    import os, signal, pytest
    from common import *

    held = array(np.zeros(8, np.uint32))

    @pytest.fixture(scope="module")
    def once(): return os.getpid()

    @pytest.mark.parametrize("n", [8, 9])
    def test_bounds(n): add(held.data_ptr(), n); assert held.numpy()[0] == 1
    def test_signal(once): os.kill(os.getpid(), signal.SIGSEGV)
    def test_alone(once): assert held.numpy().sum() == 0 and os.getpid() == once; print("made in", once)
    @pytest.mark.ptxvm(sanitize="init", timeout=0.5)
    def test_settings():
        assert os.environ["PTXVM_SANITIZE"] == "init"
        while True: pass
"""


def test_begun():
    """Where CUDA begins while tests are collected they are collected again in each child, which is forked from a process without it."""
    for flags in [], ["-n", "2"], ["--ptxvm-isolate=file"]:
        text, cases = pytest("test_early.py", *flags, files={"test_early.py": EARLY})
        assert len(cases) == 5 and failed(cases) == {"test_bounds", "test_signal", "test_settings"} and "CUDA had begun" not in text, text
        assert cases["test_bounds[8]"].find("failure") is None and "P7001" in section(text, "test_bounds[9]"), text
        assert "signal 11" in section(text, "test_signal") and "longer than 0.5 s" in section(text, "test_settings"), text
    files = {"conftest.py": "from common import *\nheld = array(np.zeros(8, np.uint32))\n", "test_early.py": "from conftest import *\ndef test_early(): add(held.data_ptr(), 8)\n"}
    text, cases = pytest("test_early.py", files=files)
    assert failed(cases) == set() and "CUDA had begun before tests were collected" in text, text
    changing = "from common import *\nheld = array(np.zeros(8, np.uint32))\nif not os.path.exists('once'):\n    open('once', 'w')\n    def test_once(): pass\n"
    text, cases = pytest("test_early.py", files={"test_early.py": "import os\n" + changing})
    assert failed(cases) == {"test_once"} and "collected again" in text, text


def test_outside():
    """Without exec the options are there, and nothing else."""
    text, cases = pytest("--ptxvm-reports=warn", "-k", "skipped or expected", PTXVM_EXEC="")
    assert len(cases) == 2 and not failed(cases), text
    text, _ = pytest("-k", "mistaken", files={"test_it.py": "import pytest\n@pytest.mark.ptxvm(sanitise='all')\ndef test_mistaken(): pass\n"})
    assert "not sanitise" in text.replace("'", ""), text


def test_array():
    """Values go to the device and come back; what is wrong is an error that says so."""
    import numpy as np
    from ptxvm.cuda import CUDAError, array, empty

    for values in np.arange(6.0).reshape(2, 3).T, np.array(3.5), np.array([], np.int8), np.array([[True], [False]]), np.arange(4) * 1j:
        a = array(values)
        assert a.shape == values.shape and a.dtype == values.dtype and a.nbytes == values.nbytes and np.array_equal(a.numpy(), values), a
    a = array([1, 2, 3], np.float32)
    a.set([4, 5, 6])
    face = a.__cuda_array_interface__
    assert face["data"] == (a.data_ptr(), False) and face["shape"] == (3,) and face["typestr"] == "<f4" and len(a) == 3 and np.asarray(a).sum() == 15
    assert a.__dlpack_device__() == (2, 0) and "dltensor" in repr(a.__dlpack__())
    for wrong, kind in (lambda: a.set([1, 2]), ValueError), (lambda: empty(1 << 50), CUDAError), (lambda: array(np.array(["a"])).__dlpack__(), BufferError):
        try:
            wrong()
        except kind:
            continue
        raise AssertionError(f"no {kind}")
    free = []
    for _ in range(50):
        array(np.zeros(1 << 20))
        free.append(free_bytes())
    assert free[0] == free[-1], "memory is not given back"


def free_bytes():
    """The bytes of the device that are free."""
    from cuda.bindings import driver

    return int(driver.cuMemGetInfo()[1])


def test_ends():
    """A run that is interrupted, or killed, leaves no child."""
    for number, status in (signal.SIGINT, 2), (signal.SIGKILL, -9):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "test_it.py"), "w") as file:
                file.write("import os, time\ndef test_it():\n    open('pid', 'w').write(str(os.getpid()))\n    os.rename('pid', 'child')\n    time.sleep(60)\n")
            run = subprocess.Popen([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            child = os.path.join(folder, "child")
            until(lambda: os.path.exists(child), run)
            with open(child) as file:
                pid = int(file.read())
            run.send_signal(number)
            out, _ = run.communicate(timeout=60)
            assert run.returncode == status, (run.returncode, out)
            until(lambda: not alive(pid), None)


def until(done, process):
    end = time.monotonic() + 60
    while not done():
        assert time.monotonic() < end and (process is None or process.poll() is None), "it does not happen"
        time.sleep(0.05)


def alive(pid):
    """Whether there is a process that has not ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_command():
    """`ptxvm pytest` is exec with pytest, and `python -m ptxvm` is the command."""
    command = [sys.executable, "-m", "ptxvm"]
    done = subprocess.run([*command, "version"], capture_output=True, text=True)
    assert done.returncode == 0 and "ptxvm" in done.stdout, done
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "test_it.py"), "w") as file:
            file.write("import os\ndef test_it(): assert os.environ['PTXVM_SEED'] == '3' and 'PTXVM_EXEC' in os.environ\n")
        outside = {name: value for name, value in os.environ.items() if name != "PTXVM_EXEC"} | {"VIRTUAL_ENV": sys.prefix}
        done = subprocess.run([*command, "pytest", "--seed", "3", "--", "-q", "-p", "no:cacheprovider", folder], env=outside, capture_output=True, text=True)
        assert done.returncode == 0 and "1 passed" in done.stdout, done
        done = subprocess.run([*command, "pytest", "--", "--no-such-option"], env=outside, capture_output=True, text=True)
        assert done.returncode == 4 and "--no-such-option" in done.stderr, done


def main(names):
    for name, test in list(globals().items()):
        if name.startswith("test_") and (not names or name.removeprefix("test_") in names):
            print(name, flush=True)
            test()
    print("PASSED")


if __name__ == "__main__":
    main(sys.argv[1:])
