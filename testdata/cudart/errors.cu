// Errors: the last one, those of launches, names and texts, calls that are wrong.
// stderr: a launch of nothing(int*) is refused: 65536 bytes of dynamic shared memory, and it may have 49152 (cudaFuncAttributeMaxDynamicSharedMemorySize)
// stderr: a launch of small() is refused: 65 threads a block, and the kernel allows 64 (.maxntid, __launch_bounds__)
#include "check.h"
#include <cstring>

__global__ void nothing(int *) {}
__global__ void __launch_bounds__(64) small() {}

int main() {
  int *p, value;
  CHECK(cudaPeekAtLastError());
  nothing<<<1, 2048>>>(nullptr);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaGetLastError() == cudaSuccess);
  nothing<<<0, 1>>>(nullptr);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  nothing<<<1, 1, 64 << 10>>>(nullptr);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  small<<<1, 65>>>();
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  EXPECT(cudaMalloc(&p, size_t(1) << 50) == cudaErrorMemoryAllocation);
  CHECK(cudaMalloc(&p, 64)); // a success does not clear the error before
  EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
  EXPECT(cudaMemcpy(p, &value, 65, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(p, &value, 4, (cudaMemcpyKind)77) == cudaErrorInvalidMemcpyDirection);
  EXPECT(cudaMemset(p, 0, 65) == cudaErrorInvalidValue);
  CHECK(cudaFree(p));
  EXPECT(cudaFree(p) == cudaErrorInvalidValue);
  EXPECT(cudaFree(&value) == cudaErrorInvalidValue);
  EXPECT(cudaSetDevice(9) == cudaErrorInvalidDevice);
  EXPECT(cudaStreamSynchronize((cudaStream_t)0x1234567) == cudaErrorInvalidResourceHandle);
  EXPECT(cudaEventRecord((cudaEvent_t)0x1234567, 0) == cudaErrorInvalidResourceHandle);
  EXPECT(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0) == cudaErrorInvalidValue);
  void (*f)() = [] {};
  cudaFuncAttributes a;
  EXPECT(cudaFuncGetAttributes(&a, (const void *)f) == cudaErrorInvalidDeviceFunction);
  EXPECT(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
  EXPECT(!strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation"));
  EXPECT(!strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"));
  EXPECT(!strcmp(cudaGetErrorString((cudaError_t)123456), "unrecognized error code"));
  CHECK(cudaDeviceSynchronize());
  return passed();
}
