// An asynchronous copy that is used without waiting for it; --async lazy, in pipeline.txt, shows it.
extern "C" __global__ void twice(const float *x, float *y) {
  __shared__ float tile[32];
  unsigned int to = __cvta_generic_to_shared(&tile[threadIdx.x]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(x + threadIdx.x) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  // missing: asm volatile("cp.async.wait_group 0;" ::: "memory");
  y[threadIdx.x] = 2 * tile[threadIdx.x];
}
