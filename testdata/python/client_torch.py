"""PyTorch on the device: its own operators against the CPU's, networks, Triton on its tensors, streams, graphs, and what is refused."""
import copy
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from ptxvm.cuda import array

cuda = torch.device("cuda", 0)
torch.manual_seed(0)


def same(device, cpu, **tolerance):
    """Values, shape and type of a tensor of the device are those of one of the CPU."""
    assert device.is_cuda and device.shape == cpu.shape and device.dtype == cpu.dtype, (device.shape, device.dtype, cpu.shape, cpu.dtype)
    torch.testing.assert_close(device.cpu(), cpu, **tolerance)


def both(function, *tensors, **tolerance):
    """A function gives the same on the device and on the CPU."""
    cpu = function(*[t.clone() for t in tensors])
    device = function(*[t.to(cuda) for t in tensors])
    for d, c in zip(device, cpu) if isinstance(cpu, (tuple, list)) else [(device, cpu)]:
        same(d, c, **tolerance)


def refused(function, kind, *words):
    """A function raises an error that says these words."""
    try:
        function()
    except kind as error:
        assert all(word in str(error) for word in words), error
        return
    raise AssertionError(f"no error with {words}")


def test_private_names():
    from ptxvm.torch import _names

    assert _names.missing() == [], f"PyTorch {torch.__version__} no longer has {_names.missing()}"
    kept = dict(_names.PRIVATE)
    _names.PRIVATE["gone"] = "torch._C._no_such_name"
    refused(_names.check, ImportError, "torch._C._no_such_name", torch.__version__)
    del _names.PRIVATE["gone"]
    assert _names.PRIVATE == kept


def test_views_and_slices():
    a = torch.arange(24.0, device=cuda).view(4, 6)
    a[1:3, ::2].mul_(10).add_(1)
    want = torch.arange(24.0).view(4, 6)
    want[1:3, ::2].mul_(10).add_(1)
    same(a, want)
    assert a.t().data_ptr() == a.data_ptr() and a.view(24).data_ptr() == a.data_ptr()
    same(a.t().contiguous(), want.t().contiguous())
    same(a.unfold(1, 3, 2), want.unfold(1, 3, 2))
    same(a.as_strided((3, 3), (6, 2), 1).clone(), want.as_strided((3, 3), (6, 2), 1).clone())
    out = torch.empty(0, device=cuda)
    torch.add(a, 1, out=out)
    same(out, want + 1)
    a.resize_(2, 2)
    same(a, want.resize_(2, 2))


def test_zeros():
    """Zeros that are given back to the system, and those that are written, are zeros, and end where the tensor does."""
    from ptxvm.torch import _memory

    def free():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[2]) * os.sysconf("SC_PAGESIZE")  # shared pages, in which the device's memory lies

    words = _memory.LEAST_EMPTIED // 4
    for most in words, 1 << 40:
        x = torch.full((words + 5000,), 7, dtype=torch.int32, device=cuda)
        part, held = x[1001 : 1001 + words], free()
        kept, _memory.LEAST_EMPTIED = _memory.LEAST_EMPTIED, most * 4
        part.zero_()
        assert (free() < held - most * 4 + (1 << 20)) == (most == words), (held, free())
        _memory.LEAST_EMPTIED = kept
        assert x.count_nonzero().item() == 5000 and x[1000].item() == x[1001 + words].item() == 7 and part.sum().item() == 0
        part[::2].zero_()
        part.view(-1)[3] = 5
        assert x[1004].item() == 5


def test_indexing():
    a, i = torch.randn(6, 5), torch.tensor([4, 0, 2])
    both(lambda a, i: (a[i], a[:, i], a[a > 0], a[i, 1:4], a.index_select(1, i), a.gather(0, i.view(1, 3)), a.take(i)), a, i)

    def write(a, i):
        a[i] = 7
        a[a < 0] = 0.5
        a[0, i] += 3
        return a.index_add(0, i, torch.ones_like(a[i])).scatter_add(0, i.view(3, 1), torch.ones_like(a[:3, :1])).masked_fill(a > 6, -1)

    both(write, a, i)
    same(a.to(cuda)[i], a[i])  # the CPU's indices
    both(lambda a: (a.nonzero(), torch.where(a > 0, a, 0.25), torch.where(a > 0, 1.0, a)), a)


