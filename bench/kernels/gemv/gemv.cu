// A matrix times a vector, a warp for each row.
extern "C" __global__ void gemv(const float *m, const float *x, float *y, int rows, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  float sum = 0;
  for (int k = lane; k < cols; k += 32)
    sum += m[row * cols + k] * x[k];
  for (int o = 16; o > 0; o /= 2)
    sum += __shfl_down_sync(~0u, sum, o);
  if (lane == 0)
    y[row] = sum;
}
