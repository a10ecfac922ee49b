#include "native.h"

static void swap(uint32_t *restrict x, uint32_t *restrict y, unsigned n, int up) {
  for (unsigned i = 0; i < n; i++) {
    uint32_t lo = x[i] < y[i] ? x[i] : y[i], hi = x[i] < y[i] ? y[i] : x[i];
    x[i] = up ? lo : hi;
    y[i] = up ? hi : lo;
  }
}

void once(arg *a) {
  for (size_t b = 0; b < a[0].bytes / 2048; b++) {
    uint32_t *s = U32(0) + b * 512;
    for (unsigned size = 2; size <= 512; size *= 2)
      for (unsigned step = size / 2; step > 0; step /= 2)
        for (unsigned i = 0; i < 512; i += 2 * step)
          swap(s + i, s + i + step, step, (i & size) == 0);
  }
}
