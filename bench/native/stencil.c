#include "native.h"

void once(arg *a) {
  const float *restrict in = F32(0);
  float *restrict out = F32(1), center = FLT(4), side = FLT(5);
  int w = INT(2), h = INT(3);
  for (int y = 0; y < h; y++) {
    const float *r = in + y * w;
    float *o = out + y * w;
    if (y == 0 || y == h - 1) {
      for (int x = 0; x < w; x++)
        o[x] = r[x];
      continue;
    }
    o[0] = r[0], o[w - 1] = r[w - 1];
#pragma omp simd
    for (int x = 1; x < w - 1; x++)
      o[x] = FMA(r[x], center, (((r[x - w] + r[x + w]) + r[x - 1]) + r[x + 1]) * side);
  }
}
