// Least, largest and sum of integers, by warp reductions and atomics.
extern "C" __global__ void minmax(const int *x, int *out, int n) {
  int lo = 0x7fffffff, hi = -0x7fffffff, sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    lo = min(lo, x[i]);
    hi = max(hi, x[i]);
    sum += x[i];
  }
  for (int o = 16; o > 0; o >>= 1) {
    lo = min(lo, __shfl_xor_sync(~0u, lo, o));
    hi = max(hi, __shfl_xor_sync(~0u, hi, o));
    sum += __shfl_xor_sync(~0u, sum, o);
  }
  if (threadIdx.x % 32 == 0) {
    atomicMin(&out[0], lo);
    atomicMax(&out[1], hi);
    atomicAdd(&out[2], sum);
  }
}
