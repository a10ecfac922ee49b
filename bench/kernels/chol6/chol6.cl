// Cholesky factors of many 6 by 6 matrices, one in each work-item's private array.
kernel void once(global const float *restrict in, global float *restrict out, int count) {
  int t = get_global_id(0);
  if (t >= count)
    return;
  float m[6][6];
#pragma unroll
  for (int i = 0; i < 6; i++)
#pragma unroll
    for (int j = 0; j <= i; j++)
      m[i][j] = in[(i * 6 + j) * count + t];
#pragma unroll
  for (int j = 0; j < 6; j++) {
#pragma unroll
    for (int k = 0; k < j; k++)
#pragma unroll
      for (int i = j; i < 6; i++)
        m[i][j] = fma(-m[i][k], m[j][k], m[i][j]);
    float d = sqrt(m[j][j]);
    m[j][j] = d;
#pragma unroll
    for (int i = j + 1; i < 6; i++)
      m[i][j] = m[i][j] / d;
  }
#pragma unroll
  for (int i = 0; i < 6; i++)
#pragma unroll
    for (int j = 0; j <= i; j++)
      out[(i * 6 + j) * count + t] = m[i][j];
}
