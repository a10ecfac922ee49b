#include "native.h"
#include <math.h>

void once(arg *a) {
  const float *restrict in = F32(0);
  float *restrict x = F32(1), *restrict y = F32(2), *restrict z = F32(3);
  int n = INT(4);
  for (int i = 0; i < n; i++) {
    float vx = in[3 * i], vy = in[3 * i + 1], vz = in[3 * i + 2];
    float s = 1 / sqrtf(FMA(vz, vz, FMA(vy, vy, vx * vx)));
    x[i] = vx * s;
    y[i] = vy * s;
    z[i] = vz * s;
  }
}
