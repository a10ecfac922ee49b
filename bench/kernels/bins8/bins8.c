#include "native.h"

void once(arg *a) {
  const uint8_t *restrict x = a[0].p;
  uint16_t *restrict bins = a[1].p;
  int each = INT(2), threads = INT(3);
  for (int t = 0; t < threads; t++) {
    uint16_t count[8] = {0};
    for (int k = 0; k < each; k++)
      count[x[k * threads + t] & 7]++;
    for (int b = 0; b < 8; b++)
      bins[b * threads + t] = count[b];
  }
}
