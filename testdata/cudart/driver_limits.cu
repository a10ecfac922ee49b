// What a function of the driver API allows a launch: threads, modes of shared memory, and the context that its module is of.
// stderr: a launch of k is refused: 65 threads a block, and the kernel allows 64 (.maxntid, __launch_bounds__)
// stderr: kernel k belongs to a module of another context than the current one
// flags: -lcuda
#include "driver.h"
#include <cstdint>

static const char *const module = R"(
.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 4 .b8 bytes[];
.visible .entry k(.param .u64 out, .param .u32 size) .maxntid 64
{
	.reg .b64 to; .reg .b32 n, at, v; .reg .pred other;
	mov.u32 v, %tid.x; setp.ne.u32 other, v, 0;
	@other ret;
	ld.param.u64 to, [out]; ld.param.u32 n, [size];
	mov.u32 at, bytes;
	add.u32 at, at, n;
	st.shared.u32 [at+-4], n;
	ld.shared.u32 v, [at+-4];
	st.global.u32 [to], v;
	ret;
})";

enum { PLAIN = 48 << 10 };

static CUdeviceptr out;

// launched is how a launch ends with some dynamic shared memory, whose last word the kernel uses.
static CUresult launched(CUfunction f, unsigned threads, unsigned bytes, int mode = -1) {
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE;
  attribute.value.sharedMemoryMode = CUsharedMemoryMode(mode);
  CUlaunchConfig c = {};
  c.gridDimX = c.gridDimY = c.gridDimZ = c.blockDimY = c.blockDimZ = 1, c.blockDimX = threads, c.sharedMemBytes = bytes;
  if (mode >= 0) c.attrs = &attribute, c.numAttrs = 1;
  void *arguments[] = {&out, &bytes};
  CUresult r = cuLaunchKernelEx(&c, f, arguments, nullptr);
  if (r != CUDA_SUCCESS) return r;
  DO(cuCtxSynchronize());
  uint32_t have;
  DO(cuMemcpyDtoH(&have, out, 4));
  EXPECT(have == bytes);
  return r;
}

static void modes(CUfunction f) {
  int most, value;
  DO(cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0));
  EXPECT(most > PLAIN);
  DO(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE, f));
  EXPECT(value == CU_SHARED_MEMORY_MODE_DEFAULT);
  const struct { int function, launch; unsigned limit; } rows[] = {
    {CU_SHARED_MEMORY_MODE_DEFAULT, -1, PLAIN},
    {CU_SHARED_MEMORY_MODE_DEFAULT, CU_SHARED_MEMORY_MODE_ALLOW_NON_PORTABLE, (unsigned)most},
    {CU_SHARED_MEMORY_MODE_ALLOW_NON_PORTABLE, -1, (unsigned)most},
    {CU_SHARED_MEMORY_MODE_ALLOW_NON_PORTABLE, CU_SHARED_MEMORY_MODE_DEFAULT, (unsigned)most},
    {CU_SHARED_MEMORY_MODE_ALLOW_NON_PORTABLE, CU_SHARED_MEMORY_MODE_REQUIRE_PORTABLE, PLAIN},
    {CU_SHARED_MEMORY_MODE_REQUIRE_PORTABLE, -1, PLAIN},
  };
  for (auto &r : rows) {
    DO(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE, r.function));
    DO(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE, f));
    EXPECT(value == r.function);
    DO(launched(f, 1, r.limit, r.launch));
    WANT(CUDA_ERROR_INVALID_VALUE, launched(f, 1, r.limit + 4, r.launch));
  }
  WANT(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE, 5));
  WANT(CUDA_ERROR_INVALID_VALUE, launched(f, 1, 4, 5));
  DO(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE, CU_SHARED_MEMORY_MODE_DEFAULT));
}

// Maps of every type of elements that has 32 bits are made, those that flush subnormals, too.
static void maps() {
  CUtensorMap map;
  const cuuint64_t dims[] = {64, 2}, strides[] = {256};
  const cuuint32_t box[] = {8, 2}, steps[] = {1, 1};
  void *at;
  DO(cuMemAlloc((CUdeviceptr *)&at, 512));
  for (auto type : {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ})
    DO(cuTensorMapEncodeTiled(&map, type, 2, at, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA));
}

int main() {
  CUcontext first = begin(), second;
  CUmodule m;
  CUfunction f, g;
  CUlibrary library;
  CUkernel k;
  DO(cuMemAlloc(&out, 4));
  DO(cuModuleLoadData(&m, module));
  DO(cuModuleGetFunction(&f, m, "k"));
  DO(launched(f, 64, 8));
  WANT(CUDA_ERROR_INVALID_VALUE, launched(f, 65, 8)); // .maxntid
  modes(f);
  maps();

  // A function belongs to the context that its module was loaded into; a kernel of a library is everybody's.
  DO(cuLibraryLoadData(&library, module, nullptr, nullptr, 0, nullptr, nullptr, 0));
  DO(cuLibraryGetKernel(&k, library, "k"));
  DO(cuCtxCreate(&second, nullptr, 0, 0));
  WANT(CUDA_ERROR_INVALID_HANDLE, launched(f, 1, 8));
  DO(launched((CUfunction)k, 1, 8));
  DO(cuModuleLoadData(&m, module));
  DO(cuModuleGetFunction(&g, m, "k"));
  DO(launched(g, 1, 8));
  DO(cuCtxSetCurrent(first));
  WANT(CUDA_ERROR_INVALID_HANDLE, launched(g, 1, 8));
  DO(launched(f, 1, 8));
  DO(launched((CUfunction)k, 1, 8));
  DO(cuCtxDestroy(second));
  return ended();
}
