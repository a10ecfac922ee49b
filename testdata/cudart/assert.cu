// An assertion that does not hold ends the kernel; every later call says so.
// exit: 3
// stdout: asserted
// stderr: positive
#include "check.h"
#include <cassert>

__global__ void root(float *p) { int i = threadIdx.x; assert(p[i] >= 0 && "positive"); p[i] = sqrtf(p[i]); }

int main() {
  float *p;
  CHECK(cudaMallocManaged(&p, 32 * sizeof *p));
  for (int i = 0; i < 32; i++) p[i] = i - 1;
  root<<<1, 32>>>(p);
  EXPECT(cudaDeviceSynchronize() == cudaErrorAssert);
  EXPECT(cudaMalloc(&p, 4) == cudaErrorAssert);
  EXPECT(cudaGetLastError() == cudaErrorAssert && cudaGetLastError() == cudaErrorAssert);
  printf("asserted\n");
  return 0;
}
