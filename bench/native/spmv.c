#include "native.h"

void once(arg *a) {
  const int32_t *restrict rows = S32(0), *restrict cols = S32(1);
  const float *restrict vals = F32(2), *restrict x = F32(3);
  float *restrict y = F32(4);
  int n = INT(5);
  for (int r = 0; r < n; r++) {
    float sum = 0;
    for (int k = rows[r]; k < rows[r + 1]; k++)
      sum = FMA(vals[k], x[cols[k]], sum);
    y[r] = sum;
  }
}
