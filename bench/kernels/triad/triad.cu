// STREAM's triad by a grid-stride loop.
extern "C" __global__ void triad(const float *b, const float *c, float *a, float s, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    a[i] = b[i] + s * c[i];
}
