// Kernels that want more than they should get; SECURITY.md shows what each gets.
#include <cstdio>

extern "C" __global__ void talk() {
  while (true)
    printf("thread %d says hello again\n", threadIdx.x);
}

extern "C" __global__ void hoard(void **last) {
  while (void *p = malloc(1 << 20))
    *last = p;
  asm volatile("trap;");
}

__device__ __noinline__ int below(int n, volatile int *sum) { return n == 0 ? 0 : 1 + below(n + 1, sum) * *sum; }
extern "C" __global__ void dive(int *sum) { *sum = below(1, sum); }

extern "C" __global__ void spin(volatile int *flag) {
  while (*flag == 0)
    ;
}

extern "C" __global__ void sprawl() {
  volatile char x[1 << 30];
  for (int i = 0; i < 1 << 30; i += 4096)
    x[i] = 1;
}

extern "C" __global__ void nothing() {}
