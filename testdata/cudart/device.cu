// What programs ask of the device, of kernels and of occupancy; errors of launches, by thread.
// stderr: a launch of kernel(int*) is refused: 512 threads a block, and the kernel allows 256 (.maxntid, __launch_bounds__)
#include "check.h"
#include <cstring>
#include <thread>
extern "C" { cudaError_t cudaProfilerStart(); cudaError_t cudaProfilerStop(); } // of a header that not every toolkit has

__global__ void __launch_bounds__(256) kernel(int *p) { extern __shared__ int s[]; s[threadIdx.x] = 1; __syncthreads(); if (p) p[threadIdx.x] = s[threadIdx.x ^ 1]; }
__global__ void fixed(double *p) { __shared__ double d[100]; d[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = d[99 - threadIdx.x]; }

int main() {
  int n = 0, v = 0;
  CHECK(cudaGetDeviceCount(&n));
  EXPECT(n >= 1);
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  EXPECT(strlen(p.name) > 0 && p.warpSize == 32 && p.major >= 7 && p.multiProcessorCount >= 1);
  EXPECT(p.maxThreadsPerBlock == 1024 && p.maxThreadsDim[2] == 64 && p.maxGridSize[0] == 2147483647 && p.maxGridSize[1] == 65535);
  EXPECT(p.totalGlobalMem > 1 << 20 && p.sharedMemPerBlock == 48 << 10 && p.sharedMemPerBlockOptin >= p.sharedMemPerBlock);
  EXPECT(p.managedMemory && p.unifiedAddressing && p.concurrentKernels && p.cooperativeLaunch && p.canMapHostMemory && p.l2CacheSize > 0);
  const struct { cudaDeviceAttr attribute; long value; } same[] = {
    {cudaDevAttrMultiProcessorCount, p.multiProcessorCount}, {cudaDevAttrComputeCapabilityMajor, p.major}, {cudaDevAttrComputeCapabilityMinor, p.minor},
    {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor}, {cudaDevAttrMaxSharedMemoryPerMultiprocessor, (long)p.sharedMemPerMultiprocessor},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, (long)p.sharedMemPerBlockOptin}, {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
    {cudaDevAttrTotalConstantMemory, (long)p.totalConstMem}, {cudaDevAttrAsyncEngineCount, p.asyncEngineCount}, {cudaDevAttrL2CacheSize, p.l2CacheSize},
    {cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth}, {cudaDevAttrReservedSharedMemoryPerBlock, (long)p.reservedSharedMemPerBlock},
    {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor}, {cudaDevAttrMemoryPoolsSupported, p.memoryPoolsSupported},
  };
  for (auto &s : same) { CHECK(cudaDeviceGetAttribute(&v, s.attribute, 0)); EXPECT(v == s.value); }
  EXPECT(cudaSetDevice(n) == cudaErrorInvalidDevice);
  EXPECT(cudaGetLastError() == cudaErrorInvalidDevice && cudaGetLastError() == cudaSuccess);

  cudaFuncAttributes f;
  CHECK(cudaFuncGetAttributes(&f, fixed));
  EXPECT(f.sharedSizeBytes == 800 && f.numRegs > 0 && f.maxThreadsPerBlock == 1024);
  CHECK(cudaFuncGetAttributes(&f, kernel));
  EXPECT(f.maxThreadsPerBlock == 256);
  int blocks = 0, size = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 1024));
  EXPECT(blocks * 256 <= p.maxThreadsPerMultiProcessor && blocks >= 1);
  CHECK(cudaOccupancyMaxPotentialBlockSize(&blocks, &size, kernel, 0, 0));
  EXPECT(size > 0 && size <= 256 && size % 32 == 0 && blocks >= p.multiProcessorCount);

  kernel<<<1, 256, 1024>>>(nullptr);
  CHECK(cudaGetLastError());
  kernel<<<1, 512, 2048>>>(nullptr);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
  kernel<<<1, 2048, 1024>>>(nullptr);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  kernel<<<0, 32, 1024>>>(nullptr);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  kernel<<<1, 256, 60 << 10>>>(nullptr);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 60 << 10));
  kernel<<<1, 256, 60 << 10>>>(nullptr);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  std::thread([] { kernel<<<0, 1>>>(nullptr); EXPECT(cudaPeekAtLastError() == cudaErrorInvalidConfiguration); }).join();
  CHECK(cudaPeekAtLastError());
  EXPECT(!strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") && !strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));
  CHECK(cudaDriverGetVersion(&v));
  EXPECT(v >= 13000);
  void *args[] = {&v};
  static int *null = nullptr;
  args[0] = &null;
  CHECK(cudaLaunchKernel((const void *)kernel, dim3(2), dim3(64), args, 256, 0));
  EXPECT(cudaLaunchKernel((const void *)main, dim3(1), dim3(1), args, 0, 0) == cudaErrorInvalidDeviceFunction);
  cudaGetLastError();

  int runtime, chosen = -1;
  unsigned flags;
  cudaFuncCache cache;
  CHECK(cudaRuntimeGetVersion(&runtime));
  EXPECT(runtime >= 13000 && runtime <= v);
  CHECK(cudaChooseDevice(&chosen, &p));
  EXPECT(chosen == 0);
  CHECK(cudaInitDevice(0, 0, 0));
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  CHECK(cudaGetDeviceFlags(&flags));
  EXPECT(flags & cudaDeviceScheduleBlockingSync);
  CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  CHECK(cudaDeviceGetCacheConfig(&cache));
  EXPECT(cache == cudaFuncCachePreferL1);
  CHECK(cudaCtxResetPersistingL2Cache());
  CHECK(cudaProfilerStart());
  CHECK(cudaProfilerStop());
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaStreamGetDevice(s, &chosen));
  EXPECT(chosen == 0);
  CHECK(cudaDeviceReset());
  return passed();
}
