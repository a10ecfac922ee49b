// A function of the host in a stream ends the process: with its status, and what kernels have printed comes out.
// exit: 7
// stdout: from the kernel
// stdout: at the end
#include "check.h"

__global__ void hello() { printf("from the kernel\n"); }

static void CUDART_CB leave(void *status) { exit((int)(size_t)status); }

int main() {
  atexit([] { printf("at the end\n"); });
  hello<<<1, 1>>>();
  CHECK(cudaLaunchHostFunc(0, leave, (void *)7));
  cudaDeviceSynchronize();
  return 1;
}
