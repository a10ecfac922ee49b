"""Triton without torch: vector add, softmax, matmul, an atomic histogram, attention, autotune, tensor descriptors; results by value."""
import numpy as np
import triton
import triton.language as tl
from device import Array, begin


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * columns + i, e / tl.sum(e, axis=0), mask=i < columns)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        left = tl.load(a + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        right = tl.load(b + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        total = tl.dot(left, right, total)
    tl.store(c + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def histogram(x, counts, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(counts + tl.load(x + i, mask=i < n, other=0), 1, mask=i < n)


@triton.jit
def attention(q, k, v, out, scale, N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """A block of rows of one head, causal, with the running maximum and sum of flash attention."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    head = tl.program_id(1) * N * D
    d = tl.arange(0, D)
    left = tl.load(q + head + rows[:, None] * D + d[None, :], mask=rows[:, None] < N, other=0.0)
    top = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    result = tl.zeros((BM, D), tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        columns = start + tl.arange(0, BN)
        inside = columns[:, None] < N
        keys = tl.load(k + head + columns[:, None] * D + d[None, :], mask=inside, other=0.0)
        values = tl.load(v + head + columns[:, None] * D + d[None, :], mask=inside, other=0.0)
        scores = tl.dot(left, tl.trans(keys)) * scale
        scores = tl.where(rows[:, None] >= columns[None, :], scores, -float("inf"))
        higher = tl.maximum(top, tl.max(scores, axis=1))
        weights = tl.exp(scores - higher[:, None])
        shrink = tl.exp(top - higher)
        total = total * shrink + tl.sum(weights, axis=1)
        result = tl.dot(weights.to(tl.float16), values, result * shrink[:, None])
        top = higher
    tl.store(out + head + rows[:, None] * D + d[None, :], result / total[:, None], mask=rows[:, None] < N)


timed = []  # the configurations that the benchmarker saw


def bench(call, quantiles):
    """A benchmarker without a clock: each configuration runs, the one that was tried last is the fastest."""
    call()
    timed.append(len(timed))
    return [1.0 / len(timed)] * len(quantiles)


@triton.autotune(configs=[triton.Config({"BLOCK": b}, num_warps=w) for b, w in ((64, 1), (128, 4), (256, 2))], key=["n"], do_bench=bench)
@triton.jit
def scale(x, out, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


@triton.jit
def doubled(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """Boxes by descriptors that the kernel makes, which are tensor maps on devices that have them."""
    source = tl.make_tensor_descriptor(x, [M, N], [N, 1], [BM, BN])
    target = tl.make_tensor_descriptor(out, [M, N], [N, 1], [BM, BN])
    at = [tl.program_id(0) * BM, tl.program_id(1) * BN]
    target.store(at, source.load(at) * 2)


begin()
rng = np.random.default_rng(1)

n = 5000
x, y = rng.random(n, dtype=np.float32), rng.random(n, dtype=np.float32)
out = Array(np.zeros(n, np.float32))
add[(triton.cdiv(n, 256),)](Array(x), Array(y), out, n, BLOCK=256)
assert (out.numpy() == x + y).all()

rows, columns = 33, 781
x = rng.standard_normal((rows, columns), dtype=np.float32)
out = Array(np.zeros_like(x))
softmax[(rows,)](Array(x), out, columns, BLOCK=1024)
wide = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
np.testing.assert_allclose(out.numpy(), wide / wide.sum(axis=1, keepdims=True), rtol=1e-5, atol=1e-8)

# Small whole numbers: every sum is exact in float32, whatever the order.
M, N, K = 100, 70, 90
a = rng.integers(-4, 5, (M, K)).astype(np.float16)
b = rng.integers(-4, 5, (K, N)).astype(np.float16)
out = Array(np.zeros((M, N), np.float32))
matmul[(triton.cdiv(M, 32), triton.cdiv(N, 32))](Array(a), Array(b), out, M, N, K, BM=32, BN=32, BK=32)
assert (out.numpy() == a.astype(np.float32) @ b.astype(np.float32)).all()

values = rng.integers(0, 16, 3000).astype(np.int32)
counts = Array(np.zeros(16, np.int32))
histogram[(triton.cdiv(values.size, 256),)](Array(values), counts, values.size, BLOCK=256)
assert (counts.numpy() == np.bincount(values, minlength=16)).all()

heads, N, D = 2, 75, 32
q, k, v = (rng.standard_normal((heads, N, D)).astype(np.float16) for _ in range(3))
out = Array(np.zeros((heads, N, D), np.float32))
attention[(triton.cdiv(N, 32), heads)](Array(q), Array(k), Array(v), out, D**-0.5, N, D=D, BM=32, BN=32)
wide = np.einsum("hid,hjd->hij", q.astype(np.float64), k.astype(np.float64)) * D**-0.5
wide = np.exp(np.where(np.tri(N, dtype=bool), wide, -np.inf))
wide = np.einsum("hij,hjd->hid", wide / wide.sum(axis=2, keepdims=True), v.astype(np.float64))
np.testing.assert_allclose(out.numpy(), wide, rtol=0, atol=4e-3)  # weights are rounded to float16

x, out = rng.random(n, dtype=np.float32), Array(np.zeros(n, np.float32))
for factor in (2.0, 3.0):
    scale[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](Array(x), out, factor, n)
    assert (out.numpy() == x * np.float32(factor)).all()
assert len(timed) == 3 and scale.best_config.kwargs["BLOCK"] == 256, (timed, scale.best_config)

triton.set_allocator(lambda size, alignment, stream: Array(np.zeros(size, np.uint8)))
x = rng.random((100, 96), dtype=np.float32)
out = Array(np.zeros_like(x))
doubled[(4, 3)](Array(x), out, 100, 96, BM=32, BN=32)
assert (out.numpy() == x * 2).all()
print("PASSED")
