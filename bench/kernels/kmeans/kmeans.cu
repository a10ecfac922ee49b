// The nearest of 16 centres for each point of four coordinates, centres in shared memory.
extern "C" __global__ void kmeans(const float *x, const float *centre, int *which, int n) {
  __shared__ float c[64];
  if (threadIdx.x < 64)
    c[threadIdx.x] = centre[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float best = 1e30f;
  int at = 0;
  for (int k = 0; k < 16; k++) {
    float d = 0;
    for (int j = 0; j < 4; j++) {
      float e = x[j * n + i] - c[k * 4 + j];
      d += e * e;
    }
    if (d < best) {
      best = d;
      at = k;
    }
  }
  which[i] = at;
}
