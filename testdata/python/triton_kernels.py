"""Triton without torch: vector add, softmax, matmul and an atomic histogram; results by value."""
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
print("PASSED")
