// An address that is not a multiple of its access: error 716, and where.
// exit: 3
// stdout: caught
// stderr: P7002
// stderr: misaligned.cu:9
#include "check.h"

__global__ void load(const char *p, double *out) {
  *out = *(const double *)(p + 4);
}

int main() {
  char *p;
  double *out;
  CHECK(cudaMalloc(&p, 64));
  CHECK(cudaMalloc(&out, 8));
  load<<<1, 1>>>(p, out);
  EXPECT(cudaDeviceSynchronize() == cudaErrorMisalignedAddress);
  printf("caught\n");
  return 0;
}
