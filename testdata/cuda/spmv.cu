// y = A*x for a sparse matrix in CSR, once with a thread a row and once with a warp a row.
extern "C" __global__ void spmvRow(const int *rows, const int *cols, const float *vals, const float *x, float *y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n)
    return;
  float sum = 0;
#pragma unroll 1
  for (int k = rows[r]; k < rows[r + 1]; k++)
    sum += vals[k] * x[cols[k]];
  y[r] = sum;
}

extern "C" __global__ void spmvWarp(const int *rows, const int *cols, const float *vals, const float *x, float *y, int n) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  int lane = threadIdx.x & 31;
  if (r >= n)
    return;
  float sum = 0;
  int end = rows[r + 1];
#pragma unroll 1
  for (int k = rows[r] + lane; k < end; k += 32)
    sum += vals[k] * x[cols[k]];
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1)
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (lane == 0)
    y[r] = sum;
}
