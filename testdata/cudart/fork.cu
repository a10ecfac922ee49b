// A child that is forked before the device is used may use it; one that is forked after that gets error 3.
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

__global__ void set(int *p) { *p = 42; }

static int work() {
  int *p, v = 0;
  cudaError_t e = cudaMalloc(&p, sizeof v);
  if (e != cudaSuccess) return e;
  set<<<1, 1>>>(p);
  e = cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost);
  return e != cudaSuccess ? e : v;
}

static int child() {
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) _exit(work());
  int status = 0;
  EXPECT(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
  return WEXITSTATUS(status);
}

int main() {
  EXPECT(child() == 42);
  EXPECT(work() == 42);
  EXPECT(child() == cudaErrorInitializationError);
  EXPECT(work() == 42);
  return passed();
}
