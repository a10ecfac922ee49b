// Solves a triangular system of eight unknowns for many right sides, one a thread.
extern "C" __global__ void trsm8(const double *l, double *b, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n)
    return;
  double x[8];
#pragma unroll
  for (int i = 0; i < 8; i++) {
    double v = b[i * n + t];
    for (int j = 0; j < i; j++)
      v = fma(-l[i * 8 + j], x[j], v);
    x[i] = v / l[i * 9];
  }
#pragma unroll
  for (int i = 0; i < 8; i++)
    b[i * n + t] = x[i];
}
