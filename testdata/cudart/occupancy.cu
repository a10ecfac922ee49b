// What kernels are like and how many fit: attributes, dynamic shared memory, block sizes, launches by address.
// stderr: a launch of large(int*) is refused: 80000 bytes of dynamic shared memory, and it may have 49152 (cudaFuncAttributeMaxDynamicSharedMemorySize)
// stderr: a launch of bounded(int*) is refused: 129 threads a block, and the kernel allows 128 (.maxntid, __launch_bounds__)
#include "check.h"
#include <cstring>
#include <cuda_occupancy.h>

__global__ void plain(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = i; }
__global__ void __launch_bounds__(128) bounded(int *p) { __shared__ int s[512]; s[threadIdx.x] = threadIdx.x; __syncthreads(); p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; }
__global__ void large(int *p) {
  extern __shared__ int s[];
  for (int i = threadIdx.x; i < 20000; i += blockDim.x) s[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) for (int i = 0; i < 20000; i += 1999) *p += s[19999 - i];
}
struct Many { int v[100]; double d; };
__global__ void many(Many m, char c, double *out) { double s = m.d + c; for (int v : m.v) s += v; *out = s; }

// A kernel that keeps many values, so that registers bound how many of its CTAs a multiprocessor holds.
__global__ void wide(float *p) {
  float v[96];
  for (int i = 0; i < 96; i++) v[i] = p[i * 1024 + threadIdx.x];
  __syncthreads();
  for (int i = 0; i < 96; i++) p[i * 1024 + threadIdx.x] = v[95 - i] * v[i];
}

// The rules by which NVIDIA's header counts, with the attributes that are told here, for each block size.
template <class F> static void counted(F *kernel, int shared) {
  cudaDeviceProp device;
  cudaFuncAttributes a;
  CHECK(cudaGetDeviceProperties(&device, 0));
  CHECK(cudaFuncGetAttributes(&a, kernel));
  const cudaOccDeviceProp properties(device);
  const cudaOccFuncAttributes attributes(a);
  const cudaOccDeviceState state;
  for (int threads = 1; threads <= 1024; threads += threads % 32 ? 31 : 32) {
    cudaOccResult want;
    int blocks;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&want, &properties, &attributes, &state, threads, shared) != CUDA_OCC_SUCCESS) continue;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
    if (blocks == want.activeBlocksPerMultiprocessor) continue;
    printf("%d threads of %d registers, %d bytes: %d, not %d\n", threads, a.numRegs, shared, blocks, want.activeBlocksPerMultiprocessor);
    exit(1);
  }
}

int main() {
  counted(plain, 0);
  counted(plain, 20000);
  counted(bounded, 1000);
  counted(wide, 0);
  cudaFuncAttributes a;
  CHECK(cudaFuncGetAttributes(&a, wide));
  EXPECT(a.numRegs >= 96);
  int few;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&few, wide, 256, 0));
  EXPECT(few == 2);
  CHECK(cudaFuncGetAttributes(&a, bounded));
  EXPECT(a.maxThreadsPerBlock == 128 && a.sharedSizeBytes == 2048 && a.numRegs > 0 && a.ptxVersion >= 50 && a.binaryVersion >= 50);
  CHECK(cudaFuncGetAttributes(&a, plain));
  EXPECT(a.maxThreadsPerBlock == 1024);
  int grid, block, blocks, sms;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain, 0, 0));
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  EXPECT(block % 32 == 0 && block > 0 && grid >= sms);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 256, 0));
  EXPECT(blocks == 8);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, plain, 1024, 40 << 10, cudaOccupancyDefault));
  EXPECT(blocks == 2);
  size_t dynamic;
  CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, plain, 2, 256));
  EXPECT(dynamic > 48 << 10);
  const int bytes = 20000 * sizeof(int);
  int *p;
  CHECK(cudaMallocManaged(&p, 1024 * sizeof(int)));
  *p = 0;
  large<<<1, 128, bytes>>>(p);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue); // it must be asked for
  CHECK(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  CHECK(cudaFuncSetCacheConfig(large, cudaFuncCachePreferShared));
  CHECK(cudaFuncSetAttribute(large, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  large<<<1, 128, bytes>>>(p);
  CHECK(cudaDeviceSynchronize());
  int want = 0;
  for (int i = 0; i < 20000; i += 1999) want += 19999 - i;
  EXPECT(*p == want);
  EXPECT(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20) == cudaErrorInvalidValue);
  cudaGetLastError();
  bounded<<<1, 129>>>(p);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue); // the driver's answer to more threads than the kernel allows
  CHECK(cudaFuncSetAttribute(large, cudaFuncAttributeSharedMemoryMode, cudaSharedMemoryModeRequirePortable));
  large<<<1, 128, bytes>>>(p);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFuncGetAttributes(&a, large));
  EXPECT(a.sharedMemoryMode == cudaSharedMemoryModeRequirePortable && a.maxDynamicSharedSizeBytes == bytes);
  CHECK(cudaFuncSetAttribute(large, cudaFuncAttributeSharedMemoryMode, cudaSharedMemoryModeDefault));

  Many m = {};
  for (int i = 0; i < 100; i++) m.v[i] = i;
  m.d = 0.5;
  char c = 3;
  double *out;
  CHECK(cudaMallocManaged(&out, sizeof(double)));
  void *args[] = {&m, &c, &out};
  CHECK(cudaLaunchKernel((const void *)many, dim3(1), dim3(1), args, 0, 0));
  CHECK(cudaDeviceSynchronize());
  EXPECT(*out == 4950 + 3.5);
  const char *name;
  CHECK(cudaFuncGetName(&name, (const void *)many));
  EXPECT(strstr(name, "many"));
  size_t offset, size;
  CHECK(cudaFuncGetParamInfo((const void *)many, 2, &offset, &size));
  EXPECT(offset == 416 && size == 8);
  cudaFunction_t f;
  CHECK(cudaGetFuncBySymbol(&f, (const void *)many));
  EXPECT(f != nullptr);
  return passed();
}
