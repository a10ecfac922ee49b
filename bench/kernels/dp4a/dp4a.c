#include "native.h"

void once(arg *a) {
  const int8_t *restrict x = a[0].p, *restrict y = a[1].p;
  int32_t *restrict out = S32(2);
  int words = INT(3), n = INT(4);
  for (int i = 0; i < n; i++) {
    int sum = 0;
    for (int k = 0; k < 4 * words; k++)
      sum += x[i * 4 * words + k] * y[k];
    out[i] = sum;
  }
}
