"""cuda.bindings, driver half and NVRTC: modules, launches, streams, events, errors; results by value."""
import ctypes

import numpy as np
from cuda.bindings import driver, nvrtc
from device import Array, begin, ok

SCALE = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 p, .param .f32 f, .param .u32 n)
{
    .reg .b64 %a, %o; .reg .b32 %i, %n, %c, %t; .reg .f32 %v, %f; .reg .pred %p;
    ld.param.u64 %a, [p]; ld.param.f32 %f, [f]; ld.param.u32 %n, [n];
    mov.u32 %i, %ctaid.x; mov.u32 %c, %ntid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %i, %c, %t;
    setp.ge.u32 %p, %i, %n; @%p ret;
    mul.wide.u32 %o, %i, 4; add.u64 %a, %a, %o;
    ld.global.f32 %v, [%a]; mul.f32 %v, %v, %f; st.global.f32 [%a], %v; ret;
}
"""

device = begin()
assert ok(driver.cuDeviceGetName(64, device)).startswith(b"ptxvm (sm_")
major = ok(driver.cuDeviceGetAttribute(driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))
assert major == 9, major

module = ok(driver.cuModuleLoadData(SCALE))
scale = ok(driver.cuModuleGetFunction(module, b"scale"))
values = np.random.default_rng(1).random(1000, dtype=np.float32)
array = Array(values)
stream = ok(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
events = [ok(driver.cuEventCreate(0)) for _ in range(2)]
types = (ctypes.c_void_p, ctypes.c_float, ctypes.c_uint)
ok(driver.cuEventRecord(events[0], stream))
for factor in (2.5, 3.0):
    ok(driver.cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, stream, ((array.at, factor, values.size), types), 0))
ok(driver.cuEventRecord(events[1], stream))
ok(driver.cuStreamSynchronize(stream))
assert ok(driver.cuEventElapsedTime(*events)) > 0
assert (array.numpy() == values * np.float32(2.5) * np.float32(3.0)).all()


# CUDA C++ by NVRTC: what it gives as PTX, and as the cubin for this device, is run.
CUBES = b"""
template <typename T> __global__ void cubes(T *out, int n) {
    __shared__ T part[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = (T)i;
    __syncthreads();
    T v = part[blockDim.x - 1 - threadIdx.x];
    if (i < n) out[i] = v * v * v;
}
"""


def compiled(text, architecture, name, size_of, get):
    program = ok(nvrtc.nvrtcCreateProgram(text, b"cubes.cu", 0, [], []))
    ok(nvrtc.nvrtcAddNameExpression(program, name))
    options = [b"--std=c++17", b"--gpu-architecture=" + architecture]
    code, = nvrtc.nvrtcCompileProgram(program, len(options), options)
    log = b" " * ok(nvrtc.nvrtcGetProgramLogSize(program))
    ok(nvrtc.nvrtcGetProgramLog(program, log))
    if code != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        return None, log
    image = b" " * ok(size_of(program))
    ok(get(program, image))
    lowered = ok(nvrtc.nvrtcGetLoweredName(program, name))
    ok(nvrtc.nvrtcDestroyProgram(program))
    return image, lowered


for architecture, size_of, get in ((b"compute_80", nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX), (b"sm_90", nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN)):
    image, name = compiled(CUBES, architecture, b"cubes<long long>", size_of, get)
    cubes = ok(driver.cuModuleGetFunction(ok(driver.cuModuleLoadData(image)), name))
    out = Array(np.zeros(1000, np.int64))
    ok(driver.cuLaunchKernel(cubes, 16, 1, 1, 64, 1, 1, 0, stream, ((out.at, 1000), (ctypes.c_void_p, ctypes.c_int)), 0))
    ok(driver.cuStreamSynchronize(stream))
    at = np.arange(1000)
    assert (out.numpy() == (at // 64 * 64 + 63 - at % 64) ** 3).all()
image, log = compiled(CUBES.replace(b"__syncthreads", b"__syncthread"), b"sm_90", b"cubes<int>", nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN)
assert image is None and b"__syncthread" in log, log

# What is wrong has the driver's codes.
code, _ = driver.cuModuleGetFunction(module, b"nothing")
assert code == driver.CUresult.CUDA_ERROR_NOT_FOUND, code
code, = driver.cuMemcpyHtoD(array.at + 4, values.ctypes.data, values.nbytes)
assert code == driver.CUresult.CUDA_ERROR_INVALID_VALUE, code
array.free()
ok(driver.cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, 0, ((array.at, 1.0, 1000), types), 0))
code, = driver.cuCtxSynchronize()
assert code == driver.CUresult.CUDA_ERROR_ILLEGAL_ADDRESS, code
print("PASSED")
