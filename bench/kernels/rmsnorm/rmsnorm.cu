// RMS normalisation of rows of 256, a warp for each.
extern "C" __global__ void rmsnorm(const float *x, const float *weight, float *y, int rows) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  float v[8], sum = 0;
  for (int k = 0; k < 8; k++) {
    v[k] = x[row * 256 + k * 32 + lane];
    sum += v[k] * v[k];
  }
  for (int o = 16; o > 0; o /= 2)
    sum += __shfl_xor_sync(~0u, sum, o);
  float scale = 1 / sqrtf(sum / 256 + 1e-5f);
  for (int k = 0; k < 8; k++)
    y[row * 256 + k * 32 + lane] = v[k] * scale * weight[k * 32 + lane];
}
