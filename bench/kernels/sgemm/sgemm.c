#include "native.h"

// Four rows by 32 columns in registers.
static void block(const float *restrict a, const float *restrict b, float *restrict c, int n) {
  float acc[4][32] = {0};
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 32; j++)
        acc[i][j] = FMA(a[i * n + k], b[k * n + j], acc[i][j]);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 32; j++)
      c[i * n + j] = acc[i][j];
}

void once(arg *a) {
  int n = INT(3);
  for (int j = 0; j < n; j += 32)
    for (int i = 0; i < n; i += 4)
      block(F32(0) + i * n, F32(1) + j, F32(2) + i * n + j, n);
}
