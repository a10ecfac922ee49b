// A program with functions by the names that each copy of NVIDIA's runtime has, which here return 77. It asks one for its
// version before main, and prints that.
#include <stdio.h>

#define RUNTIME(name) __attribute__((noinline)) int name(void) { for (volatile int i = 0; i < 9; i++) puts(""); return 77; }
RUNTIME(__cudaRegisterFatBinary)
RUNTIME(__cudaRegisterFatBinaryEnd)
RUNTIME(__cudaUnregisterFatBinary)
RUNTIME(__cudaRegisterFunction)
RUNTIME(__cudaRegisterVar)
RUNTIME(__cudaPushCallConfiguration)
RUNTIME(__cudaPopCallConfiguration)
RUNTIME(cudaLaunchKernel)
RUNTIME(cudaMalloc)
RUNTIME(cudaRuntimeGetVersion)
#ifndef PART
RUNTIME(cudaGetDeviceProperties)
#endif
#ifdef SHORT // no room for a jump
__attribute__((noinline, aligned(1))) int cudaGetLastError(void) { return 77; }
__attribute__((noinline, aligned(1))) int behind(void) { return 78; }
#endif

static int early;

__attribute__((constructor)) static void begin(void) {
  int v = 0;
  int (*version)(int *) = (int (*)(int *))(void (*)(void))cudaRuntimeGetVersion;
  int e = version(&v);
  early = e ? e : v;
}

int main(void) {
  printf("version %d\n", early);
  return 0;
}
