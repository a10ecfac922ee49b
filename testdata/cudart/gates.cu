// What a run's status and reports are about, by the first argument (TestGates). Without one nothing is wrong.
// flags: -std=c++17 -gencode arch=compute_90,code=compute_90
#include "check.h"
#include <cstring>

__global__ void add(int *p) { atomicAdd(p, 1); }
__global__ void spin(volatile int *p) { while (*p == 0) {} }

__global__ void late(int *p) { // warps that leave the barrier together read the word long before it changes
  __shared__ int word;
  if (threadIdx.x == 0) word = 0;
  __syncthreads();
  int seen = word;
  float x = threadIdx.x;
  for (int i = 0; i < 200; i++) x = x * 1.5f + 1;
  if (threadIdx.x == 0) word = x != 3;
  atomicAdd(p, seen);
}

__global__ void front(int *p) {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  p[blockIdx.x] = 1;
}
__global__ void behind(const int *p, int *sum, bool waits) {
  if (waits) asm volatile("griddepcontrol.wait;" ::: "memory");
  atomicAdd(sum, p[blockIdx.x]);
}

static void dependents(int *p, bool waits) {
  CHECK(cudaMemset(p, 0, 65 * sizeof *p));
  cudaStream_t s;
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CHECK(cudaDeviceSynchronize());
  front<<<64, 32, 0, s>>>(p);
  cudaLaunchAttribute a;
  a.id = cudaLaunchAttributeProgrammaticStreamSerialization, a.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t c = {};
  c.gridDim = 64, c.blockDim = 1, c.stream = s, c.attrs = &a, c.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&c, behind, (const int *)p, p + 64, waits));
  CHECK(cudaStreamSynchronize(s));
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int *p, sum;
  CHECK(cudaMalloc(&p, 65 * sizeof *p));
  CHECK(cudaMemset(p, 0, 65 * sizeof *p));
  auto is = [&](const char *name) { return strcmp(what, name) == 0; };
  add<<<1, 32>>>(p + 64);
  if (is("unasked") || is("asked")) add<<<1, 2000>>>(p);
  if (is("asked")) EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  if (is("spin")) spin<<<1, 32>>>(p);
  if (is("late")) late<<<1, 256>>>(p + 64);
  if (is("dependents") || is("waiting")) dependents(p, is("waiting"));
  EXPECT(cudaDeviceSynchronize() == (is("spin") ? cudaErrorLaunchTimeout : cudaSuccess));
  if (!is("spin")) CHECK(cudaMemcpy(&sum, p + 64, sizeof sum, cudaMemcpyDeviceToHost));
  if (*what && !is("spin")) printf("sum %d\n", sum);
  printf("PASSED\n");
}
