"""cuda.core: devices, memory pools, C++ templates compiled to PTX and to a cubin, linked objects; results by value."""
import numpy as np
from cuda.core import Device, LaunchConfig, Linker, LinkerOptions, PinnedMemoryResource, Program, ProgramOptions, launch

AXPY = """
template <typename T> __global__ void axpy(T a, const T *x, T *y, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (size_t)blockDim.x)
        y[i] += a * x[i];
}
"""
CALLER = """
extern __device__ int twice(int);
extern "C" __global__ void each(int *p) { p[threadIdx.x] = twice(p[threadIdx.x]); }
"""
CALLED = "__device__ int twice(int x) { return 2 * x; }"

device = Device()
device.set_current()
assert device.name.startswith("ptxvm (sm_"), device.name
arch = f"sm_{device.arch}"
stream = device.create_stream()
pinned = PinnedMemoryResource()
n = 1000
rng = np.random.default_rng(1)


def compiled(text, target, names=(), **options):
    return Program(text, code_type="c++", options=ProgramOptions(std="c++17", arch=arch, **options)).compile(target, name_expressions=names)


class Host:
    """Numbers in pinned memory, seen as an array."""

    def __init__(self, dtype):
        self.buffer = pinned.allocate(n * np.dtype(dtype).itemsize, stream=stream)
        stream.sync()
        self.array = np.from_dlpack(self.buffer).view(dtype)
        self.array[:] = rng.integers(-100, 100, n)


for target in ("ptx", "cubin"):
    templates = compiled(AXPY, target, ("axpy<float>", "axpy<long long>"))
    for name, dtype in (("axpy<float>", np.float32), ("axpy<long long>", np.int64)):
        x, y = Host(dtype), Host(dtype)
        want = y.array + 3 * x.array
        there, back = (device.memory_resource.allocate(x.buffer.size, stream=stream) for _ in range(2))
        x.buffer.copy_to(there, stream=stream)
        y.buffer.copy_to(back, stream=stream)
        launch(stream, LaunchConfig(grid=3, block=128), templates.get_kernel(name), dtype(3), there, back, np.uint64(n))
        back.copy_to(y.buffer, stream=stream)
        stream.sync()
        assert (y.array == want).all(), (target, name)

parts = [compiled(text, "ptx", relocatable_device_code=True) for text in (CALLER, CALLED)]
linked = Linker(*parts, options=LinkerOptions(arch=arch)).link("cubin")
numbers = Host(np.int32)
want = np.where(np.arange(n) < 256, 2, 1) * numbers.array
launch(stream, LaunchConfig(grid=1, block=256), linked.get_kernel("each"), numbers.buffer)
stream.sync()
assert (numbers.array == want).all()
print("PASSED")
