// A sparse matrix by rows times a vector, a warp for each row.
extern "C" __global__ void csrvector(const int *start, const int *col, const double *val, const double *x, double *y, int n) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= n)
    return;
  double sum = 0;
  for (int k = start[r] + lane; k < start[r + 1]; k += 32)
    sum += val[k] * x[col[k]];
  for (int o = 16; o > 0; o /= 2)
    sum += __shfl_down_sync(~0u, sum, o);
  if (lane == 0)
    y[r] = sum;
}
