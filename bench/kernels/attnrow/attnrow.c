#include "native.h"
#include <math.h>

void once(arg *a) {
  const float *restrict q = F32(0), *restrict k = F32(1), *restrict v = F32(2);
  float *restrict out = F32(3);
  int keys = INT(4), n = INT(5);
  for (int i = 0; i < n; i++) {
    float mine[16], acc[16] = {0}, m = -1e30f, sum = 0;
    for (int d = 0; d < 16; d++)
      mine[d] = q[d * n + i] * 0.25f;
    for (int j = 0; j < keys; j++) {
      float s = 0;
      for (int d = 0; d < 16; d++)
        s = FMA(mine[d], k[j * 16 + d], s);
      float big = m > s ? m : s, old = expf(m - big), p = expf(s - big);
      m = big;
      sum = FMA(sum, old, p);
      for (int d = 0; d < 16; d++)
        acc[d] = FMA(acc[d], old, p * v[j * 16 + d]);
    }
    for (int d = 0; d < 16; d++)
      out[d * n + i] = acc[d] / sum;
  }
}
