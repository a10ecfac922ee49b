// A product of matrices: tiles of 64 by 64 in shared memory, 4 by 4 results in each thread's registers.
extern "C" __global__ void sgemm(const float *a, const float *b, float *c, int n) {
  __shared__ float at[16][64], bt[16][64];
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row = blockIdx.y * 64, col = blockIdx.x * 64;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    for (int i = threadIdx.x; i < 1024; i += 256) {
      at[i % 16][i / 16] = a[(row + i / 16) * n + k0 + i % 16];
      bt[i / 64][i % 64] = b[(k0 + i / 64) * n + col + i % 64];
    }
    __syncthreads();
    for (int k = 0; k < 16; k++)
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
          acc[i][j] += at[k][ty * 4 + i] * bt[k][tx * 4 + j];
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      c[(row + ty * 4 + i) * n + col + tx * 4 + j] = acc[i][j];
}
