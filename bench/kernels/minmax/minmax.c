#include "native.h"

void once(arg *a) {
  const int32_t *restrict x = S32(0);
  int32_t *out = S32(1), lo = out[0], hi = out[1], n = INT(2);
  uint32_t sum = out[2];
  for (int i = 0; i < n; i++) {
    lo = x[i] < lo ? x[i] : lo;
    hi = x[i] > hi ? x[i] : hi;
    sum += x[i];
  }
  out[0] = lo;
  out[1] = hi;
  out[2] = sum;
}
