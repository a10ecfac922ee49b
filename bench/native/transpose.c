#include "native.h"

#define T 16

void once(arg *a) {
  const uint32_t *restrict in = U32(0);
  uint32_t *restrict out = U32(1);
  int w = INT(2), h = INT(3);
  for (int y0 = 0; y0 < h; y0 += T)
    for (int x0 = 0; x0 < w; x0 += T)
      for (int x = x0; x < x0 + T && x < w; x++)
        for (int y = y0; y < y0 + T && y < h; y++)
          out[x * h + y] = in[y * w + x];
}
