// A sparse matrix of seven entries a row, column by column (ELLPACK), times a vector.
extern "C" __global__ void ellspmv(const int *col, const float *val, const float *x, float *y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n)
    return;
  float sum = 0;
  for (int k = 0; k < 7; k++)
    sum += val[k * n + r] * x[col[k * n + r]];
  y[r] = sum;
}
