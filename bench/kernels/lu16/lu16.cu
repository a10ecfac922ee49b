// Elimination of 16 by 16 matrices in shared memory, one a block.
extern "C" __global__ void lu16(double *m) {
  __shared__ double s[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  double *g = m + blockIdx.x * 256 + y * 16 + x;
  s[y][x] = *g;
  for (int k = 0; k < 15; k++) {
    __syncthreads();
    double f = s[y][k] / s[k][k];
    __syncthreads();
    if (y > k && x > k)
      s[y][x] = fma(-f, s[k][x], s[y][x]);
    else if (y > k && x == k)
      s[y][x] = f;
  }
  *g = s[y][x];
}
