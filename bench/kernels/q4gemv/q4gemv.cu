// Weights of four bits with a scale for each 32, times a vector: a thread for each row, words of eight weights column by column.
extern "C" __global__ void q4gemv(const unsigned *q, const float *scale, const float *x, float *y, int rows, int groups) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float sum = 0;
  for (int g = 0; g < groups; g++) {
    float part = 0;
    for (int k = 0; k < 4; k++) {
      unsigned word = q[(g * 4 + k) * rows + r];
      for (int i = 0; i < 8; i++)
        part += (float)((int)(word >> 4 * i & 15) - 8) * x[g * 32 + k * 8 + i];
    }
    sum += part * scale[g * rows + r];
  }
  y[r] = sum;
}
