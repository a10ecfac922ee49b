// Two warps that wait for each other at different barriers: a deadlock, with who waits where.
extern "C" __global__ void handover(int *out) {
  __shared__ int box;
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0)
      box = 42;
    asm volatile("barrier.sync 1, 64;");
  } else {
    asm volatile("barrier.sync 2, 64;"); // should be 1
    out[threadIdx.x - 32] = box;
  }
}
