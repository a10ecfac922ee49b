"""Uses an installed ptxvm: the command beside this Python, and the module. Argument: nvcc's PTX of saxpy."""

import importlib.metadata
import os
import subprocess
import sys

import numpy as np

import ptxvm

saxpy = sys.argv[1]
assert os.path.dirname(ptxvm.binary()) == os.path.dirname(sys.executable), ptxvm.binary()
assert b'"schema"' in subprocess.run([ptxvm.binary(), "version", "--json"], capture_output=True, check=True).stdout

# A launch: arrays are read and written, numbers take the types of the parameters.
x, y = np.arange(8, dtype=np.float32), np.ones(8, np.float32)
result = ptxvm.run(saxpy, 8, 2.5, ptxvm.In(x), y, block=32)
assert result.ok and result.outcome == "done" and result.launches[0].block == [32, 1, 1], result
np.testing.assert_array_equal(y, np.float32(2.5) * x + 1)
np.testing.assert_array_equal(x, np.arange(8))

# Shapes and strides are kept; a scalar of numpy has its own type.
y = np.ones((2, 8), np.float32).T[:, ::2]
ptxvm.run(saxpy, np.int32(8), np.float32(1), ptxvm.In(x), y, block=(32, 1, 1), kernel=None)
np.testing.assert_array_equal(y.ravel(), x + 1)

# A fault is an exception with the report, and nothing is copied back.
y = np.ones(8, np.float32)
try:
    ptxvm.run(saxpy, 9, 2.5, ptxvm.In(x), y, block=32)
    raise AssertionError("a load past the end went through")
except ptxvm.RunError as error:
    assert error.result.exit == 3 and error.result.fault.code == "P7001" and "P7001" in str(error), error.result
np.testing.assert_array_equal(y, np.ones(8))
assert ptxvm.run(saxpy, 9, 2.5, ptxvm.In(x), y, block=32, check=False).fault.thread == [8, 0, 0]

# Sanitizers report what the kernel reads before anything wrote it.
result = ptxvm.run(saxpy, 8, 2.5, ptxvm.In(x), ptxvm.Out(y), block=32, sanitize="init", check=False)
assert result.exit == 3 and result.sanitizer[0].code == "P8001", result

# Words that the command does not know are its error, with its message.
try:
    ptxvm.run(saxpy, 8, 2.5, ptxvm.In(x), y, blok=32)
    raise AssertionError("blok was taken")
except ptxvm.RunError as error:
    assert error.result.exit == 2 and "--blok" in str(error), error.result

# Verdicts, of files and of text.
assert ptxvm.check(saxpy) and ptxvm.check(open(saxpy, "rb").read(), arch="sm_90")
bad = ptxvm.check(open(saxpy).read().replace("fma.rn.f32", "fma.rn.f33"))
assert not bad and bad.diagnostics[0].severity == "error" and bad.message, bad
try:
    ptxvm.check("no-such-file.ptx")
    raise AssertionError("a file that is not there was judged")
except ValueError as error:
    assert "no-such-file" in str(error)

# The package is the command, and is found by PyTorch and pytest; outside exec it does nothing.
assert subprocess.run([sys.executable, "-m", "ptxvm", "version"], capture_output=True, check=True).stdout.startswith(b"ptxvm")
points = {p.group: p for p in importlib.metadata.distribution("ptxvm").entry_points}
assert points["torch.backends"].load()() is None and points["pytest11"].value == "ptxvm.pytest_plugin", points
