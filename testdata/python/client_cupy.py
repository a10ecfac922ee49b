# CuPy: elementwise operations, reductions, RawKernel, sort, scan, streams. Its sorts and scans are PTX for sm_120 in its
# wheel, so that it needs --arch sm_120.
import cupy
import numpy

rng = numpy.random.default_rng(1)
x = rng.standard_normal(5000).astype(numpy.float32)
n = rng.integers(0, 1000, 5000)
a, k = cupy.asarray(x), cupy.asarray(n)


def same(got, want, atol=0.0):
    numpy.testing.assert_allclose(cupy.asnumpy(got), want, rtol=1e-5, atol=atol)


same(a * 2 + cupy.sin(a), x * 2 + numpy.sin(x), 1e-5)
same(cupy.where(a > 0, a, -a), abs(x))
same(k.sum(), n.sum())
same(a.max(), x.max())
same(a.argmin(), x.argmin())
same(a.reshape(50, 100).mean(axis=0), x.reshape(50, 100).mean(axis=0), 1e-5)
same(k.reshape(100, 50).sum(axis=1), n.reshape(100, 50).sum(axis=1))

add = cupy.RawKernel(
    r"""extern "C" __global__ void add(const float *x, float *y, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) y[i] = x[i] + 1;
}""",
    "add",
)
y = cupy.zeros_like(a)
with cupy.cuda.Stream(non_blocking=True) as stream:
    add((20,), (256,), (a, y, numpy.int32(a.size)))
stream.synchronize()
same(y, x + 1)
square = cupy.ElementwiseKernel("T x", "T y", "y = x * x", "square")
same(square(k), n * n)

same(cupy.sort(k), numpy.sort(n))
same(cupy.argsort(k, kind="stable"), numpy.argsort(n, kind="stable"))
same(cupy.cumsum(k), numpy.cumsum(n))
same(cupy.unique(k), numpy.unique(n))
same(k[k > 500], n[n > 500])
print("PASSED")
