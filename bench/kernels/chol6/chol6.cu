// Cholesky factors of many 6 by 6 matrices, one in each thread's local array.
extern "C" __global__ void chol6(const float *in, float *out, int count) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= count)
    return;
  float m[6][6];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j <= i; j++)
      m[i][j] = in[(i * 6 + j) * count + t];
  for (int j = 0; j < 6; j++) {
    for (int k = 0; k < j; k++)
      for (int i = j; i < 6; i++)
        m[i][j] = fmaf(-m[i][k], m[j][k], m[i][j]);
    float d = sqrtf(m[j][j]);
    m[j][j] = d;
    for (int i = j + 1; i < 6; i++)
      m[i][j] = m[i][j] / d;
  }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j <= i; j++)
      out[(i * 6 + j) * count + t] = m[i][j];
}