def test_types():
    a, b = torch.randn(5, 7), torch.randn(7, 3)
    for kind in torch.float16, torch.bfloat16, torch.float64, torch.complex64, torch.complex128:
        x, y = a.to(kind), b.to(kind)
        both(lambda x, y: (x @ y, x + 1, x * 2.5, (x * x).sum(), x.t().conj().resolve_conj(), -x), x, y)
    for kind in torch.float8_e4m3fn, torch.float8_e5m2:
        both(lambda x: x.to(kind).float(), a)
    both(lambda x: (x // 3, x % 3, x << 1, x & 6, x.bool(), x.double() / 3), torch.arange(-8, 8))
    z = torch.randn(4, 4, dtype=torch.complex64)
    both(lambda z: (z.conj() @ z, z.conj() + 1, z.imag.neg(), torch.view_as_real(z)), z)
    # A number is no tensor of its type: half of a 0-dimensional tensor stays half.
    h = torch.tensor(3.0, dtype=torch.float16)
    both(lambda h: (h * 2.5, h + 1, torch.where(h > 0, h, 2.5), h.clamp(max=2.0), torch.lerp(h, h, 0.5)), h)


def test_wide():
    """Products and sums of 16 bits are rounded once, as on a GPU; long sums of float32 are exact to the last bits."""
    a, b = torch.randn(8, 4096).half(), torch.randn(4096, 8).half()
    same(a.to(cuda) @ b.to(cuda), (a.double() @ b.double()).half(), rtol=1e-3, atol=1e-3)
    ones = torch.full((1 << 16,), 0.1)
    assert ones.to(cuda).sum().item() == ones.double().sum().float().item()
    assert torch.ones(5000, dtype=torch.bfloat16, device=cuda).cumsum(0)[-1].item() == 4992  # 5000, rounded once
    assert F.softmax(a.to(cuda), -1, dtype=torch.float32).dtype == torch.float32
    refused(lambda: a.to(cuda) @ b.float().to(cuda), RuntimeError, "dtype")


def test_norms():
    for kind, tolerance in (torch.float32, 1e-5), (torch.float16, 2e-3), (torch.bfloat16, 1.6e-2):
        x = torch.randn(6, 32, dtype=torch.float64)
        w, b, g = torch.randn(32, dtype=torch.float64), torch.randn(32, dtype=torch.float64), torch.randn(6, 32, dtype=torch.float64)
        for norm in lambda x, w, b: F.layer_norm(x, (32,), w, b), lambda x, w, b: F.rms_norm(x, (32,), w, 1e-5) + 0 * b, lambda x, w, b: F.group_norm(x, 4, w, b):
            exact = [t.to(kind).double().requires_grad_() for t in (x, w, b)]
            norm(*exact).backward(g.to(kind).double())
            ours = [t.to(cuda, kind).requires_grad_() for t in (x, w, b)]
            y = norm(*ours)
            y.backward(g.to(cuda, kind))
            for o, e in zip(ours, exact):
                same(o.grad, e.grad.to(kind), rtol=tolerance, atol=4 * tolerance)


def test_algebra():
    m = torch.randn(6, 6)
    spd = m @ m.t() + 6 * torch.eye(6)
    both(lambda a: (torch.linalg.cholesky(a), torch.linalg.inv(a), torch.linalg.solve(a, a[0]), torch.linalg.det(a), torch.linalg.eigvalsh(a), torch.linalg.svdvals(a)), spd, rtol=1e-3, atol=1e-4)
    both(lambda a: (a.sort()[0], a.sort()[1], a.topk(2)[0], a.cumsum(1), a.cummax(1)[0], a.argmax(1), a.unique(), a.median(), torch.fft.rfft(a).abs(), a.logsumexp(1)), m, rtol=1e-5, atol=1e-5)
    both(lambda a: torch._foreach_mul(torch._foreach_add([a, a.t()], 1), [2.0, 3.0]), m)
    both(lambda a: torch.einsum("ij,kj->ik", a, a), m, rtol=1e-5, atol=1e-5)


def test_devices():
    a = torch.ones(3, device=cuda)
    refused(lambda: a + torch.ones(3), RuntimeError, "Expected all tensors to be on the same device", "cuda:0 and cpu")
    refused(lambda: a @ torch.ones(3), RuntimeError, "Expected all tensors to be on the same device")
    same(a + torch.tensor(2.0), torch.full((3,), 3.0))


def test_random():
    def draws():
        return torch.randn(4, device=cuda), torch.randint(9, (4,), device=cuda), F.dropout(torch.ones(64, device=cuda)), torch.randperm(9, device=cuda)

    before = torch.random.get_rng_state()
    torch.cuda.manual_seed(5)
    first, second = draws(), draws()
    torch.cuda.manual_seed(5)
    again = draws()
    assert all(torch.equal(x, y) for x, y in zip(first, again)) and not torch.equal(first[0], second[0])
    assert torch.equal(before, torch.random.get_rng_state()), "the CPU's generator has moved"
    state = torch.cuda.get_rng_state()
    x = torch.rand(3, device=cuda)
    torch.cuda.set_rng_state(state)
    assert torch.equal(x, torch.rand(3, device=cuda))
    one, two = (torch.rand(3, device=cuda, generator=torch.Generator(cuda).manual_seed(3)) for _ in range(2))
    assert torch.equal(one, two)
    big = torch.randn(20000, device=cuda)
    assert abs(big.mean().item()) < 0.05 and abs(big.std().item() - 1) < 0.05


def train(device, model, x, y, steps=3):
    model = copy.deepcopy(model).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x.to(device)), y.to(device))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def test_networks():
    nn = torch.nn
    x, y = torch.randn(4, 3, 8, 8), torch.randint(0, 10, (4,))
    net = nn.Sequential(nn.Conv2d(3, 6, 3, groups=3), nn.BatchNorm2d(6), nn.GELU(), nn.MaxPool2d(2), nn.Conv2d(6, 6, 1), nn.Flatten(), nn.Linear(54, 10))
    np.testing.assert_allclose(train(cuda, net, x, y), train("cpu", net, x, y), rtol=1e-3)
    encoder = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
    tokens = torch.randn(2, 5, 16)
    same(copy.deepcopy(encoder).to(cuda)(tokens.to(cuda)), encoder(tokens), rtol=1e-4, atol=1e-5)
    for layer in nn.LSTM(4, 5, 2), nn.GRU(4, 5), nn.LSTMCell(4, 5):
        steps = torch.randn(2, 4) if isinstance(layer, nn.LSTMCell) else torch.randn(3, 2, 4)
        grads = []
        for device in "cpu", cuda:
            one, input = copy.deepcopy(layer).to(device), steps.detach().clone().to(device).requires_grad_()
            one(input)[0].square().sum().backward()
            grads.append([p.grad.cpu() for p in one.parameters()] + [input.grad.cpu()])
        for c, d in zip(*grads):
            torch.testing.assert_close(d, c, rtol=1e-4, atol=1e-5)


