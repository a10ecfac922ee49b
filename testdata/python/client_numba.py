"""numba: vector add, a sum in shared memory with barriers and an atomic, random numbers, a barrier of the whole grid, a function in
CUDA C++, both ways to link; results by value."""
import warnings

import numpy as np
from numba import cuda, float32, int32
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

warnings.simplefilter("ignore")  # small grids


@cuda.jit
def add(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


@cuda.jit
def total(x, out):
    part = cuda.shared.array(128, int32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    half = 64
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        cuda.atomic.add(out, 0, part[0])


@cuda.jit
def inside(states, counts, rounds):
    i = cuda.grid(1)
    n = 0
    for _ in range(rounds):
        x = xoroshiro128p_uniform_float32(states, i)
        y = xoroshiro128p_uniform_float32(states, i)
        if x * x + y * y <= float32(1):
            n += 1
    counts[i] = n


POLYNOMIAL = cuda.CUSource("""
extern "C" __device__ int polynomial(double *out, double x) { *out = (x - 2.0) * x + 0.5; return 0; }
""")
polynomial = cuda.declare_device("polynomial", "float64(float64)", link=POLYNOMIAL)


def values_of(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = polynomial(x[i])


@cuda.jit("void(int32[:,::1])")
def rows(m):
    column, grid = cuda.grid(1), cuda.cg.this_grid()
    for row in range(1, m.shape[0]):
        m[row, column] = m[row - 1, m.shape[1] - 1 - column] + column % 2  # from the other block
        grid.sync()


rng = np.random.default_rng(1)
x, y = rng.random(1000, dtype=np.float32), rng.random(1000, dtype=np.float32)
out = cuda.device_array(1000, np.float32)
add[4, 256](cuda.to_device(x), cuda.to_device(y), out)
assert (out.copy_to_host() == x + y).all()

values = rng.integers(-1000, 1000, 1024).astype(np.int32)
out = cuda.to_device(np.zeros(1, np.int32))
total[8, 128](cuda.to_device(values), out)
assert out.copy_to_host()[0] == values.sum()

threads, rounds = 256, 200
counts = cuda.device_array(threads, np.int32)
inside[2, 128](create_xoroshiro128p_states(threads, seed=1), counts, rounds)
# A share of pi/4 of 51,200 points; five standard deviations are 0.036 of pi.
pi = 4 * counts.copy_to_host().sum() / (threads * rounds)
assert abs(pi - np.pi) < 0.037, pi

# Intermediate code, linked by nvJitLink, and PTX.
x = rng.random(300)
for lto in (True, False):
    out = cuda.device_array(x.size)
    cuda.jit(lto=lto)(values_of)[3, 128](cuda.to_device(x), out)
    np.testing.assert_allclose(out.copy_to_host(), (x - 2) * x + 0.5, rtol=0, atol=1e-15)  # a product may be fused

m, want = cuda.to_device(np.zeros((9, 64), np.int32)), np.zeros((9, 64), np.int32)
rows[2, 32](m)
for row in range(1, 9):
    want[row] = want[row - 1, ::-1] + np.arange(64) % 2
assert (m.copy_to_host() == want).all()
print("PASSED")
