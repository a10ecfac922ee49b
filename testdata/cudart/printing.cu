// What kernels print comes in the order of the host's own lines, also into a pipe; assert ends with 710.
// exit: 4
// stdout: one
// stdout: kernel 0
// stdout: two
// stderr: P7006
// stderr: printing.cu:12
#include "check.h"
#include <cassert>

__global__ void hello(int k) { printf("kernel %d\n", k); }
__global__ void check(int x) { assert(x == 3); }

int main() {
  printf("one\n");
  hello<<<1, 1>>>(0);
  CHECK(cudaDeviceSynchronize());
  printf("two\n");
  check<<<1, 1>>>(3);
  CHECK(cudaDeviceSynchronize());
  check<<<1, 32>>>(4);
  return cudaDeviceSynchronize() == cudaErrorAssert ? 4 : 1;
}