def test_attention():
    q, k, v = (torch.randn(1, 2, 6, 8) for _ in range(3))
    both(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), q, k, v, rtol=1e-4, atol=1e-5)
    with torch.autocast("cuda", torch.bfloat16):
        out = torch.nn.functional.linear(q.to(cuda), k[0, 0].to(cuda))
    assert out.dtype == torch.bfloat16
    same(out.float(), F.linear(q, k[0, 0]), rtol=2e-2, atol=2e-2)


@triton.jit
def scale(x, out, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


def scaled(x, factor):
    out = torch.empty_like(x)
    scale[(triton.cdiv(x.numel(), 128),)](x, out, factor, x.numel(), BLOCK=128)
    return out


def test_streams():
    """Operators come behind the kernels of their stream, whatever the stream; events order streams."""
    x = torch.arange(300.0)
    a = x.to(cuda)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        b = scaled(scaled(a, 2.0) + 1, 3.0)
        done = side.record_event()
    done.wait()
    same(scaled(b - 1, 0.5), ((x * 2 + 1) * 3 - 1) * 0.5)
    assert triton.testing.do_bench(lambda: scaled(a, 2.0), warmup=1, rep=1) > 0


def test_exchange():
    a = torch.arange(6.0, device=cuda)
    b = torch.from_dlpack(a)
    assert b.data_ptr() == a.data_ptr() and b.device == cuda
    assert a.__cuda_array_interface__["data"][0] == a.data_ptr()
    lent = array(np.arange(6, dtype=np.float32))  # an array of ptxvm.cuda
    c = torch.from_dlpack(lent)
    assert c.data_ptr() == lent.data_ptr()
    same(scaled(c, 3.0), torch.arange(6.0) * 3)
    c.add_(1)
    scale[(1,)](lent, lent, 2.0, 6, BLOCK=128)
    assert lent.numpy().tolist() == [2, 4, 6, 8, 10, 12]
    pinned = torch.arange(6.0).pin_memory()
    same(pinned.to(cuda, non_blocking=True), torch.arange(6.0))


def test_refused():
    q = torch.randn(1, 1, 2, 8, device=cuda).half()
    refused(lambda: torch.ops.aten._scaled_dot_product_flash_attention(q, q, q), NotImplementedError, "_scaled_dot_product_flash_attention has no CPU kernel", "scaled_dot_product_attention does")
    # A graph may change tensors that are there; new ones need PyTorch's own allocator.
    x, graph = torch.ones(4, device=cuda), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        x.mul_(2)
        scale[(1,)](x, x, 3.0, 4, BLOCK=128)
        x.add_(1)
    graph.replay()
    graph.replay()
    same(x, torch.full((4,), 43.0))

    def capture():
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            x + 1

    refused(capture, RuntimeError, "aten::add.Tensor cannot make a tensor in a graph", "PYTORCH_NO_CUDA_MEMORY_CACHING=0")


def child(source, **environment):
    """What a process of its own prints."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", source], env=os.environ | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_processes():
    """Graphs, which need PyTorch's own allocator; --sanitize init; and silence where ptxvm is not."""
    own = {name: value for name, value in os.environ.items() if name != "PYTORCH_NO_CUDA_MEMORY_CACHING"}
    os.environ.clear()
    os.environ.update(own)
    graph = """
import torch
x = torch.zeros(8, device="cuda"); total = torch.zeros(8, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = (x + 1) * 2
    total.add_(y)
for v in 5.0, 6.0:
    x.fill_(v); g.replay(); torch.cuda.synchronize(); print(y[0].item(), total[7].item())
"""
    assert child(graph).split() == ["12.0", "12.0", "14.0", "26.0"], child(graph)
    os.environ["PYTORCH_NO_CUDA_MEMORY_CACHING"] = "1"
    reads = """
import torch, triton, triton.language as tl, sys
sys.path.insert(0, %r)
from client_torch import scaled
a = torch.ones(100, device="cuda"); a[3:90:2] = 5
print(scaled(a, 2.0).sum().item()); print("good over", flush=True)
scaled(torch.empty(100, device="cuda"), 2.0); torch.cuda.synchronize()
""" % os.path.dirname(os.path.abspath(__file__))
    told = child(reads, PTXVM_SANITIZE="init:loads", PTXVM_ERROR_EXITCODE="0")
    assert "P8001" in told and "552.0" in told, told
    assert child("import torch; from ptxvm import torch as t; print(t._installed, torch.cuda._queued_calls.__len__())", PTXVM_EXEC="").split()[0] == "False"


SUITE = """
import os, pytest, torch, triton
from ptxvm.testing import reports

here = os.getpid()
target = triton.runtime.driver.active.get_current_target() if torch.cuda.is_available() else None
many = torch.cuda.get_device_properties("cuda").multi_processor_count
assert torch.cuda.device_count() == 1 and torch.cuda.is_bf16_supported() and torch.cuda.get_device_name() == torch.cuda.get_device_name(0)
with pytest.raises(Exception, match="nvalid device"):
    torch.cuda.get_device_name(7)
assert not reports.begun()


@pytest.mark.skipif(torch.cuda.get_device_capability() < (9, 0), reason="an old GPU")
def test_isolated():
    assert os.getpid() != here and target.arch == 90 and torch.cuda.get_device_properties(0).multi_processor_count == many
    assert torch.ones(3, device="cuda").sum().item() == 3
"""


def test_pytest():
    """What a suite asks of the device while it is collected begins no CUDA there: tests are forked from the process that has collected them."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "test_suite.py")
        with open(path, "w") as file:
            file.write(SUITE)
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", path], capture_output=True, text=True)
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr


WRONG = """
import torch, triton, triton.language as tl

@triton.jit
def double(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, 2 * tl.load(x + i, mask=i < n))

def test_double():
    x = torch.randn(100, device="cuda")
    out = torch.empty_like(x)
    double[(1,)](x, out, 100, BLOCK=128)
    torch.testing.assert_close(out, 2 * x)
"""


def test_fault():
    """A fault is one error, of the line of the test that heard of it, and the report names the kernel's line."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "test_wrong.py")
        with open(path, "w") as file:
            file.write(WRONG)
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", path], capture_output=True, text=True)
    assert done.returncode == 1 and "test_wrong.py:7:5: fault P7001" in done.stdout and "test_wrong.py:13: AcceleratorError" in done.stdout, done.stdout + done.stderr
    assert "During handling" not in done.stdout and "_call.py" not in done.stdout, done.stdout


def elsewhere(x):
    return (torch.arange(4.0, device=cuda) * x).sum().item()


def test_spawned():
    """Processes that a program starts have the operators, too, however they are started."""
    for kind in "spawn", "forkserver":
        with torch.multiprocessing.get_context(kind).Pool(1) as pool:
            assert pool.map(elsewhere, [2.0, 3.0]) == [12.0, 18.0], kind


def test_compile():
    def f(x, w):
        return F.gelu(x @ w).sum(1) * x[:, 0]

    x, w = torch.randn(8, 16), torch.randn(16, 8)
    want = [t.clone().requires_grad_() for t in (x, w)]
    f(*want).sum().backward()
    got = [t.to(cuda).requires_grad_() for t in (x, w)]
    torch.compile(f)(*got).sum().backward()
    for g, e in zip(got, want):
        same(g.grad, e.grad, rtol=1e-3, atol=1e-4)


def test_hints():
    package = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "packaging", "python")
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, "ptxvm"], cwd=package, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def main(names):
    for name, test in list(globals().items()):
        if name.startswith("test_") and (not names or name.removeprefix("test_") in names):
            print(name, flush=True)
            test()
    print("PASSED")


if __name__ == "__main__":
    main(sys.argv[1:])
