#include "native.h"
#include <string.h>

void once(arg *a) {
  const float *restrict in = F32(0);
  float *restrict out = F32(1), k = FLT(2);
  int w = INT(3), h = INT(4);
  memcpy(out, in, sizeof(float) * w);
  memcpy(out + (h - 1) * w, in + (h - 1) * w, sizeof(float) * w);
  for (int y = 1; y < h - 1; y++) {
    const float *row = in + y * w;
    out[y * w] = row[0];
    for (int x = 1; x < w - 1; x++) {
      float sum = row[x - 1] + row[x + 1] + row[x - w] + row[x + w];
      out[y * w + x] = FMA(k, FMA(-4.0f, row[x], sum), row[x]);
    }
    out[y * w + w - 1] = row[w - 1];
  }
}
