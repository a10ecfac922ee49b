#include "native.h"

void once(arg *a) {
  const int32_t *restrict col = S32(0);
  const float *restrict val = F32(1), *restrict x = F32(2);
  float *restrict y = F32(3);
  int n = INT(4);
  for (int r = 0; r < n; r++) {
    float sum = 0;
    for (int k = 0; k < 7; k++)
      sum = FMA(val[k * n + r], x[col[k * n + r]], sum);
    y[r] = sum;
  }
}
