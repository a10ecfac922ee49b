// The update A += x yT of a matrix of doubles.
extern "C" __global__ void ger(const double *x, const double *y, double *m, int rows, int cols) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= cols)
    return;
  double v = y[j];
  for (int i = blockIdx.y; i < rows; i += gridDim.y)
    m[i * cols + j] += x[i] * v;
}
