#include "native.h"

void once(arg *a) {
  const uint32_t *restrict x = U32(0);
  uint16_t *restrict y = a[1].p;
  int n = 2 * INT(2);
  for (int i = 0; i < n; i++)
    y[i] = (x[i] + 0x7fff + (x[i] >> 16 & 1)) >> 16;
}
