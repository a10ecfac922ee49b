// Running maxima of rows of 32, by shuffles.
extern "C" __global__ void scanwarp(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  int v = i < n ? in[i] : 0;
#pragma unroll
  for (int o = 1; o < 32; o *= 2) {
    int u = __shfl_up_sync(~0u, v, o);
    if (lane >= o)
      v = max(u, v);
  }
  if (i < n)
    out[i] = v;
}
