#include "native.h"

void once(arg *a) {
  const float *restrict now = F32(0);
  float *restrict was = F32(1), c = FLT(2);
  int n = INT(3);
  for (int z = 1; z < n - 1; z++)
    for (int y = 1; y < n - 1; y++)
      for (int x = 1; x < n - 1; x++) {
        int i = (z * n + y) * n + x;
        float v = now[i];
        float sum = now[i - 1] + now[i + 1] + now[i - n] + now[i + n] + now[i - n * n] + now[i + n * n];
        was[i] = FMA(c, FMA(-6.0f, v, sum), FMA(2.0f, v, -was[i]));
      }
}
