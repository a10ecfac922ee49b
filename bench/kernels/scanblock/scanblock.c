#include "native.h"

void once(arg *a) {
  const uint32_t *restrict in = U32(0);
  uint32_t *restrict out = U32(1);
  for (size_t b = 0; b < a[0].bytes / 4; b += 256) {
    uint32_t sum = 0;
    for (int t = 0; t < 256; t++)
      out[b + t] = sum += in[b + t];
  }
}
