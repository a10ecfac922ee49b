// C = A*B by square tiles in shared memory; edges of any size; a template, so the symbol is mangled.
template <int TILE>
__global__ void matmul(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                       int m, int n, int k) {
  __shared__ float as[TILE][TILE];
  __shared__ float bs[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y;
  int col = blockIdx.x * TILE + threadIdx.x;
  float acc = 0;
  for (int t = 0; t < k; t += TILE) {
    int ak = t + threadIdx.x, bk = t + threadIdx.y;
    as[threadIdx.y][threadIdx.x] = row < m && ak < k ? a[row * k + ak] : 0.0f;
    bs[threadIdx.y][threadIdx.x] = bk < k && col < n ? b[bk * n + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < TILE; j++)
      acc += as[threadIdx.y][j] * bs[j][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n)
    c[row * n + col] = acc;
}

template __global__ void matmul<16>(const float *, const float *, float *, int, int, int);
