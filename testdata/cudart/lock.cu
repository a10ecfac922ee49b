// Threads of a block that wait for each other for ever: code 702, with a report of who waits where.
// exit: 5
// stderr: deadlock
// stderr: lock.cu:9
#include "check.h"

__global__ void half(int *p) {
  if (threadIdx.x < 32)
    asm volatile("barrier.sync 1, 64;");
  if (p) *p = 1;
}

int main() {
  half<<<1, 64>>>(nullptr);
  EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchTimeout);
  return 5;
}
