// Softmax of rows of 128, a warp for each row.
extern "C" __global__ void softmaxrow(const float *x, float *y, int rows) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  float v[4], m = -1e30f, sum = 0;
  for (int k = 0; k < 4; k++) {
    v[k] = x[row * 128 + k * 32 + lane];
    m = fmaxf(m, v[k]);
  }
  for (int o = 16; o > 0; o /= 2)
    m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  for (int k = 0; k < 4; k++) {
    v[k] = expf(v[k] - m);
    sum += v[k];
  }
  for (int o = 16; o > 0; o /= 2)
    sum += __shfl_xor_sync(~0u, sum, o);
  for (int k = 0; k < 4; k++)
    y[row * 128 + k * 32 + lane] = v[k] / sum;
}
