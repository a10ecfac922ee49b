// Host code reads device memory: the signal that a GPU would give, and which memory it is.
// exit: -1
// stdout: before
// stderr: host code accesses device memory
// stderr: byte 40 of 4000 bytes from cudaMalloc
// stderr: PTXVM_HOST_ACCESS=allow
#include "check.h"

int main() {
  int *p, *q;
  CHECK(cudaMalloc(&q, 100));
  CHECK(cudaMalloc(&p, 4000));
  CHECK(cudaMemset(p, 1, 4000));
  CHECK(cudaDeviceSynchronize());
  printf("before\n");
  fflush(stdout);
  return p[10];
}
