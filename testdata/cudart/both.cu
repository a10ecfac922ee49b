// The Runtime API and the driver in one program that never calls cuInit: one current device, one context, streams and memory of
// either in calls of the other.
// flags: -lcuda
// env: PTXVM_DEVICES=2
#include "check.h"
#include <cuda.h>
#include <thread>

#define DO(call) EXPECT((call) == CUDA_SUCCESS)

__global__ void fill(int *p, int v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = v + i; }

static int runtime_device() { int d = -1; CHECK(cudaGetDevice(&d)); return d; }
static int driver_device() { CUdevice d = -1; DO(cuCtxGetDevice(&d)); return d; }

int main() {
  const int n = 500;
  CUcontext none = (CUcontext)1, now = nullptr, first;
  int *p, host[n];
  EXPECT(cuCtxGetCurrent(&none) == CUDA_ERROR_NOT_INITIALIZED); // nobody has called anything
  CHECK(cudaMalloc(&p, sizeof host));
  DO(cuMemsetD32Async((CUdeviceptr)p, 7, n, 0));
  CHECK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) EXPECT(host[i] == 7);

  // The runtime's context is the primary one, and current.
  unsigned flags;
  int active = 0;
  DO(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT(active);
  DO(cuCtxGetCurrent(&now));
  DO(cuDevicePrimaryCtxRetain(&first, 0));
  EXPECT(now != nullptr && now == first);
  DO(cuDevicePrimaryCtxRelease(0));
  DO(cuCtxGetCurrent(&now));
  EXPECT(now == first && driver_device() == 0); // the runtime holds it

  // What one chooses, both mean.
  CHECK(cudaSetDevice(1));
  EXPECT(driver_device() == 1);
  CUdeviceptr q;
  int ordinal = -1;
  DO(cuMemAlloc(&q, sizeof host));
  DO(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, q));
  EXPECT(ordinal == 1);
  cudaPointerAttributes at;
  CHECK(cudaPointerGetAttributes(&at, (void *)q));
  EXPECT(at.device == 1 && at.type == cudaMemoryTypeDevice);
  DO(cuCtxPushCurrent(first));
  EXPECT(runtime_device() == 0 && driver_device() == 0);
  DO(cuCtxPopCurrent(&now));
  EXPECT(now == first && runtime_device() == 1 && driver_device() == 1);
  DO(cuCtxPushCurrent(first));
  CHECK(cudaSetDevice(1)); // in the place of the context on top
  EXPECT(driver_device() == 1);
  DO(cuCtxPopCurrent(&now));
  EXPECT(now != first);
  CHECK(cudaSetDevice(0));
  DO(cuCtxSetCurrent(now));
  EXPECT(runtime_device() == 1);
  CHECK(cudaSetDevice(0));

  // A stream of one in calls of the other, and a kernel of the runtime that the driver launches.
  cudaStream_t s;
  CUstream t;
  CHECK(cudaStreamCreate(&s));
  DO(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
  cudaFunction_t f;
  CHECK(cudaGetFuncBySymbol(&f, (const void *)fill));
  int v = 100, count = n;
  void *args[] = {&p, &v, &count};
  DO(cuLaunchKernel((CUfunction)f, (n + 127) / 128, 1, 1, 128, 1, 1, 0, s, args, nullptr));
  DO(cuStreamSynchronize(s));
  fill<<<1, 32, 0, t>>>(p, 50, 32);
  CHECK(cudaStreamSynchronize(t));
  CHECK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) EXPECT(host[i] == (i < 32 ? 50 : 100) + i);

  // Another thread has no context before it uses the runtime, and device 0 from then on.
  std::thread([&] {
    CUcontext c = (CUcontext)1;
    CUdeviceptr r;
    DO(cuCtxGetCurrent(&c));
    EXPECT(c == nullptr && cuMemAlloc(&r, 4) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cudaFree(nullptr));
    DO(cuCtxGetCurrent(&c));
    EXPECT(c == first);
    DO(cuMemAlloc(&r, 4));
    CHECK(cudaFree((void *)r));
  }).join();
  DO(cuMemFree(q));
  CHECK(cudaFree(p));
  return passed();
}
