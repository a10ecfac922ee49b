"""cuda.core: devices, memory pools, C++ templates compiled to PTX and to a cubin, linked objects, graphs; results by value."""
import numpy as np
from cuda.core import Device, LaunchConfig, Linker, LinkerOptions, PinnedMemoryResource, Program, ProgramOptions, launch
from cuda.core.graph import GraphDefinition

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
COUNT = """
extern "C" __device__ __cudart_builtin__ void CUDARTAPI cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);
extern "C" __global__ void count(int *p, int most, cudaGraphConditionalHandle h) { cudaGraphSetConditional(h, ++*p < most); }
extern "C" __global__ void add(int *p, int by) { p[threadIdx.x] += by; }
"""

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

# Graphs: a loop that a kernel ends, by capture; nodes one by one, with a host function, and their objects gone with them.
module = compiled(COUNT, "ptx")
count, add = module.get_kernel("count"), module.get_kernel("add")
numbers = Host(np.int32)
builder = device.create_graph_builder().begin_building()
condition = builder.create_condition(default_value=1)
body = builder.while_loop(condition).begin_building()
launch(body, LaunchConfig(grid=1, block=1), count, numbers.buffer, np.int32(10), np.uint64(int(condition.handle)))
body.end_building()
graph = builder.end_building().complete()
for _ in range(3):
    numbers.array[0] = 0
    graph.launch(stream)
    stream.sync()
    assert numbers.array[0] == 10, numbers.array[0]
graph.close()
builder.close()

called = []
nodes = GraphDefinition()
first = nodes.launch(LaunchConfig(grid=1, block=256), add, numbers.buffer, np.int32(5))
condition = nodes.create_condition(default_value=0)
branches = first.if_else(condition)
branches.then.launch(LaunchConfig(grid=1, block=256), add, numbers.buffer, np.int32(1000))
branches.else_.launch(LaunchConfig(grid=1, block=256), add, numbers.buffer, np.int32(10))
branches.callback(lambda: called.append(1))
assert len(nodes.nodes()) == 3
graph = nodes.instantiate()
want = np.where(np.arange(n) < 256, 15, 0) + numbers.array
graph.launch(stream)
stream.sync()
assert (numbers.array == want).all() and called == [1], called
graph.close()
