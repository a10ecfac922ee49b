#include "native.h"
#include <string.h>

// Four rows at a time over all columns: the sums of an element are in ascending k, as in the kernel.
void once(arg *a) {
  const float *restrict x = F32(0), *restrict y = F32(1);
  float *restrict z = F32(2);
  int m = INT(3), n = INT(4), kk = INT(5);
  for (int i0 = 0; i0 < m; i0 += 4)
    for (int j0 = 0; j0 < n; j0 += 64) {
      float acc[4][64];
      memset(acc, 0, sizeof acc);
      int w = n - j0 < 64 ? n - j0 : 64, h = m - i0 < 4 ? m - i0 : 4;
      for (int k = 0; k < kk; k++)
        for (int i = 0; i < h; i++) {
          float f = x[(i0 + i) * kk + k];
          const float *row = &y[k * n + j0];
          if (w == 64) {
#pragma omp simd
            for (int j = 0; j < 64; j++)
              acc[i][j] = FMA(f, row[j], acc[i][j]);
          } else {
            for (int j = 0; j < w; j++)
              acc[i][j] = FMA(f, row[j], acc[i][j]);
          }
        }
      for (int i = 0; i < h; i++)
        memcpy(&z[(i0 + i) * n + j0], acc[i], w * sizeof(float));
    }
}
