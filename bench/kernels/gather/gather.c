#include "native.h"

void once(arg *a) {
  const int32_t *restrict index = S32(0);
  const float *restrict x = F32(1);
  float *restrict y = F32(2);
  int n = INT(3);
  for (int i = 0; i < n; i++)
    y[i] += x[index[i]];
}
